/* SPDX-License-Identifier: Apache-2.0 */
/* D17: the rows of vectors.tsv, the same on every machine. They were made by a program in another
 * language from the same description, so they also tell whether this one follows it. */
#include "assign/rendezvous.h"
#include "assign/ring.h"

#include "base/hash.h"
#include "sets.h"

#include <stdlib.h>

enum { ROWS = 208, FIELDS = 6 };

static uint64_t hex(struct str s)
{
    uint64_t v = 0;
    for (size_t i = 0; i < s.n; i++)
        v = v << 4 | (uint64_t)ascii_hex(s.p[i]);
    return v;
}

static uint32_t number(struct str s)
{
    uint64_t v = 0;
    assert_rc(str_to_u64(s, &v), RC_OK);
    return (uint32_t)v;
}

/* "ant:64,bee:32" */
static void read_agents(struct str list, struct set *s)
{
    s->count = 0;
    while (list.p) {
        struct str one = str_take_until(&list, ',');
        struct str name = str_take_until(&one, ':');
        s->agents[s->count++] = (struct assign_agent){name, number(one), 0};
    }
}

static struct str owner_in(const char *kind, struct str agents, struct assign_options o,
                           struct assign_key key)
{
    static struct set s;
    struct assign *a = NULL;
    uint32_t at = UINT32_MAX;
    read_agents(agents, &s);
    assert_rc(assign_open(assign_kind_find(str_c(kind)), &o, s.agents, s.count, 1, NULL, &a),
              RC_OK);
    assert_rc(assign_owner(a, &key, &at), RC_OK);
    assign_close(a);
    return s.agents[at].name;
}

/* hash NAME HEX */
static bool row_hash(const struct str *f)
{
    return hash64(f[1]) == hex(f[2]);
}

/* point NAME INDEX HEX */
static bool row_point(const struct str *f)
{
    struct rng rng;
    rng_init(&rng, hash64(f[1]));
    for (uint32_t skip = number(f[2]); skip > 0; skip--)
        rng_next(&rng);
    return rng_next(&rng) == hex(f[3]);
}

/* log2 HEX VALUE */
static bool row_log2(const struct str *f)
{
    static const struct assign_agent one = {{"a", 1}, 64, 0};
    static const uint32_t order[] = {0};
    struct rendezvous r;
    struct assign_conflict conflict;
    assert_rc(rendezvous_init(&r, &(struct assign_list){&one, order, 1}, &conflict), RC_OK);
    uint64_t seen = rendezvous_neg_log2(&r, hex(f[1])), wanted = 0;
    rendezvous_done(&r);
    return str_to_u64(f[2], &wanted) == RC_OK && seen == wanted;
}

/* ring POINTS PROBES AGENTS HOST OWNER */
static bool row_ring(const struct str *f)
{
    struct assign_options o = {.points = number(f[1]), .probes = number(f[2])};
    return str_eq(owner_in("ring", f[3], o, (struct assign_key){.host = f[4]}), f[5]);
}

/* rendezvous AGENTS HOST OWNER */
static bool row_rendezvous(const struct str *f)
{
    struct assign_options o = {0};
    return str_eq(owner_in("rendezvous", f[1], o, (struct assign_key){.host = f[2]}), f[3]);
}

/* address POINTS AGENTS HEX OWNER */
static bool row_address(const struct str *f)
{
    struct assign_options o = {.points = number(f[1])};
    struct assign_key key = {.ip.bytes = (uint8_t)(f[3].n / 2)};
    for (size_t i = 0; i < f[3].n / 2; i++)
        key.ip.at[i] = (uint8_t)hex(str_make(f[3].p + 2 * i, 2));
    return str_eq(owner_in("address", f[2], o, key), f[4]);
}

static bool row_passes(const struct str *f)
{
    static const struct {
        const char *name;
        bool (*passes)(const struct str *f);
    } kinds[] = {{"hash", row_hash}, {"point", row_point},           {"log2", row_log2},
                 {"ring", row_ring}, {"rendezvous", row_rendezvous}, {"address", row_address}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq(f[0], str_c(kinds[i].name)))
            return kinds[i].passes(f);
    return false;
}

static void d17_vectors(void **state)
{
    (void)state;
    struct buf file;
    struct score score = {.set = "unit/assign/vectors.tsv"};
    assert_true(test_slurp(test_data("unit/assign/vectors.tsv"), &file));
    struct str rest = buf_str(&file);
    while (rest.n > 0) {
        struct str line = str_take_until(&rest, '\n');
        struct str whole = line, fields[FIELDS] = {{0}};
        if (line.n == 0 || line.p[0] == '#')
            continue;
        for (int i = 0; i < FIELDS && line.p; i++)
            fields[i] = str_take_until(&line, '\t');
        score_row(&score, row_passes(fields), STR_FMT, STR_ARG(whole));
    }
    buf_done(&file);
    score_end(&score, ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(d17_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
