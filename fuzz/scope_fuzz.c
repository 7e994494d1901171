/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for any URL and any settings.
 *
 * Input: four bytes of settings, then lines: the seed_path, a regular expression to include, one to
 * exclude, a seed, and URLs.
 *   - a seed is in scope, with any seed_path, unless its scheme or port may not be asked;
 *   - a URL gets one of the verdicts, the same again, and the same after it was copied;
 *   - a URL that was added as a seed is in scope;
 *   - with scope any nothing is outside;
 *   - a path that repeats itself, or a URL that is too long, is never in scope unless a seed;
 *   - all of it ends: the fuzzer's own time limit is the judge of bounded work. */
#include "fuzz.h"
#include "scope/budget.h"
#include "scope/path_trap.h"
#include "scope/scope.h"
#include "url/normalise.h"

static char rooms[2][URL_ROOM_BYTES];

static bool parse(struct str text, int room, bool is_normal, struct url *ret)
{
    struct url_parser parser = {.idn = NULL};
    if (url_parse(&parser, text, NULL, (struct url_room){rooms[room], URL_ROOM_BYTES}, ret))
        return false;
    if (is_normal)
        url_normalise(ret, URL_RULES_DEFAULT);
    return true;
}

static struct scope_settings settings_of(const uint8_t bytes[4], const struct str patterns[2])
{
    return (struct scope_settings){
        .scope = bytes[0] % 5u,
        .pages_only = bytes[0] & 0x80,
        .depth = bytes[1] & 15,
        .embed_hops = bytes[1] >> 4,
        .redirects = bytes[2] & 15,
        .path_segments = 1 + (bytes[2] >> 4) * 60u,
        .url_bytes = 16 + bytes[3] * 250u,
        .include = {&patterns[0], patterns[0].n > 0},
        .exclude = {&patterns[1], patterns[1].n > 0},
    };
}

static void check_verdict(const struct scope *s, const struct scope_settings *settings,
                          const struct url *u, struct str seed_path)
{
    enum scope_verdict v = scope_check(s, u, seed_path);
    struct url copy;
    MUST((unsigned)v < SCOPE_VERDICTS_);
    MUST(scope_check(s, u, seed_path) == v);
    MUST(url_copy(u, (struct url_room){rooms[1], URL_ROOM_BYTES}, &copy) == RC_OK);
    MUST(scope_check(s, &copy, seed_path) == v);
    MUST(v != SCOPE_OUTSIDE || settings->scope != SCOPE_ANY);
    MUST((v == SCOPE_NOT_HTTP) == !url_is_http(u));
    MUST(v != SCOPE_TOO_DEEP || settings->depth < seed_path.n);
}

static bool may_be_asked(enum scope_verdict v)
{
    return v != SCOPE_NOT_HTTP && v != SCOPE_BAD_PORT;
}

/* In scope by itself, so no trap; then a seed, so in scope whatever it is. */
static void check_url(struct scope *s, const struct scope_settings *settings, const struct url *u,
                      struct str seed_path, bool is_seed)
{
    check_verdict(s, settings, u, seed_path);
    enum scope_verdict before = scope_check(s, u, seed_path);
    if (!is_seed && before == SCOPE_IN)
        MUST(u->fragment_at <= settings->url_bytes &&
             !path_is_trap(url_path(u), settings->path_segments));
    MUST(scope_add_seed(s, u) == RC_OK);
    check_verdict(s, settings, u, seed_path);
    if (may_be_asked(before)) {
        MUST(scope_check(s, u, seed_path) == SCOPE_IN);
        MUST(scope_check(s, u, STR("")) == SCOPE_IN);
    } else {
        MUST(scope_check(s, u, seed_path) == before);
    }
}

static void check_budget(const struct url *u)
{
    static struct budget *b; /* open until the process ends: it is large */
    static const struct budget_settings settings = {
        .domain_hosts = 3, .farm_pages = 3, .page_hosts = 2, .path_queries = 3};
    if (!b)
        MUST(budget_open(&settings, &b) == RC_OK);
    MUST(budget_new_host(b, url_host(u), STR(""), 9));
    MUST(!budget_new_host(b, url_host(u), STR("a.test"), 2));
    if (budget_take(b, url_host(u), 0, 0, 0) == BUDGET_OK)
        budget_used(b, url_host(u), false, 1);
    (void)budget_query(b, 1, url_path_query(u));
}

static void check_urls(struct scope *s, const struct scope_settings *settings, struct str lines,
                       struct str seed_path, bool is_normal)
{
    struct url u, first;
    struct str text = str_take_until(&lines, '\n');
    bool has_seed = parse(text, 0, is_normal, &first);
    static char seed_room[URL_ROOM_BYTES];
    if (has_seed) {
        check_url(s, settings, &first, seed_path, false);
        MUST(url_copy(&first, (struct url_room){seed_room, sizeof seed_room}, &first) == RC_OK);
    }
    for (int i = 0; i < 20 && lines.p; i++) {
        if (!parse(str_take_until(&lines, '\n'), 0, is_normal, &u))
            continue;
        bool is_seed =
            has_seed && str_eq(str_make(u.p, u.fragment_at), str_make(first.p, first.fragment_at));
        check_url(s, settings, &u, seed_path, is_seed || i > 0);
        check_budget(&u);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 4)
        return 0;
    struct str lines = str_make((const char *)data + 4, n - 4);
    struct str seed_path = str_first(str_take_until(&lines, '\n'), 250), patterns[2];
    patterns[0] = str_take_until(&lines, '\n');
    patterns[1] = str_take_until(&lines, '\n');
    struct scope_settings settings = settings_of(data, patterns);
    struct buf why = {.max = 1 << 20};
    struct scope *s = NULL;
    enum rc rc = scope_open(&settings, &s, &why);
    MUST(rc == RC_OK || (rc == RC_INVALID && why.n));
    if (rc == RC_OK && lines.p)
        check_urls(s, &settings, lines, seed_path, data[0] & 0x40);
    scope_close(s);
    buf_done(&why);
    return 0;
}
