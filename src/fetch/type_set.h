/* SPDX-License-Identifier: Apache-2.0 */
/* type_set: which media types a crawl wants (∗ is a star).
 *
 *     text/html,image/∗         these alone
 *     -video/∗,-audio/∗         all but these ('!' does as well)
 *     text/∗,-text/css          these, but not that
 *
 * An answer without a type is in a set that only leaves out. */
#ifndef FETCH_TYPE_SET_H
#define FETCH_TYPE_SET_H

#include "base/buf.h"

enum { TYPE_SET_MAX = 1000 };

struct type_set; /* constant: any thread */

/* A text: types, with commas between them. RC_INVALID: `why` says which. */
MUST_CHECK enum rc type_set_open(const struct str *texts, size_t count, struct type_set **ret,
                                 struct buf *why);
void type_set_close(struct type_set *s);

/* `type` as media_type (fetch/media.h) gives it; absent: there was none. Any case. */
bool type_set_has(const struct type_set *s, struct str type);

#endif
