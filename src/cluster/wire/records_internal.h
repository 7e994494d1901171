/* SPDX-License-Identifier: Apache-2.0 */
/* records_internal: the bytes of a batch, for the two files that write and read them.
 *
 *   batch:   version 1, is 1, session 8, number 8, attempt 1, [1] src, src_inc 8, epoch 8, then by
 *            what it is
 *     records: records up to the end    handover mark: [1] holder, holder_inc 8    end: nonce 8
 *   record:  kind 1, [1] host, then by kind
 *     url:     flags 1, class 1, port 2, fingerprint 8, via 8, [1] seed_path, [2] path
 *     done:    fingerprint 8, time 8, status 4, digest 20, [1] where, where_inc 8 and, if where
 *              is not empty: flags 1, class 1, port 2, [1] seed_path, [2] path (may be empty)
 *     done of a recrawl: a kind of its own; recrawl_number 4, then as done
 *     host:    next moment 8, time 8, [4] state
 *     seed_path, shorter: as url, [1] where
 *
 * [n] is a length of n bytes before the text. A host's hash follows from its name and is not sent,
 * so that a sender cannot give another one. */
#ifndef CLUSTER_WIRE_RECORDS_INTERNAL_H
#define CLUSTER_WIRE_RECORDS_INTERNAL_H

#include "cluster/wire/records.h"

enum { RECORDS_VERSION = 3, RECORDS_STAMP_AT = 2 };
enum { RECORD_DONE_AGAIN = RECORD_SHORTER + 1 }; /* as bytes only */
enum { URL_IS_HTTPS = 1, URL_IS_BACK = 2, URL_IS_AGAIN = 4, URL_FLAGS = 7 };

#endif
