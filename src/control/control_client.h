/* SPDX-License-Identifier: Apache-2.0 */
/* control_client: asks the crawl that runs in a directory, over its control socket.
 *
 *     control_client_open(&c, dir, &why);
 *     control_client_begin(&c, "url");
 *     jsonw_text_field(&c.j, "url", url);
 *     control_client_ask(&c, &answer, &why);
 *     control_client_close(&c);
 *
 * Nothing here prints: `why` has the reason for a person. */
#ifndef CONTROL_CONTROL_CLIENT_H
#define CONTROL_CONTROL_CLIENT_H

#include "base/jsonw.h"

#include <jansson.h>

struct control_client {
    int fd;             /* -1: not connected */
    const char *dir;    /* borrowed */
    struct buf request; /* the line that is being made */
    struct jsonw j;
    struct buf in;
};

/* RC_NOT_FOUND: no crawl runs there; RC_LOCKED: it is another user's; RC_IO; `why`. Close it in
 * any case. An answer may take 60 s. */
MUST_CHECK enum rc control_client_open(struct control_client *c, const char *dir, struct buf *why);
/* How long an answer may take from now on; 0: as long as it takes. */
void control_client_set_timeout(struct control_client *c, int seconds);
void control_client_close(struct control_client *c); /* accepts a zeroed one */

/* Begins a request; the caller adds members to c->j. */
void control_client_begin(struct control_client *c, const char *what);
/* Ends the request; *ret_line is the line without its LF, borrowed. RC_LIMIT: it is too long. */
MUST_CHECK enum rc control_client_end(struct control_client *c, struct str *ret_line);

/* Sends what was ended and reads the answer, which is the caller's (json_decref). RC_INVALID,
 * RC_NOT_FOUND, RC_UNSUPPORTED: the crawl refuses the request; RC_CLOSED: it does not answer; or
 * what else it could not do (control_request.h); `why`. */
MUST_CHECK enum rc control_client_send(struct control_client *c, json_t **ret, struct buf *why);
/* Both. */
MUST_CHECK enum rc control_client_ask(struct control_client *c, json_t **ret, struct buf *why);

/* The next line of the answer, for as long as it takes; NULL: the crawl is gone. */
json_t *control_client_next(struct control_client *c);
/* Until the other end has closed: the crawl's process is gone. */
void control_client_wait_gone(struct control_client *c);

#endif
