/* SPDX-License-Identifier: Apache-2.0 */
/* mem_zlib: the heap as zlib wants it (zalloc and zfree of a z_stream), so that allocations of zlib
 * are counted and can be made to fail, like all others. */
#ifndef BASE_MEM_ZLIB_H
#define BASE_MEM_ZLIB_H

#include "base/mem.h"

static inline void *mem_zlib_alloc(void *unused, unsigned count, unsigned bytes)
{
    (void)unused;
    return mem_alloc((size_t)count * bytes);
}

static inline void mem_zlib_free(void *unused, void *p)
{
    (void)unused;
    mem_free(p);
}

#endif
