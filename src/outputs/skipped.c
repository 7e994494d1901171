/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/skipped.h"

#include "base/jsonw.h"

void skipped_print(struct buf *out, const struct skipped *s)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_text_field(&j, "url", s->url);
    jsonw_u64_field(&j, "depth", s->depth);
    jsonw_text_field(&j, "reason", s->reason);
    jsonw_end(&j);
    buf_byte(out, '\n');
}
