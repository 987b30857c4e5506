/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/undo.h"

#include <strings.h>

#include "read/prose.h"

static int hex(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* -- Signs ------------------------------------------------------------------------------------- */

/* Counted over some lines of text. */
struct signs {
	size_t lines, filled; /* lines; those that are not blank */
	size_t equals, escapes, soft_breaks, equals_3d;
	size_t script, comment, star, grep, bar, colon, plus;
	size_t counted, counter_runs; /* lines that go on counting; the longest run of them */
	size_t listed;                /* lines that cat -n numbered */
	int64_t counter;
};

/* RFC 2045, 6.7: in quoted-printable every '=' is an escape or ends the line. */
static void sign_equals(struct signs *g, struct str line)
{
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] != '=')
			continue;
		g->equals++;
		if (i + 1 == line.n) {
			g->soft_breaks++;
		} else if (i + 2 < line.n && hex(line.p[i + 1]) >= 0 && hex(line.p[i + 2]) >= 0) {
			g->escapes++;
			g->equals_3d += line.p[i + 1] == '3' && line.p[i + 2] == 'D';
		}
	}
}

/* Length of "120187:" or "file:120187:"; 0. A trace's own lines never begin so. */
static size_t grep_prefix(struct str line)
{
	size_t n = str_digits(line);
	if (n && n < line.n && line.p[n] == ':')
		return n + 1;
	ptrdiff_t colon = str_find_char(line, ':');
	if (n || colon <= 0 || str_find_char(str_head(line, (size_t)colon), ' ') >= 0)
		return 0;
	struct str rest = str_from(line, (size_t)colon + 1);
	n = str_digits(rest);
	return n && n < rest.n && rest.p[n] == ':' ? (size_t)colon + 1 + n + 1 : 0;
}

/* Quote marks before a line, with a blank behind them: carrier.c takes them off later. */
static size_t quote_length(struct str line)
{
	size_t n = 0;
	for (;;) {
		size_t blank = n < line.n && line.p[n] == ' ' ? 1 : 0;
		if (n + blank >= line.n || line.p[n + blank] != '>')
			return n ? n + blank : 0;
		n += blank + 1;
	}
}

#define LISTING 6 /* "%6d\t", as cat -n and nl number lines */

/*
 * A counter before the line: "  06   text", "  02-----", and of one digit where cat -n has it, as
 * times count up as well ("  1 us |   f();").
 */
static size_t counter_prefix(struct str line, int64_t *number)
{
	struct str s = str_trim_left(line), t = s;
	size_t n = str_digits(s);
	if (!n || n > 8 || !str_number(&t, number))
		return 0;
	size_t end = (size_t)(t.p - line.p);
	bool apart = !t.n || memchr(" \t-", t.p[0], 3) || str_starts(t, "..");
	if (!apart || (n < 2 && end != LISTING))
		return 0;
	return end + (t.n && t.p[0] == '\t');
}

/*
 * Is there more than figures? Rows of tables count up, too: "  10 #58633     |  1  0",
 * "17      0     18" (rtla), and a row that a mail broke goes on with numbers.
 */
static bool tells_text(struct str rest)
{
	rest = str_trim_left(rest);
	return rest.n && rest.p[0] != '#' && !is_digit(rest.p[0]) && !str_starts(rest, "us");
}

/* Nothing else has a tab there. */
static bool is_listing(struct str line, size_t prefix)
{
	return prefix > LISTING && line.p[prefix - 1] == '\t' &&
	       str_find_char(line, '\t') == (ptrdiff_t)prefix - 1;
}

/* The counter goes on behind lines without one: what a mail broke off the line before. */
static void sign_counter(struct signs *g, struct str line)
{
	int64_t number;
	size_t n = counter_prefix(line, &number);
	bool listed = n && is_listing(line, n), text = n && tells_text(str_from(line, n));
	text |= listed;
	g->listed += listed;
	if (n && g->counted && number == g->counter + 1)
		g->counted += text;
	else if (text)
		g->counted = 1;
	else
		return;
	g->counter = number;
	if (g->counted > g->counter_runs)
		g->counter_runs = g->counted;
}

static bool ends_with(struct str s, const char *z)
{
	size_t n = strlen(z);
	return s.n >= n && memcmp(s.p + s.n - n, z, n) == 0;
}

/* How long the end of a line is that stands in a string of JavaScript, C or Python; 0: none. */
static size_t script_end(struct str t)
{
	static const char *const ends[] = { "\\n\\",   "\\n\"", "\\n\",", "\\n\" \\", "\\n\" +",
					    "\\n\" .", "\\n'",  "\\n',",  "\\n' \\",  "\\n' +" };
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (ends_with(t, ends[i]))
			return strlen(ends[i]);
	}
	return 0;
}

static void sign_line(struct signs *g, struct str line)
{
	g->lines++;
	struct str t = str_trim(line);
	if (!t.n)
		return;
	g->filled++;
	sign_equals(g, line.n && line.p[line.n - 1] == '\r' ? str_head(line, line.n - 1) : line);
	sign_counter(g, str_from(line, quote_length(line)));
	g->script += script_end(t) > 0;
	g->comment += str_starts(t, "//");
	g->star += str_starts(t, "* ");
	g->grep += grep_prefix(str_from(line, quote_length(line))) > 0;
	g->bar += str_starts(line, "| ") || str_eq(t, "|");
	g->colon += str_starts(line, ": ") || str_eq(t, ":");
	g->plus += str_starts(line, "+");
}

static bool most(size_t part, size_t whole)
{
	return whole >= 3 && part * 10 >= whole * 8;
}

static unsigned signs_steps(const struct signs *g)
{
	unsigned steps = 0;
	size_t good = g->escapes + g->soft_breaks;
	bool escaped =
		g->equals_3d + g->soft_breaks >= 2 || (g->equals_3d && g->escapes > g->equals_3d);
	if (escaped && good * 10 >= g->equals * 9)
		steps |= UNDO_QP;
	if (g->script >= 3)
		steps |= UNDO_SCRIPT;
	if (most(g->comment, g->filled) || most(g->star, g->filled))
		steps |= UNDO_COMMENT;
	if (most(g->grep, g->filled))
		steps |= UNDO_GREP;
	if (most(g->bar, g->filled) || most(g->colon, g->filled) || most(g->plus, g->filled))
		steps |= UNDO_BAR;
	if (g->counter_runs >= 4 || (g->counter_runs == 3 && g->listed >= 3))
		steps |= UNDO_NUMBERS;
	return steps;
}

static bool has(struct str text, const char *z)
{
	return str_find(text, z) >= 0;
}

static unsigned sniff_bytes(struct str text)
{
	unsigned steps = 0;
	if (has(text, "&lt;") || has(text, "&gt;") || has(text, "&amp;") || has(text, "&quot;") ||
	    has(text, "&nbsp;") || has(text, "&#"))
		steps |= UNDO_ENTITIES;
	if (has(text, "<pre") || has(text, "<html") || has(text, "<br") || has(text, "<script") ||
	    has(text, "</"))
		steps |= UNDO_TAGS;
	if (has(text, "\xc2\xa0") || has(text, " \xa0") || has(text, "\xa0 "))
		steps |= UNDO_NBSP;
	if (has(text, "\"\"\"") || has(text, "'''"))
		steps |= UNDO_COMMENT;
	if (has(text, " kernel: "))
		steps |= UNDO_SYSLOG;
	return steps;
}

unsigned undo_sniff(struct str text)
{
	struct signs g = { .counter = -1 };
	for (struct str rest = text; rest.n;) {
		ptrdiff_t nl = str_find_char(rest, '\n');
		if (nl < 0)
			break;
		sign_line(&g, str_head(rest, (size_t)nl));
		rest = str_from(rest, (size_t)nl + 1);
	}
	return signs_steps(&g) | sniff_bytes(text);
}

/* -- Undoing ------------------------------------------------------------------------------------ */

bool undo_soft_break(struct str line)
{
	return line.n && line.p[line.n - 1] == '=';
}

static void undo_qp(struct str in, struct strbuf *out)
{
	for (size_t i = 0; i < in.n; i++) {
		if (in.p[i] == '=' && i + 2 < in.n && hex(in.p[i + 1]) >= 0 &&
		    hex(in.p[i + 2]) >= 0) {
			char c = (char)(hex(in.p[i + 1]) << 4 | hex(in.p[i + 2]));
			strbuf_add(out, &c, 1);
			i += 2;
		} else {
			strbuf_add(out, in.p + i, 1);
		}
	}
}

/* The character of the entity at the start of s; its length in *n, or 0 for none. */
static const char *entity(struct str s, size_t *n)
{
	static const struct {
		const char *name, *text;
	} entities[] = {
		{ "&lt;", "<" },    { "&gt;", ">" },   { "&amp;", "&" },  { "&nbsp;", " " },
		{ "&quot;", "\"" }, { "&apos;", "'" }, { "&#39;", "'" },  { "&#60;", "<" },
		{ "&#62;", ">" },   { "&#160;", " " }, { "&#x27;", "'" }, { "&micro;", "u" },
	};
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		if (str_starts(s, entities[i].name)) {
			*n = strlen(entities[i].name);
			return entities[i].text;
		}
	}
	*n = 0;
	return NULL;
}

static void undo_entities(struct str in, struct strbuf *out)
{
	for (size_t i = 0; i < in.n;) {
		size_t n = 0;
		const char *text = in.p[i] == '&' ? entity(str_from(in, i), &n) : NULL;
		if (text)
			strbuf_str(out, text);
		else
			strbuf_add(out, in.p + i, 1);
		i += n ? n : 1;
	}
}

#define TAG_MAX 1024 /* bytes: a page of '<' must not be searched to its end for each */

/* Length of a tag of HTML at the start of s, 0 for none: "<idle>" and "<...>" are none. */
static size_t tag_length(struct str s)
{
	static const char *const tags[] = { "pre",  "code", "span", "div",   "p",
					    "br",   "td",   "tr",   "table", "b",
					    "i",    "a",    "font", "tt",    "script",
					    "html", "body", "li",   "samp",  "blockquote" };
	struct str t = str_from(s, 1);
	if (t.n && t.p[0] == '/')
		t = str_from(t, 1);
	size_t n = 0;
	while (n < t.n && ((t.p[n] >= 'a' && t.p[n] <= 'z') || (t.p[n] >= 'A' && t.p[n] <= 'Z')))
		n++;
	ptrdiff_t close = str_find_char(str_head(s, TAG_MAX), '>');
	if (close < 0 || n == t.n || !strchr(" >/\t", t.p[n]))
		return 0;
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		if (strlen(tags[i]) == n && strncasecmp(t.p, tags[i], n) == 0)
			return (size_t)close + 1;
	}
	return 0;
}

static void undo_tags(struct str in, struct strbuf *out)
{
	for (size_t i = 0; i < in.n;) {
		size_t n = in.p[i] == '<' ? tag_length(str_from(in, i)) : 0;
		if (!n)
			strbuf_add(out, in.p + i, 1);
		i += n ? n : 1;
	}
}

/*
 * UTF-8's C2 A0, that read as Latin-1 and written as UTF-8 once more (C3 82 C2 A0), or Latin-1's A0
 * that is no part of a longer sequence.
 */
static void undo_nbsp(struct str in, struct strbuf *out)
{
	for (size_t i = 0; i < in.n; i++) {
		unsigned char c = (unsigned char)in.p[i],
			      before = i ? (unsigned char)in.p[i - 1] : 0;
		if (str_starts(str_from(in, i), "\xc3\x82\xc2\xa0")) {
			strbuf_add(out, " ", 1);
			i += 3;
		} else if (c == 0xc2 && i + 1 < in.n && (unsigned char)in.p[i + 1] == 0xa0) {
			strbuf_add(out, " ", 1);
			i++;
		} else if (c == 0xa0 && before < 0x80) {
			strbuf_add(out, " ", 1);
		} else {
			strbuf_add(out, in.p + i, 1);
		}
	}
}

/* "  text\n\" and "  \"text\\n\"": the line end is written out, quotes are escaped. */
static void undo_script(struct str in, struct strbuf *out)
{
	struct str t = str_trim(in);
	size_t end = script_end(t);
	if (!end) {
		strbuf_add(out, in.p, in.n);
		return;
	}
	t.n -= end;
	if (t.n && (t.p[0] == '"' || t.p[0] == '\''))
		t = str_from(t, 1);
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] == '\\' && i + 1 < t.n && strchr("\"'\\/", t.p[i + 1]))
			i++;
		strbuf_add(out, t.p + i, 1);
	}
}

static void undo_comment(struct str in, struct strbuf *out)
{
	struct str t = str_trim_left(in);
	if (str_starts(t, "//"))
		t = str_from(t, 2);
	else if (str_starts(t, "* "))
		t = str_from(t, 2);
	else
		t = in;
	/* text = """# tracer: nop   ...   """) */
	static const char *const quotes[] = { "\"\"\"", "'''" };
	for (size_t i = 0; i < 2; i++) {
		ptrdiff_t at = str_find(t, quotes[i]);
		if (at >= 0 && str_trim(str_from(t, (size_t)at + 3)).n > 2)
			t = str_from(t, (size_t)at + 3);
		else if (at >= 0)
			t = str_head(t, (size_t)at);
	}
	strbuf_add(out, t.p, t.n);
}

/*
 * Is this the line's counter, and not the first number of a row that a mail broke? It goes up by
 * one, and ends in the same column or has one digit more; it may jump where lines are missing.
 */
static bool is_next(const struct undo_count *count, int64_t number, size_t end, bool may_jump)
{
	if (count->gap && may_jump)
		return true;
	bool longer = end == count->end + 1;
	return number == count->last + 1 && (!count->end || end == count->end || longer);
}

static size_t number_length(struct str line, struct undo_count *count)
{
	int64_t number;
	size_t n = counter_prefix(line, &number);
	if (!n) {
		count->gap |= !str_trim(line).n || prose_is_hole(line);
		return 0;
	}
	bool tab = is_listing(line, n), text = tells_text(str_from(line, n)) || tab;
	size_t end = n - (line.p[n - 1] == '\t');
	if (!is_next(count, number, end, text))
		return 0;
	*count = (struct undo_count){ number, false, end };
	return n;
}

static void undo_prefix(struct str in, unsigned step, struct undo_count *count, struct strbuf *out)
{
	size_t quote = 0, n = 0;
	if (step != UNDO_BAR) {
		quote = quote_length(in);
		struct str line = str_from(in, quote);
		n = step == UNDO_GREP ? grep_prefix(line) : number_length(line, count);
	} else if (in.n && strchr("|:+", in.p[0]) && in.p[0]) {
		n = 1;
	}
	strbuf_add(out, in.p, quote);
	strbuf_add(out, in.p + quote + n, in.n - quote - n);
}

/* "Jan  2 10:11:12 host kernel: text": everything up to the tag is the logger's. */
static void undo_syslog(struct str in, struct strbuf *out)
{
	ptrdiff_t at = str_find(str_head(in, 96), " kernel: ");
	struct str t = at > 0 ? str_from(in, (size_t)at + strlen(" kernel: ")) : in;
	strbuf_add(out, t.p, t.n);
}

struct str undo_line(struct str line, unsigned steps, struct undo_count *count, struct strbuf *out)
{
	/* In the order in which they were done to the text, the last one first. */
	static const struct {
		unsigned step;
		char sign; /* a byte without which the step has nothing to do; 0: any */
		void (*undo)(struct str in, struct strbuf *out);
	} undoings[] = {
		{ UNDO_QP, '=', undo_qp },
		{ UNDO_SCRIPT, '\\', undo_script },
		{ UNDO_TAGS, '<', undo_tags },
		{ UNDO_ENTITIES, '&', undo_entities },
		{ UNDO_NBSP, (char)0xa0, undo_nbsp },
		{ UNDO_COMMENT, 0, undo_comment },
		{ UNDO_SYSLOG, ':', undo_syslog },
	};
	static const unsigned prefixes[] = { UNDO_BAR, UNDO_GREP, UNDO_NUMBERS };

	struct strbuf cleanup_strbuf now = { 0 };
	strbuf_add(&now, line.p, line.n);
	for (size_t i = 0; i < sizeof(undoings) / sizeof(undoings[0]); i++) {
		if (!(steps & undoings[i].step) ||
		    (undoings[i].sign && str_find_char(strbuf_get(&now), undoings[i].sign) < 0))
			continue;
		out->n = 0;
		strbuf_add(out, "", 0);
		undoings[i].undo(strbuf_get(&now), out);
		now.n = 0;
		strbuf_add(&now, out->p, out->n);
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!(steps & prefixes[i]))
			continue;
		out->n = 0;
		strbuf_add(out, "", 0);
		undo_prefix(strbuf_get(&now), prefixes[i], count, out);
		now.n = 0;
		strbuf_add(&now, out->p, out->n);
	}
	out->n = 0;
	strbuf_add(out, now.p, now.n);
	return strbuf_get(out);
}

struct str undo_printk(struct str line)
{
	struct str t = str_trim_left(line);
	if (t.n > 3 && t.p[0] == '<' && is_digit(t.p[1])) { /* <6>: the level */
		size_t n = 1 + str_digits(str_from(t, 1));
		if (n < t.n && t.p[n] == '>')
			t = str_from(t, n + 1);
	}
	if (!t.n || t.p[0] != '[')
		return line;
	struct str s = str_trim_left(str_from(t, 1));
	size_t n = str_digits(s);
	if (!n || n + 8 > s.n || s.p[n] != '.' || str_digits(str_from(s, n + 1)) != 6 ||
	    s.p[n + 7] != ']')
		return line;
	t = str_from(s, n + 8);
	struct str caller = str_trim_left(t.n && t.p[0] == '[' ? str_from(t, 1) : t);
	ptrdiff_t close = str_find_char(caller, ']'); /* "[  T123]", CONFIG_PRINTK_CALLER */
	if (t.n && t.p[0] == '[' && close > 1 && close < 12 &&
	    (caller.p[0] == 'T' || caller.p[0] == 'C'))
		t = str_from(caller, (size_t)close + 1);
	return t.n && t.p[0] == ' ' ? str_from(t, 1) : t;
}
