/* SPDX-License-Identifier: Apache-2.0 */
/* A line of state/elsewhere, and that of state/agent, says the same once it is written again. */
#include "cluster/wire/elsewhere.h"

#include "fuzz.h"

/* The record that such a line is made of; false: the URL is none that a record can have. */
static bool record_of(const struct elsewhere *e, struct record *ret)
{
    struct str rest = e->url;
    *ret = (struct record){.kind = e->is_again ? RECORD_URL : RECORD_DONE,
                           .is_again = e->is_again,
                           .where = e->is_again ? STR("") : e->name,
                           .where_inc = e->inc,
                           .time_ms = e->time_ms,
                           .seed_path = e->seed_path,
                           .class = e->class,
                           .is_https = str_starts(e->url, STR("https://"))};
    if (!ret->is_https && !str_starts(e->url, STR("http://")))
        return false;
    rest = str_from(rest, ret->is_https ? 8 : 7);
    size_t at = str_find(rest, '/');
    ret->host = str_first(rest, at);
    ret->path = str_from(rest, at);
    return ret->path.n > 0;
}

static void check_page(struct str line)
{
    struct elsewhere e, again;
    struct record r;
    struct buf out = {.max = 64 << 20};
    if (elsewhere_parse(line, &e) != RC_OK)
        return;
    MUST(fuzz_is_within(e.name, line) && fuzz_is_within(e.url, line));
    MUST(e.class < RECORDS_CLASSES && e.name.n && e.url.n);
    MUST(str_find(e.name, ' ') == e.name.n && str_find(e.seed_path, ' ') == e.seed_path.n);
    if (!record_of(&e, &r))
        return;
    elsewhere_print(&r, &out);
    MUST(buf_rc(&out) == RC_OK && out.n > 0 && out.p[out.n - 1] == '\n');
    MUST(elsewhere_parse(str_first(buf_str(&out), out.n - 1), &again) == RC_OK);
    MUST(again.is_again == e.is_again && again.class == e.class);
    MUST(str_eq(again.url, e.url) && str_eq(again.seed_path, e.seed_path));
    MUST(str_eq(again.name, e.is_again ? STR("-") : e.name));
    MUST(e.is_again || (again.inc == e.inc && again.time_ms == e.time_ms));
    buf_done(&out);
}

static void check_agent(struct str line)
{
    struct str name = STR_NONE, again;
    uint64_t inc = 0, inc_again;
    struct buf out = {.max = 64 << 20};
    if (elsewhere_parse_agent(line, &name, &inc) != RC_OK)
        return;
    MUST(fuzz_is_within(name, line) && name.n);
    elsewhere_print_agent(name, inc, &out);
    MUST(buf_rc(&out) == RC_OK);
    MUST(elsewhere_parse_agent(str_first(buf_str(&out), out.n - 1), &again, &inc_again) == RC_OK);
    MUST(str_eq(again, name) && inc_again == inc);
    buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str line = str_make((const char *)data, n);
    if (memchr(data ? (const void *)data : "", '\n', n))
        return 0; /* callers cut at line feeds */
    check_page(line);
    check_agent(line);
    return 0;
}
