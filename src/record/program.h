/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Can a library be preloaded into a program? Said before it is run. */
#ifndef DWELL_RECORD_PROGRAM_H
#define DWELL_RECORD_PROGRAM_H

#include "base/err.h"

/*
 * The program as execvp would find it. -ENOEXEC, with a sentence that says what else would work:
 * static, setuid, another C library or machine, a sanitizer. What cannot be read is let pass: to run
 * it will tell.
 */
int program_check(const char *command, struct err *err) must_check;

#endif
