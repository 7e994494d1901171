/* SPDX-License-Identifier: Apache-2.0 */
/* pieces: how one piece of each kind is made (pool.h). */
#ifndef CONTENT_PIECES_H
#define CONTENT_PIECES_H

#include "content/pool.h"

/* Appends a new piece, as UTF-8. */
void piece_write(struct prose *p, enum piece_kind kind, struct buf *out);

#endif
