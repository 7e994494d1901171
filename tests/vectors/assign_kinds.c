/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns what. The rows were made by a program in another language from docs/assign.md, so they
 * also tell whether this one follows it. */
#include "kinds.h"

#include "assign/assign.h"
#include "assign/rendezvous.h"
#include "base/digest.h"
#include "base/hash.h"
#include "base/rng.h"

enum { MAX_AGENTS = 128 };

static uint64_t from_hex(struct str s)
{
    uint64_t v = 0;
    for (size_t i = 0; i < s.n; i++)
        v = v << 4 | (uint64_t)ascii_hex(s.p[i]);
    return v;
}

/* "ant:64,bee:32" */
static uint32_t read_agents(struct str list, struct assign_agent *agents)
{
    uint32_t count = 0;
    while (list.p) {
        struct str one = str_take_until(&list, ',');
        struct str name = str_take_until(&one, ':');
        assert_true(count < MAX_AGENTS);
        agents[count++] = (struct assign_agent){name, (uint32_t)vector_number(one), 0};
    }
    return count;
}

static void owner_in(const char *kind, struct str list, struct assign_options options,
                     struct assign_key key, struct buf *out)
{
    struct assign_agent agents[MAX_AGENTS];
    uint32_t count = read_agents(list, agents), at = UINT32_MAX;
    struct assign *a = NULL;
    assert_rc(assign_open(assign_kind_find(str_c(kind)), &options, agents, count, 1, NULL, &a),
              RC_OK);
    assert_rc(assign_owner(a, &key, &at), RC_OK);
    buf_add(out, agents[at].name);
    assign_close(a);
}

/* name, which of its points */
static void of_point(const struct str *f, struct buf *out)
{
    struct rng rng;
    rng_init(&rng, hash64(f[0]));
    for (uint64_t skip = vector_number(f[1]); skip > 0; skip--)
        rng_next(&rng);
    vector_hex64(out, rng_next(&rng));
}

/* x in hex: -log2(x / 2^64) times 2^40 */
static void of_log2(const struct str *f, struct buf *out)
{
    static const struct assign_agent one = {{"a", 1}, 64, 0};
    static const uint32_t order[] = {0};
    struct rendezvous r;
    struct assign_conflict conflict;
    assert_rc(rendezvous_init(&r, &(struct assign_list){&one, order, 1}, &conflict), RC_OK);
    buf_u64(out, rendezvous_neg_log2(&r, from_hex(f[0])));
    rendezvous_done(&r);
}

/* points, positions, agents, host */
static void of_ring(const struct str *f, struct buf *out)
{
    struct assign_options o = {.points = (uint32_t)vector_number(f[0]),
                               .probes = (uint32_t)vector_number(f[1])};
    owner_in("ring", f[2], o, (struct assign_key){.host = f[3]}, out);
}

/* agents, host */
static void of_rendezvous(const struct str *f, struct buf *out)
{
    owner_in("rendezvous", f[0], (struct assign_options){0}, (struct assign_key){.host = f[1]},
             out);
}

/* points, agents, address in hex */
static void of_address(const struct str *f, struct buf *out)
{
    struct assign_options o = {.points = (uint32_t)vector_number(f[0])};
    struct assign_key key = {.ip.bytes = (uint8_t)(f[2].n / 2)};
    assert_rc(hex_decode(f[2], key.ip.at, key.ip.bytes), RC_OK);
    owner_in("address", f[1], o, key, out);
}

const struct vector_kind assign_kinds_of_vectors[] = {
    {"point", of_point},           {"log2", of_log2},       {"ring", of_ring},
    {"rendezvous", of_rendezvous}, {"address", of_address}, {NULL, NULL},
};
