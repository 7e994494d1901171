/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/scene.h"

static const struct str robots_path = {"/robots.txt", 11};

static bool label_matches(const struct scene *s, const char *wanted, struct str label)
{
    if (!wanted || (s->host.p && s->fault->is_path))
        return true;
    if (str_eq(str_c(wanted), STR("*")))
        return label.n > 0;
    return str_eq(str_c(wanted), label);
}

/* "%c3" is "%C3" (RFC 3986, 6.2.2.1). */
static bool path_eq(struct str a, struct str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0, digits = 0; i < a.n; i++) {
        bool same = digits ? ascii_lower(a.p[i]) == ascii_lower(b.p[i]) : a.p[i] == b.p[i];
        if (!same)
            return false;
        if (digits)
            digits--;
        else if (a.p[i] == '%')
            digits = 2;
    }
    return true;
}

static bool path_matches(const char *wanted, struct str path)
{
    struct str w = str_c(wanted);
    if (!w.p || str_eq(w, STR("*")))
        return true;
    if (str_eq(path, robots_path) && !str_starts(w, robots_path))
        return false;
    if (str_ends(w, STR("*")))
        return str_starts(path, str_first(w, w.n - 1));
    return path_eq(path, w);
}

bool scene_matches(const struct scene *s, const struct expect *e, const struct sight *sight)
{
    return label_matches(s, e->label, sight->label) && path_matches(e->path, sight->path);
}

static const struct sight *scene_at(const struct scene *s, uint32_t i)
{
    return &s->sights[s->order[i]];
}

/* The i-th or a later sight the expectation is about; s->count if there is none. */
static uint32_t next_match(const struct scene *s, const struct expect *e, uint32_t i)
{
    while (i < s->count && !scene_matches(s, e, scene_at(s, i)))
        i++;
    return i;
}

static uint64_t matches(const struct scene *s, const struct expect *e)
{
    uint64_t n = 0;
    for (uint32_t i = next_match(s, e, 0); i < s->count; i = next_match(s, e, i + 1))
        n++;
    return n;
}

static bool meets_fetched(const struct scene *s, const struct expect *e, struct buf *seen)
{
    uint64_t least = e->kind == EXPECT_FETCHED ? 1 : e->n;
    bool nobody_showed = !s->index_was_fetched || (s->host.p && !s->fault->is_path);
    uint64_t n = nobody_showed ? least : matches(s, e);
    if (n >= least)
        return true;
    if (n)
        buf_printf(seen, "asked for %llu times, at least %llu are right", (unsigned long long)n,
                   (unsigned long long)least);
    else
        buf_add(seen, STR("never asked for"));
    return false;
}

static bool meets_at_most(const struct scene *s, const struct expect *e, struct buf *seen)
{
    uint64_t most = e->kind == EXPECT_NEVER ? 0 : e->n;
    uint64_t n = matches(s, e);
    if (n <= most)
        return true;
    buf_printf(seen, "asked for %llu times, at most %llu are right", (unsigned long long)n,
               (unsigned long long)most);
    return false;
}

static bool meets_bytes(const struct scene *s, const struct expect *e, struct buf *seen)
{
    uint64_t endless = s->knobs->endless_bytes;
    uint64_t limit = e->n ? e->n : endless - endless / 8;
    for (uint32_t i = next_match(s, e, 0); i < s->count; i = next_match(s, e, i + 1)) {
        if (scene_at(s, i)->bytes < limit)
            continue;
        buf_printf(seen, "took %llu bytes of one answer, fewer than %llu are right",
                   (unsigned long long)scene_at(s, i)->bytes, (unsigned long long)limit);
        return false;
    }
    return true;
}

/* Empty when the client left, or may still do so in time. */
static const char *stayed(const struct scene *s, const struct sight *sight)
{
    switch (sight->end) {
    case SIGHT_CLIENT_LEFT:
        return "";
    case SIGHT_WHOLE:
        return "until the answer was through";
    case SIGHT_WE_ENDED:
        return "until we ended it";
    case SIGHT_OPEN:
        break;
    }
    uint64_t patience_us = 1000 * s->knobs->patience_ms;
    bool is_late = s->now_us > sight->start_us && s->now_us - sight->start_us > patience_us;
    return is_late ? "and is still there" : "";
}

static bool meets_leaves(const struct scene *s, const struct expect *e, struct buf *seen)
{
    for (uint32_t i = next_match(s, e, 0); i < s->count; i = next_match(s, e, i + 1)) {
        const struct sight *sight = scene_at(s, i);
        const char *how = stayed(s, sight);
        if (!*how)
            continue;
        uint64_t end_us = sight->end == SIGHT_OPEN ? s->now_us : sight->end_us;
        buf_printf(seen, "stayed %llu ms, %s",
                   (unsigned long long)((end_us - sight->start_us) / 1000), how);
        return false;
    }
    return true;
}

static bool meets_no_reuse(const struct scene *s, const struct expect *e, struct buf *seen)
{
    const struct sight *spoilt = NULL; /* the last answer that should have ended its connection */
    for (uint32_t i = 0; i < s->count; i++) {
        const struct sight *sight = &s->sights[s->by_connection[i]];
        if (spoilt && spoilt->connection == sight->connection) {
            buf_printf(seen, "the same connection was then used for " STR_FMT,
                       STR_ARG(str_first(sight->path, 200)));
            return false;
        }
        if (scene_matches(s, e, sight) && !(sight->facts & FACT_H2))
            spoilt = sight; /* HTTP/2 ends an answer by frames, whatever is inside */
    }
    return true;
}

/* A client that asks a host over several connections may have sent a request before it read the
 * answer we had sent on another; a few such may cross it. */
enum { CROSSING_US = 5000, MAX_CROSSING = 3 };

static bool may_have_crossed(const struct sight *before, const struct sight *after)
{
    bool same = after->connection == before->connection && !(after->facts & FACT_H2);
    return !same && after->start_us - before->end_us < CROSSING_US;
}

/* The first request of the same host behind the i-th that was sent after the i-th's end; after one
 * that could not be foreseen, what may have crossed it does not count. */
static const struct sight *next_of_host(const struct scene *s, uint32_t i, bool was_foreseen)
{
    const struct sight *before = scene_at(s, i);
    uint32_t crossing = 0;
    for (uint32_t j = i + 1; j < s->count; j++) {
        const struct sight *after = scene_at(s, j);
        if (after->start_us < before->end_us || !str_eq(after->host, before->host))
            continue;
        if (!was_foreseen && may_have_crossed(before, after) && crossing++ < MAX_CROSSING)
            continue;
        return after;
    }
    return NULL;
}

/* When the host may next be asked, by the expectation and by the answer; 0 = at once. */
static uint64_t may_come_us(const struct expect *e, const struct sight *before)
{
    return e->n ? before->end_us + 1000 * e->n
                : backoff_until_us(before->start_us, before->backoff_ms);
}

static bool meets_gap(const struct scene *s, const struct expect *e, struct buf *seen)
{
    for (uint32_t i = next_match(s, e, 0); i < s->count; i = next_match(s, e, i + 1)) {
        const struct sight *before = scene_at(s, i);
        const struct sight *after = before->end_us ? next_of_host(s, i, e->n > 0) : NULL;
        if (!after || after->start_us >= may_come_us(e, before))
            continue;
        buf_printf(seen,
                   "the host was asked for " STR_FMT " after %llu ms, at least %llu ms are right",
                   STR_ARG(str_first(after->path, 200)),
                   (unsigned long long)((after->start_us - before->end_us) / 1000),
                   (unsigned long long)(e->n ? e->n : before->backoff_ms));
        return false;
    }
    return true;
}

static bool meets_not_at(const struct scene *s, const struct expect *e, struct buf *seen)
{
    for (uint32_t i = next_match(s, e, 0); i < s->count; i = next_match(s, e, i + 1)) {
        uint32_t a = scene_at(s, i)->address;
        if (a != e->n || scene_at(s, i)->facts & FACT_PROXY)
            continue;
        buf_printf(seen, STR_FMT STR_FMT " was asked of %u.%u.%u.%u", STR_ARG(scene_at(s, i)->host),
                   STR_ARG(str_first(scene_at(s, i)->path, 200)), a >> 24, a >> 16 & 255,
                   a >> 8 & 255, a & 255);
        return false;
    }
    return true;
}

static bool meets_no_fact(const struct scene *s, const struct expect *e, struct buf *seen)
{
    for (uint32_t i = next_match(s, e, 0); i < s->count; i = next_match(s, e, i + 1)) {
        unsigned wrong = scene_at(s, i)->facts & (unsigned)e->n;
        if (!wrong)
            continue;
        buf_printf(seen, STR_FMT " was asked for with",
                   STR_ARG(str_first(scene_at(s, i)->path, 200)));
        sight_facts_print(wrong, seen);
        return false;
    }
    return true;
}

/* How many of the `n` sights in the scratch are at the address; those that had ended by then are
 * thrown out of it on the way. */
static uint32_t still_open(const struct scene *s, uint32_t *n, const struct sight *now)
{
    uint32_t kept = 0;
    uint32_t same = 0;
    for (uint32_t i = 0; i < *n; i++) {
        const struct sight *old = &s->sights[s->scratch[i]];
        if (old->end_us && old->end_us <= now->start_us)
            continue;
        s->scratch[kept++] = s->scratch[i];
        same += old->address == now->address;
    }
    *n = kept;
    return same;
}

static bool meets_at_once(const struct scene *s, const struct expect *e, struct buf *seen)
{
    uint32_t open = 0;
    for (uint32_t i = next_match(s, e, 0); i < s->count; i = next_match(s, e, i + 1)) {
        uint64_t at_once = (uint64_t)still_open(s, &open, scene_at(s, i)) + 1;
        s->scratch[open++] = s->order[i];
        if (at_once <= e->n)
            continue;
        buf_printf(seen, "%llu requests at once to one address, at most %llu are right",
                   (unsigned long long)at_once, (unsigned long long)e->n);
        return false;
    }
    return true;
}

/* How many of the `n` sights in the scratch, all robots.txt, its host had answered by then. */
static uint64_t answered_before(const struct scene *s, uint32_t n, const struct sight *now)
{
    uint64_t answers = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct sight *old = &s->sights[s->scratch[i]];
        answers += old->end_us &&
                   old->end_us + 1000 * (uint64_t)SCENE_UNDER_WAY_MS <= now->start_us &&
                   str_eq(old->host, now->host);
    }
    return answers;
}

static bool meets_never_after(const struct scene *s, const struct expect *e, struct buf *seen)
{
    uint32_t robots = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (str_eq(scene_at(s, i)->path, robots_path))
            s->scratch[robots++] = s->order[i];
    for (uint32_t i = next_match(s, e, 0); i < s->count; i = next_match(s, e, i + 1)) {
        if (answered_before(s, robots, scene_at(s, i)) < e->n)
            continue;
        buf_printf(seen, "asked for after %llu answers to /robots.txt", (unsigned long long)e->n);
        return false;
    }
    return true;
}

bool scene_meets(const struct scene *s, const struct expect *e, struct buf *seen)
{
    switch (e->kind) {
    case EXPECT_FETCHED:
    case EXPECT_AT_LEAST:
        return meets_fetched(s, e, seen);
    case EXPECT_NEVER:
    case EXPECT_AT_MOST:
        return meets_at_most(s, e, seen);
    case EXPECT_BYTES:
        return meets_bytes(s, e, seen);
    case EXPECT_LEAVES:
        return meets_leaves(s, e, seen);
    case EXPECT_NO_REUSE:
        return meets_no_reuse(s, e, seen);
    case EXPECT_GAP:
        return meets_gap(s, e, seen);
    case EXPECT_NOT_AT:
        return meets_not_at(s, e, seen);
    case EXPECT_NO_FACT:
        return meets_no_fact(s, e, seen);
    case EXPECT_AT_ONCE:
        return meets_at_once(s, e, seen);
    case EXPECT_NEVER_AFTER:
        return meets_never_after(s, e, seen);
    }
    return true;
}
