/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read/bytes.h"
#include "read/temporary.h"

#define DAMAGE_SENTENCES 32

int64_t dat_file_read(const struct dat_file *f, uint64_t at, void *to, size_t n)
{
	size_t done = 0;
	n = (size_t)dat_file_within(f, at, n);
	while (done < n) {
		ssize_t got = pread(f->fd, (char *)to + done, n - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	bytes_watch_add(f->watch, done);
	return (int64_t)done;
}

bool dat_file_all(const struct dat_file *f, uint64_t at, void *to, size_t n)
{
	return dat_file_read(f, at, to, n) == (int64_t)n;
}

void dat_file_damage(struct dat_file *f, const char *fmt, ...)
{
	if (f->damage.n >= DAMAGE_SENTENCES)
		return;
	char text[ERR_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vec_push(&f->damage, arena_str(&f->arena, str_of(text)));
}

void dat_blob_fini(struct dat_blob *b)
{
	free(b->p);
	*b = (struct dat_blob){ 0 };
}

bool dat_file_chunk(const struct dat_file *f, uint64_t at, uint64_t end, struct dat_chunk *c)
{
	unsigned char head[8];
	if (end > f->size)
		end = f->size;
	if (at > end || end - at < sizeof(head) || !dat_file_all(f, at, head, sizeof(head)))
		return false;
	c->n_in = dat_u32(head, f->big);
	c->n_out = dat_u32(head + 4, f->big);
	return c->n_in <= end - at - sizeof(head);
}

static bool blob_packed(struct dat_file *f, uint64_t at, uint64_t n, struct dat_blob *to)
{
	struct dat_chunk c;
	if (!f->packing || !dat_file_chunk(f, at, at + n, &c) || c.n_out > DAT_PART_MAX ||
	    c.n_in > DAT_PART_MAX)
		return false;
	struct dat_blob cleanup_dat_blob in = { mem_array(c.n_in + 1, 1), c.n_in };
	to->p = mem_array((size_t)c.n_out + 1, 1);
	to->n = c.n_out;
	return dat_file_all(f, at + 8, in.p, in.n) && f->packing->unpack(in.p, in.n, to->p, to->n);
}

bool dat_file_blob(struct dat_file *f, uint64_t at, uint64_t n, bool packed, struct dat_blob *to)
{
	*to = (struct dat_blob){ 0 };
	if (n > dat_file_within(f, at, n) || n > DAT_PART_MAX)
		return false;
	bool ok;
	if (packed) {
		ok = blob_packed(f, at, n, to);
	} else {
		*to = (struct dat_blob){ mem_array(n + 1, 1), n };
		ok = dat_file_all(f, at, to->p, n);
	}
	if (!ok)
		dat_blob_fini(to);
	return ok;
}

static const char *const part_names[DAT_PARTS] = {
	"layout of the pages",     "formats of ftrace's events", "formats of the events", "symbols",
	"formats of trace_printk", "names of the tasks",
};

bool dat_file_part(struct dat_file *f, enum dat_id id, struct dat_blob *to)
{
	const struct dat_part *p = &f->parts[id - DAT_FIRST_PART];
	*to = (struct dat_blob){ 0 };
	if (!p->size || dat_file_blob(f, p->at, p->size, p->packed, to))
		return true;
	dat_file_damage(f, "the %s (at byte %llu) cannot be read", part_names[id - DAT_FIRST_PART],
			(unsigned long long)p->at);
	return false;
}

struct dat_buffer *dat_file_buffer(struct dat_file *f, struct str name, uint64_t at)
{
	vec_push(&f->buffers, ((struct dat_buffer){
				      .name = arena_str(&f->arena, name),
				      .at = at,
				      .page_size = f->page_size,
			      }));
	return vec_last(&f->buffers);
}

/*
 * The start that both versions share: magic, version as a string, byte order (1: big endian), the
 * size of a user's long (the kernel's is in the header page), u32 page size.
 */
int dat_file_open(struct dat_file *f, int fd, const char *name, struct err *err)
{
	*f = (struct dat_file){ .fd = fd, .cpus = UNKNOWN };
	struct stat st;
	if (fstat(fd, &st) || st.st_size < 0) {
		dat_file_close(f);
		return err_set(err, EIO, "cannot read '%s'", name);
	}
	f->size = (uint64_t)st.st_size;

	unsigned char head[DAT_MAGIC_N + 16];
	int64_t n = dat_file_read(f, 0, head, sizeof(head));
	struct dat_cursor c = dat_cursor_of(head, n > 0 ? (size_t)n : 0, false);
	dat_take(&c, DAT_MAGIC_N);
	struct str version = dat_take_str(&c);
	const unsigned char *order = dat_take(&c, 2);
	int64_t v = 0;
	if (c.bad || !str_number(&version, &v) || version.n || (v != 6 && v != 7)) {
		dat_file_close(f);
		return err_set(err, ENOTSUP,
			       c.bad ? "'%s' is cut short within its first bytes"
				     : "'%s' is a trace.dat of a version that this dwell does not "
				       "know: versions 6 and 7 can be read",
			       name);
	}
	f->version = (int)v;
	f->big = c.big = order[0] == 1;
	f->page_size = dat_take_u32(&c);
	uint64_t at = (uint64_t)(c.p - head);
	if (f->version == 6)
		dat_v6_read(f, at);
	else
		dat_v7_read(f, at);
	return 0;
}

void dat_file_close(struct dat_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	vec_each (b, &f->buffers)
		vec_fini(&b->cpus);
	vec_fini(&f->buffers);
	vec_fini(&f->stats);
	vec_fini(&f->damage);
	dat_shift_fini(&f->shift);
	arena_fini(&f->arena);
}

#define TEXT_BLOCK (1u << 16)

static int text_plain(struct dat_file *f, uint64_t at, uint64_t end, int to, struct err *err)
{
	struct dat_blob cleanup_dat_blob block = { mem_alloc(TEXT_BLOCK), TEXT_BLOCK };
	int ret = 0;
	while (at < end && !ret) {
		size_t want = end - at < block.n ? (size_t)(end - at) : block.n;
		int64_t n = dat_file_read(f, at, block.p, want);
		if (n <= 0)
			break;
		ret = temporary_write(to, block.p, (size_t)n, err);
		at += (uint64_t)n;
	}
	return ret;
}

/* u32 count of chunks, and these. */
static int text_packed(struct dat_file *f, uint64_t at, uint64_t end, int to, struct err *err)
{
	struct dat_chunk c;
	int ret = 0;
	for (at += 4; !ret && dat_file_chunk(f, at, end, &c); at += 8 + (uint64_t)c.n_in) {
		struct dat_blob cleanup_dat_blob block = { 0 };
		if (dat_file_blob(f, at, 8 + (uint64_t)c.n_in, true, &block))
			ret = temporary_write(to, block.p, block.n, err);
		else
			dat_file_damage(f, "a chunk of the text, at byte %llu, is damaged",
					(unsigned long long)at);
	}
	return ret;
}

int dat_file_text(struct dat_file *f, const struct dat_buffer *b, struct err *err)
{
	int fd = temporary_open(err);
	if (fd < 0)
		return fd;
	uint64_t end = b->at + dat_file_within(f, b->at, b->size ? b->size : f->size);
	int ret = b->packed ? text_packed(f, b->at, end, fd, err)
			    : text_plain(f, b->at, end, fd, err);
	if (!ret && lseek(fd, 0, SEEK_SET))
		ret = err_set(err, errno, "cannot read back a temporary file");
	if (!ret)
		return fd;
	close(fd);
	return ret;
}
