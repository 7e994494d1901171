/* SPDX-License-Identifier: Apache-2.0 */
/* body: the bytes that the author of an answer meant, and what they are.
 *
 * The bytes count more than the type that the server names. A body in a coding that is not
 * understood is MEDIA_OTHER: nothing is looked for in it. */
#ifndef READING_BODY_H
#define READING_BODY_H

#include "reading/settings.h"
#include "reading/tools.h"
#include "visit/visit.h"

/* Undoes the codings of v->answer.http->body and sets text, media, identified and note of
 * v->parsed. The text is borrowed from the answer or from `t`, until the next answer. RC_NOMEM is
 * the only failure. */
MUST_CHECK enum rc body_read(struct reading_tools *t, const struct reading_settings *s,
                             struct visit *v);

#endif
