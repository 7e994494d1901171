/* SPDX-License-Identifier: Apache-2.0 */
/* links_model: links made at random, as lines in links/links.arcs and links/links.nodes of a disk,
 * and a plain table of what they say, with which answers of the index are compared. */
#ifndef TESTS_LINKINDEX_LINKS_MODEL_H
#define TESTS_LINKINDEX_LINKS_MODEL_H

#include "base/rng.h"
#include "disk/disk.h"
#include "linkindex/link_index.h"

enum { MODEL_PAGES = 50, MODEL_TARGETS = 60 };

struct links_model {
    struct rng rng;
    uint64_t bytes[PAIR_KINDS];                   /* of the texts */
    uint32_t letters[MODEL_TARGETS][MODEL_PAGES]; /* pair_letter() */
    bool has_name[MODEL_TARGETS];
};

uint64_t model_print(unsigned url); /* its fingerprint; pages are URLs 0 to MODEL_PAGES - 1 */

/* The folder and two empty files, durably. */
void model_begin(struct links_model *m, struct disk *d, uint64_t seed);
/* Adds lines of `pages` pages, also of pages that were there before, durably. */
void model_add(struct links_model *m, struct disk *d, unsigned pages);

/* Fails the test unless the index on `d` answers every question as the table does. */
void model_compare(const struct links_model *m, struct disk *d);
/* The same as a result: RC_INVALID, with a printed line, if an answer differs. */
MUST_CHECK enum rc model_differs(const struct links_model *m, struct disk *d);

#endif
