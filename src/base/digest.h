/* SPDX-License-Identifier: Apache-2.0 */
/* digest: SHA-1 and SHA-256, whole or piece by piece, and their usual spellings. libcrypto's
 * digests stand behind this header and nowhere else. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include "base/buf.h"

enum digest_kind { DIGEST_SHA1, DIGEST_SHA256 };
enum { DIGEST_SHA1_BYTES = 20, DIGEST_SHA256_BYTES = 32, DIGEST_MAX_BYTES = 32 };

struct digest {
    enum digest_kind kind;
    uint8_t bytes[DIGEST_MAX_BYTES];
};

size_t digest_bytes(enum digest_kind kind);

/* RC_NOMEM when libcrypto has none; *ret is untouched then. */
MUST_CHECK enum rc digest_of(enum digest_kind kind, struct str data, struct digest *ret);

/* Piece by piece: open, add any number of times, then finish, after which it can be started over.
 * A failed add is remembered and returned by finish. */
struct digester;
struct digester *digester_open(enum digest_kind kind);
void digester_add(struct digester *d, struct str data);
MUST_CHECK enum rc digester_finish(struct digester *d, struct digest *ret);

/* Forgets what was added. Costs nothing where that is nothing. */
MUST_CHECK enum rc digester_restart(struct digester *d);
void digester_close(struct digester *d);

bool digest_eq(const struct digest *a, const struct digest *b);

/* RFC 4648: base32 in upper case without padding (a SHA-1 fits exactly), and lower-case hex. */
void buf_base32(struct buf *b, const uint8_t *bytes, size_t n);
void buf_hex(struct buf *b, const uint8_t *bytes, size_t n);

/* Reads base32 (either case, padding allowed) into exactly `n` bytes. */
MUST_CHECK enum rc base32_decode(struct str text, uint8_t *to, size_t n);
MUST_CHECK enum rc hex_decode(struct str text, uint8_t *to, size_t n);

#endif
