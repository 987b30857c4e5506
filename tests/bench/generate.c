/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace as the preemptoff tracer with every function traced would: an address space is
 * torn down, in loops within loops; interrupts and soft interrupts land in it. The same seed gives
 * the same bytes, and memory does not follow the length.
 *
 *	generate LINES [SEED]
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call within a function: how often in a row, in how many of 100 cases. */
struct call {
	uint8_t callee, min, max, percent;
};

#define CALLS 7

struct function {
	const char *name;
	unsigned cost_ns;         /* from entry to next entry, on average */
	bool irqs_off;            /* in it and below it */
	struct call calls[CALLS]; /* up to the first without a percentage */
};

enum {
	UNMAP_VMAS,
	UNMAP_SINGLE,
	UNMAP_PAGE_RANGE,
	ZAP_PTE_RANGE,
	VM_NORMAL_PAGE,
	REMOVE_RMAP,
	LOCK_MEMCG,
	UNLOCK_MEMCG,
	TLB_REMOVE,
	RAW_SPIN_LOCK,
	RAW_SPIN_UNLOCK,
	COUNT_ADD,
	COUNT_SUB,
	TRYLOCK,
	FLUSH_MMU,
	FLUSH_RANGE,
	FLUSH_FUNC,
	FLUSH_ONE,
	FREE_PAGES,
	RELEASE_PAGES,
	FREE_SWAP,
	PUT_TESTZERO,
	UNCHARGE_LIST,
	UNCHARGE_BATCH,
	FREE_UNREF,
	UNREF_PREPARE,
	UNREF_COMMIT,
	MOD_STATE,
	FREE_PGTABLES,
	UNLINK_ANON,
	CACHE_FREE,
	PAGE_ALLOC,
	SLOB_NEXT,
	COND_RESCHED,
	IRQ,
	IRQ_ENTER,
	TICK,
	HRTIMER,
	TIMER_RUN,
	UPDATE_TIME,
	CALC_LOAD,
	SCHED_TICK,
	TASK_TICK,
	UPDATE_CURR,
	UPDATE_LOAD,
	IRQ_EXIT,
	SOFTIRQ,
	RUN_TIMERS,
	CALL_TIMER,
	RCU_CORE,
	NOTE_GP,
	FUNCTIONS,
};

/* clang-format off: one function a line */
static const struct function functions[FUNCTIONS] = {
	[UNMAP_VMAS] = { "unmap_vmas", 400, false, { { UNMAP_SINGLE, 2, 12, 100 } } },
	[UNMAP_SINGLE] = { "unmap_single_vma",
			   300,
			   false,
			   { { UNMAP_PAGE_RANGE, 1, 1, 100 }, { FREE_PGTABLES, 1, 1, 100 } } },
	[UNMAP_PAGE_RANGE] = { "unmap_page_range", 500, false, { { ZAP_PTE_RANGE, 1, 16, 100 } } },
	[ZAP_PTE_RANGE] = { "zap_pte_range.isra.0",
			    600,
			    false,
			    { { RAW_SPIN_LOCK, 1, 1, 100 },
			      { VM_NORMAL_PAGE, 1, 40, 90 },
			      { REMOVE_RMAP, 1, 60, 100 },
			      { FLUSH_RANGE, 1, 1, 60 },
			      { RAW_SPIN_UNLOCK, 1, 1, 100 },
			      { FLUSH_MMU, 1, 1, 80 },
			      { COND_RESCHED, 1, 1, 50 } } },
	[VM_NORMAL_PAGE] = { "vm_normal_page", 250, false, { { 0 } } },
	[REMOVE_RMAP] = { "page_remove_rmap",
			  450,
			  false,
			  { { LOCK_MEMCG, 1, 1, 100 },
			    { MOD_STATE, 1, 2, 70 },
			    { UNLOCK_MEMCG, 1, 1, 100 },
			    { TLB_REMOVE, 1, 1, 90 } } },
	[LOCK_MEMCG] = { "lock_page_memcg", 300, false, { { 0 } } },
	[UNLOCK_MEMCG] = { "unlock_page_memcg", 280, false, { { 0 } } },
	[TLB_REMOVE] = { "__tlb_remove_page_size", 240, false, { { 0 } } },
	[RAW_SPIN_LOCK] = { "_raw_spin_lock",
			    200,
			    false,
			    { { COUNT_ADD, 1, 1, 100 }, { TRYLOCK, 1, 1, 100 } } },
	[RAW_SPIN_UNLOCK] = { "_raw_spin_unlock", 200, false, { { COUNT_SUB, 1, 1, 100 } } },
	[COUNT_ADD] = { "preempt_count_add", 180, false, { { 0 } } },
	[COUNT_SUB] = { "preempt_count_sub", 180, false, { { 0 } } },
	[TRYLOCK] = { "do_raw_spin_trylock", 220, false, { { 0 } } },
	[FLUSH_MMU] = { "tlb_flush_mmu", 260, false, { { FREE_PAGES, 1, 2, 100 } } },
	[FLUSH_RANGE] = { "flush_tlb_mm_range", 500, true, { { FLUSH_FUNC, 1, 1, 100 } } },
	[FLUSH_FUNC] = { "flush_tlb_func", 350, true, { { FLUSH_ONE, 1, 33, 100 } } },
	[FLUSH_ONE] = { "native_flush_tlb_one_user", 900, true, { { 0 } } },
	[FREE_PAGES] = { "free_pages_and_swap_cache",
			 300,
			 false,
			 { { FREE_SWAP, 4, 32, 100 }, { RELEASE_PAGES, 1, 1, 100 } } },
	[RELEASE_PAGES] = { "release_pages",
			    400,
			    false,
			    { { PUT_TESTZERO, 4, 32, 100 },
			      { UNCHARGE_LIST, 1, 1, 100 },
			      { FREE_UNREF, 1, 1, 100 } } },
	[FREE_SWAP] = { "free_swap_cache", 190, false, { { 0 } } },
	[PUT_TESTZERO] = { "__page_cache_release", 230, false, { { MOD_STATE, 1, 1, 15 } } },
	[UNCHARGE_LIST] = { "__mem_cgroup_uncharge_list",
			    300,
			    false,
			    { { UNCHARGE_BATCH, 1, 3, 100 } } },
	[UNCHARGE_BATCH] = { "uncharge_batch", 320, false, { { 0 } } },
	[FREE_UNREF] = { "free_unref_page_list",
			 350,
			 true,
			 { { UNREF_PREPARE, 4, 32, 100 }, { UNREF_COMMIT, 4, 32, 100 } } },
	[UNREF_PREPARE] = { "free_unref_page_prepare.part.0", 270, true, { { 0 } } },
	[UNREF_COMMIT] = { "free_unref_page_commit.constprop.0", 260, true, { { 0 } } },
	[MOD_STATE] = { "__mod_lruvec_page_state", 240, false, { { 0 } } },
	[FREE_PGTABLES] = { "free_pgtables",
			    400,
			    false,
			    { { UNLINK_ANON, 1, 2, 100 }, { CACHE_FREE, 1, 3, 100 } } },
	[UNLINK_ANON] = { "unlink_anon_vmas",
			  380,
			  false,
			  { { RAW_SPIN_LOCK, 1, 1, 100 },
			    { CACHE_FREE, 1, 2, 100 },
			    { RAW_SPIN_UNLOCK, 1, 1, 100 } } },
	[CACHE_FREE] = { "kmem_cache_free", 450, true, { { PAGE_ALLOC, 1, 4, 100 } } },
	[PAGE_ALLOC] = { "slob_page_alloc", 500, true, { { SLOB_NEXT, 8, 60, 100 } } },
	[SLOB_NEXT] = { "slob_next", 150, true, { { 0 } } },
	[COND_RESCHED] = { "rcu_all_qs", 200, false, { { 0 } } },

	[IRQ] = { "sysvec_apic_timer_interrupt",
		  500,
		  true,
		  { { IRQ_ENTER, 1, 1, 100 }, { TICK, 1, 1, 100 }, { IRQ_EXIT, 1, 1, 100 } } },
	[IRQ_ENTER] = { "irq_enter_rcu", 300, true, { { COUNT_ADD, 1, 1, 100 } } },
	[TICK] = { "hrtimer_interrupt", 500, true, { { HRTIMER, 1, 2, 100 } } },
	[HRTIMER] = { "__hrtimer_run_queues", 400, true, { { TIMER_RUN, 1, 1, 100 } } },
	[TIMER_RUN] = { "tick_sched_timer",
			350,
			true,
			{ { UPDATE_TIME, 1, 1, 40 }, { SCHED_TICK, 1, 1, 100 } } },
	[UPDATE_TIME] = { "update_wall_time", 800, true, { { CALC_LOAD, 1, 1, 60 } } },
	[CALC_LOAD] = { "calc_global_load", 250, true, { { 0 } } },
	[SCHED_TICK] = { "scheduler_tick", 500, true, { { TASK_TICK, 1, 1, 100 } } },
	[TASK_TICK] = { "task_tick_fair",
			450,
			true,
			{ { UPDATE_CURR, 1, 2, 100 }, { UPDATE_LOAD, 2, 6, 100 } } },
	[UPDATE_CURR] = { "update_curr", 300, true, { { 0 } } },
	[UPDATE_LOAD] = { "update_load_avg", 350, true, { { 0 } } },
	[IRQ_EXIT] = { "irq_exit_rcu", 300, true, { { COUNT_SUB, 1, 1, 100 } } },
	[SOFTIRQ] = { "__do_softirq",
		      600,
		      false,
		      { { RUN_TIMERS, 1, 1, 100 }, { RCU_CORE, 1, 1, 50 } } },
	[RUN_TIMERS] = { "run_timer_softirq", 400, false, { { CALL_TIMER, 1, 8, 100 } } },
	[CALL_TIMER] = { "call_timer_fn",
			 350,
			 false,
			 { { RAW_SPIN_LOCK, 1, 1, 50 }, { RAW_SPIN_UNLOCK, 1, 1, 50 } } },
	[RCU_CORE] = { "rcu_core", 500, false, { { NOTE_GP, 1, 2, 100 } } },
	[NOTE_GP] = { "note_gp_changes", 300, false, { { 0 } } },
};

/* clang-format on */

#define IRQ_EVERY 400 /* lines, on average */
#define DEPTH_MAX 24

struct generator {
	uint64_t random, time_ns;
	uint64_t line, lines;
	bool silent;  /* find out how long it takes; write nothing */
	char context; /* '.', 'h' or 's' */
	char out[1 << 16];
	size_t n;
};

/* Xorshift64* (Vigna, TOMS 42, 2016). */
static uint64_t below(struct generator *g, uint64_t n)
{
	g->random ^= g->random >> 12;
	g->random ^= g->random << 25;
	g->random ^= g->random >> 27;
	return (g->random * 0x2545f4914f6cdd1dull >> 32) % n;
}

static void flush(struct generator *g)
{
	if (fwrite(g->out, 1, g->n, stdout) != g->n)
		exit(1); /* the reader is gone */
	g->n = 0;
}

static void add(struct generator *g, const char *z)
{
	size_t n = strlen(z);
	memcpy(g->out + g->n, z, n);
	g->n += n;
}

static void add_time(struct generator *g, uint64_t us)
{
	char digits[20];
	size_t n = sizeof(digits);
	do {
		digits[--n] = (char)('0' + us % 10);
		us /= 10;
	} while (us);
	for (size_t i = sizeof(digits) - n; i < 4; i++)
		add(g, " ");
	memcpy(g->out + g->n, digits + n, sizeof(digits) - n);
	g->n += sizeof(digits) - n;
}

static void entry(struct generator *g, const char *name, const char *caller, bool irqs_off,
		  unsigned cost_ns)
{
	uint64_t cost = cost_ns / 2 + below(g, cost_ns);
	if (!g->silent) {
		char flags[] = "  munmap-1234      1...1. ";
		flags[20] = irqs_off ? 'd' : '.';
		flags[22] = g->context;
		add(g, flags);
		add_time(g, g->time_ns / 1000);
		add(g, cost > 10000 ? "us+: " : "us : ");
		add(g, name);
		if (caller) {
			add(g, " <-");
			add(g, caller);
		}
		add(g, "\n");
		if (g->n > sizeof(g->out) - 256)
			flush(g);
	}
	g->line++;
	g->time_ns += cost;
}

static void interrupt(struct generator *g);

static void call(struct generator *g, unsigned which, const char *caller, bool irqs_off, int depth)
{
	const struct function *f = &functions[which];
	if (g->line >= g->lines || depth > DEPTH_MAX)
		return;
	irqs_off |= f->irqs_off;
	if (!irqs_off && g->context == '.' && below(g, IRQ_EVERY) == 0)
		interrupt(g);
	entry(g, f->name, caller, irqs_off, f->cost_ns);
	for (size_t i = 0; i < CALLS && f->calls[i].percent; i++) {
		const struct call *c = &f->calls[i];
		if (below(g, 100) >= c->percent)
			continue;
		uint64_t times = c->min + below(g, c->max - c->min + 1u);
		while (times--)
			call(g, c->callee, f->name, irqs_off, depth + 1);
	}
}

static void interrupt(struct generator *g)
{
	g->context = 'h';
	call(g, IRQ, "asm_sysvec_apic_timer_interrupt", true, 0);
	if (below(g, 3) == 0) {
		g->context = 's';
		call(g, SOFTIRQ, "irq_exit_rcu", false, 0);
	}
	g->context = '.';
}

static void run(struct generator *g, uint64_t seed)
{
	g->random = seed * 0x9e3779b97f4a7c15ull | 1;
	g->context = '.';
	g->line = g->time_ns = 0;
	entry(g, "_raw_spin_lock", NULL, false, 300);
	while (g->line < g->lines)
		call(g, UNMAP_VMAS, "exit_mmap", false, 0);
	flush(g);
}

static void header(const struct generator *g)
{
	printf("# tracer: preemptoff\n#\n"
	       "# preemptoff latency trace v1.1.5 on 6.1.0\n"
	       "# --------------------------------------------------------------------\n"
	       "# latency: %" PRIu64 " us, #%" PRIu64 "/%" PRIu64
	       ", CPU#1 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)\n"
	       "#    -----------------\n"
	       "#    | task: munmap-1234 (uid:0 nice:0 policy:0 rt_prio:0)\n"
	       "#    -----------------\n"
	       "#  => started at: _raw_spin_lock\n"
	       "#  => ended at:   _raw_spin_unlock\n#\n#\n"
	       "#                    _------=> CPU#\n"
	       "#                   / _-----=> irqs-off/BH-disabled\n"
	       "#                  | / _----=> need-resched\n"
	       "#                  || / _---=> hardirq/softirq\n"
	       "#                  ||| / _--=> preempt-depth\n"
	       "#                  |||| / _-=> migrate-disable\n"
	       "#                  ||||| /     delay\n"
	       "#  cmd     pid     |||||| time  |   caller\n"
	       "#     \\   /        ||||||  \\    |    /\n",
	       g->time_ns / 1000, g->line, g->line);
}

int main(int argc, char **argv)
{
	static struct generator g;
	g.lines = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	if (!g.lines || argc > 3) {
		fprintf(stderr, "usage: generate LINES [SEED]\n");
		return 2;
	}
	g.silent = true;
	run(&g, seed);
	header(&g);
	g.silent = false;
	run(&g, seed);
	return fflush(stdout) ? 1 : 0;
}
