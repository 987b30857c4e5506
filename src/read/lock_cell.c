/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/lock_cell.h"

#include "base/units.h"

static bool push_digit(int64_t *v, char c)
{
	return !__builtin_mul_overflow(*v, 10, v) && !__builtin_add_overflow(*v, c - '0', v);
}

/* The digits at the front of *t, which moves past them. */
static int64_t read_digits(struct str *t, bool *large)
{
	int64_t v = 0;
	size_t n = 0;
	for (; n < t->n && is_digit(t->p[n]); n++)
		*large |= !push_digit(&v, t->p[n]);
	*t = str_from(*t, n);
	return v;
}

/* Thousandths; what is finer is dropped: none of these formats prints it. */
static void read_fraction(struct str *t, struct lock_cell *c)
{
	static const int32_t unit[] = { 100, 10, 1 };
	size_t n = 0;
	for (; n < t->n && is_digit(t->p[n]); n++) {
		if (n < 3)
			c->frac += (t->p[n] - '0') * unit[n];
	}
	c->decimals = n < 255 ? (uint8_t)n : 255;
	*t = str_from(*t, n);
}

bool lock_cell_read(struct str *text, struct lock_cell *c)
{
	struct str t = *text;
	while (t.n && (*t.p == ' ' || *t.p == '\t')) { /* most of a row is blanks */
		t.p++;
		t.n--;
	}
	struct str from = t;
	*c = (struct lock_cell){ 0 };
	bool minus = t.n && t.p[0] == '-';
	if (minus)
		t = str_from(t, 1);
	if (t.n && is_digit(t.p[0])) {
		c->whole = read_digits(&t, &c->large);
		c->point = t.n && t.p[0] == '.';
		if (c->point) {
			t = str_from(t, 1);
			/* A negative remainder of the kernel's: "0.-32". */
			if (t.n > 1 && t.p[0] == '-' && is_digit(t.p[1])) {
				minus = true;
				t = str_from(t, 1);
			}
			read_fraction(&t, c);
		}
	} else {
		c->dash = minus;
	}
	c->about = t.n && t.p[0] == '~' && !c->dash;
	size_t width = from.n - t.n;
	t = str_from(t, c->about);
	if (!width || (t.n && t.p[0] != ' ' && t.p[0] != '\t' && t.p[0] != '\r'))
		return false;
	if (minus && !c->large) {
		c->whole = -c->whole;
		c->frac = -c->frac;
	}
	c->width = width < 255 ? (uint8_t)width : 255;
	*text = t;
	return true;
}

bool lock_cell_us(const struct lock_cell *c, int64_t *ns)
{
	int64_t v;
	if (c->dash || c->large || __builtin_mul_overflow(c->whole, 1000, &v) ||
	    __builtin_add_overflow(v, c->frac, &v))
		return false;
	*ns = v;
	return true;
}

bool lock_decimal(struct str *t, unsigned places, int64_t *v)
{
	struct str s = *t;
	bool minus = s.n && s.p[0] == '-';
	s = str_from(s, minus);
	if (!s.n || !is_digit(s.p[0]))
		return false;
	*v = 0;
	for (; s.n && is_digit(s.p[0]); s = str_from(s, 1)) {
		if (!push_digit(v, s.p[0]))
			return false;
	}
	s = str_from(s, s.n && s.p[0] == '.');
	for (; places || (s.n && is_digit(s.p[0])); places -= places > 0) {
		bool digit = s.n && is_digit(s.p[0]);
		if (places && !push_digit(v, digit ? s.p[0] : '0'))
			return false;
		s = str_from(s, digit);
	}
	if (minus)
		*v = -*v;
	*t = s;
	return true;
}

bool lock_decimal_ends(struct str t)
{
	int64_t v;
	t = str_trim(t);
	return str_find_char(t, '.') > 0 && lock_decimal(&t, 0, &v) && !t.n;
}

/* Is it a unit of time, and not what comes after a number without one? */
static bool is_unit(struct str word)
{
	int64_t ns;
	char text[8] = "1";
	if (!word.n || word.n > sizeof(text) - 2)
		return false;
	memcpy(text + 1, word.p, word.n);
	return !units_read_time((struct str){ text, word.n + 1 }, &ns);
}

bool lock_cell_scaled(struct str *text, int64_t *ns)
{
	struct str t = *text;
	struct str number = str_word(&t);
	if (!number.n || !is_digit(number.p[0]))
		return false;
	struct str after = t, unit = str_word(&after);
	if (is_unit(unit)) {
		struct str whole = { number.p, (size_t)(unit.p + unit.n - number.p) };
		if (units_read_time(whole, ns))
			return false;
		*text = after;
		return true;
	}
	if (!units_read_time(number, ns)) { /* "12us": somebody closed the gap */
		*text = t;
		return true;
	}
	if (!str_number(&number, ns) || number.n)
		return false;
	*text = t;
	return true;
}

/* Cuts the last word off *t. */
static struct str last_word(struct str *t)
{
	*t = str_trim(*t);
	size_t n = 0;
	while (n < t->n && t->p[t->n - 1 - n] != ' ' && t->p[t->n - 1 - n] != '\t')
		n++;
	t->n -= n;
	return (struct str){ t->p + t->n, n };
}

bool lock_cells_at_end(struct str *text, const bool *is_time, size_t n, int64_t *value)
{
	struct str t = *text;
	while (n--) {
		struct str word = last_word(&t);
		if (is_time[n] && is_unit(word)) {
			struct str number = last_word(&t);
			word = (struct str){ number.p, (size_t)(word.p + word.n - number.p) };
		}
		bool ok = is_time[n] ? lock_cell_scaled(&word, &value[n])
				     : str_number(&word, &value[n]);
		if (!ok || word.n)
			return false;
	}
	*text = str_trim(t);
	return true;
}
