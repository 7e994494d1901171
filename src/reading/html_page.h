/* SPDX-License-Identifier: Apache-2.0 */
/* html_page: reads a body that is HTML: its text in UTF-8, its title, base and robots bits, its
 * links. The visible text and the tags are read only where focus or compare asks for them. */
#ifndef READING_HTML_PAGE_H
#define READING_HTML_PAGE_H

#include "reading/settings.h"
#include "reading/tools.h"
#include "visit/visit.h"

/* Reads v->parsed.text, which body_read() has set, and fills the rest of v->parsed. The text is then
 * that in UTF-8, borrowed from the answer or from `t`; all else is in the visit's arena. RC_NOMEM
 * is the only failure. */
MUST_CHECK enum rc html_page_read(struct reading_tools *t, const struct reading_settings *s,
                                  struct visit *v);

#endif
