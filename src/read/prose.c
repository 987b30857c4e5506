/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/prose.h"

bool prose_is_hole(struct str text)
{
	struct str t = str_trim(text);
	if (str_starts(t, "<snip") || str_starts(t, "[snip"))
		return true;
	if (str_starts(t, "[ ") && t.p[t.n - 1] == ']')
		return true;
	struct str dots = str_starts(t, "[") ? str_from(t, 1) : t;
	size_t n = 0;
	while (n < dots.n && dots.p[n] == '.')
		n++;
	return n >= 3 && str_trim(str_from(dots, n)).n <= (dots.p == t.p ? 0 : 1);
}

bool prose_is_prompt(struct str text)
{
	struct str t = str_trim(text);
	if (str_starts(t, "# ") || str_starts(t, "$ ") || str_eq(t, "#") || str_eq(t, "$"))
		return true;
	/* user@host:path# and user@host:path$ */
	struct str word = str_word(&t);
	ptrdiff_t at = str_find_char(word, '@');
	return at > 0 && (word.p[word.n - 1] == '#' || word.p[word.n - 1] == '$');
}

/* "real    2m55.170s" and its like: how long a run took, not its name. */
static bool is_time_of_run(struct str t)
{
	struct str word = str_word(&t);
	t = str_trim(t);
	return (str_eq(word, "real") || str_eq(word, "user") || str_eq(word, "sys")) && t.n &&
	       is_digit(t.p[0]);
}

/* A rule, a fence, the mark of a signature: no letter and no digit. */
static bool is_drawn(struct str t)
{
	for (size_t i = 0; i < t.n; i++) {
		unsigned char c = (unsigned char)t.p[i];
		if (c >= 0x80 || is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
			return false;
	}
	return true;
}

#define LABEL_WORDS 8     /* directly above the capture */
#define LABEL_FAR_WORDS 2 /* with a blank line between */

static unsigned count_words(struct str t)
{
	unsigned n = 0;
	while (str_word(&t).n)
		n++;
	return n;
}

/* Does the line announce something? */
static bool announces(struct str t)
{
	return t.p[t.n - 1] == ':' || t.p[0] == '[';
}

static bool is_label(struct str t)
{
	if (t.n > LABEL_MAX || strchr(".,;?!", t.p[t.n - 1]))
		return false;
	return announces(t) || count_words(t) <= LABEL_WORDS;
}

/* Neither a label nor something that comes between one and its capture. */
static bool is_aside(struct str t)
{
	return is_time_of_run(t) || prose_is_prompt(t) || prose_is_hole(t) || t.p[0] == '#';
}

void label_trailing(struct capture *c, struct str text)
{
	struct str t = str_trim(text);
	if (t.n && !is_aside(t))
		capture_trailing(c, t);
}

void label_line(struct label *l, struct str text)
{
	struct str t = str_trim(text);
	if (!t.n) {
		if (++l->blanks > 1 || l->near)
			l->n = 0;
		return;
	}
	if (is_aside(t))
		return;
	l->n = l->blanks = 0;
	if (is_drawn(t) || !is_label(t))
		return;
	l->near = !announces(t) && count_words(t) > LABEL_FAR_WORDS;
	if (t.p[t.n - 1] == ':')
		t = str_trim(str_head(t, t.n - 1));
	memcpy(l->text, t.p, t.n);
	l->n = t.n;
}
