/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop over files and the captures in them that every reading command shares. */
#ifndef DWELL_CMD_INPUTS_H
#define DWELL_CMD_INPUTS_H

#include "cmd/command.h"
#include "cmd/progress.h"
#include "read/reader.h"

struct input {
	const char *name; /* of the file */
	unsigned index;   /* of the capture in it, from 1 */
	struct capture *capture;
	struct source *source;
};

/*
 * A command's own struct begins with this. inputs_each calls each() for every capture of every
 * file; it reads the source to its end. Errors and damage are printed to standard error, and the
 * other files are still read. Returns an exit code: COMMAND_FAILED if any file could not be read or
 * held nothing.
 */
struct input_reader {
	int (*each)(struct input_reader *r, const struct input *in, struct err *err);
	bool streams; /* prints results while it reads, not by output_text */
	struct progress progress;
};

int inputs_each(const struct operands *files, struct input_reader *r);

#endif
