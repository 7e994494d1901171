/* SPDX-License-Identifier: Apache-2.0 */
/* batch form: numbers that the two halves of batch.h, writing and reading, must agree on.
 *
 *   outcome: front, flags 1, [url] [place] [past], lines: count 4, then file 1, length 4, text;
 *            links: count 4, then LINK_HEAD_BYTES, host, hops, path
 *   url:     how 1, class 1, https 1, port 2, sequence 8, due 8, length 1, host, length 4, path,
 *            length 4, card
 *   past:    with OUTCOME_CODES also there 1, length 4, codes, what changed 1
 *            with OUTCOME_FILE also there 1, length 4, file, offset 8, bytes 8
 *   place:   length 1, file, offset 8, bytes 8
 *   drop:    batch 8, fingerprints 8 each
 *   link:    fingerprint 8, via 8, port 2, https 1, class 1, and lengths: host 1, hops 1, path 2 */
#ifndef CRAWL_BATCH_FORM_H
#define CRAWL_BATCH_FORM_H

enum {
    OUTCOME_URL = 1,
    OUTCOME_PLACE = 2,
    OUTCOME_PAST = 4,
    OUTCOME_CODES = 8,
    OUTCOME_FILE = 16,
    OUTCOME_FLAGS = 31
};
enum { LINK_HEAD_BYTES = 24 };

#endif
