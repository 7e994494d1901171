/* SPDX-License-Identifier: Apache-2.0 */
/* nats_link: one connection to the servers, and the thread that keeps it: connects, listens to
 * everything that is listened to, waits for its end, begins anew. What comes goes into the mail. */
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
    NATS_LINK_MAX_SUBS = BUS_NATS_MAX_LISTENS + 1, /* and the answers */
    NATS_LINK_FAREWELL_MS = 10000, /* how long the library may take to end its threads */
};

/* `lock` guards everything down to `stuck`. */
struct nats_link {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    natsConnection *nc; /* NULL while there is none */
    natsSubscription *subs[NATS_LINK_MAX_SUBS];
    size_t sub_count;
    size_t delivering; /* subscriptions whose thread may still call us */
    bool is_closed;    /* the library has ended the present connection */
    bool is_given_up;  /* the present connection is to be made anew */
    bool stopping;
    bool stuck; /* it did not end in time: its memory is left to it */
    char *listens[BUS_NATS_MAX_LISTENS];
    size_t listen_count;
    size_t listening; /* the first so many, on the present connection */

    _Atomic uint64_t ups, downs; /* equal: down */
    _Atomic uint64_t refused;    /* times the server said that something is not allowed */
    pthread_t keeper;
    bool has_keeper;
    const char *what;
    struct nats_mail *mail;
    struct log *log;
    char url[NATS_LINK_MAX_TEXT + 1];
    char user[NATS_LINK_MAX_TEXT + 1], password[NATS_LINK_MAX_TEXT + 1];
    const char *answers; /* the subject on which they come; NULL: on none */
};

/* What goes out. `reply` and `id` may be NULL. */
struct letter {
    const char *subject, *reply, *id;
    struct str payload;
};

/* `l` is zeroed, and nats_link_done() must follow; then its settings, before it starts. */
void nats_link_init(struct nats_link *l, const char *what, struct nats_mail *mail, struct log *log);
/* False: one of them is empty or too long. */
MUST_CHECK bool nats_link_login(struct nats_link *l, struct str url, struct str user,
                                struct str password);
MUST_CHECK enum rc nats_link_start(struct nats_link *l);
void nats_link_stop(struct nats_link *l);
void nats_link_done(struct nats_link *l);

bool nats_link_is_up(const struct nats_link *l);
/* Calls made on a connection below this number have lost it. */
uint64_t nats_link_number(struct nats_link *l);

/* RC_AGAIN: it is down, or has no room. */
MUST_CHECK enum rc nats_link_send(struct nats_link *l, const struct letter *p);
/* From now on, on every connection; RC_AGAIN: too many, or not just now. */
MUST_CHECK enum rc nats_link_listen(struct nats_link *l, struct str subject);
void nats_link_anew(struct nats_link *l); /* another connection */

/* The text with its end, if it is neither empty nor too long and has no other. */
MUST_CHECK bool nats_text(char *to, size_t bytes, struct str s);

#endif
