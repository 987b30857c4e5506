/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/normal.h"

#include <errno.h>

#include "preload/futex.h"
#include "preload/now.h"
#include "preload/real.h"
#include "preload/self.h"

REAL_ALIAS(real_mutex_lock, "__pthread_mutex_lock");
REAL_ALIAS(real_mutex_trylock, "__pthread_mutex_trylock");
REAL_ALIAS(real_mutex_unlock, "__pthread_mutex_unlock");

enum word { FREE, TAKEN, WAITED_FOR };

HIDDEN int normal_unknown = 1;

static bool is(const pthread_mutex_t *m, int word, int owner)
{
	return m->__data.__lock == word && m->__data.__owner == owner &&
	       m->__data.__nusers == (unsigned)(word != FREE);
}

__attribute__((constructor)) static void normal_look(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	bool known = real_mutex_trylock(&m) == 0 && is(&m, TAKEN, gettid());
	m.__data.__lock = WAITED_FOR;
	known = known && real_mutex_trylock(&m) == EBUSY && is(&m, WAITED_FOR, gettid());
	known = known && real_mutex_unlock(&m) == 0 && is(&m, FREE, 0);
	normal_unknown = !known;
}

HIDDEN int normal_wait(pthread_mutex_t *m, uint64_t *end)
{
	int *word = &m->__data.__lock;
	while (__atomic_exchange_n(word, WAITED_FOR, __ATOMIC_ACQUIRE) != FREE) {
		int error = futex_wait(word, WAITED_FOR);
		if (error && error != EAGAIN && error != EINTR) {
			int ret = real_mutex_lock(m); /* which knows what to do then */
			*end = now();
			return ret;
		}
		*end = now();
	}
	m->__data.__owner = self_tid();
	m->__data.__nusers++;
	return 0;
}
