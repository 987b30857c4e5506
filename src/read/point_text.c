/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/point_text.h"

#include "core/capture.h"

/* -- Names ------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum point point;
} points[] = {
	{ "sched_switch", POINT_SWITCH },           { "sched_waking", POINT_WAKING },
	{ "sched_wakeup", POINT_WAKEUP },           { "sched_wakeup_new", POINT_WAKEUP },
	{ "sched_migrate_task", POINT_MIGRATE },    { "irq_handler_entry", POINT_IRQ_ENTRY },
	{ "irq_handler_exit", POINT_IRQ_EXIT },     { "softirq_raise", POINT_SOFTIRQ_RAISE },
	{ "softirq_entry", POINT_SOFTIRQ_ENTRY },   { "softirq_exit", POINT_SOFTIRQ_EXIT },
	{ "contention_begin", POINT_LOCK_BEGIN },   { "contention_end", POINT_LOCK_END },
	{ "lock_acquire", POINT_LOCK_ACQUIRE },     { "lock_contended", POINT_LOCK_CONTENDED },
	{ "lock_acquired", POINT_LOCK_ACQUIRED },   { "lock_release", POINT_LOCK_RELEASE },
	{ "sys_enter", POINT_SYS_ENTER },           { "sys_exit", POINT_SYS_EXIT },
	{ "nmi_noise", POINT_NOISE_NMI },           { "irq_noise", POINT_NOISE_IRQ },
	{ "softirq_noise", POINT_NOISE_SOFTIRQ },   { "thread_noise", POINT_NOISE_THREAD },
	{ "sample_threshold", POINT_NOISE_SAMPLE },
};

/* DEFINE_IRQ_VECTOR_EVENT in arch/x86/include/asm/trace/irq_vectors.h: x_entry and x_exit */
static const char *const vectors[] = {
	"local_timer",    "reschedule",   "call_function",       "call_function_single",
	"irq_work",       "error_apic",   "spurious_apic",       "x86_platform_ipi",
	"threshold_apic", "thermal_apic", "deferred_error_apic",
};

/* Its length; 0: the name is none of a vector's, or has another ending. */
static size_t vector_length(struct str name, const char *ending)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		size_t n = strlen(vectors[i]);
		if (str_starts(name, vectors[i]) && str_eq(str_from(name, n), ending))
			return n;
	}
	return 0;
}

enum point point_of_name(struct str name)
{
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		if (str_eq(name, points[i].name))
			return points[i].point;
	}
	if (vector_length(name, "_entry"))
		return POINT_IRQ_ENTRY;
	if (vector_length(name, "_exit"))
		return POINT_IRQ_EXIT;
	if (str_starts(name, "sys_enter_"))
		return POINT_SYS_ENTER;
	return str_starts(name, "sys_exit_") ? POINT_SYS_EXIT : POINT_NONE;
}

/* -- Figures ----------------------------------------------------------------------------------- */

/* A number, decimal or with 0x, at the start of *s, which moves on; a hex one wraps to negative. */
static bool take_number(struct str *s, int64_t *value)
{
	if (!str_starts(*s, "0x"))
		return str_number(s, value);
	uint64_t v = 0;
	size_t i = 2;
	for (; i < s->n && i < 18; i++) {
		char c = s->p[i], low = (char)(c | 0x20);
		if (is_digit(c))
			v = v << 4 | (uint64_t)(c - '0');
		else if (low >= 'a' && low <= 'f')
			v = v << 4 | (uint64_t)(low - 'a' + 10);
		else
			break;
	}
	if (i == 2)
		return false;
	*value = (int64_t)v;
	*s = str_from(*s, i);
	return true;
}

static bool take(struct str *s, const char *word)
{
	if (!str_starts(*s, word))
		return false;
	*s = str_from(*s, strlen(word));
	return true;
}

/* "irq=48 name=eth0", "vector=236" */
static bool irq_entry(struct point_reader *r, struct str name, struct str s, struct payload *p)
{
	if (take(&s, "vector=")) {
		size_t n = vector_length(name, "_entry");
		p->args.name = names_id(r->names, str_head(name, n));
		return take_number(&s, &p->args.a);
	}
	if (!take(&s, "irq=") || !take_number(&s, &p->args.a))
		return false;
	if (take(&s, " name="))
		p->args.name = names_id(r->names, str_trim(s));
	return true;
}

/* "irq=48 ret=handled", "irq=48 ret=1", "vector=236" */
static bool irq_exit(struct point_reader *r, struct str name, struct str s, struct payload *p)
{
	if (take(&s, "vector=")) {
		size_t n = vector_length(name, "_exit");
		p->args.name = names_id(r->names, str_head(name, n));
		return take_number(&s, &p->args.a);
	}
	if (!take(&s, "irq=") || !take_number(&s, &p->args.a) || !take(&s, " ret="))
		return false;
	if (str_starts(s, "handled") || str_starts(s, "unhandled"))
		p->args.b = s.p[0] == 'h';
	else
		take_number(&s, &p->args.b);
	return true;
}

struct str point_softirq(int64_t vec)
{
	static const char *const names[] = { "HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					     "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU" };
	bool known = vec >= 0 && (size_t)vec < sizeof(names) / sizeof(names[0]);
	return str_of(known ? names[vec] : "");
}

/* "vec=7 [action=SCHED]", "vec=7" */
static bool softirq(struct point_reader *r, struct str s, struct payload *p)
{
	if (!take(&s, "vec=") || !take_number(&s, &p->args.a))
		return false;
	struct str action = point_softirq(p->args.a);
	ptrdiff_t end = str_find_char(s, ']');
	if (take(&s, " [action=") && end > 9)
		action = str_head(s, (size_t)end - 9);
	p->args.name = names_id(r->names, action);
	return true;
}

/* "SPIN|READ": __print_flags in include/trace/events/lock.h; in numbers with -R. */
static int64_t lock_flags(struct str s)
{
	static const char *const names[] = { "SPIN", "READ", "WRITE", "RT", "PERCPU", "MUTEX" };
	int64_t flags = 0, number;
	if (take_number(&s, &number))
		return number;
	while (s.n) {
		size_t n = 0;
		while (n < s.n && s.p[n] >= 'A' && s.p[n] <= 'Z')
			n++;
		for (int i = 0; i < 6; i++) {
			if (str_eq(str_head(s, n), names[i]))
				flags |= 1 << i;
		}
		if (n == s.n || s.p[n] != '|')
			break;
		s = str_from(s, n + 1);
	}
	return flags;
}

/*
 * A word and the blank behind it: "0xff110000037d4478", "00000000a1b2c3d4" (%p hashes), and
 * "(____ptrval____)" early after boot, which leaves *value as it is.
 */
static bool take_address(struct str *s, int64_t *value)
{
	ptrdiff_t blank = str_find_char(*s, ' ');
	if (blank <= 0)
		return false;
	struct str address = str_head(*s, (size_t)blank);
	*s = str_from(*s, (size_t)blank + 1);
	if (address.p[0] == '(')
		return true;
	if (str_starts(address, "0x"))
		return take_number(&address, value) && !address.n;
	char hex[19] = "0x";
	struct str digits = { hex, address.n + 2 };
	if (address.n > 16)
		return false;
	memcpy(hex + 2, address.p, address.n);
	return take_number(&digits, value) && !digits.n;
}

/* "0xff110000037d4478 (flags=SPIN|MUTEX)"; "lock_addr=0x... flags=33" with -R */
static bool lock_begin(struct str s, struct payload *p, bool begin)
{
	take(&s, "lock_addr=");
	if (!take_address(&s, &p->args.a))
		return false;
	take(&s, "(");
	if (!take(&s, begin ? "flags=" : "ret="))
		return false;
	if (!begin)
		return take_number(&s, &p->args.b);
	p->args.b = lock_flags(s);
	return true;
}

/* -R: "flags=0x3 name=&mm->mmap_lock lockdep_addr=0xff1100000356f158" */
static bool lockdep_raw(struct point_reader *r, struct str s, struct payload *p)
{
	ptrdiff_t at = str_find(s, " lockdep_addr=");
	if (take(&s, "flags=")) {
		if (!take_number(&s, &p->args.b))
			return false;
		s = str_trim_left(s);
		at = str_find(s, " lockdep_addr=");
	}
	if (at <= 5 || !take(&s, "name="))
		return false;
	p->args.name = names_id(r->names, str_head(s, (size_t)at - 5));
	s = str_from(s, (size_t)at - 5 + strlen(" lockdep_addr="));
	return take_number(&s, &p->args.a);
}

/*
 * "0xff1100000356f158 try read &mm->mmap_lock" of lock_acquire, the others without try and read
 * (include/trace/events/lock.h). Kernels before 2.6.37 print no address: no lock can be told from
 * another of its class.
 */
static bool lockdep(struct point_reader *r, enum point point, struct str s, struct payload *p)
{
	s = str_trim(s);
	if (str_starts(s, "flags=") || str_starts(s, "name="))
		return lockdep_raw(r, s, p);
	if (!take_address(&s, &p->args.a) || !s.n)
		return false;
	if (point == POINT_LOCK_ACQUIRE) {
		p->args.b = take(&s, "try ");
		p->args.b |= take(&s, "read ") << 1;
	}
	p->args.name = names_id(r->names, s);
	return s.n > 0;
}

/*
 * raw_syscalls: "NR 1 (3, 7ffd, ...)", "NR 1 = 25"; -R: "id=1 args=...", "id=1 ret=25".
 * syscalls: sys_enter_read: "fd: 3, ...", sys_exit_read: "0x19"
 */
static bool sys_call(struct point_reader *r, struct str name, struct str s, bool enter,
		     struct payload *p)
{
	const char *prefix = enter ? "sys_enter_" : "sys_exit_";
	if (str_starts(name, prefix)) {
		p->args.name = names_id(r->names, str_from(name, strlen(prefix)));
		return enter || take_number(&s, &p->args.b);
	}
	if ((!take(&s, "NR ") && !take(&s, "id=")) || !take_number(&s, &p->args.a))
		return false;
	return enter || ((take(&s, " = ") || take(&s, " ret=")) && take_number(&s, &p->args.b));
}

/* -- Noise ------------------------------------------------------------------------------------- */

/* "548.771077442" */
static bool take_seconds(struct str *s, int64_t *ns)
{
	int64_t sec, fraction;
	struct str t = *s;
	if (!str_number(&t, &sec) || sec < 0 || sec > INT64_MAX / 1000000000 - 1 || !take(&t, "."))
		return false;
	struct str nine = str_head(t, 9);
	if (nine.n != 9 || !str_number(&nine, &fraction) || nine.n || fraction < 0)
		return false;
	*ns = sec * 1000000000 + fraction;
	*s = str_from(t, 9);
	return true;
}

/*
 * "local_timer:236 start 548.771077442 duration 7597 ns", "start ... duration ... ns" for NMIs,
 * "start ... duration ... ns interference 5" (include/trace/events/osnoise.h)
 */
static bool noise(struct point_reader *r, struct str s, struct payload *p)
{
	s = str_trim(s);
	/* A comm may be anything: the last "start" counts. */
	ptrdiff_t at = str_rfind(s, "start ");
	if (at < 0)
		return false;
	struct str what = str_trim(str_head(s, (size_t)at));
	ptrdiff_t colon = str_rfind_char(what, ':');
	if (colon >= 0) {
		struct str number = str_from(what, (size_t)colon + 1);
		p->args.name = names_id(r->names, str_head(what, (size_t)colon));
		if (!str_number(&number, &p->args.c))
			return false;
	}
	s = str_from(s, (size_t)at);
	if (!take(&s, "start ") || !take_seconds(&s, &p->args.a) || !take(&s, " duration ") ||
	    !str_number(&s, &p->args.b) || p->args.b < 0 || !take(&s, " ns"))
		return false;
	at = str_find(s, "interference");
	if (at >= 0) {
		ptrdiff_t number = str_find_char(str_from(s, (size_t)at), ' ');
		struct str count = str_from(s, (size_t)(at + number + 1));
		if (number > 0)
			str_number(&count, &p->args.c);
	}
	return true;
}

static bool args_parse(struct point_reader *r, enum point point, struct str name, struct str s,
		       struct payload *p)
{
	p->args.a = p->args.b = p->args.c = UNKNOWN;
	p->args.name = 0;
	switch (point) {
	case POINT_IRQ_ENTRY:
		return irq_entry(r, name, s, p);
	case POINT_IRQ_EXIT:
		return irq_exit(r, name, s, p);
	case POINT_SOFTIRQ_RAISE:
	case POINT_SOFTIRQ_ENTRY:
	case POINT_SOFTIRQ_EXIT:
		return softirq(r, s, p);
	case POINT_LOCK_BEGIN:
	case POINT_LOCK_END:
		return lock_begin(s, p, point == POINT_LOCK_BEGIN);
	case POINT_LOCK_ACQUIRE:
	case POINT_LOCK_CONTENDED:
	case POINT_LOCK_ACQUIRED:
	case POINT_LOCK_RELEASE:
		return lockdep(r, point, s, p);
	case POINT_SYS_ENTER:
	case POINT_SYS_EXIT:
		return sys_call(r, name, s, point == POINT_SYS_ENTER, p);
	case POINT_NOISE_NMI:
	case POINT_NOISE_IRQ:
	case POINT_NOISE_SOFTIRQ:
	case POINT_NOISE_THREAD:
	case POINT_NOISE_SAMPLE:
		return noise(r, s, p);
	default:
		return false;
	}
}

bool point_text_parse(struct point_reader *r, enum point point, struct str name, struct str text,
		      struct payload *p)
{
	bool sched = point >= POINT_SWITCH && point <= POINT_MIGRATE;
	bool good =
		sched ? point_sched_parse(r, point, text, p) : args_parse(r, point, name, text, p);
	p->point = good ? point : POINT_NONE;
	return good;
}
