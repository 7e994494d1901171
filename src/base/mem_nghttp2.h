/* SPDX-License-Identifier: Apache-2.0 */
/* mem_nghttp2: the heap as nghttp2 wants it, so that allocations of a session are counted and can
 * be made to fail, like all others.
 *
 *     nghttp2_mem mem = MEM_NGHTTP2;
 *     nghttp2_session_client_new3(&session, calls, ctx, NULL, &mem);
 *
 * A header of its own: base does not depend on nghttp2, the includer does. */
#ifndef BASE_MEM_NGHTTP2_H
#define BASE_MEM_NGHTTP2_H

#include "base/mem.h"

#include <nghttp2/nghttp2.h>

static inline void *mem_nghttp2_alloc(size_t bytes, void *unused)
{
    (void)unused;
    return mem_alloc(bytes);
}

static inline void mem_nghttp2_free(void *p, void *unused)
{
    (void)unused;
    mem_free(p);
}

static inline void *mem_nghttp2_zero(size_t count, size_t bytes, void *unused)
{
    (void)unused;
    return mem_zero(count, bytes);
}

static inline void *mem_nghttp2_resize(void *old, size_t bytes, void *unused)
{
    (void)unused;
    return mem_resize(old, bytes);
}

#define MEM_NGHTTP2                                                                     \
    {                                                                                   \
        NULL, mem_nghttp2_alloc, mem_nghttp2_free, mem_nghttp2_zero, mem_nghttp2_resize \
    }

#endif
