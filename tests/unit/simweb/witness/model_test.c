/* SPDX-License-Identifier: Apache-2.0 */
/* The witness against a model that keeps every request in a list and looks at all of them. */
#include "lib/test.h"

#include "witness/account.h"

#include "base/rng.h"

#include <stdio.h>

enum { REQUESTS = 1200, HOSTS = 6, ADDRESSES = 3, URLS = 40 };

struct seen {
    uint32_t host, url;
    uint64_t start_us, end_us; /* end 0: open */
    uint64_t backoff_us;
    uint64_t ticket;
    bool is_forbidden;
};

struct model {
    struct seen list[REQUESTS];
    uint32_t count;
};

static uint32_t address_of(uint32_t host)
{
    return 100 + host % ADDRESSES;
}

/* What a tally should be, for the requests that `same` picks. */
static struct tally model_tally(const struct model *m, bool by_address, uint32_t which)
{
    struct tally t = {.least_start_gap_us = TALLY_NO_GAP, .least_end_gap_us = TALLY_NO_GAP};
    for (uint32_t i = 0; i < m->count; i++) {
        const struct seen *now = &m->list[i];
        if ((by_address ? address_of(now->host) : now->host) != which)
            continue;
        uint32_t open = 0;
        uint64_t gap_start = TALLY_NO_GAP, gap_end = TALLY_NO_GAP, early = 0;
        for (uint32_t k = 0; k < i; k++) {
            const struct seen *old = &m->list[k];
            if ((by_address ? address_of(old->host) : old->host) != which)
                continue;
            uint64_t since_start = now->start_us - old->start_us;
            bool was_open = !old->end_us || old->end_us > now->start_us;
            uint64_t since_end = was_open ? 0 : now->start_us - old->end_us;
            open += was_open;
            gap_start = since_start < gap_start ? since_start : gap_start;
            gap_end = since_end < gap_end ? since_end : gap_end;
            if (!was_open && old->backoff_us > since_start && old->backoff_us - since_start > early)
                early = old->backoff_us - since_start;
        }
        t.requests++;
        t.forbidden += now->is_forbidden;
        t.overlaps += open > 0;
        t.most_open = open + 1 > t.most_open ? open + 1 : t.most_open;
        t.least_start_gap_us = gap_start < t.least_start_gap_us ? gap_start : t.least_start_gap_us;
        t.least_end_gap_us = gap_end < t.least_end_gap_us ? gap_end : t.least_end_gap_us;
        if (!by_address && early) {
            t.during_backoff++;
            t.worst_early_us = early > t.worst_early_us ? early : t.worst_early_us;
        }
    }
    return t;
}

static void same(const struct tally *got, const struct tally *expected)
{
    assert_int_equal(got->requests, expected->requests);
    assert_int_equal(got->forbidden, expected->forbidden);
    assert_int_equal(got->most_open, expected->most_open);
    assert_int_equal(got->overlaps, expected->overlaps);
    assert_true(got->least_start_gap_us == expected->least_start_gap_us);
    assert_true(got->least_end_gap_us == expected->least_end_gap_us);
    assert_int_equal(got->during_backoff, expected->during_backoff);
    assert_int_equal(got->worst_early_us, expected->worst_early_us);
}

static struct str url_of(uint32_t url, char room[32])
{
    int n = snprintf(room, 32, "http://h%u.test/%u", url % HOSTS, url);
    return str_make(room, (size_t)n);
}

static struct str host_of_url(uint32_t url, char room[32])
{
    int n = snprintf(room, 32, "h%u.test", url % HOSTS);
    return str_make(room, (size_t)n);
}

static void start_one(struct witness *w, struct model *m, struct rng *r, uint64_t now_us)
{
    char url_room[32], host_room[32];
    uint32_t url = (uint32_t)rng_below(r, URLS);
    struct witness_request q = {.host = host_of_url(url, host_room),
                                .url = url_of(url, url_room),
                                .address = address_of(url % HOSTS),
                                .is_forbidden = rng_below(r, 9) == 0};
    struct seen *s = &m->list[m->count++];
    *s = (struct seen){.host = url % HOSTS,
                       .url = url,
                       .start_us = now_us,
                       .is_forbidden = q.is_forbidden,
                       .ticket = witness_start(w, &q, now_us)};
}

static void end_one(struct witness *w, struct model *m, struct rng *r, uint64_t now_us)
{
    uint32_t from = (uint32_t)rng_below(r, m->count + 1);
    for (uint32_t i = 0; i < m->count; i++) {
        struct seen *s = &m->list[(from + i) % m->count];
        if (s->end_us)
            continue;
        uint64_t backoff_ms = rng_below(r, 10) ? 0 : rng_below(r, 400);
        s->end_us = now_us;
        s->backoff_us = backoff_until_us(0, backoff_ms); /* that long from its start */
        witness_end(w, s->ticket, now_us, 200, 0, SIGHT_WHOLE, backoff_ms);
        return;
    }
}

static void check_all(const struct witness *w, const struct model *m)
{
    char room[32];
    uint64_t counts[URLS] = {0}, distinct = 0, again = 0;
    for (uint32_t i = 0; i < m->count; i++)
        counts[m->list[i].url]++;
    for (uint32_t u = 0; u < URLS; u++) {
        assert_int_equal(witness_url_count(w, url_of(u, room)), counts[u]);
        distinct += counts[u] > 0;
        again += counts[u] > 1;
    }
    assert_int_equal(w->pages.distinct, distinct);
    assert_int_equal(w->pages.fetched_again, again);
    assert_int_equal(w->pages.repeats, m->count - distinct);
    assert_int_equal(w->url_texts.count, distinct);
    for (uint32_t h = 0; h < HOSTS; h++) {
        const struct tally *got = tallies_find_host(&w->hosts, host_of_url(h, room));
        struct tally expected = model_tally(m, false, h);
        if (got)
            same(got, &expected);
        else
            assert_int_equal(expected.requests, 0);
    }
    for (uint32_t i = 0; i < w->addresses.count; i++) {
        const struct tally *got = tallies_at(&w->addresses, i);
        struct tally expected = model_tally(m, true, got->address);
        same(got, &expected);
    }
}

static void random_requests_are_counted_as_the_model_counts_them(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, test_seed(31));
    for (int round = 0; round < 12; round++) {
        static struct model m;
        m.count = 0;
        struct witness *w = witness_open(true);
        uint64_t now_us = 1;
        uint64_t start_share = 2 + rng_below(&r, 4); /* more of it, more open at once */
        while (m.count < REQUESTS) {
            now_us += 1 + rng_below(&r, rng_below(&r, 3) ? 3000 : 100000);
            if (rng_below(&r, 7) < start_share)
                start_one(w, &m, &r, now_us);
            else
                end_one(w, &m, &r, now_us);
            if (m.count == 50)
                check_all(w, &m);
        }
        check_all(w, &m);
        witness_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_requests_are_counted_as_the_model_counts_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
