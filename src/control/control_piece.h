/* SPDX-License-Identifier: Apache-2.0 */
/* control_piece: a piece of one of a running crawl's files of lines, for a command on another
 * machine that reads the whole crawl of a cluster (cli/crawl_whole.h).
 *
 *     {"do":"piece","file":"logs/crawl.log","from":262144,"agent":"b"}
 *     {"ok":true,"file":"logs/crawl.log","from":262144,"size":300000,"check":"…","data":"…"}
 *
 * `size` is where the last whole line ends now, `data` at most PIECE_BYTES in base64, `check` the
 * hash64 of these bytes. With "agent" this agent asks that one and passes its answer on. Only the
 * files below can be read, by agents, the operator and the owner of the directory. */
#ifndef CONTROL_CONTROL_PIECE_H
#define CONTROL_CONTROL_PIECE_H

#include "base/buf.h"

enum { PIECE_BYTES = 256 << 10 };

enum piece_file { /* in the order in which they are copied: arcs before the nodes they name */
                  PIECE_AGENT,
                  PIECE_SEEDS,
                  PIECE_ARCS,
                  PIECE_NODES,
                  PIECE_LOG,
                  PIECE_ELSEWHERE,
                  PIECE_INDEX,
                  PIECE_PAGES,
                  PIECE_EXTRA_PAGES,
                  PIECE_FILES
};
extern const char *const piece_paths[PIECE_FILES];

struct control_setup;

/* Appends the answer, without its LF. RC_NOT_FOUND: the file is none of those above; `why`. */
MUST_CHECK enum rc control_piece(const struct control_setup *s, struct str file, uint64_t from,
                                 struct buf *out, struct buf *why);
/* Asks another agent and appends its answer. */
MUST_CHECK enum rc control_piece_of(const struct control_setup *s, struct str agent,
                                    struct str file, uint64_t from, struct buf *out,
                                    struct buf *why);

#endif
