/* SPDX-License-Identifier: Apache-2.0 */
/* nats_link: one connection to the servers, and the thread that keeps it: it connects, subscribes,
 * waits for the end of the connection, and begins anew. Messages go into the mail. */
#ifndef BUS_NATS_LINK_H
#define BUS_NATS_LINK_H

#include "base/log.h"
#include "base/rc.h"
#include "base/str.h"
#include "bus/bus_nats.h"
#include "bus/nats_mail.h"

#include <pthread.h>

enum {
    NATS_LINK_MAX_TEXT = 255,
    NATS_LINK_MAX_SUBS = BUS_NATS_MAX_LISTENS + 1, /* one more for the answers */
    NATS_LINK_FAREWELL_MS = 10000, /* how long the library may take to end its threads */
};

/* `lock` guards everything up to `stuck`. */
struct nats_link {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    natsConnection *nc; /* NULL: there is no connection */
    natsSubscription *subs[NATS_LINK_MAX_SUBS];
    size_t sub_count;
    size_t delivering; /* subscriptions whose thread may still call us */
    bool is_closed;    /* the library has ended the present connection */
    bool is_given_up;  /* the present connection must be made anew */
    bool stopping;
    bool stuck; /* a connection did not end in time: its memory is not freed */
    char *listens[BUS_NATS_MAX_LISTENS];
    size_t listen_count;
    size_t listening; /* how many of the first subjects the present connection listens to */

    _Atomic uint64_t ups, downs; /* equal: down */
    _Atomic uint64_t refused;    /* how often the server reported that something is not allowed */
    const char *_Atomic failure; /* why the last attempt to connect failed; NULL: none did */
    pthread_t keeper;
    bool has_keeper;
    const char *what;
    struct nats_mail *mail;
    struct log *log;
    char url[NATS_LINK_MAX_TEXT + 1];
    char user[NATS_LINK_MAX_TEXT + 1], password[NATS_LINK_MAX_TEXT + 1];
    const char *answers; /* the subject of answers; NULL: none */
};

/* A message to send. `reply` and `id` may be NULL. */
struct letter {
    const char *subject, *reply, *id;
    struct str payload;
};

/* `l` is zeroed; nats_link_done() must follow. Settings come next, then the start. */
void nats_link_init(struct nats_link *l, const char *what, struct nats_mail *mail, struct log *log);
/* False: one of the texts is empty or too long. */
MUST_CHECK bool nats_link_login(struct nats_link *l, struct str url, struct str user,
                                struct str password);
MUST_CHECK enum rc nats_link_start(struct nats_link *l);
void nats_link_stop(struct nats_link *l);
void nats_link_done(struct nats_link *l);

bool nats_link_is_up(const struct nats_link *l);
/* Calls that were made on a connection below this number have lost it. */
uint64_t nats_link_number(struct nats_link *l);

/* RC_AGAIN: the connection is down, or its buffer is full. */
MUST_CHECK enum rc nats_link_send(struct nats_link *l, const struct letter *p);
/* Listens from now on, on every connection. RC_AGAIN: too many subjects, or not possible now. */
MUST_CHECK enum rc nats_link_listen(struct nats_link *l, struct str subject);
void nats_link_anew(struct nats_link *l); /* makes another connection */

/* Copies the text and ends it with NUL; false if it is empty, too long, or contains a NUL. */
MUST_CHECK bool nats_text(char *to, size_t bytes, struct str s);

#endif
