/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/reception.h"

#include "base/log.h"
#include "base/mem.h"
#include "net/peer.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { GUEST_MS = 10000 };

/* A link that has not said hello yet. The link moves on to an end, so it is allocated alone. */
struct guest {
    struct reception *reception;
    struct link *link;
    struct timer patience;
    unsigned seat;
    uint64_t number; /* among the newcomers */
};

static void guest_go(struct guest *g)
{
    struct reception *r = g->reception;
    part_timer_stop(r->self, &g->patience);
    if (g->link)
        link_close(g->link);
    mem_free(g->link);
    r->guests[g->seat] = NULL;
    (void)newcomers_leave(&r->newcomers, g->number);
    mem_free(g);
}

static void guest_too_slow(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    guest_go(EVENT_OF(t, struct guest, patience));
}

static void guest_refuse(struct guest *g, const char *why)
{
    g->reception->refuse(g->link, why);
    link_flush(g->link);
    log_warn_limited(part_log(g->reception->self), "place.refused", LOG_C("why", why));
}

static void guest_said(struct link *l)
{
    struct guest *g = l->owner;
    struct reception *r = g->reception;
    struct str frame;
    const char *why = NULL;
    if (l->is_gone) {
        log_warn_limited(part_log(r->self), "place.closed_early", LOG_C("why", l->why));
        guest_go(g);
        return;
    }
    if (!link_next(l, &frame))
        return;
    l->frame_bytes = 0;
    if (r->welcome(r->ctx, l, frame, &why))
        g->link = NULL;
    else if (why)
        guest_refuse(g, why);
    guest_go(g);
}

static void drop_oldest(struct reception *r, uint64_t source)
{
    uint64_t old;
    while ((old = newcomers_to_drop(&r->newcomers, source)))
        for (unsigned i = 0; i < RECEPTION_SEATS; i++)
            if (r->guests[i] && r->guests[i]->number == old)
                guest_go(r->guests[i]);
}

/* The guest is one of the newcomers from here on. */
static void guest_sit(struct reception *r, struct guest *g)
{
    uint64_t source = peer_group(g->link->watch.fd);
    drop_oldest(r, source);
    g->number = newcomers_enter(&r->newcomers, source);
    while (r->guests[g->seat])
        g->seat++; /* there are as many as newcomers */
    r->guests[g->seat] = g;
}

/* Takes the next that waits. */
static void on_knock(struct watch *w, unsigned events)
{
    (void)events;
    struct reception *r = EVENT_OF(w, struct reception, listening);
    struct guest *g = mem_zero(1, sizeof *g);
    struct link *l = g ? mem_zero(1, sizeof *l) : NULL;
    if (!l) {
        mem_free(g);
        return;
    }
    l->happened = guest_said;
    l->owner = g;
    l->frame_bytes = RECEPTION_FRAME_BYTES;
    if (link_accept(l, r->links, part_loop(r->self), r->listening.fd) != RC_OK) {
        mem_free(l);
        mem_free(g);
        return;
    }
    *g = (struct guest){.reception = r, .link = l, .patience.due = guest_too_slow};
    guest_sit(r, g);
    if (part_timer(r->self, &g->patience, part_now_ms(r->self) + GUEST_MS) != RC_OK)
        guest_go(g);
}

enum rc reception_open(struct reception *r, struct str address, struct buf *why)
{
    struct link_address at;
    newcomers_init(&r->newcomers, RECEPTION_SEATS, RECEPTION_SEATS_EACH);
    r->listening = (struct watch){.ready = on_knock, .fd = -1};
    enum rc rc = link_address_read(address, &at);
    if (rc == RC_OK)
        rc = link_listen(&at, &r->listening.fd);
    if (rc == RC_OK)
        rc = part_watch(r->self, &r->listening, (unsigned)EPOLLIN);
    if (rc) {
        buf_printf(why, "cannot listen at " STR_FMT ": %s", STR_ARG(address),
                   rc == RC_IO ? strerror(errno) : rc_text(rc));
        reception_close(r);
    }
    return rc == RC_IO ? RC_LIMIT : rc; /* it is no trouble of the disk */
}

void reception_close(struct reception *r)
{
    for (unsigned i = 0; i < RECEPTION_SEATS; i++)
        if (r->guests[i])
            guest_go(r->guests[i]);
    part_unwatch(r->self, &r->listening);
    if (r->listening.fd >= 0)
        close(r->listening.fd);
    r->listening.fd = -1;
}
