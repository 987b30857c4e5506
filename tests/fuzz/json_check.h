/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a text one JSON value (RFC 8259), in UTF-8? */
#ifndef DWELL_FUZZ_JSON_CHECK_H
#define DWELL_FUZZ_JSON_CHECK_H

#include <stdio.h>

#include "base/str.h"
#include "render/json.h"

bool json_check(struct str text);

/* What is put into json from begin on is required to be one value at the end. */
struct json_memory {
	struct json json;
	FILE *file;
	char *text;
	size_t n;
};

void json_memory_begin(struct json_memory *m);
void json_memory_end(struct json_memory *m);

#endif
