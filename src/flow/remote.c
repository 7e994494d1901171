/* SPDX-License-Identifier: Apache-2.0 */
/* The provider: which links may come in, and which end each is given to. */
#include "flow/remote.h"

#include "base/log.h"
#include "base/mem.h"
#include "net/peer.h"

#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

enum { GUEST_MS = 10000 };

/* A link that has not said hello yet. The link moves on to an end, so it is allocated alone. */
struct guest {
    struct remote *remote;
    struct link *link;
    struct timer patience;
    unsigned seat;
    uint64_t number; /* among the newcomers */
};

static void guest_go(struct guest *g)
{
    struct remote *r = g->remote;
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

/* NULL: welcome. */
static const char *wrong_with(const struct remote *r, const struct hello *h)
{
    if (h->abi != PART_ABI)
        return "it runs another version of orbweaver";
    if (h->wiring != r->settings->wiring)
        return "it has another wiring file";
    if (h->to != r->settings->here)
        return "its file says that another place is here";
    return NULL;
}

static void guest_refuse(struct guest *g, const char *why)
{
    const char kind = FRAME_REFUSED;
    const struct str pieces[] = {{&kind, 1}, str_c(why)};
    link_put(g->link, pieces, 2);
    link_flush(g->link);
    log_warn_limited(part_log(g->remote->self), "place.refused", LOG_C("why", why));
}

static void guest_said(struct link *l)
{
    struct guest *g = l->owner;
    struct remote *r = g->remote;
    struct str frame;
    struct hello h;
    if (l->is_gone) {
        log_warn_limited(part_log(r->self), "place.closed_early", LOG_C("why", l->why));
        guest_go(g);
        return;
    }
    if (!link_next(l, &frame))
        return;
    if (hello_read(frame, &h) != RC_OK) {
        guest_go(g);
        return;
    }
    const char *wrong = wrong_with(r, &h);
    struct remote_in *in = wrong ? NULL : remote_in_find(r, &h);
    if (in) {
        g->link = NULL;
        guest_go(g);
        remote_in_take(in, l, &h);
    } else {
        guest_refuse(g, wrong ? wrong : "no such connection leads here");
        guest_go(g);
    }
}

static void drop_oldest(struct remote *r, uint64_t source)
{
    uint64_t old;
    while ((old = newcomers_to_drop(&r->newcomers, source)))
        for (unsigned i = 0; i < REMOTE_MAX_GUESTS; i++)
            if (r->guests[i] && r->guests[i]->number == old)
                guest_go(r->guests[i]);
}

/* The guest is one of the newcomers from here on. */
static void guest_sit(struct remote *r, struct guest *g)
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
    struct remote *r = EVENT_OF(w, struct remote, listening);
    struct guest *g = mem_zero(1, sizeof *g);
    struct link *l = g ? mem_zero(1, sizeof *l) : NULL;
    if (!l) {
        mem_free(g);
        return;
    }
    l->happened = guest_said;
    l->owner = g;
    if (link_accept(l, r->links, part_loop(r->self), r->listening.fd) != RC_OK) {
        mem_free(l);
        mem_free(g);
        return;
    }
    *g = (struct guest){.remote = r, .link = l, .patience.due = guest_too_slow};
    guest_sit(r, g);
    if (part_timer(r->self, &g->patience, part_now_ms(r->self) + GUEST_MS) != RC_OK)
        guest_go(g);
}

static enum rc listen_here(struct remote *r, struct buf *why)
{
    const struct wiring_place *here = &r->settings->places[r->settings->here];
    struct link_address at;
    enum rc rc = link_address_read(here->address, &at);
    if (rc == RC_OK)
        rc = link_listen(&at, &r->listening.fd);
    if (rc == RC_OK)
        rc = part_watch(r->self, &r->listening, (unsigned)EPOLLIN);
    if (rc)
        buf_printf(why, "cannot listen at %s: %s", here->address.p,
                   rc == RC_IO ? strerror(errno) : rc_text(rc));
    return rc;
}

static void remote_close(struct instance *self)
{
    struct remote *r = self->state;
    for (unsigned i = 0; i < REMOTE_MAX_GUESTS; i++)
        if (r->guests[i])
            guest_go(r->guests[i]);
    part_unwatch(self, &r->listening);
    if (r->listening.fd >= 0)
        close(r->listening.fd);
    link_context_close(r->links);
    mem_free(r);
}

static enum rc remote_open(struct instance *self, struct buf *why)
{
    struct remote *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    self->state = r;
    r->self = self;
    r->settings = self->settings;
    newcomers_init(&r->newcomers, REMOTE_MAX_GUESTS, REMOTE_MAX_GUESTS_EACH);
    r->listening = (struct watch){.ready = on_knock, .fd = -1};
    enum rc rc = link_context_open(r->settings->secret, &r->links);
    if (rc == RC_INVALID)
        buf_printf(why, "the secret has %zu bytes; expected %d to %d", r->settings->secret.n,
                   LINK_MIN_SECRET_BYTES, LINK_MAX_SECRET_BYTES);
    if (rc == RC_OK && getrandom(&r->session, sizeof r->session, 0) != sizeof r->session)
        rc = RC_IO;
    if (rc == RC_OK)
        rc = listen_here(r, why);
    if (rc)
        remote_close(self);
    return rc;
}

static void *remote_provide(struct instance *self)
{
    return self->state;
}

const struct part part_remote = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "places",
    .help = "links to the other places of the wiring",
    .where = PART_ON_EACH_SHARD,
    .provides = "places",
    .settings_bytes = sizeof(struct remote_settings),
    .open = remote_open,
    .close = remote_close,
    .provide = remote_provide,
};
