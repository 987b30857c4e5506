/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a text one JSON value (RFC 8259), in UTF-8? */
#ifndef DWELL_FUZZ_JSON_CHECK_H
#define DWELL_FUZZ_JSON_CHECK_H

#include "base/str.h"

bool json_check(struct str text);

#endif
