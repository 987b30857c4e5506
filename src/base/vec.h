/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one growable array.
 *
 *	VEC(struct row) rows = { 0 };
 *	vec_push(&rows, ((struct row){ .line = 3 }));
 *	vec_each(row, &rows) use(row);
 *	vec_fini(&rows);
 *
 * Pointers to elements are valid until the next push.
 */
#ifndef DWELL_BASE_VEC_H
#define DWELL_BASE_VEC_H

#include <stdlib.h>

#include "base/mem.h"

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t n, room;                                                                    \
	}

#define vec_reserve(v, want)                                                                       \
	do {                                                                                       \
		size_t want_ = (want);                                                             \
		if (want_ > (v)->room) {                                                           \
			size_t room_ = (v)->room ? (v)->room : 8;                                  \
			while (room_ < want_)                                                      \
				room_ *= 2;                                                        \
			(v)->at = mem_resize((v)->at, room_, sizeof(*(v)->at));                    \
			(v)->room = room_;                                                         \
		}                                                                                  \
	} while (0)

#define vec_push(v, value)                                                                         \
	do {                                                                                       \
		vec_reserve(v, (v)->n + 1);                                                        \
		(v)->at[(v)->n++] = value;                                                         \
	} while (0)

#define vec_last(v) (&(v)->at[(v)->n - 1])
#define vec_each(it, v)                                                                            \
	for (__typeof__((v)->at + 0) it = (v)->at; it && it < (v)->at + (v)->n; it++)

/* qsort takes no NULL, not even for nothing. */
#define vec_sort(v, order)                                                                         \
	do {                                                                                       \
		if ((v)->n)                                                                        \
			qsort((v)->at, (v)->n, sizeof(*(v)->at), order);                           \
	} while (0)

#define vec_fini(v)                                                                                \
	do {                                                                                       \
		free((v)->at);                                                                     \
		(v)->at = NULL;                                                                    \
		(v)->n = (v)->room = 0;                                                            \
	} while (0)

#endif
