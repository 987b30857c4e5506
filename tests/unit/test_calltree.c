/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/calltree.h"
#include "trace.h"

struct run {
	struct trace trace;
	int64_t us;
	struct symbols symbols;
	struct timeline timeline;
	struct loop_pool loops;
	struct calltree tree;
	struct reader *reader;
};

static void run(struct run *r)
{
	struct capture *c;
	struct source *s;
	r->reader = trace_first(r->trace.text.p, &c, &s);
	symbols_init(&r->symbols, c->names);
	timeline_init(&r->timeline, &r->symbols, UNKNOWN);
	loop_pool_init(&r->loops, sizeof(struct loop_stats));
	calltree_init(&r->tree, &r->symbols, &r->loops);
	timeline_listen(&r->timeline, &r->tree.listener);
	trace_run(c, s, &r->timeline.sink);
	calltree_close(&r->tree);
}

static void end(struct run *r)
{
	calltree_fini(&r->tree);
	loop_pool_fini(&r->loops);
	symbols_fini(&r->symbols);
	reader_close(r->reader);
	strbuf_fini(&r->trace.text);
}

/* An entry at the clock, which goes on by dt. */
static void at(struct run *r, const char *who, const char *flags, const char *payload, int64_t dt)
{
	trace_entry(&r->trace, who, flags, r->us, payload);
	r->us += dt;
}

static void call(struct run *r, const char *payload, int64_t dt)
{
	at(r, "x-1", "0d..1", payload, dt);
}

static const char *name(const struct run *r, uint32_t node)
{
	return symbols_text(&r->symbols, r->tree.nodes.at[node].symbol);
}

static bool has_path(const struct run *r, uint32_t node, const char *path)
{
	size_t n = strlen(path);
	for (; !calltree_is_root(node); node = r->tree.nodes.at[node].parent) {
		const char *s = name(r, node);
		size_t len = strlen(s);
		if (len > n || memcmp(path + n - len, s, len) != 0)
			return false;
		n -= len;
		if (n && path[--n] != '>')
			return false;
	}
	return n == 0;
}

/* "a>b>c", from the root down; NULL: no such node. */
static const struct calltree_node *find(const struct run *r, const char *path)
{
	for (uint32_t i = 1; i < r->tree.nodes.n; i++)
		if (!calltree_is_root(i) && has_path(r, i, path))
			return &r->tree.nodes.at[i];
	return NULL;
}

static const struct calltree_node *get(const struct run *r, const char *path)
{
	const struct calltree_node *n = find(r, path);
	if (!n) {
		for (uint32_t i = 1; i < r->tree.nodes.n; i++)
			if (!calltree_is_root(i))
				print_message("# %u: %s, in %u\n", i, name(r, i),
					      r->tree.nodes.at[i].parent);
		fail_msg("no %s", path);
	}
	return n;
}

static const struct loop_stats *loop(const struct run *r, const char *path)
{
	const struct loop_stats *l = loop_pool_get(&r->loops, get(r, path)->loop);
	if (!l || !l->instances)
		fail_msg("%s is no loop", path);
	return l;
}

static size_t loops(const struct run *r)
{
	size_t n = 0;
	for (uint32_t i = 1; i < r->tree.nodes.n; i++)
		n += calltree_loop(&r->tree, i) && calltree_loop(&r->tree, i)->instances;
	return n;
}

static void near(double got, double want)
{
	if (!(fabs(got - want) < 0.5))
		fail_msg("%g is not %g", got, want);
}

/* -- The tree ------------------------------------------------------------------------------ */

static void test_nesting(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, "a <-main", 1);
	call(&r, "b <-a", 2);
	call(&r, "c <-b", 3);
	call(&r, "d <-a", 4); /* back in a */
	call(&r, "e <-main", 5);
	call(&r, "e <-main", 0);
	run(&r);
	assert_true(get(&r, "main>a")->self == 1000);
	assert_true(get(&r, "main>a>b>c")->self == 3000);
	assert_true(get(&r, "main>a>b")->total == 5000);
	assert_true(get(&r, "main>a")->total == 10000);
	assert_true(get(&r, "main>a>d")->total == 4000);
	assert_int_equal(get(&r, "main>e")->calls, 2);
	assert_true(get(&r, "main")->synthetic);
	assert_true(get(&r, "main")->total == 15000);
	assert_false(get(&r, "main>a")->synthetic);
	end(&r);
}

/* A caller that was never entered goes above the deepest frame that is proven to be a caller. */
static void test_synthetic(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, "a <-main", 1);
	call(&r, "b <-a", 1);
	call(&r, "c <-inlined", 1); /* b called nothing: inlined is a's */
	call(&r, "d <-inlined", 1);
	call(&r, "e <-a", 1);
	call(&r, "e <-a", 0);
	run(&r);
	get(&r, "main>a>b");
	assert_true(get(&r, "main>a>inlined")->synthetic);
	get(&r, "main>a>inlined>c");
	get(&r, "main>a>inlined>d");
	assert_int_equal(get(&r, "main>a>e")->calls, 2); /* the stack was not emptied */
	end(&r);
}

/* A tail call's caller is the caller's caller: a sibling. */
static void test_tail_call(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, "outer <-main", 1);
	call(&r, "tail <-main", 1); /* outer jumped to it */
	call(&r, "leaf <-tail", 1);
	call(&r, "leaf <-tail", 0);
	run(&r);
	get(&r, "main>tail>leaf");
	assert_null(find(&r, "main>outer>tail"));
	end(&r);
}

static void test_clones_are_one(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, ".a.isra.0 <-main.constprop.3", 1);
	call(&r, "b.part.1 <-a", 1);
	call(&r, "c <-.b.cold", 1);
	call(&r, "a <-main", 0);
	run(&r);
	assert_int_equal(get(&r, "main>a")->calls, 2);
	get(&r, "main>a>b>c");
	end(&r);
}

static void test_recursion(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, "a <-main", 1);
	call(&r, "a <-a", 1); /* printed by the tracer at a section's edge, too: a mark, no call */
	call(&r, "b <-a", 1);
	call(&r, "a <-b", 1); /* that is one */
	call(&r, "c <-a", 1);
	call(&r, "d <-main", 0);
	run(&r);
	assert_int_equal(get(&r, "main>a")->calls, 1);
	get(&r, "main>a>b>a>c");
	get(&r, "main>d");
	end(&r);
}

/* Marks are no calls; their caller is where the stack is. */
static void test_marks(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, "a <-main", 1);
	call(&r, "user_trace_start <-a", 1);
	call(&r, "b <-a", 1);
	call(&r, "__schedule", 1);
	call(&r, "sched_switch: x", 1);
	call(&r, "b <-a", 0);
	run(&r);
	assert_null(find(&r, "main>a>user_trace_start"));
	assert_null(find(&r, "main>a>b>__schedule"));
	assert_int_equal(get(&r, "main>a>b")->calls, 2);
	end(&r);
}

static void test_pid_change(void **state)
{
	(void)state;
	struct run r = { 0 };
	at(&r, "x-1", "0d..1", "a <-main", 1);
	at(&r, "x-1", "0d..1", "__schedule <-a", 1);
	at(&r, "y-2", "0d..1", "finish <-__schedule", 1);
	at(&r, "y-2", "0d..1", "work <-loop", 7);
	at(&r, "x-1", "0d..1", "finish <-__schedule", 1); /* x goes on where it was */
	at(&r, "x-1", "0d..1", "b <-a", 1);
	at(&r, "x-1", "0d..1", "b <-a", 0);
	run(&r);
	get(&r, "main>a>__schedule>finish");
	get(&r, "__schedule>finish");
	get(&r, "main>a>b");
	assert_true(get(&r, "main>a")->total == 4000); /* without y's time */
	end(&r);
}

static void test_interrupted_tree(void **state)
{
	(void)state;
	struct run r = { 0 };
	at(&r, "x-1", "0...1", "a <-main", 5);
	at(&r, "x-1", "0d.h1", "timer <-sysvec_apic_timer_interrupt", 10);
	at(&r, "x-1", "0d.h1", "main <-timer", 10); /* the same name in another context */
	at(&r, "x-1", "0...1", "b <-a", 1);
	at(&r, "x-1", "0...1", "b <-a", 0);
	run(&r);
	get(&r, "main>a>b");
	get(&r, "sysvec_apic_timer_interrupt>timer>main");
	assert_true(get(&r, "main>a")->total == 6000);
	assert_int_equal(get(&r, "sysvec_apic_timer_interrupt>timer")->context, CONTEXT_HARDIRQ);
	end(&r);
}

/* Locks call nothing but locks. */
static void test_lock_wrappers(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, "a <-main", 1);
	call(&r, "_raw_spin_lock <-a", 1);
	call(&r, "do_raw_spin_trylock <-_raw_spin_lock", 1);
	call(&r, "c <-inlined", 1);
	call(&r, "d <-a", 0);
	run(&r);
	get(&r, "main>a>_raw_spin_lock>do_raw_spin_trylock");
	get(&r, "main>a>inlined>c");
	get(&r, "main>a>d");
	end(&r);
}

/* Deeper than there is room for, and more paths: counted, and nothing breaks. */
static void test_caps(void **state)
{
	(void)state;
	struct run r = { 0 };
	char line[64];
	for (int i = 0; i < 3 * CALLTREE_DEPTH; i++) {
		snprintf(line, sizeof(line), "f%d <-f%d", i + 1, i);
		call(&r, line, 1);
	}
	call(&r, "end <-f0", 1);
	call(&r, "end <-f0", 0);
	run(&r);
	assert_true(r.tree.left_out > 0);
	assert_int_equal(get(&r, "f0>end")->calls, 2);
	end(&r);

	r = (struct run){ 0 };
	for (unsigned i = 0; i < CALLTREE_NODES + 100; i++) {
		snprintf(line, sizeof(line), "f%u <-main", i);
		call(&r, line, 1);
	}
	run(&r);
	assert_true(r.tree.nodes.n <= CALLTREE_NODES);
	assert_true(r.tree.left_out >= 100);
	end(&r);

	r = (struct run){ 0 };
	for (unsigned i = 0; i < CALLTREE_STACKS + 100; i++) {
		snprintf(line, sizeof(line), "x-%u", i + 1);
		at(&r, line, "0d..1", "f <-main", 1);
	}
	run(&r);
	assert_true(r.tree.left_out >= 100);
	end(&r);
}

/* -- Loops --------------------------------------------------------------------------------- */

static void test_loop(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, "start <-main", 5);
	call(&r, "walk <-main", 1);
	for (int i = 0; i < 10; i++) {
		call(&r, "step <-walk", i ? 3 : 8); /* the first is dearer */
		call(&r, "check <-step", 2);
	}
	call(&r, "stop <-main", 4);
	call(&r, "stop <-main", 0);
	run(&r);
	const struct loop_stats *l = loop(&r, "main>walk>step");
	assert_int_equal(loops(&r), 1);
	assert_int_equal(l->turns, 10);
	assert_int_equal(l->instances, 1);
	assert_true(l->in.total == 55000);
	assert_int_equal(l->in.steady.n, 8); /* neither the first nor the last turn */
	near(stat_series_mean_ns(&l->in.steady), 5000);
	near(stat_series_mean_ns(&l->in.first), 10000);
	assert_int_equal(l->first_line, 3);
	assert_int_equal(l->last_line, 22);
	end(&r);
}

static void test_few_turns(void **state)
{
	(void)state;
	for (int turns = 2; turns <= LOOP_TURNS; turns++) {
		struct run r = { 0 };
		for (int i = 0; i < turns; i++)
			call(&r, "step <-walk", 2);
		call(&r, "stop <-main", 0);
		run(&r);
		assert_int_equal(loops(&r), turns >= LOOP_TURNS);
		end(&r);
	}
}

/* Turns of several callees, one of them twice a turn: n turns, not 2n. */
static void test_twice_a_turn(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		struct run r = { 0 };
		for (int i = 0; i < 8; i++) {
			if (first)
				call(&r, "twice <-walk", 1);
			call(&r, "once <-walk", 1);
			call(&r, "twice <-walk", 1);
			if (!first)
				call(&r, "twice <-walk", 1);
			call(&r, "also_once <-walk", 2);
		}
		call(&r, "stop <-main", 0);
		run(&r);
		assert_int_equal(loops(&r), 1);
		const struct loop_stats *l = loop(&r, "walk>once");
		assert_int_equal(l->turns, 8);
		near(stat_series_mean_ns(&l->in.steady), 5000);
		assert_true(get(&r, "walk>twice")->head == get(&r, "walk>once")->head);
		end(&r);
	}
}

/* Every turn takes one branch or the other. */
static void test_branches(void **state)
{
	(void)state;
	struct run r = { 0 };
	for (int i = 0; i < 12; i++) {
		call(&r, "next <-walk", 1);
		call(&r, i % 3 ? "common <-walk" : "rare <-walk", 2);
		call(&r, "done <-walk", 1);
	}
	call(&r, "stop <-main", 0);
	run(&r);
	assert_int_equal(loops(&r), 1);
	const struct loop_stats *l = loop(&r, "walk>next");
	assert_int_equal(l->turns, 12);
	near(stat_series_mean_ns(&l->in.steady), 4000);
	end(&r);
}

static void test_nested(void **state)
{
	(void)state;
	struct run r = { 0 };
	uint64_t inner = 0;
	call(&r, "alloc <-main", 1);
	for (int i = 0; i < 9; i++) {
		call(&r, "page <-alloc", 10);
		for (int k = 0; k < 4 + i * 2; k++, inner++)
			call(&r, "next <-page", 2);
	}
	call(&r, "stop <-main", 0);
	run(&r);
	const struct loop_stats *o = loop(&r, "main>alloc>page"),
				*n = loop(&r, "main>alloc>page>next");
	assert_int_equal(o->turns, 9);
	assert_int_equal(o->instances, 1);
	assert_int_equal(n->turns, inner);
	assert_int_equal(n->instances, 9);
	assert_int_equal(n->min_turns, 4);
	assert_int_equal(n->max_turns, 20);
	near(stat_series_mean_ns(&n->in.steady), 2000);
	/* an outer turn costs 10 us, and 2 us more for each inner one */
	struct stat_fit fit;
	assert_false(o->inner_mixed);
	assert_true(stat_line_fit(&o->inner, &fit));
	near(fit.a, 10000);
	near(fit.c, 2000);
	end(&r);
}

/* An interruption inside a turn changes neither the number of turns nor their cost. */
static void test_interrupted_loop(void **state)
{
	(void)state;
	for (int irq = 0; irq < 2; irq++) {
		struct run r = { 0 };
		for (int i = 0; i < 12; i++) {
			at(&r, "x-1", "0...1", "step <-walk", 3);
			if (irq && i % 5 == 2) {
				at(&r, "x-1", "0d..1",
				   "irq_enter_rcu <-sysvec_apic_timer_interrupt", 1);
				at(&r, "x-1", "0d.h1", "timer <-sysvec_apic_timer_interrupt", 40);
				at(&r, "x-1", "0d.h1", "irq_exit_rcu <-sysvec_apic_timer_interrupt",
				   2);
				at(&r, "x-1", "0..s1", "handle_softirqs <-irq_exit_rcu", 30);
			}
			at(&r, "x-1", "0...1", "check <-step", 2);
		}
		at(&r, "x-1", "0...1", "stop <-main", 0);
		run(&r);
		const struct loop_stats *l = loop(&r, "walk>step");
		assert_int_equal(l->turns, 12);
		assert_int_equal(l->in.steady.n, 10);
		assert_true(l->in.steady.min == 5000 && l->in.steady.max == 5000);
		assert_true(l->in.total == 60000);
		assert_int_equal(loops(&r), 1);
		end(&r);
	}
}

/* Preempted within a turn: the other task's time is not the loop's. */
static void test_preempted_loop(void **state)
{
	(void)state;
	struct run r = { 0 };
	for (int i = 0; i < 8; i++) {
		at(&r, "x-1", "0...1", "step <-walk", 5);
		if (i == 4)
			at(&r, "y-2", "0...1", "work <-other", 1000);
	}
	at(&r, "x-1", "0...1", "stop <-main", 0);
	run(&r);
	const struct loop_stats *l = loop(&r, "walk>step");
	assert_int_equal(l->turns, 8);
	assert_true(l->in.steady.max == 5000);
	end(&r);
}

/* Two loops, one after the other, in one parent. */
static void test_two_loops(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, "work <-main", 1);
	for (int i = 0; i < 6; i++)
		call(&r, "first <-work", 2);
	for (int i = 0; i < 9; i++)
		call(&r, "second <-work", 3);
	call(&r, "stop <-main", 0);
	run(&r);
	assert_int_equal(loops(&r), 2);
	const struct loop_stats *a = loop(&r, "main>work>first"), *b = loop(&r, "main>work>second");
	assert_int_equal(a->turns, 6);
	assert_int_equal(b->turns, 9);
	assert_true(a->in.total == 12000 && b->in.total == 27000);
	near(stat_series_mean_ns(&a->in.steady), 2000);
	near(stat_series_mean_ns(&b->in.steady), 3000);
	end(&r);
}

/* The same loop twice, in two instances of its parent: one row, two rounds. */
static void test_rounds(void **state)
{
	(void)state;
	struct run r = { 0 };
	for (int round = 0; round < 2; round++) {
		call(&r, "walk <-main", 1);
		for (int i = 0; i < 5 + round; i++)
			call(&r, "step <-walk", 2);
		call(&r, "pause <-main", 100);
	}
	call(&r, "stop <-main", 0);
	run(&r);
	const struct loop_stats *l = loop(&r, "main>walk>step");
	assert_int_equal(l->instances, 2);
	assert_int_equal(l->turns, 11);
	assert_int_equal(l->min_turns, 5);
	assert_int_equal(l->max_turns, 6);
	assert_true(l->in.total == 22000);
	assert_true(l->in.steady.max == 2000); /* the pause is no turn */
	end(&r);
}

/* A loop whose parent is known from its callees alone, as in the mail that began it all. */
static void test_synthetic_parent(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, ".user_trace_start <-.__switch_to", 1);
	call(&r, ".__flush_tlb_pending <-.__switch_to", 1);
	call(&r, ".flush_hash_range <-.__flush_tlb_pending", 0);
	for (int i = 0; i < 9; i++) {
		call(&r, ".flush_hash_page <-.flush_hash_range", 1);
		call(&r, ".invalidate <-.flush_hash_page", 1);
		call(&r, ".__spin_lock <-.invalidate", 1);
		call(&r, ".getword <-.invalidate", 4);
	}
	call(&r, ".user_trace_stop <-.__switch_to", 0);
	run(&r);
	const struct loop_stats *l =
		loop(&r, "__switch_to>__flush_tlb_pending>flush_hash_range>flush_hash_page");
	assert_int_equal(loops(&r), 1);
	assert_int_equal(l->turns, 9);
	assert_true(l->in.total == 63000);
	end(&r);
}

/* No loop: many calls, of each only a few in one instance of its parent. */
static void test_no_loop(void **state)
{
	(void)state;
	struct run r = { 0 };
	char line[64];
	for (int i = 0; i < 20; i++) {
		snprintf(line, sizeof(line), "p%d <-main", i);
		call(&r, line, 1);
		snprintf(line, sizeof(line), "leaf <-p%d", i);
		call(&r, line, 1);
		call(&r, line, 1);
	}
	run(&r);
	assert_int_equal(loops(&r), 0);
	end(&r);
}

static void test_below(void **state)
{
	(void)state;
	struct run r = { 0 };
	call(&r, "a <-main", 1);
	call(&r, "b <-a", 1);
	call(&r, "c <-main", 0);
	run(&r);
	const struct calltree_node *all = r.tree.nodes.at;
	uint32_t a = (uint32_t)(get(&r, "main>a") - all), b = (uint32_t)(get(&r, "main>a>b") - all);
	uint32_t c = (uint32_t)(get(&r, "main>c") - all);
	assert_true(calltree_below(&r.tree, b, a));
	assert_true(calltree_below(&r.tree, a, a));
	assert_false(calltree_below(&r.tree, a, b));
	assert_false(calltree_below(&r.tree, c, a));
	end(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nesting),        cmocka_unit_test(test_synthetic),
		cmocka_unit_test(test_tail_call),      cmocka_unit_test(test_clones_are_one),
		cmocka_unit_test(test_recursion),      cmocka_unit_test(test_marks),
		cmocka_unit_test(test_pid_change),     cmocka_unit_test(test_interrupted_tree),
		cmocka_unit_test(test_lock_wrappers),  cmocka_unit_test(test_caps),
		cmocka_unit_test(test_loop),           cmocka_unit_test(test_few_turns),
		cmocka_unit_test(test_twice_a_turn),   cmocka_unit_test(test_branches),
		cmocka_unit_test(test_nested),         cmocka_unit_test(test_interrupted_loop),
		cmocka_unit_test(test_preempted_loop), cmocka_unit_test(test_two_loops),
		cmocka_unit_test(test_rounds),         cmocka_unit_test(test_synthetic_parent),
		cmocka_unit_test(test_no_loop),        cmocka_unit_test(test_below),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
