/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A streaming writer of JSON: nothing is kept but the nesting. (A document of a gigabyte is no
 * answer, and 357867523236.3 must stay itself; jansson reads what this writes, in the tests.)
 */
#ifndef DWELL_RENDER_JSON_H
#define DWELL_RENDER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

#define JSON_DEPTH 32
#define JSON_BUFFER 4096

/* What is written reaches `out` at the end of a document, or when the buffer is full. */
struct json {
	FILE *out;
	size_t n; /* bytes in the buffer */
	char buffer[JSON_BUFFER];
	int depth;
	bool compact;          /* no line ends: one document a line */
	bool more[JSON_DEPTH]; /* is there an element before, at each depth */
	bool after_key;
};

void json_put_init(struct json *j, FILE *out, bool compact);

void json_put_open(struct json *j, char bracket); /* '{' or '[' */
void json_put_close(struct json *j, char bracket);
void json_put_end(struct json *j); /* the document's last line end */
/* Text between the values of an unusual document, as it is; and the buffer, to `out`. */
void json_put_raw(struct json *j, const char *z);
void json_put_flush(struct json *j);
void json_put_key(struct json *j, const char *key);

void json_put_null(struct json *j);
void json_put_bool(struct json *j, bool v);
void json_put_int(struct json *j, int64_t v);

/* v * 10^-scale, exactly; zeros at the end are left out down to `least` decimals. scale <= 18 */
void json_put_decimal(struct json *j, int64_t v, int scale, int least);

/* To 15 digits; what is no number becomes null. */
void json_put_double(struct json *j, double v);

/* Bytes that are no UTF-8 become U+FFFD, so that every JSON reader takes the document. */
void json_put_str(struct json *j, struct str v);
void json_put_string(struct json *j, const char *v); /* NULL: null */

/* UNKNOWN becomes null. */
void json_put_known(struct json *j, int64_t v);

/* A key and its value. */
static inline void json_key_int(struct json *j, const char *key, int64_t v)
{
	json_put_key(j, key);
	json_put_int(j, v);
}

static inline void json_key_known(struct json *j, const char *key, int64_t v)
{
	json_put_key(j, key);
	json_put_known(j, v);
}

static inline void json_key_str(struct json *j, const char *key, struct str v)
{
	json_put_key(j, key);
	json_put_str(j, v);
}

static inline void json_key_string(struct json *j, const char *key, const char *v)
{
	json_put_key(j, key);
	json_put_string(j, v);
}

#endif
