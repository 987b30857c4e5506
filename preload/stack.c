/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/stack.h"

#include <dlfcn.h>
#include <errno.h>
#include <unwind.h>

#include "preload/modules.h"

static __typeof__(_Unwind_Backtrace) *backtrace_of_libgcc;
static __typeof__(_Unwind_GetIP) *ip_of_libgcc;

#define OWN_FRAMES 8 /* of this library, before the caller's */

struct walk {
	uint64_t pc[WIRE_STACK_FRAMES + OWN_FRAMES];
	uint32_t n;
	bool cut;
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *c, void *arg)
{
	struct walk *w = arg;
	uint64_t pc = ip_of_libgcc(c);
	if (!pc)
		return _URC_END_OF_STACK;
	w->cut = w->n == sizeof(w->pc) / sizeof(w->pc[0]);
	if (w->cut)
		return _URC_END_OF_STACK;
	w->pc[w->n++] = pc;
	return _URC_NO_REASON;
}

/* Frames from that of the call that returns to pc; that one alone if it is not found. */
static uint32_t first_of(struct walk *w, uint64_t pc)
{
	for (uint32_t i = 0; i < w->n && i <= OWN_FRAMES; i++) {
		if (w->pc[i] == pc)
			return i;
	}
	w->pc[0] = pc;
	w->n = 1;
	w->cut = false;
	return 0;
}

static uint64_t hash_of(const uint64_t *pc, uint32_t n)
{
	uint64_t h = n;
	for (uint32_t i = 0; i < n; i++) {
		h = (h ^ pc[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h ? h : 1;
}

/* Two stacks with one hash of 64 bits are taken for one. */
static uint32_t keep(struct wire_locks *s, const struct wire_stack *is)
{
	uint32_t at = (uint32_t)(is->hash >> 32) % WIRE_STACKS;
	for (unsigned i = 0; i < WIRE_STACK_PROBES; i++, at = (at + 1) % WIRE_STACKS) {
		struct wire_stack *to = &s->stack[at];
		uint64_t was = __atomic_load_n(&to->hash, __ATOMIC_RELAXED);
		if (!was && __atomic_compare_exchange_n(&to->hash, &was, is->hash, false,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			for (uint32_t k = 0; k < is->frames; k++)
				to->pc[k] = is->pc[k];
			to->cut = is->cut;
			__atomic_store_n(&to->frames, is->frames, __ATOMIC_RELEASE);
			for (uint32_t k = 0; k < is->frames; k++)
				modules_need(s, is->pc[k]);
			return at + 1;
		}
		if (was == is->hash)
			return at + 1;
	}
	__atomic_fetch_add(&s->stack_overflow, 1, __ATOMIC_RELAXED);
	return 0;
}

HIDDEN __attribute__((noinline, cold)) uint32_t stack_take(struct wire_locks *s, uint64_t pc)
{
	/* The unwinder may take a lock of its own, and come here by that. */
	static __thread bool walking __attribute__((tls_model("initial-exec")));
	struct walk w = { .n = 0 };
	if (walking)
		return 0;
	walking = true;
	int saved = errno;
	backtrace_of_libgcc(take_frame, &w);
	uint32_t first = first_of(&w, pc), n = w.n - first;
	struct wire_stack is = { .cut = w.cut || n > WIRE_STACK_FRAMES };
	is.frames = n < WIRE_STACK_FRAMES ? n : WIRE_STACK_FRAMES;
	for (uint32_t i = 0; i < is.frames; i++)
		is.pc[i] = w.pc[first + i];
	is.hash = hash_of(is.pc, is.frames);
	uint32_t kept = keep(s, &is);
	errno = saved;
	walking = false;
	return kept;
}

HIDDEN bool stack_room(struct wire_locks *s)
{
	return segment_populate(s->stack, sizeof(s->stack));
}

HIDDEN void stack_start(struct wire_locks *s)
{
	void *libgcc = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!libgcc)
		return;
	*(void **)&backtrace_of_libgcc = dlsym(libgcc, "_Unwind_Backtrace");
	*(void **)&ip_of_libgcc = dlsym(libgcc, "_Unwind_GetIP");
	if (!backtrace_of_libgcc || !ip_of_libgcc || !stack_room(s))
		return;
	struct walk first = { .n = 0 };
	backtrace_of_libgcc(take_frame, &first); /* what it sets up once, it does now */
	s->stacks = segment_config.stacks = true;
}
