/* SPDX-License-Identifier: Apache-2.0 */
/* tell: what the answers of faults share: the choice by path, healthy answers, heads to be odd
 * with, and small pages whose links tell who read them, and how.
 *
 * The `paths` of a page stand below the mount and are separated by spaces ("/told/a/good
 * /told/b/bad"; "" for none). References in fixed bodies are relative ("told/x" on /case). So both
 * hold on the fault's own host and below a mount alike. */
#ifndef FAULTS_TELL_H
#define FAULTS_TELL_H

#include "faults/fault.h"

enum {
    /* How often a crawler may try what failed before it counts as a loop: more than any sensible
     * retry limit (wget has 20, Heritrix 30), since expectations must hold for every good crawler.
     */
    TELL_TRIES = 32,
    TELL_MAX_BYTES = 16 * 1024, /* of a page or a Location that is written here; the rest is lost */
};
#define TELL_HTML "text/html; charset=utf-8"

/* What was asked for ------------------------------------------------------------------------- */

bool query_label_is(const struct fault_query *q, const char *label);
bool query_path_is(const struct fault_query *q, const char *path);
bool query_is_head(const struct fault_query *q);

/* The decimal number behind `prefix` in `text`, up to the first other byte; `otherwise` if there is
 * none. */
uint64_t number_behind(struct str text, const char *prefix, uint64_t otherwise);

/* Answers by the row of the path; false if there is none. */
struct tell_row {
    const char *path; /* without query; NULL ends the table */
    uint16_t status;  /* for the witness, where the answer itself sets none */
    void (*answer)(const struct fault_query *q, struct reply *r);
};
bool tell_by_path(const struct tell_row *rows, const struct fault_query *q, struct reply *r);

/* The same for answers that are fixed bytes, with 200. */
struct tell_fixed {
    const char *path; /* NULL ends the table */
    const char *type; /* NULL = TELL_HTML; "" = no Content-Type at all */
    const char *more; /* further header lines, each with CR LF; may be NULL */
    struct str body;
};
bool tell_fixed_by_path(const struct tell_fixed *rows, const struct fault_query *q,
                        struct reply *r);

/* Pages -------------------------------------------------------------------------------------- */

/* Appends a page up to where more can be said: its title, as heading too, whose it is, its links.
 */
void tell_begin(const struct fault_query *q, const char *title, const char *paths, struct buf *out);
void tell_link(const char *href, const char *text, struct buf *out);
void tell_end(struct buf *out);

/* A whole such page, for answers that are odd otherwise; borrowed from *in. */
struct tell_room {
    char bytes[1024];
};
struct str tell_text(const struct fault_query *q, struct tell_room *in, const char *title,
                     const char *paths);

/* Healthy answers: Content-Length, Date (if the clock is known), no body for HEAD ---------------
 */

/* `type` may be NULL for none; `more` is further header lines, each with its CR LF. */
void tell_answer(const struct fault_query *q, struct reply *r, uint16_t status, const char *type,
                 struct str more, struct str body);

/* With 200 and a body that was written to a buf of the heap, which is ended; a failure to write it
 * becomes the reply's. */
void tell_body(const struct fault_query *q, struct reply *r, const char *type, struct str more,
               struct buf *body);

/* With a page that tell_begin began in such a buf; ends both. */
void tell_send(const struct fault_query *q, struct reply *r, struct buf *body);

/* With a page: 200, or a status with further header lines. */
void tell_page(const struct fault_query *q, struct reply *r, const char *title, const char *paths);
void tell_page_as(const struct fault_query *q, struct reply *r, uint16_t status, struct str more,
                  const char *title, const char *paths);

/* With a redirect, without any link in its body: to `location` as it stands, or to a path below the
 * mount of the same host. */
void tell_redirect(const struct fault_query *q, struct reply *r, uint16_t status,
                   struct str location);
void tell_redirect_path(const struct fault_query *q, struct reply *r, uint16_t status,
                        struct str path);

/* With a robots.txt: that text, or one that allows everything and names sitemaps by their paths;
 * NULL ends the list. */
void tell_robots(const struct fault_query *q, struct reply *r, struct str text);
void tell_sitemaps(const struct fault_query *q, struct reply *r, const char *const *paths);

/* "Date: …\r\n" */
void tell_date(const struct fault_query *q, struct buf *out);

/* Parts of odd answers ------------------------------------------------------------------------- */

/* A status line, Content-Type: text/html, the formatted header lines and the empty line. */
void tell_head(struct reply *r, uint16_t status, const char *lines, ...) PRINTF_LIKE(3, 4);

/* One chunk of a chunked body; the last one for an empty `data`. */
void tell_chunk(struct reply *r, struct str data);

/* `bytes` of filler that is neither markup nor a link. */
void tell_filler(struct reply *r, size_t bytes);

#endif
