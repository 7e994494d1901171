/* SPDX-License-Identifier: Apache-2.0 */
/* http/here: pages are asked for from this machine, on the shard's own loop. */
#include "roles/http.h"

#include "base/fd.h"
#include "flow/part.h"

static enum rc http_here_open(struct instance *self, struct buf *why)
{
    struct http *h = NULL;
    struct http_settings s = *(const struct http_settings *)self->settings;
    s.sockets_most = http_socket_share(fd_limit(), self->shard_count);
    if (s.idle_most > s.sockets_most)
        s.idle_most = s.sockets_most;
    enum rc rc = http_open(part_loop(self), &s, &h, why);
    self->state = h;
    return rc;
}

static void http_here_close(struct instance *self)
{
    http_close(self->state);
}

static void *http_here_provide(struct instance *self)
{
    return self->state;
}

const struct part part_http_here = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "here",
    .help = "asks web servers from this machine, over connections that it keeps",
    .where = PART_ON_EACH_SHARD,
    .provides = HTTP_INTERFACE,
    .options = http_options,
    .settings_bytes = sizeof(struct http_settings),
    .open = http_here_open,
    .close = http_here_close,
    .provide = http_here_provide,
};
