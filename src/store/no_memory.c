/* SPDX-License-Identifier: Apache-2.0 */
#include "store/no_memory.h"

#include "base/fd.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define WORDS                                                                                   \
    "orbweaver: out of memory: the history got no memory or no thread. Everything that was "    \
    "finished is safe. Raise the limit of memory (ulimit -v, MemoryMax) or of threads (ulimit " \
    "-u), or lower --frontier-memory, and start again.\n"

/* The C++ runtime's own, by the names that the ABI of C++ gives them (Itanium C++ ABI, 2.5.3 and
 * 5.1.4.2): std::set_terminate, and the type of the exception that nothing catches. */
typedef void terminate_handler(void);
terminate_handler *
cxx_set_terminate(terminate_handler *handler) __asm__("_ZSt13set_terminatePFvvE");
struct cxx_type {
    const void *const *methods;
    const char *name;
};
const struct cxx_type *cxx_exception_type(void) __asm__("__cxa_current_exception_type");

/* std::bad_alloc, and std::system_error, which a thread that cannot be made throws. */
static bool is_shortage(struct str type)
{
    return str_eq(type, STR("St9bad_alloc")) || str_eq(type, STR("St12system_error"));
}

static void say_and_end(void)
{
    const struct cxx_type *type = cxx_exception_type();
    if (!type || !is_shortage(str_c(type->name)))
        abort();
    (void)!fd_write_all(STDERR_FILENO, STR(WORDS));
    _exit(EXIT_FAILURE);
}

static void set_handler(void)
{
    (void)cxx_set_terminate(say_and_end);
}

void no_memory_watch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, set_handler);
}
