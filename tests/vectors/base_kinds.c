/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include "base/digest.h"
#include "base/hash.h"
#include "base/rng.h"

static void of_hash64(const struct str *f, struct buf *out)
{
    vector_hex64(out, hash64(f[0]));
}

static void of_hash64_seeded(const struct str *f, struct buf *out)
{
    vector_hex64(out, hash64_seeded(f[0], 7));
}

static void of_rng(const struct str *f, struct buf *out)
{
    struct rng r;
    rng_init(&r, vector_number(f[0]));
    for (int i = 0; i < 3; i++) {
        buf_add(out, i ? STR(" ") : STR(""));
        vector_hex64(out, rng_next(&r));
    }
}

static void of_rng_below(const struct str *f, struct buf *out)
{
    struct rng r;
    rng_init(&r, 1);
    for (int i = 0; i < 5; i++)
        buf_printf(out, "%s%llu", i ? " " : "",
                   (unsigned long long)rng_below(&r, vector_number(f[0])));
}

static void of_le(const struct str *f, struct buf *out)
{
    struct buf raw = {.max = 100};
    uint64_t value = vector_number(f[0]);
    buf_le16(&raw, (uint16_t)value);
    buf_le32(&raw, (uint32_t)value);
    buf_le64(&raw, value);
    buf_hex(out, (const uint8_t *)raw.p, raw.n);
    buf_done(&raw);
}

static void of_sha1(const struct str *f, struct buf *out)
{
    struct digest d;
    assert_rc(digest_of(DIGEST_SHA1, f[0], &d), RC_OK);
    buf_base32(out, d.bytes, DIGEST_SHA1_BYTES);
}

const struct vector_kind base_kinds[] = {
    {"hash64", of_hash64},
    {"hash64-seeded-7", of_hash64_seeded},
    {"le16-le32-le64", of_le},
    {"rng-first-3", of_rng},
    {"rng-below-first-5", of_rng_below},
    {"sha1-base32", of_sha1},
    {NULL, NULL},
};
