/* SPDX-License-Identifier: Apache-2.0 */
/* names: the URLs that have a line in links.nodes, so that none gets a second one.
 *
 * A set of fingerprints in bounded memory. It grows with the crawl. At its largest it keeps two
 * generations: the fingerprints added last, and those added before them; the older generation goes
 * when the younger one is full. A URL that was forgotten so may get a second line, which readers
 * pass over. */
#ifndef LEDGER_NAMES_H
#define LEDGER_NAMES_H

#include "disk/disk.h"

enum { NAMES_USUAL_BYTES = 64 << 20 };

struct names;

/* NULL without memory. It takes at most `max_bytes`, and little before the first URL is added. */
struct names *names_open(uint64_t max_bytes);
void names_close(struct names *n);

/* False: it was there. Without memory the answer may be true though it was. */
bool names_add(struct names *n, uint64_t fingerprint);

/* Adds what the file links.nodes names: as many of its last lines as the set holds. RC_IO,
 * RC_NOMEM; without the file nothing. */
MUST_CHECK enum rc names_refill(struct names *n, struct disk *d, const char *path);

#endif
