/* SPDX-License-Identifier: Apache-2.0 */
/* The provider: which links may come in, and which end each is given to. */
#include "flow/remote.h"

#include "base/mem.h"

#include <sys/random.h>

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

static void refuse(struct link *l, const char *why)
{
    const char kind = FRAME_REFUSED;
    const struct str pieces[] = {{&kind, 1}, str_c(why)};
    link_put(l, pieces, 2);
}

static bool welcome(void *ctx, struct link *l, struct str frame, const char **ret_why)
{
    struct remote *r = ctx;
    struct hello h;
    if (hello_read(frame, &h) != RC_OK)
        return false;
    *ret_why = wrong_with(r, &h);
    struct remote_in *in = *ret_why ? NULL : remote_in_find(r, &h);
    if (in)
        remote_in_take(in, l, &h);
    else if (!*ret_why)
        *ret_why = "no such connection leads here";
    return in != NULL;
}

static void remote_close(struct instance *self)
{
    struct remote *r = self->state;
    reception_close(&r->reception);
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
    r->reception = (struct reception){
        .self = self, .ctx = r, .welcome = welcome, .refuse = refuse, .listening.fd = -1};
    enum rc rc = link_context_open(r->settings->secret, &r->links);
    if (rc == RC_INVALID)
        buf_printf(why, "the secret has %zu bytes; expected %d to %d", r->settings->secret.n,
                   LINK_MIN_SECRET_BYTES, LINK_MAX_SECRET_BYTES);
    if (rc == RC_OK && getrandom(&r->session, sizeof r->session, 0) != sizeof r->session)
        rc = RC_IO;
    r->reception.links = r->links;
    if (rc == RC_OK)
        rc = reception_open(&r->reception, r->settings->places[r->settings->here].address, why);
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
