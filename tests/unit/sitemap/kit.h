/* SPDX-License-Identifier: Apache-2.0 */
/* kit: a sitemap read whole, byte by byte and in pieces, and what came out as text. */
#ifndef TESTS_UNIT_SITEMAP_KIT_H
#define TESTS_UNIT_SITEMAP_KIT_H

#include "sitemap/sitemap.h"

#include "lib/test.h"

/* Reads `file` in pieces of `piece_bytes` (0: whole) and appends a line for each entry to *dump:
 *     page 1 http://a.test/ lastmod=2005-01-01 ms=1104537600000 freq=daily priority=800 lang=de
 * with only what it has. The options' emit and ctx are the kit's. */
struct sitemap_summary kit_read(struct str file, struct sitemap_options options, size_t piece_bytes,
                                bool is_whole, struct buf *dump);

/* Field by field. */
bool kit_same(const struct sitemap_summary *a, const struct sitemap_summary *b);

/* Reads in one piece, byte by byte, and in pieces of 7 bytes, which must agree; fails the test
 * if they do not, or if what comes out is not `expected`. */
struct sitemap_summary kit_expect(struct str file, struct sitemap_options options,
                                  struct str expected);

/* A table of such files whose names are sentences. */
struct kit_row {
    const char *name;
    struct str file, expected;
};
void kit_rows(const struct kit_row *rows, size_t count);

#endif
