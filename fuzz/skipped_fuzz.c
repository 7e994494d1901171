/* SPDX-License-Identifier: Apache-2.0 */
/* A line of skippedPages.jsonl is one line of JSON whatever the texts are, and another reader of
 * JSON gets valid texts back as they were.
 *
 * Input: a byte of depth, the URL, LF, the reason. */
#include "outputs/skipped.h"

#include "base/utf8.h"
#include "fuzz.h"

#include <jansson.h>

static void check_text(const json_t *object, const char *key, struct str expected)
{
    const json_t *v = json_object_get(object, key);
    MUST(json_is_string(v));
    if (utf8_valid(expected) == expected.n)
        MUST(str_eq(str_make(json_string_value(v), json_string_length(v)), expected));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str rest = str_make((const char *)data, n);
    struct skipped s = {.depth = n ? data[0] : 0};
    struct buf out = {.max = 64 << 20};
    rest = str_from(rest, 1);
    s.url = str_take_until(&rest, '\n');
    s.reason = rest.p ? rest : STR("");
    s.url = s.url.p ? s.url : STR("");
    skipped_print(&out, &s);
    MUST(buf_rc(&out) == RC_OK && str_find(buf_str(&out), '\n') == out.n - 1);
    json_t *root = json_loadb(out.p, out.n - 1, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    MUST(root);
    check_text(root, "url", s.url);
    check_text(root, "reason", s.reason);
    MUST(json_integer_value(json_object_get(root, "depth")) == s.depth);
    json_decref(root);
    buf_done(&out);
    return 0;
}
