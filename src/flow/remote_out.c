/* SPDX-License-Identifier: Apache-2.0 */
/* Where a connection leaves the place: messages stay here while their copies are elsewhere. */
#include "flow/remote.h"

#include "base/int_map.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "flow/node.h"

enum { NEED_PLACES };

enum {
    DIAL_FIRST_MS = 50,
    DIAL_MOST_MS = 5000,
    PATIENCE_MS = 10000, /* from dialling to the welcome */
    FAREWELL_MS = 1000,
    REFUSAL_MAX_BYTES = 200,
};

/* A message that stayed, and the frame that its copy went with: it may have to go again. */
struct stayed {
    uint64_t ticket;
    struct message *message;
    struct buf frame;
    struct list_node node; /* in the order of tickets */
};

struct remote_out {
    struct instance *self;
    struct remote *remote;
    const struct remote_end_settings *settings;
    struct remote_out *sibling;
    struct link link;
    struct timer again;
    uint64_t wait_ms;
    bool is_up; /* welcomed */
    uint64_t tickets;
    struct list stayed;
    struct list_node *unsent; /* in `stayed`: all from it on */
    struct int_map by_ticket; /* pointers to those in `stayed` */
};

/* What stayed ---------------------------------------------------------------------------------- */

static struct stayed *stayed_find(struct remote_out *o, uint64_t ticket)
{
    struct stayed **s = int_map_get(&o->by_ticket, ticket);
    return s ? *s : NULL;
}

/* Room for its ticket was reserved. */
static void stayed_add(struct remote_out *o, struct stayed *s)
{
    struct stayed **by_ticket = int_map_need(&o->by_ticket, s->ticket, NULL);
    *by_ticket = s;
    list_add_last(&o->stayed, &s->node);
    if (!o->unsent)
        o->unsent = &s->node;
}

/* Gives the message away; the rest goes. */
static struct message *stayed_remove(struct remote_out *o, struct stayed *s)
{
    struct message *m = s->message;
    (void)int_map_remove(&o->by_ticket, s->ticket);
    if (o->unsent == &s->node)
        o->unsent = s->node.next;
    list_remove(&o->stayed, &s->node);
    buf_done(&s->frame);
    mem_free(s);
    return m;
}

static void stayed_end(struct remote_out *o, struct stayed *s)
{
    part_end_anyway(o->self, stayed_remove(o, s));
}

struct message *remote_out_take_back(struct remote *r, const struct home *home)
{
    for (struct remote_out *o = r->outs; o; o = o->sibling) {
        struct stayed *s = o->settings->cut == home->cut ? stayed_find(o, home->ticket) : NULL;
        if (!s)
            continue;
        count_one(&node_of(o->self)->counts.out);
        return stayed_remove(o, s);
    }
    return NULL;
}

/* The link ------------------------------------------------------------------------------------- */

static const char *peer_name(const struct remote_out *o)
{
    return o->remote->settings->places[o->settings->peer].name.p;
}

static void dial_later(struct remote_out *o)
{
    o->wait_ms = o->wait_ms ? o->wait_ms * 2 : DIAL_FIRST_MS;
    if (o->wait_ms > DIAL_MOST_MS)
        o->wait_ms = DIAL_MOST_MS;
    if (part_timer(o->self, &o->again, part_now_ms(o->self) + o->wait_ms) != RC_OK)
        part_fail(o->self, RC_NOMEM, "no memory for a timer");
}

static void link_lost(struct remote_out *o)
{
    if (o->is_up || o->wait_ms == DIAL_MOST_MS)
        log_warn_limited(part_log(o->self), "place.lost", LOG_C("place", peer_name(o)),
                         LOG_C("why", o->link.why ? o->link.why : "-"));
    o->is_up = false;
    link_close(&o->link);
    dial_later(o);
}

static void say_hello(struct remote_out *o)
{
    char room[64];
    struct buf text = buf_on(room, sizeof room);
    const struct remote *r = o->remote;
    struct hello h = {
        .abi = PART_ABI,
        .wiring = r->settings->wiring,
        .from = (uint16_t)r->settings->here,
        .to = (uint16_t)o->settings->peer,
        .cut = (uint16_t)o->settings->cut,
        .session = r->session,
    };
    hello_write(&h, &text);
    struct str frame = buf_str(&text);
    link_put(&o->link, &frame, 1);
}

static void dial(struct remote_out *o)
{
    struct link_address to;
    enum rc rc = link_address_read(o->remote->settings->places[o->settings->peer].address, &to);
    if (rc == RC_OK)
        rc = link_dial(&o->link, o->remote->links, part_loop(o->self), &to);
    if (rc == RC_OK)
        rc = part_timer(o->self, &o->again, part_now_ms(o->self) + PATIENCE_MS);
    if (rc == RC_OK) {
        say_hello(o);
    } else {
        link_close(&o->link);
        dial_later(o);
    }
}

static void dial_again(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct remote_out *o = EVENT_OF(t, struct remote_out, again);
    if (o->link.context) { /* a program has accepted the connection and says nothing */
        o->link.why = "it does not answer";
        link_lost(o);
    } else {
        dial(o);
    }
}

static void send_more(struct remote_out *o)
{
    while (o->is_up && o->unsent && !o->link.is_gone &&
           link_backlog(&o->link) < LINK_BACKLOG_BYTES) {
        struct str frame = buf_str(&LIST_OF(o->unsent, struct stayed, node)->frame);
        o->unsent = o->unsent->next;
        link_put(&o->link, &frame, 1);
    }
}

static enum rc on_welcome(struct remote_out *o, struct str frame)
{
    struct welcome w;
    if (o->is_up || welcome_read(frame, &w) != RC_OK)
        return RC_INVALID;
    o->is_up = true;
    o->wait_ms = 0;
    part_timer_stop(o->self, &o->again);
    log_info_limited(part_log(o->self), "place.connected", LOG_C("place", peer_name(o)));
    struct list_node *n = o->stayed.first, *next;
    for (; n; n = next) { /* both in order of tickets */
        struct stayed *s = LIST_OF(n, struct stayed, node);
        if (s->ticket > w.last)
            break;
        next = n->next;
        while (w.open.n && get_le64(w.open.p) < s->ticket)
            w.open = str_from(w.open, 8);
        if (!w.open.n || get_le64(w.open.p) != s->ticket)
            stayed_end(o, s);
    }
    o->unsent = n;
    return RC_OK;
}

static enum rc on_ended(struct remote_out *o, struct str tickets)
{
    if (tickets.n % 8)
        return RC_INVALID;
    for (; tickets.n; tickets = str_from(tickets, 8)) {
        struct stayed *s = stayed_find(o, get_le64(tickets.p));
        if (s)
            stayed_end(o, s);
    }
    return RC_OK;
}

/* At the place of the sources the flow fails: the operator has just started it and sees the error.
 * Other places go on trying: a mistake at one place must not end the others. */
static void on_refused(struct remote_out *o, struct str why)
{
    why = str_first(why, why.n < REFUSAL_MAX_BYTES ? why.n : REFUSAL_MAX_BYTES);
    if (o->remote->settings->has_sources)
        part_fail(o->self, RC_INVALID, "place %s refuses: " STR_FMT, peer_name(o), STR_ARG(why));
    else
        log_warn_limited(part_log(o->self), "place.refused_us", LOG_C("place", peer_name(o)),
                         LOG_STR("why", why));
}

static enum rc on_frame(struct remote_out *o, struct str frame)
{
    switch (frame_kind(frame)) {
    case FRAME_WELCOME:
        return on_welcome(o, frame);
    case FRAME_ENDED:
        return o->is_up ? on_ended(o, str_from(frame, 1)) : RC_INVALID;
    case FRAME_REFUSED:
        on_refused(o, str_from(frame, 1));
        return RC_OK;
    default:
        return RC_INVALID;
    }
}

static void on_link(struct link *l)
{
    struct remote_out *o = l->owner;
    struct str frame;
    enum rc rc = RC_OK;
    do {
        while (rc == RC_OK && link_next(l, &frame))
            rc = on_frame(o, frame);
        link_pump(l);
    } while (rc == RC_OK && link_has_frame(l));
    if (rc)
        part_fail(o->self, RC_CORRUPT, "place %s sent a frame that cannot be read", peer_name(o));
    send_more(o);
    if (l->is_gone)
        link_lost(o);
}

/* The part ------------------------------------------------------------------------------------- */

static enum rc frame_make(struct remote_out *o, const struct message *m, struct stayed *s)
{
    const struct home *home = remote_home(m);
    const struct remote *r = o->remote;
    struct remote_head head = {
        .ticket = s->ticket, .route = m->route, .credits = m->credits ? m->credits : 1};
    head.home = home ? *home
                     : (struct home){.place = (uint16_t)r->settings->here,
                                     .cut = (uint16_t)o->settings->cut,
                                     .session = r->session,
                                     .ticket = s->ticket};
    buf_init(&s->frame, LINK_MAX_FRAME_BYTES);
    remote_head_write(&head, &s->frame);
    enum rc rc = o->settings->type->pack(m, &s->frame);
    return rc ? rc : buf_rc(&s->frame);
}

static void out_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct remote_out *o = self->state;
    struct stayed *s = mem_zero(1, sizeof *s);
    bool has_room = int_map_reserve(&o->by_ticket, o->by_ticket.count + 1) == RC_OK;
    enum rc rc = s && has_room ? RC_OK : RC_NOMEM;
    if (rc == RC_OK) {
        s->ticket = ++o->tickets;
        s->message = m;
        rc = frame_make(o, m, s);
    }
    if (rc) {
        part_fail(self, rc, "a message cannot be sent to place %s: %s", peer_name(o), rc_text(rc));
        if (s)
            buf_done(&s->frame);
        mem_free(s);
        part_end_anyway(self, m);
        return;
    }
    if (o->settings->type->stay)
        o->settings->type->stay(m);
    stayed_add(o, s);
    send_more(o);
}

static void out_turn(struct instance *self)
{
    struct remote_out *o = self->state;
    send_more(o);
    if (link_backlog(&o->link))
        link_flush(&o->link);
}

static void out_start(struct instance *self)
{
    dial(self->state);
}

static void out_stop(struct instance *self)
{
    struct remote_out *o = self->state;
    part_timer_stop(self, &o->again);
    while (o->stayed.first)
        stayed_end(o, LIST_OF(o->stayed.first, struct stayed, node));
}

/* Only a flow that came to its end in order tells so; the place with the sources begins it. */
static bool says_over(const struct remote_out *o)
{
    const struct remote *r = o->remote;
    return o->is_up && !o->link.is_gone && node_of(o->self)->flow->error == RC_OK &&
           (r->settings->has_sources || r->is_over) && o->settings->peer != r->settings->home;
}

static void out_close(struct instance *self)
{
    struct remote_out *o = self->state;
    struct remote_out **at = &o->remote->outs;
    if (says_over(o)) {
        const char kind = FRAME_OVER;
        const struct str frame = {&kind, 1};
        link_put(&o->link, &frame, 1);
        link_finish(&o->link, FAREWELL_MS);
    }
    link_close(&o->link);
    while (*at != o)
        at = &(*at)->sibling;
    *at = o->sibling;
    int_map_done(&o->by_ticket);
    mem_free(o);
}

static enum rc out_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct remote_out *o = mem_zero(1, sizeof *o);
    if (!o)
        return RC_NOMEM;
    self->state = o;
    o->by_ticket = INT_MAP(sizeof(struct stayed *));
    o->self = self;
    o->settings = self->settings;
    o->remote = part_provider(self, NEED_PLACES);
    o->link.happened = on_link;
    o->link.owner = o;
    o->again.due = dial_again;
    o->sibling = o->remote->outs;
    o->remote->outs = o;
    return RC_OK;
}

const struct part part_remote_out = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "remote-out",
    .help = "to another place",
    .inlets = (const struct part_port[]){{"in", "any", "messages that leave", false}, {0}},
    .needs = (const struct part_need[]){[NEED_PLACES] = {"places", "places", "links"}, {0}},
    .settings_bytes = sizeof(struct remote_end_settings),
    .open = out_open,
    .close = out_close,
    .handle = out_handle,
    .start = out_start,
    .stop = out_stop,
    .turn = out_turn,
};
