/* SPDX-License-Identifier: Apache-2.0 */
/* control_piece: a stretch of one of a running crawl's files of lines, for a command that looks at
 * the whole crawl of a cluster from another machine (cli/crawl_whole.h).
 *
 *     {"do":"piece","file":"logs/crawl.log","from":262144,"agent":"b"}
 *     {"ok":true,"file":"logs/crawl.log","from":262144,"size":300000,"check":"…","data":"…"}
 *
 * `size` is where the last whole line ends now, `data` at most PIECE_BYTES in base64, `check` the
 * hash64 of these bytes. With "agent" the agent here asks that one and hands its answer on. Only
 * the files below can be asked for, by agents, the operator and the owner of the directory. */
#ifndef CLI_CONTROL_PIECE_H
#define CLI_CONTROL_PIECE_H

#include "base/buf.h"

enum { PIECE_BYTES = 256 << 10 };

enum piece_file { /* in the order in which they are brought: arcs before the nodes they name */
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

/* Appends the answer, without its LF. RC_NOT_FOUND: no such file may be asked for; `why`. */
struct control_setup;
MUST_CHECK enum rc control_piece(const struct control_setup *s, struct str file, uint64_t from,
                                 struct buf *out, struct buf *why);
/* The same of another agent: what it answers. */
MUST_CHECK enum rc control_piece_of(const struct control_setup *s, struct str agent,
                                    struct str file, uint64_t from, struct buf *out,
                                    struct buf *why);

#endif
