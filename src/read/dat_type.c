/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of C, in casts and behind sizeof. */
#include "read/dat_parser.h"

/* Types that are one word; size 0: the kernel's long. Others' sizes are not known here, and a cast
 * to them is refused, as one to bool is: that is more than taking the low bits. */
static bool type_of_word(struct str word, struct dat_type *to)
{
	static const struct {
		const char *name;
		struct dat_type type;
	} known[] = {
		{ "u8", { 1, false, false } },       { "__u8", { 1, false, false } },
		{ "uint8_t", { 1, false, false } },  { "s8", { 1, true, false } },
		{ "u16", { 2, false, false } },      { "__u16", { 2, false, false } },
		{ "uint16_t", { 2, false, false } }, { "__le16", { 2, false, false } },
		{ "s16", { 2, true, false } },       { "u32", { 4, false, false } },
		{ "__u32", { 4, false, false } },    { "uint32_t", { 4, false, false } },
		{ "__le32", { 4, false, false } },   { "uint", { 4, false, false } },
		{ "gfp_t", { 4, false, false } },    { "dev_t", { 4, false, false } },
		{ "s32", { 4, true, false } },       { "__s32", { 4, true, false } },
		{ "int32_t", { 4, true, false } },   { "pid_t", { 4, true, false } },
		{ "u64", { 8, false, false } },      { "__u64", { 8, false, false } },
		{ "uint64_t", { 8, false, false } }, { "__le64", { 8, false, false } },
		{ "sector_t", { 8, false, false } }, { "s64", { 8, true, false } },
		{ "__s64", { 8, true, false } },     { "int64_t", { 8, true, false } },
		{ "loff_t", { 8, true, false } },    { "ktime_t", { 8, true, false } },
		{ "size_t", { 0, false, false } },   { "uintptr_t", { 0, false, false } },
		{ "ino_t", { 0, false, false } },    { "pgoff_t", { 0, false, false } },
		{ "ssize_t", { 0, true, false } },   { "off_t", { 0, true, false } },
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_eq(word, known[i].name)) {
			*to = known[i].type;
			return true;
		}
	}
	return false;
}

/* "unsigned long long", "const char", "struct page", "enum x" */
static bool take_words_of_type(struct dat_parser *p, struct dat_type *to)
{
	int n = 0, longs = 0;
	bool is_unsigned = false, named = false;
	*to = (struct dat_type){ 4, true, false };
	for (;; n++) {
		struct dat_parser before = *p;
		struct str word = parser_word(p);
		if (str_eq(word, "unsigned")) {
			is_unsigned = true;
		} else if (str_eq(word, "long")) {
			to->size = longs++ ? 8 : 0;
		} else if (str_eq(word, "short")) {
			to->size = 2;
		} else if (str_eq(word, "char")) {
			to->size = 1;
		} else if (str_eq(word, "void")) {
			to->size = 0;
		} else if (str_eq(word, "struct") || str_eq(word, "union") ||
			   str_eq(word, "enum")) {
			is_unsigned = true; /* gcc's enum is */
			parser_word(p);
		} else if (!str_eq(word, "int") && !str_eq(word, "signed") &&
			   !str_eq(word, "const") && !str_eq(word, "volatile")) {
			if (n || !type_of_word(word, to)) {
				*p = before;
				break;
			}
			named = true;
		}
	}
	if (!named)
		to->is_signed = !is_unsigned;
	return n > 0;
}

/* A type and its parenthesis; false, and p where it was, if there is none. */
bool parser_type(struct dat_parser *p, struct dat_type *to)
{
	struct dat_parser before = *p;
	bool ok = take_words_of_type(p, to);
	while (ok && parser_take(p, "*"))
		*to = (struct dat_type){ 0, false, true };
	if (ok && parser_take(p, ")")) {
		to->size = to->size ? to->size : (uint8_t)p->long_size;
		return true;
	}
	*p = before;
	return false;
}
