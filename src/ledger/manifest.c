/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/manifest.h"

#include "base/hash.h"
#include "base/taker.h"

#define MAGIC "OWMANIFE"
enum { HEAD_BYTES = 8 + 4 + 3 * 8, HASH_BYTES = 8 };

void manifest_write(const struct manifest *m, struct str commit, struct buf *out)
{
    buf_add(out, STR(MAGIC));
    buf_le32(out, MANIFEST_VERSION);
    buf_le64(out, m->generation);
    buf_le64(out, m->position);
    buf_le64(out, m->snapshot_bytes);
    buf_add(out, commit);
    buf_le64(out, hash64(buf_str(out)));
}

enum rc manifest_read(struct str bytes, struct manifest *ret, struct str *ret_commit)
{
    struct taker t = {.rest = bytes};
    if (bytes.n < HEAD_BYTES + HASH_BYTES || !str_eq(take_bytes(&t, 8), STR(MAGIC)))
        return RC_CORRUPT;
    struct str hashed = str_first(bytes, bytes.n - HASH_BYTES);
    if (hash64(hashed) != get_le64(bytes.p + hashed.n))
        return RC_CORRUPT;
    if (take_u32(&t) != MANIFEST_VERSION)
        return RC_VERSION;
    ret->generation = take_u64(&t);
    ret->position = take_u64(&t);
    ret->snapshot_bytes = take_u64(&t);
    *ret_commit = str_first(t.rest, t.rest.n - HASH_BYTES);
    return ret->generation ? RC_OK : RC_CORRUPT;
}
