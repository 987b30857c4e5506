/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/section_store.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "base/sat.h"
#include "core/capture.h"

/* Distributions by name, 30 KB each; what comes later counts with those of its kind. */
#define CELLS_MAX 512
#define CELL_SLOTS 2048
/* CPUs whose events are remembered, some 150 KB each. */
#define RINGS_MAX 512

void sect_store_init(struct sect_store *st, const struct section_options *o,
		     const struct names *names)
{
	*st = (struct sect_store){
		.options = o,
		.names = names,
		.slots = mem_array(CELL_SLOTS, sizeof(uint32_t)),
		.mask = CELL_SLOTS - 1,
	};
}

void sect_store_fini(struct sect_store *st)
{
	vec_each (cell, &st->cells)
		histogram_fini(&cell->times);
	vec_fini(&st->cells);
	free(st->slots);
	st->slots = NULL;
	histogram_fini(&st->from_wakeup);
	for (int i = 0; i < SECTS; i++) {
		vec_each (w, &st->worst[i]) {
			vec_fini(&w->notes);
			vec_fini(&w->slices);
		}
		vec_fini(&st->worst[i]);
	}
	vec_each (ring, &st->rings)
		free(*ring);
	vec_fini(&st->rings);
	vec_each (slices, &st->slices)
		free(*slices);
	vec_fini(&st->slices);
	vec_fini(&st->scratch);
	vec_fini(&st->later);
}

/* -- Recent events ----------------------------------------------------------------------------- */

static struct sect_ring *ring_of(struct sect_store *st, uint16_t cpu)
{
	return cpu < st->rings.n ? st->rings.at[cpu] : NULL;
}

struct sect_note *sect_note_next(struct sect_store *st, uint16_t cpu)
{
	struct sect_ring *r = ring_of(st, cpu);
	if (!r) {
		if (cpu >= RINGS_MAX)
			return NULL;
		while (st->rings.n <= cpu)
			vec_push(&st->rings, NULL);
		r = st->rings.at[cpu] = mem_alloc(sizeof(*r));
	}
	return &r->at[r->n++ % SECT_RING];
}

struct sect_note *sect_note_last(struct sect_store *st, uint16_t cpu)
{
	struct sect_ring *r = ring_of(st, cpu);
	return r && r->n ? &r->at[(r->n - 1) % SECT_RING] : NULL;
}

void sect_slice_add(struct sect_store *st, const struct sect_slice *slice)
{
	if (slice->cpu >= RINGS_MAX || !st->options->worst)
		return;
	while (st->slices.n <= slice->cpu)
		vec_push(&st->slices, NULL);
	struct sect_slices **s = &st->slices.at[slice->cpu];
	if (!*s)
		*s = mem_alloc(sizeof(**s));
	(*s)->at[(*s)->n++ % SECT_SLICES] = *slice;
}

/* Who ran on the CPU during the section, from the last switch before it on. */
static void slices_copy(const struct sect_store *st, struct sect_worst *w, uint16_t cpu)
{
	const struct sect_slices *s = cpu < st->slices.n ? st->slices.at[cpu] : NULL;
	if (!s)
		return;
	uint64_t oldest = s->n > SECT_SLICES ? s->n - SECT_SLICES : 0, i = s->n;
	while (i > oldest && s->at[(i - 1) % SECT_SLICES].start > w->span.start)
		i--;
	for (i -= i > oldest; i < s->n && s->at[i % SECT_SLICES].start < w->span.end; i++)
		vec_push(&w->slices, s->at[i % SECT_SLICES]);
}

/* Was it on that CPU, as far as its moves are remembered? */
static bool is_on(const struct sect_span *x, uint16_t cpu)
{
	bool on = cpu == x->cpu || cpu == x->from_cpu;
	for (uint32_t i = 0; i < x->migrations && i < SECT_MOVES; i++)
		on |= cpu == x->moves[i].cpu;
	return on;
}

/* Is the note about the section: of the task that it is of, or of its CPUs? */
static bool is_about(const struct sect_note *n, const struct sect_span *x)
{
	bool of_task = x->pid > 0 && (n->pid == x->pid || n->next_pid == x->pid);
	return of_task || (is_on(x, n->cpu) && !sect_is_of_task(x->sect));
}

/* The notes of one CPU from its last one before the start on. True: older ones were forgotten. */
static bool gather_ring(struct sect_store *st, const struct sect_ring *r, const struct sect_span *x)
{
	uint64_t oldest = r->n > SECT_RING ? r->n - SECT_RING : 0, i = r->n;
	while (i > oldest && r->at[(i - 1) % SECT_RING].time >= x->start)
		i--;
	bool forgotten = i == oldest && oldest;
	if (i > oldest)
		i--;
	for (; i < r->n; i++) {
		const struct sect_note *n = &r->at[i % SECT_RING];
		if (n->time <= x->end && is_about(n, x))
			vec_push(&st->scratch, *n);
	}
	return forgotten;
}

static int note_order(const void *a, const void *b)
{
	const struct sect_note *x = a, *y = b;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Copies what is remembered of the section: all, or its head and its tail. */
static void worst_copy(struct sect_store *st, struct sect_worst *w, const struct sect_span *x)
{
	st->scratch.n = 0;
	w->span = *x;
	w->notes.n = 0;
	w->slices.n = 0;
	w->omitted = w->head = 0;
	w->beheaded = false;
	for (size_t cpu = 0; cpu < st->rings.n; cpu++) {
		if (!st->rings.at[cpu])
			continue;
		bool forgotten = gather_ring(st, st->rings.at[cpu], x);
		w->beheaded |= forgotten && is_on(x, (uint16_t)cpu);
	}
	size_t n = st->scratch.n;
	vec_sort(&st->scratch, note_order);
	for (size_t i = 0; i < n; i++) {
		if (n > SECT_HEAD + SECT_TAIL && i == SECT_HEAD) {
			w->head = w->notes.n;
			w->omitted = n - SECT_HEAD - SECT_TAIL;
			i += w->omitted;
		}
		vec_push(&w->notes, st->scratch.at[i]);
	}
	if (x->sect > SECT_RUNQ || !(w->beheaded || w->omitted))
		return;
	slices_copy(st, w, x->from_cpu);
	for (uint32_t i = 0; i < x->migrations && i < SECT_MOVES; i++) {
		bool copied = x->moves[i].cpu == x->from_cpu;
		for (uint32_t k = 0; k < i; k++)
			copied |= x->moves[k].cpu == x->moves[i].cpu;
		if (!copied)
			slices_copy(st, w, x->moves[i].cpu);
	}
}

static int64_t length_of(const struct sect_span *x)
{
	return sat_sub(x->end, x->start);
}

static void worst_offer(struct sect_store *st, const struct sect_span *x)
{
	int64_t limit = st->options->threshold_ns;
	size_t keep = st->options->worst == UNKNOWN ? 1 : (size_t)st->options->worst;
	__typeof__(&st->worst[0]) list = &st->worst[x->sect];
	if (limit != UNKNOWN && length_of(x) <= limit)
		return;
	if (list->n < keep) {
		vec_push(list, ((struct sect_worst){ 0 }));
		worst_copy(st, vec_last(list), x);
		return;
	}
	struct sect_worst *least = list->at;
	vec_each (w, list) {
		if (length_of(&w->span) < length_of(&least->span))
			least = w;
	}
	if (least && length_of(x) > length_of(&least->span))
		worst_copy(st, least, x);
}

/* -- Distributions ----------------------------------------------------------------------------- */

static struct sect_cell *cell_new(struct sect_store *st, enum sect sect, uint64_t key)
{
	vec_push(&st->cells, ((struct sect_cell){ .sect = sect, .key = key }));
	return vec_last(&st->cells);
}

static struct sect_cell *cell_of(struct sect_store *st, enum sect sect, uint64_t key)
{
	uint64_t h = (key * SECTS + sect) * 0x9e3779b97f4a7c15ull;
	uint32_t i = (uint32_t)(h >> 40) & st->mask;
	for (; st->slots[i]; i = (i + 1) & st->mask) {
		struct sect_cell *cell = &st->cells.at[st->slots[i] - 1];
		if (cell->sect == sect && cell->key == key)
			return cell;
	}
	if (st->cells.n < CELLS_MAX) {
		struct sect_cell *cell = cell_new(st, sect, key);
		st->slots[i] = (uint32_t)st->cells.n;
		return cell;
	}
	if (!st->of[sect]) {
		cell_new(st, sect, UINT64_MAX);
		st->of[sect] = (uint32_t)st->cells.n;
	}
	return &st->cells.at[st->of[sect] - 1];
}

/* The process is known once an event was printed with its column; idle tasks have none: -1. */
static int32_t process_of(const struct sect_store *st, const struct sect_span *x)
{
	return x->pid ? names_task_of(st->names, x->task).tgid : -1;
}

static bool is_task(const struct sect_store *st, const struct sect_span *x)
{
	const char *want = st->options->task;
	char *end;
	long pid = strtol(want, &end, 10);
	if (!*end)
		return x->pid == pid;
	struct str comm = names_str(st->names, names_task_of(st->names, x->task).comm);
	return comm.n && fnmatch(want, comm.p, 0) == 0;
}

static bool is_wanted(const struct sect_store *st, const struct sect_span *x, int64_t end)
{
	const struct section_options *o = st->options;
	if (o->sects && !(o->sects & SECT_BIT(x->sect)))
		return false;
	if ((o->from != UNKNOWN && x->start < o->from) || (o->to != UNKNOWN && end > o->to))
		return false;
	if (o->cpu != UNKNOWN && x->cpu != o->cpu)
		return false;
	return !o->task || is_task(st, x);
}

static void take(struct sect_store *st, const struct sect_span *x)
{
	int64_t ns = length_of(x);
	struct sect_cell *cell = cell_of(st, x->sect, x->key);
	histogram_add(&cell->times, ns);
	cell->over += st->options->threshold_ns != UNKNOWN && ns > st->options->threshold_ns;
	if (x->sect == SECT_WAKEUP) {
		st->wakeups++;
		st->from_waking += x->from_waking;
		if (x->from_waking && x->wakeup != UNKNOWN)
			histogram_add(&st->from_wakeup, sat_sub(x->end, x->wakeup));
	}
	worst_offer(st, x);
}

/* Takes those whose process was shown meanwhile; the others go on waiting, unless it is the end. */
static void later_settle(struct sect_store *st, bool end)
{
	size_t kept = 0;
	vec_each (l, &st->later) {
		int32_t tgid = process_of(st, &l->span);
		if (!tgid && end)
			st->processless++;
		else if (!tgid)
			st->later.at[kept++] = *l;
		else if (tgid == st->options->tgid && l->lost < SECT_UNKNOWN_REASONS)
			st->unknown[l->span.sect][l->lost]++;
		else if (tgid == st->options->tgid)
			take(st, &l->span);
	}
	st->later.n = kept;
	st->since_settled = 0;
}

/* Is the section of the process that is asked for? A task's first wait ends with another's event:
 * its process is shown by its own next one. */
static bool is_process(struct sect_store *st, const struct sect_span *x, enum sect_lost lost)
{
	if (!st->options->tgid)
		return true;
	if (st->later.n && ++st->since_settled > st->later.n)
		later_settle(st, false);
	int32_t tgid = process_of(st, x);
	if (tgid)
		return tgid == st->options->tgid;
	if (st->later.n < SECT_LATER_MAX)
		vec_push(&st->later, ((struct sect_later){ *x, lost }));
	else
		st->processless++;
	return false;
}

bool sect_store_add(struct sect_store *st, const struct sect_span *x)
{
	if (length_of(x) < 0) {
		st->backwards++;
		return false;
	}
	if (!is_wanted(st, x, x->end) || !is_process(st, x, SECT_UNKNOWN_REASONS))
		return false;
	take(st, x);
	return true;
}

void sect_store_unknown(struct sect_store *st, const struct sect_span *x, enum sect_lost why)
{
	st->unknown[x->sect][why] += is_wanted(st, x, x->start) && is_process(st, x, why);
}

void sect_store_finish(struct sect_store *st)
{
	later_settle(st, true);
}

void sect_store_sum(const struct sect_store *st, enum sect s, struct histogram *sum, uint64_t *over)
{
	*sum = (struct histogram){ 0 };
	*over = 0;
	vec_each (cell, &st->cells) {
		if (cell->sect != s)
			continue;
		histogram_merge(sum, &cell->times);
		*over += cell->over;
	}
}
