/* SPDX-License-Identifier: Apache-2.0 */
/* vectors: what may never depend on the machine (D17), as rows of tests/vectors.tsv.
 *
 * Hashes, generators and formats on disk or wire: kind, input, expected, separated by tabs. The
 * same file runs on any processor; a row that differs means that agents on two machines would
 * disagree. */
#include "lib/test.h"

#include "base/digest.h"
#include "base/hash.h"
#include "base/rng.h"

struct kind {
    const char *name;
    void (*compute)(struct str input, struct buf *out);
};

static void of_hash64(struct str input, struct buf *out)
{
    buf_printf(out, "%016llx", (unsigned long long)hash64(input));
}

static void of_hash64_seeded(struct str input, struct buf *out)
{
    buf_printf(out, "%016llx", (unsigned long long)hash64_seeded(input, 7));
}

static void of_rng(struct str input, struct buf *out)
{
    struct rng r;
    uint64_t seed = 0;
    assert_rc(str_to_u64(input, &seed), RC_OK);
    rng_init(&r, seed);
    for (int i = 0; i < 3; i++)
        buf_printf(out, "%s%016llx", i ? " " : "", (unsigned long long)rng_next(&r));
}

static void of_rng_below(struct str input, struct buf *out)
{
    struct rng r;
    uint64_t below = 0;
    assert_rc(str_to_u64(input, &below), RC_OK);
    rng_init(&r, 1);
    for (int i = 0; i < 5; i++)
        buf_printf(out, "%s%llu", i ? " " : "", (unsigned long long)rng_below(&r, below));
}

static void of_le(struct str input, struct buf *out)
{
    struct buf raw = {.max = 100};
    uint64_t value = 0;
    assert_rc(str_to_u64(input, &value), RC_OK);
    buf_le16(&raw, (uint16_t)value);
    buf_le32(&raw, (uint32_t)value);
    buf_le64(&raw, value);
    buf_hex(out, (const uint8_t *)raw.p, raw.n);
    buf_done(&raw);
}

static void of_sha1(struct str input, struct buf *out)
{
    struct digest d;
    assert_rc(digest_of(DIGEST_SHA1, input, &d), RC_OK);
    buf_base32(out, d.bytes, DIGEST_SHA1_BYTES);
}

static const struct kind kinds[] = {
    {"hash64", of_hash64},   {"hash64-seeded-7", of_hash64_seeded}, {"le16-le32-le64", of_le},
    {"rng-first-3", of_rng}, {"rng-below-first-5", of_rng_below},   {"sha1-base32", of_sha1},
};
enum { KINDS = sizeof kinds / sizeof *kinds, ROWS = 14 };

static const struct kind *kind_named(struct str name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (str_eq(str_c(kinds[i].name), name))
            return &kinds[i];
    return NULL;
}

static void D17_every_vector_is_the_same_on_every_machine(void **state)
{
    (void)state;
    struct buf file;
    struct score score = {.set = "vectors.tsv"};
    bool seen[KINDS] = {false};
    assert_true(test_slurp(test_data("vectors.tsv"), &file));
    struct str rest = buf_str(&file);
    while (rest.p) {
        struct str row = str_take_until(&rest, '\n');
        if (row.n == 0 || row.p[0] == '#')
            continue;
        struct str name = str_take_until(&row, '\t');
        struct str input = str_take_until(&row, '\t');
        const struct kind *kind = kind_named(name);
        struct buf got = {.max = 1 << 16};
        if (kind) {
            kind->compute(input, &got);
            seen[kind - kinds] = true;
        }
        score_row(&score, kind && str_eq(buf_str(&got), row),
                  STR_FMT " \"" STR_FMT "\" gives " STR_FMT, STR_ARG(name), STR_ARG(input),
                  STR_ARG(buf_str(&got)));
        buf_done(&got);
    }
    buf_done(&file);
    for (size_t i = 0; i < KINDS; i++)
        assert_true(seen[i]);
    score_end(&score, ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(D17_every_vector_is_the_same_on_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
