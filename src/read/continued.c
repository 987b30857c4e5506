/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/continued.h"

#include "read/interlude.h"
#include "read/prose.h"

/* Mail programs break lines before the word that would go beyond this column. */
#define MAIL_WIDTH 72
#define MAIL_WIDTH_MAX 100 /* nobody breaks lines that are longer than that only there */

static void keep(struct continued *c, const struct line *line)
{
	c->at[c->n] = c->raw.n;
	c->lines[c->n++] = *line;
	strbuf_add(&c->raw, line->text.p, line->text.n);
}

int continued_read(struct continued *c, const struct line *entry, struct err *err)
{
	struct line *next = &c->after;
	int ret;
	c->n = c->raw.n = 0;
	keep(c, entry);
	while ((ret = carrier_next(c->from, next, err)) > 0 && c->n < CONTINUED_LINES &&
	       c->raw.n < CONTINUED_BYTES && c->may(c->reader, next)) {
		strbuf_str(&c->raw, "\n");
		keep(c, next);
	}
	c->have_after = ret > 0;
	return ret < 0 ? ret : 0;
}

static struct str text_of(const struct continued *c, size_t i)
{
	return (struct str){ c->raw.p + c->at[i], c->lines[i].text.n };
}

bool continued_is_broken(const struct continued *c)
{
	if (c->n < 2)
		return false;
	size_t quote = 2u * c->lines[0].quote;
	struct str rest = text_of(c, 1), word = str_word(&rest);
	size_t width = quote + c->lines[0].text.n;
	return width <= MAIL_WIDTH_MAX && width + 1 + word.n > MAIL_WIDTH;
}

static void give_back(struct continued *c)
{
	for (size_t i = 1; i < c->n; i++)
		c->lines[i].text = text_of(c, i);
	carrier_back_all(c->from, c->lines + 1, c->n - 1, c->have_after ? &c->after : NULL);
	c->n = 1;
	c->raw.n = c->lines[0].text.n;
}

struct str continued_settle(struct continued *c, bool accept, bool broken)
{
	if (!accept)
		give_back(c);
	else if (c->have_after)
		carrier_back(c->from, &c->after);
	if (!broken)
		return strbuf_get(&c->raw);
	c->joined.n = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct str text = i ? str_trim(text_of(c, i)) : text_of(c, i);
		strbuf_str(&c->joined, i ? " " : "");
		strbuf_add(&c->joined, text.p, text.n);
	}
	return strbuf_get(&c->joined);
}

/* Is the line behind them one of the trace's, so that what stands before it is its text? */
static bool goes_on(const struct continued *c)
{
	struct str text = c->after.text;
	return c->have_after &&
	       (c->begins(text) || interlude_is_lost(text) || prose_is_hole(str_trim(text)));
}

struct str continued_text(struct continued *c, bool marker, bool verbatim)
{
	bool broken = !marker && !verbatim && continued_is_broken(c);
	return continued_settle(c, marker || ((verbatim || broken) && goes_on(c)), broken);
}

uint32_t continued_last(const struct continued *c)
{
	return c->lines[c->n - 1].last;
}

void continued_fini(struct continued *c)
{
	strbuf_fini(&c->raw);
	strbuf_fini(&c->joined);
}
