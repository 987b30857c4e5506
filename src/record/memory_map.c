/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/memory_map.h"

#include <stdlib.h>

#define MAPPINGS_MAX (1u << 16) /* vm.max_map_count is as much by default */

void memory_map_fini(struct memory_map *m)
{
	vec_each (at, &m->at)
		free(at->name);
	vec_fini(&m->at);
}

static bool hex(struct str *t, char end, uint64_t *v)
{
	size_t i = 0;
	*v = 0;
	for (; i < t->n && i < 17; i++) {
		char c = t->p[i];
		unsigned digit = (unsigned)(c >= 'a' ? c - 'a' + 10 : c - '0');
		if (digit > 15 || (c > '9' && c < 'a'))
			break;
		*v = *v << 4 | digit;
	}
	if (!i || i > 16 || i == t->n || t->p[i] != end)
		return false;
	*t = str_from(*t, i + 1);
	return true;
}

/* "start-end perms offset dev inode   path" */
static bool parse_line(struct str line, struct mapping *m)
{
	*m = (struct mapping){ 0 };
	if (!hex(&line, '-', &m->start) || !hex(&line, ' ', &m->end) || m->start >= m->end)
		return false;
	struct str perms = str_word(&line);
	m->shared = perms.n == 4 && perms.p[3] == 's';
	line = str_trim_left(line);
	if (perms.n != 4 || !hex(&line, ' ', &m->offset))
		return false;
	str_word(&line); /* device */
	str_word(&line); /* inode */
	line = str_trim(line);
	m->name = mem_alloc(line.n + 1);
	if (line.n)
		memcpy(m->name, line.p, line.n);
	return true;
}

void memory_map_parse(struct memory_map *m, struct str text)
{
	while (text.n && m->at.n < MAPPINGS_MAX) {
		ptrdiff_t nl = str_find_char(text, '\n');
		struct mapping line;
		if (parse_line(nl < 0 ? text : str_head(text, (size_t)nl), &line))
			vec_push(&m->at, line);
		text = nl < 0 ? (struct str){ 0 } : str_from(text, (size_t)nl + 1);
	}
}

const struct mapping *memory_map_find(const struct memory_map *m, uint64_t address)
{
	for (size_t i = m->at.n; i-- > 0;) {
		if (m->at.at[i].start <= address && address < m->at.at[i].end)
			return &m->at.at[i];
	}
	return NULL;
}
