/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futexctn of bcc: a line for each lock and thread, then a stack between two '-' and a histogram
 * (print_map() in libbpf-tools/futexctn.c):
 *
 *	comm[tid] lock 0x7f... contended 12 times, 34 avg usecs [max: 56 usecs, min 7 usecs]
 */
#include "read/tool_table.h"

struct futex {
	struct str comm, address;
	int64_t tid, contended, avg, max, min;
};

/* "34 avg usecs", "56 usecs"; -m prints msecs. */
static bool read_span(struct str *t, const char *between, int64_t *ns)
{
	int64_t v;
	*t = str_trim(*t);
	if (!str_number(t, &v) || !str_starts(*t, between))
		return false;
	*t = str_from(*t, strlen(between));
	int64_t unit = str_starts(*t, "usecs") ? 1000 : str_starts(*t, "msecs") ? 1000000 : 0;
	*t = str_from(*t, strlen("usecs"));
	return unit && !__builtin_mul_overflow(v, unit, ns);
}

static bool skip(struct str *t, const char *z)
{
	*t = str_trim(*t);
	if (!str_starts(*t, z))
		return false;
	*t = str_from(*t, strlen(z));
	return true;
}

static bool read_futex(struct str t, struct futex *f)
{
	ptrdiff_t at = str_find(t, "] lock 0x");
	if (at < 0)
		return false;
	struct str who = str_head(t, (size_t)at);
	ptrdiff_t open = str_rfind_char(who, '[');
	struct str tid = str_from(who, (size_t)(open + 1));
	if (open < 0 || !str_number(&tid, &f->tid) || tid.n)
		return false;
	f->comm = str_trim(str_head(who, (size_t)open));
	t = str_from(t, (size_t)at + strlen("] lock 0x"));
	f->address = str_word(&t);
	return skip(&t, "contended ") && str_number(&t, &f->contended) && skip(&t, "times,") &&
	       read_span(&t, " avg ", &f->avg) && skip(&t, "[max:") &&
	       read_span(&t, " ", &f->max) && skip(&t, ", min ") && read_span(&t, " ", &f->min);
}

/* "    #0  0x00007f... __lll_lock_wait+0x1d (libc.so.6+0x...)", "    [unknown]" */
static bool is_user_frame(const struct tool_table *t, struct str text)
{
	struct str number = str_word(&text), address = str_word(&text);
	return t->table->rows.n && str_starts(number, "#") && str_starts(address, "0x");
}

static enum record_result futexctn_record(struct tool_table *t, struct str text, uint32_t line)
{
	struct futex f;
	text = str_trim(text);
	if (is_user_frame(t, text)) {
		str_word(&text);
		tool_frame(t, text, line);
		return RECORD_OK;
	}
	if (!read_futex(text, &f))
		return str_find(text, "] lock 0x") > 0 ? RECORD_OPEN : RECORD_NONE;
	struct lock_row *r = tool_row(t, line);
	if (!r)
		return RECORD_OK;
	r->comm = tool_text(t, f.comm);
	r->pid = f.tid;
	r->address = tool_text(t, f.address);
	lock_set(r, LOCK_CONTENTIONS, f.contended);
	lock_set(r, LOCK_WAIT_AVG, f.avg);
	lock_set(r, LOCK_WAIT_MAX, f.max);
	lock_set(r, LOCK_WAIT_MIN, f.min);
	return RECORD_OK;
}

static bool futexctn_starts(struct str text)
{
	struct futex f;
	return read_futex(text, &f);
}

static int futexctn_open(struct carrier *from, struct names *names, struct capture *c,
			 struct source **s, struct err *err)
{
	(void)names;
	*s = NULL;
	c->locks = locktab_new(&c->arena, "futexctn");
	struct tool_table t = { &format_futexctn, from, c, c->locks, .record = futexctn_record };
	return tool_table_read(&t, err);
}

const struct format format_futexctn = {
	.looks_for = "futexctn",
	.starts = futexctn_starts,
	.open = futexctn_open,
};
