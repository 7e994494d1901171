/* SPDX-License-Identifier: Apache-2.0 */
/* bytes: integers as bytes, in an order that does not depend on the machine.
 *
 * Files and messages are little endian; public formats that are big endian use the be forms.
 * Compilers turn each into one load or store. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTES_LE16(v) __builtin_bswap16(v)
#define BYTES_LE32(v) __builtin_bswap32(v)
#define BYTES_LE64(v) __builtin_bswap64(v)
#define BYTES_BE32(v) (v)
#define BYTES_BE64(v) (v)
#else
#define BYTES_LE16(v) (v)
#define BYTES_LE32(v) (v)
#define BYTES_LE64(v) (v)
#define BYTES_BE32(v) __builtin_bswap32(v)
#define BYTES_BE64(v) __builtin_bswap64(v)
#endif

static inline void put_le16(void *to, uint16_t v)
{
    v = BYTES_LE16(v);
    memcpy(to, &v, sizeof v);
}

static inline void put_le32(void *to, uint32_t v)
{
    v = BYTES_LE32(v);
    memcpy(to, &v, sizeof v);
}

static inline void put_le64(void *to, uint64_t v)
{
    v = BYTES_LE64(v);
    memcpy(to, &v, sizeof v);
}

static inline void put_be32(void *to, uint32_t v)
{
    v = BYTES_BE32(v);
    memcpy(to, &v, sizeof v);
}

static inline void put_be64(void *to, uint64_t v)
{
    v = BYTES_BE64(v);
    memcpy(to, &v, sizeof v);
}

static inline uint16_t get_le16(const void *from)
{
    uint16_t v;
    memcpy(&v, from, sizeof v);
    return BYTES_LE16(v);
}

static inline uint32_t get_le32(const void *from)
{
    uint32_t v;
    memcpy(&v, from, sizeof v);
    return BYTES_LE32(v);
}

static inline uint64_t get_le64(const void *from)
{
    uint64_t v;
    memcpy(&v, from, sizeof v);
    return BYTES_LE64(v);
}

static inline uint32_t get_be32(const void *from)
{
    uint32_t v;
    memcpy(&v, from, sizeof v);
    return BYTES_BE32(v);
}

static inline uint64_t get_be64(const void *from)
{
    uint64_t v;
    memcpy(&v, from, sizeof v);
    return BYTES_BE64(v);
}

#endif
