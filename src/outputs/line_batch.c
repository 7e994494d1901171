/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/line_batch.h"

enum { TEXT_MAX_BYTES = 64 << 20 };

void line_batch_init(struct line_batch *b)
{
    *b = (struct line_batch){0};
    buf_init(&b->text, TEXT_MAX_BYTES);
    buf_init(&b->notes, TEXT_MAX_BYTES);
}

void line_batch_done(struct line_batch *b)
{
    buf_done(&b->text);
    buf_done(&b->notes);
}

void line_batch_clear(struct line_batch *b)
{
    buf_clear(&b->text);
    b->count = b->from = 0;
    b->names_from = b->names_to = 0;
    b->is_full = false;
}

struct buf *line_batch_begin(struct line_batch *b)
{
    b->from = b->text.n;
    return &b->text;
}

void line_batch_end(struct line_batch *b, enum output_file file)
{
    if (b->text.n == b->from)
        return;
    b->is_full |= b->count == LINE_BATCH_ROWS;
    if (!b->is_full)
        b->rows[b->count++] = (struct line_batch_row){file, b->from, b->text.n};
}

void line_batch_end_names(struct line_batch *b)
{
    b->names_from = b->from;
    b->names_to = b->text.n;
}

enum rc line_batch_rc(const struct line_batch *b)
{
    enum rc rc = buf_rc(&b->text) ? buf_rc(&b->text) : buf_rc(&b->notes);
    return rc ? rc : b->is_full ? RC_LIMIT : RC_OK;
}

struct str line_batch_text(const struct line_batch *b, size_t row)
{
    const struct line_batch_row *r = &b->rows[row];
    return str_make(b->text.p + r->from, r->to - r->from);
}

struct str line_batch_names(const struct line_batch *b)
{
    return b->names_to > b->names_from
               ? str_make(b->text.p + b->names_from, b->names_to - b->names_from)
               : STR("");
}
