/* SPDX-License-Identifier: Apache-2.0 */
/* secret: random passwords, and the hashes that a server keeps of them. */
#ifndef BUS_SECRET_H
#define BUS_SECRET_H

#include "base/str.h"

enum {
    SECRET_BYTES = 48, /* hexadecimal digits: 192 bits from the kernel */
    SECRET_HASH_MAX_BYTES = 63,
};

struct secret {
    char text[SECRET_BYTES + 1];
};

struct secret_hash {
    char text[SECRET_HASH_MAX_BYTES + 1];
};

/* RC_IO: the kernel gives no randomness. */
MUST_CHECK enum rc secret_make(struct secret *ret);

/* bcrypt, as nats-server reads it: a server's configuration does not reveal a login. The cost is
 * low, since it protects against guessing, and these passwords cannot be guessed. RC_IO,
 * RC_UNSUPPORTED (a libcrypt without bcrypt). */
MUST_CHECK enum rc secret_hash_make(const struct secret *s, struct secret_hash *ret);

/* Whether the hash is of that password. */
bool secret_matches(const struct secret *s, const struct secret_hash *hash);

#endif
