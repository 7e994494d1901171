/* SPDX-License-Identifier: Apache-2.0 */
/* refs: character references in text and attribute values.
 *
 * XML's five (&amp; &lt; &gt; &quot; &apos;) and numbers are decoded; any other named reference is
 * an entity, and entities are not looked up: the reference is dropped. An ampersand that begins no
 * reference is an ampersand, for that is what ?a=1&b=2 means. */
#ifndef SITEMAP_REFS_H
#define SITEMAP_REFS_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the `n` bytes at `p` in place and returns the new length, which is never greater. Adds to
 * *dropped the references that nothing stands for. */
size_t refs_decode(char *p, size_t n, uint32_t *dropped);

#endif
