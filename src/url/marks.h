/* SPDX-License-Identifier: Apache-2.0 */
/* marks: parameters that name a visitor and not a page. Internal to url. */
#ifndef URL_MARKS_H
#define URL_MARKS_H

#include "base/str.h"

enum url_mark { URL_MARK_NONE, URL_MARK_SESSION, URL_MARK_TRACKING };

/* What the parameter "name=value" is. Names are compared without case; names that mean other
 * things elsewhere count only with a value that looks like an id (sid=42 may be a story, sid= and
 * 32 hexadecimal digits is a session). */
enum url_mark url_mark_find(struct str parameter);

/* Whether a path segment is a session of ASP.NET without cookies: (S(lit3py55t21z5v55vlm25s55)). */
bool url_mark_is_segment(struct str segment);

#endif
