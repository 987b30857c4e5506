/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * klockstat of bcc: a table of waits and one of holds, with more frames of the stack below each
 * row (print_acq_stat(), print_hld_stat() in libbpf-tools/klockstat.c):
 *
 *	                               Caller  Avg Hold    Count   Max Hold   Total Hold
 *	              down_write_killable+0x5    5.4 m      5421   491.2 h      491.2 h
 *	                do_mprotect_pkey+0xb2
 *	                              Max PID 1983644, COMM edgeworker/sbox, Lock foo (0xffff...)
 *
 * and with -P of threads ("Tid  Comm"). The Python version calls waits "Spin" and prints ns.
 */
#include "read/lock_cell.h"
#include "read/tool_table.h"

enum { AVG, COUNT, MAX, TOTAL, KLOCKSTAT_COLUMNS };

static const bool is_time[KLOCKSTAT_COLUMNS] = { true, false, true, true };

struct klockstat {
	struct tool_table tool;
	bool hold;    /* the table of holds, not of waits */
	bool threads; /* "Tid Comm" instead of "Caller" */
};

/* -- Header ------------------------------------------------------------------------------------ */

/* The next word of *t is "wait", "spin" or "hold", in any case; *hold: the last. */
static bool subject(struct str *t, bool *hold)
{
	struct str w = str_word(t);
	*hold = str_eq(w, "Hold") || str_eq(w, "hold");
	return *hold || str_eq(w, "Wait") || str_eq(w, "Spin") || str_eq(w, "wait") ||
	       str_eq(w, "spin");
}

static bool word_is(struct str *t, const char *word)
{
	return str_eq(str_word(t), word);
}

/* As far as it goes, from "Avg Hold Count" on: a mail may have broken it. */
static bool read_header(struct klockstat *k, struct str t, bool whole)
{
	bool hold;
	struct str first = str_word(&t);
	k->threads = str_eq(first, "Tid") && word_is(&t, "Comm");
	if (!k->threads && !str_eq(first, "Caller"))
		return false;
	if (!word_is(&t, "Avg") || !subject(&t, &k->hold) || !word_is(&t, "Count"))
		return false;
	static const char *const last[] = { "Max", "Total" };
	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
		if (!str_trim(t).n)
			return !whole;
		if (!word_is(&t, last[i]))
			return false;
		if (!str_trim(t).n)
			return !whole;
		if (!subject(&t, &hold))
			return false;
	}
	return !str_trim(t).n;
}

static bool klockstat_header(struct tool_table *t, struct str text, uint32_t line)
{
	(void)line;
	return read_header((struct klockstat *)t, text, true);
}

static bool klockstat_header_more(struct str text)
{
	bool hold;
	struct str t = text, word = str_word(&t);
	if (subject(&text, &hold) && !str_trim(text).n)
		return true;
	return (str_eq(word, "Max") || str_eq(word, "Total")) && subject(&t, &hold);
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* Python prints bytes as "b'mutex_lock+0x1'". */
static struct str strip_bytes(struct str t)
{
	if (t.n > 3 && str_starts(t, "b'") && t.p[t.n - 1] == '\'')
		return str_head(str_from(t, 2), t.n - 3);
	return t;
}

static bool add_who(struct klockstat *k, struct lock_row *r, struct str who)
{
	struct tool_table *t = &k->tool;
	if (k->threads) {
		struct str tid = str_word(&who);
		if (!str_number(&tid, &r->pid))
			return false;
		r->comm = tool_text(t, str_trim(who));
		return true;
	}
	r->caller = tool_text(t, strip_bytes(who));
	return r->caller;
}

static enum record_result read_row(struct klockstat *k, struct str text, uint32_t line)
{
	struct tool_table *t = &k->tool;
	int64_t v[KLOCKSTAT_COLUMNS];
	struct str who = text;
	if (!lock_cells_at_end(&who, is_time, KLOCKSTAT_COLUMNS, v) || !who.n)
		return RECORD_NONE;
	struct lock_row *r = tool_row(t, line);
	if (!r)
		return RECORD_OK;
	if (!add_who(k, r, who)) {
		t->table->rows.n--;
		return RECORD_NONE;
	}
	lock_set(r, k->hold ? LOCK_HOLD_AVG : LOCK_WAIT_AVG, v[AVG]);
	lock_set(r, k->hold ? LOCK_HOLD_MAX : LOCK_WAIT_MAX, v[MAX]);
	lock_set(r, k->hold ? LOCK_HOLD_TOTAL : LOCK_WAIT_TOTAL, v[TOTAL]);
	lock_set(r, LOCK_ACQUISITIONS, v[COUNT]);
	return RECORD_OK;
}

/* A caller, or a name and its first numbers, without the others. */
static bool is_open(struct str t)
{
	struct str who = str_word(&t);
	int64_t v;
	return who.n && lock_cell_scaled(&t, &v) && str_trim(t).n;
}

/* "Max PID %llu, COMM %s, Lock %s (0x%llx)": the lock may be missing, a comm hold anything. */
static bool read_max(struct tool_table *t, struct str text)
{
	if (!str_starts(text, "Max PID ") || !t->table->rows.n)
		return false;
	struct lock_row *r = vec_last(&t->table->rows);
	text = str_from(text, strlen("Max PID "));
	if (!str_number(&text, &r->max_pid) || !str_starts(text, ", COMM "))
		return false;
	struct str comm = str_from(text, strlen(", COMM "));
	ptrdiff_t at = str_find(comm, ", Lock ");
	struct str lock =
		at < 0 ? (struct str){ 0 } : str_from(comm, (size_t)at + strlen(", Lock "));
	r->max_comm = tool_text(t, at < 0 ? comm : str_head(comm, (size_t)at));
	ptrdiff_t open = str_find(lock, " (0x");
	r->symbol = tool_text(t, open < 0 ? lock : str_head(lock, (size_t)open));
	if (open >= 0) {
		struct str address = str_from(lock, (size_t)open + strlen(" (0x"));
		ptrdiff_t close = str_find_char(address, ')');
		r->address = tool_text(t, close < 0 ? address : str_head(address, (size_t)close));
	}
	return true;
}

/* A frame is a lone symbol; prose has blanks or no offset. */
static bool is_frame(const struct tool_table *t, struct str text)
{
	return t->table->rows.n && str_find_char(text, ' ') < 0 &&
	       (str_find(text, "+0x") > 0 || str_eq(text, "[unknown]"));
}

static enum record_result klockstat_record(struct tool_table *t, struct str text, uint32_t line)
{
	struct klockstat *k = (struct klockstat *)t;
	text = str_trim(text);
	if (read_max(t, text))
		return RECORD_OK;
	if (is_frame(t, text)) {
		tool_frame(t, strip_bytes(text), line);
		return RECORD_OK;
	}
	enum record_result got = read_row(k, text, line);
	return got == RECORD_NONE && is_open(text) ? RECORD_OPEN : got;
}

static bool klockstat_starts(struct str text)
{
	struct klockstat k = { 0 };
	return read_header(&k, text, false);
}

static int klockstat_open(struct carrier *from, struct names *names, struct capture *c,
			  struct source **s, struct err *err)
{
	(void)names;
	*s = NULL;
	c->locks = locktab_new(&c->arena, "klockstat");
	struct klockstat k = { .tool = { &format_klockstat, from, c, c->locks,
					 klockstat_header_more, klockstat_header,
					 klockstat_record } };
	return tool_table_read(&k.tool, err);
}

const struct format format_klockstat = {
	.looks_for = "klockstat",
	.starts = klockstat_starts,
	.open = klockstat_open,
};
