/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_decode.h"

#define KERNEL(version, patchlevel) ((uint32_t)(version) << 8 | (patchlevel))

/* enum trace_flag_type in include/linux/trace_events.h */
enum {
	TRACE_IRQS_OFF = 0x01,
	TRACE_NOSUPPORT = 0x02, /* NEED_RESCHED_LAZY from 6.13 on */
	TRACE_NEED_RESCHED = 0x04,
	TRACE_HARDIRQ = 0x08,
	TRACE_SOFTIRQ = 0x10,
	TRACE_PREEMPT_RESCHED = 0x20, /* since 3.13 */
	TRACE_NMI = 0x40,
	TRACE_BH_OFF = 0x80, /* since 5.18; -rt had NEED_RESCHED_LAZY here */
};

/* The state of a column that prints as this character. */
static uint32_t column(enum flag_column c, unsigned state)
{
	return (uint32_t)state << (4 * c);
}

static uint32_t flags_irqs(uint32_t f, bool bh, bool lazy)
{
	bool off = f & TRACE_IRQS_OFF, bh_off = bh && f & TRACE_BH_OFF;
	/* ".dDXb" */
	unsigned state = off && bh_off ? 2 : off ? 1 : bh_off ? 4 : 0;
	if (!state && f & TRACE_NOSUPPORT && !lazy)
		state = 3;
	return column(FLAG_IRQS, state);
}

static uint32_t flags_resched(uint32_t f, bool preempt_known, bool lazy)
{
	/* Of need-resched 1, preempt-resched 2, lazy 4: a place in ".NnpBLbl". */
	static const unsigned char states[8] = { 0, 2, 3, 1, 7, 6, 5, 4 };
	unsigned bits = (f & TRACE_NEED_RESCHED ? 1 : 0) | (f & TRACE_PREEMPT_RESCHED ? 2 : 0) |
			(lazy && f & TRACE_NOSUPPORT ? 4 : 0);
	if (!preempt_known && bits & 1)
		bits |= 2; /* N was all there was */
	return column(FLAG_RESCHED, states[bits]);
}

static uint32_t flags_context(uint32_t f)
{
	bool hard = f & TRACE_HARDIRQ, soft = f & TRACE_SOFTIRQ, nmi = f & TRACE_NMI;
	/* ".hsHZz" */
	unsigned state = nmi ? (hard ? 4 : 5) : hard ? (soft ? 3 : 1) : soft ? 2 : 0;
	return column(FLAG_CONTEXT, state);
}

static unsigned nibble(int64_t v)
{
	return v < 0 ? 0 : v > 15 ? 15 : (unsigned)v;
}

/* As print_lat_fmt() of the kernel that wrote it would print it. */
static uint32_t flags_of(const struct dat_decoder *d, const struct dat_data *data)
{
	const struct dat_common *c = &d->formats.common;
	uint32_t k = d->kernel;
	int64_t f = c->flags.size ? dat_field_int(&c->flags, data) : 0;
	int64_t count = c->preempt_count.size ? dat_field_int(&c->preempt_count, data) : 0;
	bool rt = c->preempt_lazy_count.size, lazy = !k || k >= KERNEL(6, 13);
	bool migrate = !k || k >= KERNEL(5, 13);
	uint32_t flags = f == UNKNOWN ? 0 : (uint32_t)f, out;
	if (count == UNKNOWN)
		count = 0;
	out = flags_irqs(flags, !rt && (!k || k >= KERNEL(5, 18)), lazy && k) |
	      flags_resched(flags, !k || k >= KERNEL(3, 13), lazy && k) | flags_context(flags);
	out |= column(FLAG_DEPTH, migrate ? (unsigned)count & 15 : nibble(count));
	if (!rt && !migrate)
		return out | 4u << 28;
	if (!rt)
		return out | column(FLAG_MIGRATE, (unsigned)count >> 4 & 15) | 5u << 28;
	if (flags & TRACE_BH_OFF)
		out |= column(FLAG_RESCHED_LAZY, 1);
	out |= column(FLAG_DEPTH_LAZY, nibble(dat_field_int(&c->preempt_lazy_count, data)));
	if (c->migrate_disable.size)
		out |= column(FLAG_MIGRATE, nibble(dat_field_int(&c->migrate_disable, data)));
	return out | 7u << 28;
}

static void set_text(struct dat_decoder *d, const struct dat_event *ev, const struct dat_data *data,
		     struct payload *p)
{
	d->text.n = 0;
	dat_print(d, ev, data);
	p->text = strbuf_get(&d->text);
}

bool dat_decode(struct dat_decoder *d, const struct dat_data *data, struct event *e,
		struct payload *p)
{
	const struct dat_common *c = &d->formats.common;
	int64_t type = dat_field_int(&c->type, data), pid = dat_field_int(&c->pid, data);
	if (type == UNKNOWN || pid == UNKNOWN) {
		d->n_short++;
		return false;
	}
	const struct dat_event *ev = dat_formats_find(&d->formats, type);
	const struct dat_rule *rule = ev ? ev->rule : NULL;
	e->kind = EVENT_NAMED;
	e->what = ev ? ev->name : d->unknown;
	e->task = dat_task(&d->symbols, (int32_t)pid);
	e->flags = flags_of(d, data);
	p->point = POINT_NONE;
	p->text = (struct str){ "", 0 };
	d->n_unknown += !ev;
	if (!ev)
		return true;
	if (rule && rule->kind != EVENT_NAMED) {
		e->kind = (uint8_t)rule->kind;
		rule->fill(d, ev, data, e, p);
		return true;
	}
	if (rule && rule->fill && (!rule->point || d->points & POINT_BIT(rule->point))) {
		p->point = rule->point;
		rule->fill(d, ev, data, e, p);
	}
	if (d->want_text && d->wanted & 1u << EVENT_NAMED)
		set_text(d, ev, data, p);
	return true;
}

static bool rule_is_of(const struct dat_rule *r, struct str system, struct str name)
{
	size_t n = strlen(r->event);
	if (!str_eq(system, r->system))
		return false;
	if (r->event[n - 1] != '*')
		return str_eq(name, r->event);
	return name.n >= n - 1 && memcmp(name.p, r->event, n - 1) == 0;
}

static const struct dat_rule *find_rule(const struct dat_rule *rules, struct str system,
					struct str name)
{
	for (; rules->system; rules++) {
		if (rule_is_of(rules, system, name))
			return rules;
	}
	return NULL;
}

static int16_t field_index(const struct dat_event *ev, const char *names)
{
	/* "new|old": names that the field had over the years */
	while (names && *names) {
		size_t n = strcspn(names, "|");
		for (size_t i = 0; i < ev->fields.n; i++) {
			if (str_same(ev->fields.at[i].name, (struct str){ names, n }))
				return (int16_t)i;
		}
		names += n + (names[n] == '|');
	}
	return -1;
}

/* `{ 0x00000001, "S" }`: letters of the bits of a task's state, from the print fmt. */
static void read_states(struct dat_event *ev)
{
	struct str t = ev->print;
	ptrdiff_t at;
	while ((at = str_find_char(t, '{')) >= 0) {
		t = str_trim(str_from(t, (size_t)at + 1));
		char number[24] = "";
		struct str head = str_head(t, sizeof(number) - 1);
		memcpy(number, head.p, head.n);
		unsigned long long bit = strtoull(number, NULL, 0);
		ptrdiff_t quote = str_find_char(str_head(t, 24), '"');
		if (quote < 0 || (size_t)quote + 2 >= t.n || t.p[quote + 2] != '"' || !bit ||
		    bit & (bit - 1) || bit >> 32)
			continue;
		ev->states[__builtin_ctzll(bit)] = t.p[quote + 1];
	}
	bool any = false;
	for (size_t i = 0; i < sizeof(ev->states); i++)
		any = any || ev->states[i];
	if (!any)
		memcpy(ev->states, "SDTtXZPI", 8);
}

static void bind_rule(struct dat_decoder *d, struct dat_event *ev)
{
	struct str name = names_str(d->names, ev->name);
	ev->rule = find_rule(dat_point_rules, ev->system, name);
	if (!ev->rule)
		ev->rule = find_rule(dat_ftrace_rules, ev->system, name);
	if (!ev->rule)
		return;
	for (int i = 0; i < DAT_ROLES; i++)
		ev->role[i] = field_index(ev, ev->rule->fields[i]);
	if (ev->rule->point == POINT_SWITCH)
		read_states(ev);
	if (ev->rule->point == POINT_SYS_ENTER || ev->rule->point == POINT_SYS_EXIT) {
		struct str call = str_starts(name, "sys_enter_")  ? str_from(name, 10)
				  : str_starts(name, "sys_exit_") ? str_from(name, 9)
								  : (struct str){ "", 0 };
		ev->arg_name = names_id(d->names, call);
	} else if (ev->rule->point == POINT_IRQ_ENTRY || ev->rule->point == POINT_IRQ_EXIT) {
		ptrdiff_t end = str_rfind_char(name, '_');
		ev->arg_name = names_id(d->names, str_head(name, end > 0 ? (size_t)end : name.n));
	}
}

/* u64 size, text */
static void load_sized(struct dat_decoder *d, struct dat_file *f, struct str system,
		       struct dat_cursor *c)
{
	struct str text = dat_take_sized(c, dat_take_u64(c));
	if (c->bad)
		return;
	struct dat_event *ev = dat_formats_add(&d->formats, system, text, d->names);
	if (ev)
		bind_rule(d, ev);
	else
		dat_file_damage(f, "the format of an event of '%.*s' cannot be read",
				STR_ARG(str_head(system, 40)));
}

static void load_ftrace(struct dat_decoder *d, struct dat_file *f, struct dat_cursor c)
{
	uint32_t n = dat_take_u32(&c);
	while (n-- && !c.bad)
		load_sized(d, f, str_of("ftrace"), &c);
	if (c.bad)
		dat_file_damage(f, "the formats of ftrace's own events are cut short");
}

static void load_events(struct dat_decoder *d, struct dat_file *f, struct dat_cursor c)
{
	uint32_t systems = dat_take_u32(&c);
	while (systems-- && !c.bad) {
		struct str system = dat_take_str(&c);
		uint32_t n = dat_take_u32(&c);
		while (n-- && !c.bad)
			load_sized(d, f, system, &c);
	}
	if (c.bad)
		dat_file_damage(f, "the formats of the events are cut short");
}

/* "Linux host 6.1.192 x86_64": the release */
static uint32_t kernel_of(const char *uname)
{
	struct str t = str_of(uname ? uname : "");
	for (struct str word = str_word(&t); word.n; word = str_word(&t)) {
		int64_t v, p;
		if (!str_number(&word, &v) || !str_starts(word, "."))
			continue;
		word = str_from(word, 1);
		if (str_number(&word, &p) && v > 0 && v < 1000 && p >= 0 && p < 256)
			return KERNEL(v, (uint32_t)p);
	}
	return 0;
}

bool dat_decoder_load(struct dat_decoder *d, struct dat_file *f)
{
	dat_file_part(f, DAT_FTRACE_EVENTS, &d->ftrace_formats);
	dat_file_part(f, DAT_EVENT_FORMATS, &d->event_formats);
	if (d->ftrace_formats.n)
		load_ftrace(d, f, dat_cursor_of(d->ftrace_formats.p, d->ftrace_formats.n, f->big));
	if (d->event_formats.n)
		load_events(d, f, dat_cursor_of(d->event_formats.p, d->event_formats.n, f->big));
	d->kernel = kernel_of(f->uname);
	d->programs = mem_array(d->formats.ids, sizeof(*d->programs));
	d->program_budget = DAT_NODES_ALL;
	return d->formats.have_common;
}

void dat_decoder_init(struct dat_decoder *d, struct dat_file *f, struct names *names)
{
	*d = (struct dat_decoder){ .names = names, .big = f->big, .long_size = 8 };
	dat_symbols_init(&d->symbols, f, names);
	d->unknown = names_id(names, str_of("(unknown event)"));
	strbuf_str(&d->text, ""); /* so that it is somewhere */
}

void dat_decoder_fini(struct dat_decoder *d)
{
	for (uint32_t id = 0; d->programs && id < d->formats.ids; id++)
		dat_program_fini(&d->programs[id]);
	free(d->programs);
	dat_formats_fini(&d->formats);
	dat_symbols_fini(&d->symbols);
	dat_blob_fini(&d->ftrace_formats);
	dat_blob_fini(&d->event_formats);
	strbuf_fini(&d->text);
}
