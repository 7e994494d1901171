/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a wiring. Either it is refused, with at least one line that has a place, or it can
 * be drawn, and reading it again gives the same drawing. Paths to shared objects are left out: a
 * fuzzer must not load what it finds. */
#include "catalog/catalog.h"
#include "flow/wiring.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool names_a_path(struct str text)
{
    return str_find_str(text, STR("/")) < text.n || str_find_str(text, STR("\\")) < text.n;
}

static enum rc draw(struct str text, struct buf *out)
{
    struct problems problems;
    problems_init(&problems, "f");
    struct wiring *w = NULL;
    enum rc rc = wiring_read(text, "f", &catalog_built_in, &w, &problems);
    if (rc == RC_OK) {
        assert(w && problems.count == 0);
        wiring_print(w, out);
        wiring_print_dot(w, out);
    } else if (rc == RC_INVALID) {
        assert(!w && problems.count > 0);
        assert(str_starts(buf_str(&problems.lines), STR("f:")));
        problems_print(&problems, out);
    } else {
        abort(); /* there is memory, and nothing else can happen */
    }
    wiring_close(w);
    problems_done(&problems);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str text = str_make((const char *)data, n);
    if (names_a_path(text))
        return 0;
    struct buf first = {.max = 4 << 20}, second = {.max = 4 << 20};
    enum rc rc = draw(text, &first);
    assert(draw(text, &second) == rc);
    assert(str_eq(buf_str(&first), buf_str(&second)));
    buf_done(&first);
    buf_done(&second);
    return 0;
}
