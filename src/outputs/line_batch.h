/* SPDX-License-Identifier: Apache-2.0 */
/* line_batch: the lines that one visit leaves in the crawl's files, collected for one batch of the
 * journal.
 *
 *     struct buf *text = line_batch_begin(b);
 *     crawl_log_print(text, &entry);
 *     line_batch_end(b, OUTPUT_LOG);
 *
 * Each row says which file gets its text; a row without text is left out. Lines of links.nodes are
 * apart (line_batch_names): the ledger writes one a URL and leaves out the others. */
#ifndef OUTPUTS_LINE_BATCH_H
#define OUTPUTS_LINE_BATCH_H

#include "base/buf.h"

/* The files that get lines. */
enum output_file {
    OUTPUT_CDXJ,
    OUTPUT_PAGES,
    OUTPUT_EXTRA_PAGES,
    OUTPUT_LOG,
    OUTPUT_ARCS,
    OUTPUT_SKIPPED,
    OUTPUT_SEEDS,
    OUTPUT_FILES_
};

enum { LINE_BATCH_ROWS = 16 };

struct line_batch_row {
    enum output_file file;
    size_t from, to; /* in the text */
};

struct line_batch {
    struct buf text;  /* of all rows, one behind the other */
    struct buf notes; /* for annotations of the line at hand */
    struct line_batch_row rows[LINE_BATCH_ROWS];
    size_t count;
    size_t from; /* of the row at hand */
    size_t names_from, names_to;
    bool is_full; /* there were more rows than LINE_BATCH_ROWS */
};

void line_batch_init(struct line_batch *b);
void line_batch_done(struct line_batch *b);
void line_batch_clear(struct line_batch *b);

/* A row begins: what is added to the text until the end belongs to the file. Without an end no file
 * gets it. */
struct buf *line_batch_begin(struct line_batch *b);
void line_batch_end(struct line_batch *b, enum output_file file);
/* The text since the last begin is lines of links.nodes. */
void line_batch_end_names(struct line_batch *b);

/* RC_NOMEM, RC_LIMIT: a line is missing, and the batch must not be used. */
MUST_CHECK enum rc line_batch_rc(const struct line_batch *b);

/* Borrowed until the next change. */
struct str line_batch_text(const struct line_batch *b, size_t row);
struct str line_batch_names(const struct line_batch *b); /* "": there are none */

#endif
