/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors as values: a code and a sentence on the caller's stack.
 *
 * A function that can fail takes `struct err *err` as its last argument and returns 0 or
 * -errno. It fills *err only when it fails; err may be NULL if the caller wants the code alone.
 * Sentences are lower case, without a full stop: the error first, the subject in 'quotes', and
 * the next step where one is known. Only cmd/ prints them.
 */
#ifndef DWELL_BASE_ERR_H
#define DWELL_BASE_ERR_H

#define ERR_MAX 512

struct err {
	int code; /* errno value, 0: no error */
	char msg[ERR_MAX];
};

#define must_check __attribute__((warn_unused_result))
#define printf_like(fmt, args) __attribute__((format(printf, fmt, args)))

/* Sets *err and returns -code, so that `return err_set(err, EINVAL, "...")` is one statement. */
int err_set(struct err *err, int code, const char *fmt, ...) printf_like(3, 4);

/* Puts "prefix: " before the sentence (context on the way up); returns -err->code. */
int err_prefix(struct err *err, const char *fmt, ...) printf_like(2, 3);

#endif
