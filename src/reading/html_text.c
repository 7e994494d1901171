/* SPDX-License-Identifier: Apache-2.0 */
#include "reading/html_text.h"

#include "html/charset.h"

enum rc html_text_of(struct str body, struct str content_type, struct buf *utf8,
                     struct html_text *ret)
{
    struct charset_guess g = charset_guess(body, content_type);
    struct str text = str_from(body, g.bom_bytes);
    if (strcmp(g.name, "UTF-8") != 0) {
        buf_clear(utf8);
        if (charset_to_utf8(g.name, text, utf8) == RC_NOMEM)
            return RC_NOMEM;
        text = buf_str(utf8);
    }
    *ret = (struct html_text){text, g.name};
    return RC_OK;
}
