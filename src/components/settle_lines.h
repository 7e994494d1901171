/* SPDX-License-Identifier: Apache-2.0 */
/* settle_lines: the lines that a settled visit leaves in the crawl's files. */
#ifndef COMPONENTS_SETTLE_LINES_H
#define COMPONENTS_SETTLE_LINES_H

#include "components/services.h"
#include "components/visit.h"

/* Texts of one visit, one behind the other in `text`; what each file gets. */
struct settle_lines {
    struct buf text;
    struct buf notes; /* of the line of crawl.log at hand */
    struct settle_line {
        enum ledger_file file;
        size_t from, to; /* in text */
    } rows[LEDGER_FILES];
    size_t count;
    size_t names_from, names_to; /* in text */
    struct ledger_line lines[LEDGER_FILES];
};

void settle_lines_init(struct settle_lines *l);
void settle_lines_done(struct settle_lines *l);
void settle_lines_clear(struct settle_lines *l);

/* What became of a visit that has its result; and what it found: `links` are those that are new. */
void settle_lines_result(struct settle_lines *l, const struct visit *v, int code, unsigned shard,
                         int64_t wall_ms);
void settle_lines_links(struct settle_lines *l, const struct visit *v,
                        const struct candidate *links, size_t count, bool with_graph);

/* The lines, borrowed until the next clear. RC_NOMEM. */
MUST_CHECK enum rc settle_lines_get(struct settle_lines *l, const struct ledger_line **ret,
                                    size_t *ret_count);
/* Of links.nodes, one for each of the links, likewise; once settle_lines_get has said RC_OK. */
struct str settle_lines_names(const struct settle_lines *l);

#endif
