/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_symbol.h"

#include <stdio.h>

#include "read/dat_format.h"

#define SYMBOLS_MAX (4u << 20)
/* An address further than this behind a symbol belongs to none. */
#define FUNCTION_MAX (1u << 20)

void dat_symbols_init(struct dat_symbols *s, struct dat_file *f, struct names *names)
{
	*s = (struct dat_symbols){ .file = f, .names = names };
}

void dat_symbols_fini(struct dat_symbols *s)
{
	dat_blob_fini(&s->functions);
	dat_blob_fini(&s->formats);
	vec_fini(&s->function);
	vec_fini(&s->format);
	vec_fini(&s->comm);
}

/* Digits of a hexadecimal number off *t, with or without 0x. */
static bool take_hex(struct str *t, uint64_t *v)
{
	size_t i = str_starts(*t, "0x") ? 2 : 0, from = i;
	*v = 0;
	for (; i < t->n && i < from + 16; i++) {
		char c = t->p[i];
		unsigned digit = is_digit(c)            ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
				 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
							: 16;
		if (digit > 15)
			break;
		*v = *v << 4 | digit;
	}
	*t = str_from(*t, i);
	return i > from;
}

static int by_address(const void *pa, const void *pb)
{
	const struct dat_symbol *a = pa, *b = pb;
	return a->address != b->address ? (a->address < b->address ? -1 : 1)
					: (a->at > b->at) - (a->at < b->at);
}

/* The text of a part whose size stands before it, as a u32 or a u64. */
static struct str sized_text(const struct dat_file *f, const struct dat_blob *b, size_t size)
{
	struct dat_cursor c = dat_cursor_of(b->p, b->n, f->big);
	uint64_t n = size == 4 ? dat_take_u32(&c) : dat_take_u64(&c);
	if (c.bad)
		return (struct str){ "", 0 };
	return str_head((struct str){ (const char *)c.p, (size_t)(c.end - c.p) }, n);
}

static uint32_t place(const struct dat_blob *b, struct str s)
{
	return (uint32_t)(s.p - (const char *)b->p);
}

/* "ffffffff81000000 T _stext", "ffffffffc0000000 t f	[module]": the text of kallsyms */
static void load_functions(struct dat_symbols *s)
{
	s->have_functions = true;
	dat_file_part(s->file, DAT_KALLSYMS, &s->functions);
	struct str text = sized_text(s->file, &s->functions, 4);
	while (text.n && s->function.n < SYMBOLS_MAX) {
		struct str line = dat_line(&text);
		uint64_t address;
		if (!take_hex(&line, &address) || line.n < 4 || !address)
			continue;
		char type = line.p[1];
		line = str_from(line, 3);
		struct str name = str_word(&line);
		/* Per-CPU and absolute ones are no places of code. */
		if (name.n && type != 'A' && type != 'a')
			vec_push(&s->function,
				 ((struct dat_symbol){ address, place(&s->functions, name),
						       (uint32_t)name.n }));
	}
	vec_sort(&s->function, by_address);
}

/* The last symbol at or before the address; of several at one address the first in the file. */
static const struct dat_symbol *find(const struct dat_symbol *at, size_t n, uint64_t address)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (at[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	const struct dat_symbol *s = &at[low - 1];
	while (s > at && s[-1].address == s->address)
		s--;
	return s;
}

static const struct dat_symbol *find_function(struct dat_symbols *s, uint64_t address)
{
	if (!s->have_functions)
		load_functions(s);
	const struct dat_symbol *f = find(s->function.at, s->function.n, address);
	return f && address - f->address < FUNCTION_MAX ? f : NULL;
}

/* "[module]" behind the name, on its line */
static struct str module_of(const struct dat_symbols *s, const struct dat_symbol *f)
{
	size_t end = f->at + f->n;
	struct str rest = { (const char *)s->functions.p + end, s->functions.n - end };
	struct str word = str_trim(dat_line(&rest));
	return str_starts(word, "[") ? word : (struct str){ "", 0 };
}

struct dat_place dat_place(struct dat_symbols *s, uint64_t address)
{
	const struct dat_symbol *f = find_function(s, address), *end = f;
	if (!f)
		return (struct dat_place){ 0 };
	while (end < s->function.at + s->function.n && end->address == f->address)
		end++;
	bool last = end == s->function.at + s->function.n;
	return (struct dat_place){
		.name = { (const char *)s->functions.p + f->at, f->n },
		.module = module_of(s, f),
		.offset = address - f->address,
		.size = last ? 0 : end->address - f->address,
	};
}

static uint32_t function_name(struct dat_symbols *s, uint64_t address)
{
	const struct dat_symbol *f = find_function(s, address);
	if (f)
		return names_id(s->names,
				(struct str){ (const char *)s->functions.p + f->at, f->n });
	char text[24];
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	return names_id(s->names, str_of(text));
}

uint32_t dat_function(struct dat_symbols *s, uint64_t address)
{
	size_t slot = (address * 0x9e3779b97f4a7c15ull) >> 52;
	if (s->function_cache[slot].name && s->function_cache[slot].address == address)
		return s->function_cache[slot].name;
	uint32_t name = function_name(s, address);
	s->function_cache[slot].address = address;
	s->function_cache[slot].name = name;
	return name;
}

/* Kernels without CONFIG_KALLSYMS_ALL list few variables: the one before an address may be another. */
uint32_t dat_variable(struct dat_symbols *s, uint64_t address)
{
	if (!s->have_functions)
		load_functions(s);
	const struct dat_symbol *v = find(s->function.at, s->function.n, address);
	if (!v || v->address != address)
		return 0;
	return names_id(s->names, (struct str){ (const char *)s->functions.p + v->at, v->n });
}

/* `0xffffffff82345678 : "text %d\n"`: t_show() in kernel/trace/trace_printk.c */
static void load_formats(struct dat_symbols *s)
{
	s->have_formats = true;
	dat_file_part(s->file, DAT_PRINTK, &s->formats);
	struct str text = sized_text(s->file, &s->formats, 4);
	while (text.n && s->format.n < SYMBOLS_MAX) {
		struct str line = dat_line(&text);
		uint64_t address;
		if (!take_hex(&line, &address))
			continue;
		ptrdiff_t open = str_find_char(line, '"'), close = str_rfind_char(line, '"');
		if (open < 0 || close <= open)
			continue;
		struct str f = { line.p + open + 1, (size_t)(close - open - 1) };
		vec_push(&s->format,
			 ((struct dat_symbol){ address, place(&s->formats, f), (uint32_t)f.n }));
	}
	vec_sort(&s->format, by_address);
}

struct str dat_printk_format(struct dat_symbols *s, uint64_t address)
{
	if (!s->have_formats)
		load_formats(s);
	const struct dat_symbol *f = find(s->format.at, s->format.n, address);
	if (!f || f->address != address)
		return (struct str){ "", 0 };
	return (struct str){ (const char *)s->formats.p + f->at, f->n };
}

static int by_pid(const void *pa, const void *pb)
{
	const struct dat_comm *a = pa, *b = pb;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* "1234 comm with blanks": saved_cmdlines */
static void load_tasks(struct dat_symbols *s)
{
	s->have_tasks = true;
	struct dat_blob cleanup_dat_blob tasks = { 0 };
	dat_file_part(s->file, DAT_CMDLINES, &tasks);
	struct str text = sized_text(s->file, &tasks, 8);
	while (text.n && s->comm.n < SYMBOLS_MAX) {
		struct str line = dat_line(&text);
		int64_t pid;
		if (!str_number(&line, &pid) || pid < 0 || pid > INT32_MAX || line.n < 2)
			continue;
		uint32_t comm = names_id(s->names, str_from(line, 1));
		vec_push(&s->comm, ((struct dat_comm){ (int32_t)pid, comm }));
	}
	vec_sort(&s->comm, by_pid);
}

static struct str comm_of(struct dat_symbols *s, int32_t pid)
{
	if (!pid)
		return str_of("<idle>");
	if (!s->have_tasks)
		load_tasks(s);
	struct dat_comm key = { pid, 0 };
	const struct dat_comm *hit =
		s->comm.n ? bsearch(&key, s->comm.at, s->comm.n, sizeof(key), by_pid) : NULL;
	return hit ? names_str(s->names, hit->comm) : str_of("<...>");
}

uint32_t dat_task(struct dat_symbols *s, int32_t pid)
{
	size_t slot = (uint32_t)pid % DAT_CACHE;
	if (s->task_cache[slot].task && s->task_cache[slot].pid == pid)
		return s->task_cache[slot].task;
	uint32_t task = names_task(s->names, comm_of(s, pid), pid);
	s->task_cache[slot].pid = pid;
	s->task_cache[slot].task = task;
	return task;
}
