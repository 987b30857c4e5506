/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/symbol.h"

#include <string.h>

#include "base/vec.h"
#include "symbol/dwarf.h"

struct file {
	uint64_t base, end; /* where its first byte is mapped, or would be */
	char *path;
};

struct symbols {
	VEC(struct file) files;
	struct dwarf *dwarf; /* NULL: not built with libdw, or not yet asked */
	bool asked;
};

struct symbols *symbols_new(void)
{
	return mem_alloc(sizeof(struct symbols));
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	dwarf_close(s->dwarf);
	vec_each (f, &s->files)
		free(f->path);
	vec_fini(&s->files);
	free(s);
}

void symbols_map(struct symbols *s, uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
	vec_each (f, &s->files) {
		if (strcmp(f->path, path) == 0 && start >= f->base &&
		    start - f->base < UINT64_C(1) << 32) {
			f->end = end > f->end ? end : f->end;
			return;
		}
	}
	vec_push(&s->files, ((struct file){ start - offset, end, mem_strdup(path) }));
}

static struct dwarf *dwarf_of(struct symbols *s)
{
	if (s->asked)
		return s->dwarf;
	s->asked = true;
	s->dwarf = dwarf_new();
	vec_each (f, &s->files)
		dwarf_file(s->dwarf, f->base, f->path);
	dwarf_ready(s->dwarf);
	return s->dwarf;
}

static const char *module_offset(const struct symbols *s, struct arena *a, uint64_t address)
{
	vec_each (f, &s->files) {
		if (address < f->base || address >= f->end)
			continue;
		const char *slash = strrchr(f->path, '/');
		return arena_printf(a, "[%s+0x%llx]", slash ? slash + 1 : f->path,
				    (unsigned long long)(address - f->base));
	}
	return arena_printf(a, "[0x%llx]", (unsigned long long)address);
}

size_t symbols_frames(struct symbols *s, struct arena *a, uint64_t pc, struct symbol_frame *to,
		      size_t room)
{
	size_t n = room ? dwarf_frames(dwarf_of(s), a, pc - 1, to, room) : 0;
	if (n || !room)
		return n;
	to[0] = (struct symbol_frame){ .place = { NULL, module_offset(s, a, pc) } };
	return 1;
}

struct symbol_place symbols_code(struct symbols *s, struct arena *a, uint64_t pc)
{
	struct symbol_frame frame[SYMBOL_FRAMES];
	size_t n = symbols_frames(s, a, pc, frame, SYMBOL_FRAMES), i = 0;
	while (i + 1 < n && frame[i].of_system)
		i++;
	return frame[i].place;
}

const char *symbols_data(struct symbols *s, struct arena *a, uint64_t address)
{
	return dwarf_data(dwarf_of(s), a, address);
}
