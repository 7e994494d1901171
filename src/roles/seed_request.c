/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/seed_request.h"

#include "base/mem.h"

enum { BLOCK_BYTES = 4096, MAX_BYTES = 64 << 20 };

static void release(struct call *c)
{
    struct seed_request *r = EVENT_OF(c, struct seed_request, call);
    arena_close(r->arena);
    mem_free(r);
}

struct seed_request *seed_request_open(struct calls *calls)
{
    struct seed_request *r = mem_zero(1, sizeof *r);
    struct arena *arena = r ? arena_open(BLOCK_BYTES, MAX_BYTES) : NULL;
    if (!arena) {
        mem_free(r);
        return NULL;
    }
    r->call = (struct call){.release = release, .calls = calls, .holders = 1};
    r->arena = arena;
    return r;
}
