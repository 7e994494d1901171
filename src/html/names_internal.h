/* SPDX-License-Identifier: Apache-2.0 */
/* names_internal: the look-up of names, to be compiled into the tokenizer's and the page's
 * loops. */
#ifndef HTML_NAMES_INTERNAL_H
#define HTML_NAMES_INTERNAL_H

#include "base/bytes.h"
#include "html/names.h"

struct name {
    uint64_t key;  /* the first eight bytes, little endian, zeros behind a shorter name */
    char text[19]; /* lower case */
    uint8_t n;
};

/* The multipliers go with the tables that tools/html-names makes. */
#define ELEMENT_MULTIPLIER 0xfbb41d1442553a33u
#define ATTRIBUTE_MULTIPLIER 0x612e7696a6cecc1bu
enum { ELEMENT_HASH_BITS = 11, ATTRIBUTE_HASH_BITS = 9 };

extern const struct name element_names[ELEMENT_COUNT];
extern const uint8_t element_slots[1 << ELEMENT_HASH_BITS];
extern const uint16_t element_trait_bits[ELEMENT_COUNT];
extern const struct name attribute_names[ATTR_COUNT];
extern const uint8_t attribute_slots[1 << ATTRIBUTE_HASH_BITS];

/* Lower-cases letters; bytes that are no letters stay different from every letter and digit. */
static inline uint64_t name_fold(uint64_t eight)
{
    return eight | (eight & 0x4040404040404040u) >> 1;
}

/* The first eight bytes of a name that is not empty, folded. Where `readable` says that eight bytes
 * can be read whatever the name's length, that is one load. */
static inline uint64_t name_key(struct str s, bool readable)
{
    if (s.n >= 8)
        return name_fold(get_le64(s.p));
    if (readable)
        return name_fold(get_le64(s.p) & (((uint64_t)1 << (s.n * 8)) - 1));
    char eight[8] = {0};
    for (size_t i = 0; i < s.n; i++)
        eight[i] = s.p[i];
    return name_fold(get_le64(eight));
}

static inline unsigned name_slot(uint64_t key, size_t n, uint64_t multiplier, unsigned bits)
{
    return (unsigned)((key + n) * multiplier >> (64 - bits));
}

static inline bool name_is(const struct name *name, uint64_t key, struct str s)
{
    if ((name->key ^ key) | (name->n ^ s.n)) /* one branch, not two */
        return false;
    return s.n <= 8 || str_eq_nocase(s, str_make(name->text, name->n));
}

static inline enum element element_find_fast(struct str s, bool readable)
{
    uint64_t key = name_key(s, readable);
    unsigned at = element_slots[name_slot(key, s.n, ELEMENT_MULTIPLIER, ELEMENT_HASH_BITS)];
    return name_is(&element_names[at], key, s) ? (enum element)at : ELEMENT_OTHER;
}

static inline enum attribute attribute_find_fast(struct str s, bool readable)
{
    uint64_t key = name_key(s, readable);
    unsigned at = attribute_slots[name_slot(key, s.n, ATTRIBUTE_MULTIPLIER, ATTRIBUTE_HASH_BITS)];
    return name_is(&attribute_names[at], key, s) ? (enum attribute)at : ATTR_OTHER;
}

#endif
