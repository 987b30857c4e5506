/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	if (err) {
		err->code = code;
		va_list ap;
		va_start(ap, fmt);
		vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
		va_end(ap);
	}
	return -code;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	if (!err)
		return -1;

	char old[ERR_MAX];
	memcpy(old, err->msg, sizeof(old));

	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n + 2 < sizeof(err->msg)) {
		size_t room = sizeof(err->msg) - (size_t)n - 3, len = strlen(old);
		len = len < room ? len : room;
		memcpy(err->msg + n, ": ", 2);
		memcpy(err->msg + n + 2, old, len);
		err->msg[(size_t)n + 2 + len] = '\0';
	}
	return -err->code;
}
