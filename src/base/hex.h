/* SPDX-License-Identifier: Apache-2.0 */
/* hex: 64-bit numbers as 16 digits of hexadecimal. Fingerprints are written so. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include "base/buf.h"

enum { HEX16_BYTES = 16 };

/* Exactly 16 lower-case digits, and back (upper case is read, too). */
void buf_hex16(struct buf *b, uint64_t v);
bool hex16_read(struct str s, uint64_t *ret);

#endif
