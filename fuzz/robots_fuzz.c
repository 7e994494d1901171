/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a path, a line feed, a robots.txt. Properties: the verdict is that of a plain matcher that
 * tries every rule of the stored form in turn; storing and loading changes nothing; a path and its
 * fully percent-encoded form get the same verdict. */
#include "robots/robots.h"

#include "base/bytes.h"
#include "fuzz.h"
#include "robots/octets.h"

#include <stdlib.h>

/* Row by row: at[i] says whether the pattern so far matches the first i bytes of the path. */
static bool plain_match(struct str pattern, struct str path)
{
    bool *at = calloc(path.n + 1, sizeof *at);
    MUST(at != NULL);
    at[0] = true;
    bool anchored = pattern.n && pattern.p[pattern.n - 1] == '$';
    for (size_t k = 0; k < pattern.n - (anchored ? 1 : 0); k++) {
        bool star = pattern.p[k] == '*', before = at[0];
        at[0] = at[0] && star;
        for (size_t i = 1; i <= path.n; i++) {
            bool now = star ? at[i] || at[i - 1] : before && path.p[i - 1] == pattern.p[k];
            before = at[i];
            at[i] = now;
        }
    }
    bool matches = at[path.n];
    for (size_t i = 0; !anchored && i < path.n; i++)
        matches |= at[i];
    free(at);
    return matches;
}

/* The verdict by the stored rules: 16 bytes of head, then line and allow, length, text. */
static bool plain_allowed(struct str stored, struct str path)
{
    size_t best = 0;
    bool allowed = true;
    uint32_t count = get_le32(stored.p + 8);
    stored = str_from(stored, 16);
    for (; count > 0; count--) {
        bool allow = get_le32(stored.p) & 1;
        struct str text = str_first(str_from(stored, 6), get_le16(stored.p + 4));
        stored = str_from(stored, 6 + text.n);
        if (text.n < best || (text.n == best && !allow) || !plain_match(text, path))
            continue;
        best = text.n;
        allowed = allow;
    }
    return allowed;
}

static bool same(struct robots_verdict a, struct robots_verdict b)
{
    return a.allowed == b.allowed && a.line == b.line && str_eq(a.rule, b.rule);
}

static void check_encoded(const struct robots *r, struct str path, struct robots_verdict v)
{
    struct buf encoded;
    buf_init(&encoded, 1 << 20);
    for (size_t i = 0; i < path.n; i++) {
        if (ascii_is_alnum(path.p[i]) || (uint8_t)path.p[i] >= 0x80)
            buf_printf(&encoded, "%%%02x", (uint8_t)path.p[i]);
        else
            buf_byte(&encoded, path.p[i]);
    }
    MUST(same(robots_check(r, buf_str(&encoded)), v));
    buf_done(&encoded);
}

static void check_path(const struct robots *r, struct str stored, struct str path)
{
    struct robots_verdict v = robots_check(r, path);
    struct buf form;
    buf_init(&form, 1 << 20);
    if (path.n == 0 || *path.p != '/')
        buf_byte(&form, '/');
    octets_path(path, &form);
    if (!str_eq(buf_str(&form), STR("/robots.txt")))
        MUST(plain_allowed(stored, buf_str(&form)) == v.allowed);
    MUST(v.allowed || v.line > 0);
    if (str_find(path, '%') == path.n) /* else a "%4" before a "1" would become one octet */
        check_encoded(r, path, v);
    buf_done(&form);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str body = str_make((const char *)data, size < 4096 ? size : 4096);
    struct str path = str_take_until(&body, '\n');
    if (path.n > 1000)
        return 0;
    struct robots *r, *again;
    struct buf once, twice;
    buf_init(&once, 1 << 24);
    buf_init(&twice, 1 << 24);
    MUST(robots_parse(body, STR("bot"), &r) == RC_OK);
    robots_store(r, &once);
    MUST(buf_rc(&once) == RC_OK);
    MUST(robots_load(buf_str(&once), &again) == RC_OK);
    robots_store(again, &twice);
    MUST(str_eq(buf_str(&once), buf_str(&twice)));
    check_path(r, buf_str(&once), path);
    MUST(same(robots_check(r, path), robots_check(again, path)));
    robots_free(r);
    robots_free(again);
    if (robots_load(str_make((const char *)data, size), &again) == RC_OK) {
        (void)robots_check(again, path);
        robots_free(again);
    }
    buf_done(&once);
    buf_done(&twice);
    return 0;
}
