/* SPDX-License-Identifier: Apache-2.0 */
/* html_text: the text of an HTML page in UTF-8, whatever encoding it came in. */
#ifndef READING_HTML_TEXT_H
#define READING_HTML_TEXT_H

#include "base/buf.h"

struct html_text {
    struct str text;     /* without its byte order mark */
    const char *charset; /* that it came in; static (html/charset.h) */
};

/* `content_type`: the header's value or absent. The text is borrowed from `body` where that is
 * UTF-8 (malformed bytes stay), else from `utf8`, which is cleared first; what does not fit into it
 * is cut off. On RC_NOMEM, the only failure, *ret is untouched. */
MUST_CHECK enum rc html_text_of(struct str body, struct str content_type, struct buf *utf8,
                                struct html_text *ret);

#endif
