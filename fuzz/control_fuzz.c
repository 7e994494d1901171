/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for any line that comes to the control socket: it is a request whose
 * members are as promised, or it is refused with a reason, and the same again gives the same. */
#include "control/control_request.h"
#include "fuzz.h"

static void check(const struct control_request *r)
{
    bool has_urls = r->what == CONTROL_SEEDS || r->what == CONTROL_KNOWN;
    MUST(r->what < CONTROL_DOES_);
    MUST((r->what == CONTROL_SET) == (r->key.p && r->value.p));
    MUST((r->what == CONTROL_URL) == (r->url.p != NULL));
    MUST(has_urls == (r->url_count > 0) && r->url_count <= CONTROL_URLS);
    for (size_t i = 0; i < r->url_count; i++)
        MUST(r->urls[i].p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str line = str_make((const char *)data, n);
    struct arena *arena = arena_open(4096, 64 << 20);
    struct buf why = {.max = 8192};
    struct control_request first = {0}, again = {0};
    MUST(arena);
    enum rc rc = control_request_read(line, arena, &first, &why);
    MUST(rc == RC_OK || (rc == RC_INVALID && why.n));
    if (rc == RC_OK)
        check(&first);
    MUST(control_request_read(line, arena, &again, &why) == rc);
    MUST(first.what == again.what && first.now == again.now);
    MUST(str_eq(first.key, again.key) && str_eq(first.url, again.url));
    buf_done(&why);
    arena_close(arena);
    return 0;
}
