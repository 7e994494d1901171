/* SPDX-License-Identifier: Apache-2.0 */
/* ordinary: answers of the healthy web, HTTP/1.1 to the letter.
 *
 * How a host answers follows from the world and the host's number: whether in chunks, with which
 * codings, with ETag, Last-Modified or both, how it says that it is asked too often. */
#ifndef SERVE_ORDINARY_H
#define SERVE_ORDINARY_H

#include "content/content.h"
#include "serve/limit.h"
#include "serve/server.h"

struct ordinary;

/* All borrowed. NULL without memory. */
struct ordinary *ordinary_open(const struct world *w, const struct server_settings *s);
void ordinary_close(struct ordinary *o);

/* One request to an ordinary host. */
struct ordinary_query {
    const struct request *request;
    uint32_t host;
    struct place place;          /* PLACE_NONE: a 404 */
    const struct fault *mounted; /* a path fault that the home page links to, or NULL */
    uint64_t now_us;
    uint64_t wall_ms;
    bool true_time; /* site.h */
};

/* Always answers. */
void ordinary_answer(struct ordinary *o, const struct ordinary_query *q, struct reply *r);

/* An answer without a place: 404 and 421, 405, 400. */
void ordinary_refuse(struct ordinary *o, const struct ordinary_query *q, uint16_t status,
                     struct reply *r);

const struct content *ordinary_content(const struct ordinary *o);

#endif
