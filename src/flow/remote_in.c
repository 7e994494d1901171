/* SPDX-License-Identifier: Apache-2.0 */
/* Where a connection comes in from another place: a source of copies. */
#include "flow/remote.h"

#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"

enum { NEED_PLACES };

enum { FAREWELL_MS = 1000, ENDED_MAX_BYTES = 64 << 20 };

/* What a message from elsewhere and its descendants are charged to. */
struct copy {
    struct copy_head head; /* first, as copy_of() wants it */
    struct remote_in *in;
    uint64_t ticket;
    struct list_node node;
};

struct remote_in {
    struct instance *self;
    struct remote *remote;
    const struct remote_end_settings *settings;
    struct remote_in *sibling;
    struct link *link;  /* NULL: not connected */
    uint64_t session;   /* the sender's */
    uint64_t last;      /* ticket that came through */
    struct list copies; /* that have not ended, in the order of tickets */
    struct buf ended;   /* to be told at the end of the turn */
};

const struct home *remote_home(const struct message *m)
{
    return m->is_copy ? &copy_of(m)->home : NULL;
}

bool part_may_go_on(struct instance *self, const struct message *m)
{
    const struct copy_head *c = m->is_copy ? copy_of(m) : NULL;
    return !c || !c->may_go_on || c->may_go_on(c, clock_now_ms(part_clock(self)));
}

uint64_t part_session(const struct message *m)
{
    return m->is_copy ? remote_home(m)->session : 0;
}

static struct credit_account *credit_account_of(struct remote_in *in)
{
    return &node_of(in->self)->source.account;
}

/* What goes only because the flow stops has not ended: it will be sent again. */
static void tell_ended(struct remote_in *in, uint64_t ticket)
{
    if (in->link && flow_state(node_of(in->self)->flow) != FLOW_STOPPING)
        buf_le64(&in->ended, ticket);
}

static void copy_whole(struct credit_account *p)
{
    struct copy *c = (struct copy *)(void *)p;
    struct remote_in *in = c->in;
    tell_ended(in, c->ticket);
    list_remove(&in->copies, &c->node);
    mem_free(c);
    atomic_fetch_sub(&credit_account_of(in)->out, 1);
}

static struct copy *copy_make(struct remote_in *in, const struct remote_head *h)
{
    struct copy *c = mem_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->head.account.owner = part_loop(in->self);
    c->head.account.whole = copy_whole;
    c->in = in;
    c->ticket = h->ticket;
    c->head.home = h->home;
    list_add_last(&in->copies, &c->node);
    atomic_fetch_add(&credit_account_of(in)->out, 1);
    return c;
}

/* Taking --------------------------------------------------------------------------------------- */

static void emit(struct remote_in *in, struct message *m, uint64_t route)
{
    m->route = route;
    count_one(&node_of(in->self)->counts.born);
    part_emit(in->self, 0, m);
}

static const char *peer_name(const struct remote_in *in)
{
    return in->remote->settings->places[in->settings->peer].name.p;
}

static void fail(struct remote_in *in, enum rc rc)
{
    part_fail(in->self, rc == RC_INVALID ? RC_CORRUPT : rc,
              "a message from place %s cannot be taken: %s", peer_name(in), rc_text(rc));
}

/* It is ours from now on, with the credits that it left here. */
static void take_back(struct remote_in *in, const struct remote_head *h, struct str bytes)
{
    tell_ended(in, h->ticket);
    struct message *m =
        h->home.session == in->remote->session ? remote_out_take_back(in->remote, &h->home) : NULL;
    if (!m)
        return;
    enum rc rc = in->settings->type->unpack(bytes, &m);
    if (rc) {
        fail(in, rc);
        message_end(m);
        return;
    }
    emit(in, m, h->route);
}

static void take_copy(struct remote_in *in, const struct remote_head *h, struct str bytes)
{
    struct message *m = NULL;
    enum rc rc = in->settings->type->unpack(bytes, &m);
    struct copy *c = rc == RC_OK ? copy_make(in, h) : NULL;
    if (!c) {
        fail(in, rc ? rc : RC_NOMEM);
        if (m)
            message_end(m);
        return;
    }
    credit_account_charge(&c->head.account, m, h->credits);
    m->is_copy = 1;
    emit(in, m, h->route);
}

static void link_drop(struct remote_in *in)
{
    if (!in->link)
        return;
    link_close(in->link);
    mem_free(in->link);
    in->link = NULL;
    buf_clear(&in->ended); /* the next welcome says so */
}

/* Tickets only grow; anything else is no sender of ours, and it may try again. */
static void take_message(struct remote_in *in, struct str frame)
{
    struct remote_head h;
    struct str bytes;
    if (remote_head_read(frame, &h, &bytes) != RC_OK || h.ticket <= in->last) {
        log_warn_limited(part_log(in->self), "place.bad_message", LOG_C("place", peer_name(in)));
        link_drop(in);
        return;
    }
    in->last = h.ticket;
    if (h.home.place == in->remote->settings->here)
        take_back(in, &h, bytes);
    else
        take_copy(in, &h, bytes);
}

static void take_frame(struct remote_in *in, struct str frame)
{
    switch (frame_kind(frame)) {
    case FRAME_MESSAGE:
        take_message(in, frame);
        return;
    case FRAME_OVER:
        remote_in_over(in->remote);
        return;
    default:
        log_warn_limited(part_log(in->self), "place.bad_message", LOG_C("place", peer_name(in)));
        link_drop(in);
    }
}

/* At the place of the sources, a message from elsewhere descends from a source here, so the sources
 * decide about the end. Other places wait until they are told. */
static enum produced quiet(const struct remote_in *in)
{
    bool may_end = in->remote->settings->has_sources || in->remote->is_over;
    return may_end ? PRODUCED_IDLE : PRODUCED_WAIT;
}

static enum produced in_produce(struct instance *self)
{
    struct remote_in *in = self->state;
    struct str frame;
    if (in->link && link_next(in->link, &frame))
        take_frame(in, frame);
    if (in->link && !link_has_frame(in->link))
        link_pump(in->link);
    if (in->link && in->link->is_gone && !link_has_frame(in->link))
        link_drop(in);
    return in->link && link_has_frame(in->link) ? PRODUCED_MORE : quiet(in);
}

/* The link ------------------------------------------------------------------------------------- */

static void on_link(struct link *l)
{
    struct remote_in *in = l->owner;
    if (link_has_frame(l)) /* also of one that has gone: its last word may be among them */
        part_ready(in->self);
    else if (l->is_gone)
        link_drop(in);
}

struct remote_in *remote_in_find(struct remote *r, const struct hello *h)
{
    struct remote_in *in = r->ins;
    while (in && (in->settings->cut != h->cut || in->settings->peer != h->from))
        in = in->sibling;
    return in;
}

static void say_welcome(struct remote_in *in)
{
    struct buf text;
    buf_init(&text, LINK_MAX_FRAME_BYTES);
    struct welcome w = {.session = in->remote->session, .last = in->last};
    welcome_write_head(&w, &text);
    for (struct list_node *n = in->copies.first; n; n = n->next)
        buf_le64(&text, LIST_OF(n, struct copy, node)->ticket);
    struct str frame = buf_str(&text);
    if (buf_rc(&text) == RC_OK) {
        link_put(in->link, &frame, 1);
        link_flush(in->link);
    } else {
        link_drop(in); /* no memory: it comes again */
    }
    buf_done(&text);
}

/* A sender that has restarted waits until its earlier messages have ended: else an old and a new
 * message could make two requests to one host at a time. */
void remote_in_take(struct remote_in *in, struct link *link, const struct hello *h)
{
    link_drop(in);
    in->link = link;
    link->happened = on_link;
    link->owner = in;
    if (h->session != in->session && in->copies.first) {
        log_info_limited(part_log(in->self), "place.waits", LOG_C("place", peer_name(in)));
        link_drop(in);
        return;
    }
    if (h->session != in->session)
        in->last = 0;
    in->session = h->session;
    log_info_limited(part_log(in->self), "place.accepted", LOG_C("place", peer_name(in)));
    say_welcome(in);
    if (in->link && link_has_frame(in->link))
        part_ready(in->self);
}

void remote_in_over(struct remote *r)
{
    r->is_over = true;
    for (struct remote_in *in = r->ins; in; in = in->sibling)
        part_ready(in->self);
}

/* The part ------------------------------------------------------------------------------------- */

static void in_turn(struct instance *self)
{
    struct remote_in *in = self->state;
    const char kind = FRAME_ENDED;
    if (!in->ended.n)
        return;
    const struct str pieces[] = {{&kind, 1}, buf_str(&in->ended)};
    if (in->link && buf_rc(&in->ended) == RC_OK) {
        link_put(in->link, pieces, 2);
        link_flush(in->link);
    } else {
        link_drop(in);
    }
    buf_clear(&in->ended);
}

static void in_close(struct instance *self)
{
    struct remote_in *in = self->state;
    struct remote_in **at = &in->remote->ins;
    if (in->link)
        link_finish(in->link, FAREWELL_MS);
    link_drop(in);
    while (*at != in)
        at = &(*at)->sibling;
    *at = in->sibling;
    buf_done(&in->ended);
    mem_free(in);
}

static enum rc in_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct remote_in *in = mem_zero(1, sizeof *in);
    if (!in)
        return RC_NOMEM;
    self->state = in;
    in->self = self;
    in->settings = self->settings;
    in->remote = part_provider(self, NEED_PLACES);
    buf_init(&in->ended, ENDED_MAX_BYTES);
    in->sibling = in->remote->ins;
    in->remote->ins = in;
    return RC_OK;
}

const struct part part_remote_in = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "remote-in",
    .help = "from another place",
    .outlets = (const struct part_port[]){{"out", "any", "messages that came", false}, {0}},
    .needs = (const struct part_need[]){[NEED_PLACES] = {"places", "places", "links"}, {0}},
    .settings_bytes = sizeof(struct remote_end_settings),
    .open = in_open,
    .close = in_close,
    .produce = in_produce,
    .stop = in_turn,
    .turn = in_turn,
};
