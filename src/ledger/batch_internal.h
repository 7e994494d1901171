/* SPDX-License-Identifier: Apache-2.0 */
/* batch form: numbers that the two halves of batch.h, writing and reading, must agree on.
 *
 *   outcome:  front, flags 1, [url] [location] [history], lines: count 4, then file 1, length 4,
 *             text; links: count 4, then LINK_HEAD_BYTES, host, seed_path, path
 *   url:      how 1, class 1, https 1, port 2, sequence 8, due 8, length 1, host, length 4, path,
 *             length 4, record
 *   history:  with OUTCOME_CODES also there 1, length 4, codes, what changed 1
 *             with OUTCOME_FILE also there 1, length 4, file, offset 8, bytes 8
 *             with OUTCOME_FORWARD also forward 2
 *   location: length 1, file, offset 8, bytes 8
 *   drop:     batch 8, fingerprints 8 each
 *   news:     flags 1, kept 8, and each behind its length 4: fact, mine, foreign, forgotten
 *   link:     fingerprint 8, via 8, port 2, flags 1, class 1, and lengths: host 1, seed_path 1,
 *             path 2 */
#ifndef LEDGER_BATCH_INTERNAL_H
#define LEDGER_BATCH_INTERNAL_H

enum {
    OUTCOME_URL = 1,
    OUTCOME_LOCATION = 2,
    OUTCOME_HISTORY = 4,
    OUTCOME_CODES = 8,
    OUTCOME_FILE = 16,
    OUTCOME_FORWARD = 32,
    OUTCOME_FLAGS = 63
};
enum { NEWS_ASIDE = 1, NEWS_FLAGS = 1 };
enum { LINK_HEAD_BYTES = 24, LINK_HTTPS = 1, LINK_FOREIGN = 2, LINK_FLAGS = 3 };

#endif
