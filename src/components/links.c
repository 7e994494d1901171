/* SPDX-License-Identifier: Apache-2.0 */
#include "components/links.h"

#include "base/mem.h"

static void links_release(struct message *m)
{
    mem_free(m);
}

static const struct message_type links_type = {LINKS_TYPE, links_release};

void candidate_print(const struct candidate *c, struct buf *out)
{
    buf_add(out, c->is_https ? STR("https://") : STR("http://"));
    buf_add(out, c->host);
    if (c->port) {
        buf_byte(out, ':');
        buf_u64(out, c->port);
    }
    buf_add(out, c->path);
}

static struct str put(char **at, struct str s)
{
    struct str copy = {*at, s.n};
    memcpy(*at, s.p, s.n);
    *at += s.n;
    return copy;
}

struct links *links_open(const struct candidate *const *list, size_t count, struct str from,
                         unsigned epoch, uint64_t batch)
{
    size_t bytes = sizeof(struct links) + count * sizeof(struct candidate) + from.n;
    for (size_t i = 0; i < count; i++)
        bytes += list[i]->host.n + list[i]->path.n + list[i]->hops.n;
    struct links *l = mem_alloc(bytes);
    if (!l)
        return NULL;
    message_init(&l->head, &links_type);
    l->epoch = epoch;
    l->batch = batch;
    l->count = count;
    char *at = (char *)&l->list[count];
    l->from = put(&at, from);
    for (size_t i = 0; i < count; i++) {
        l->list[i] = *list[i];
        l->list[i].host = put(&at, list[i]->host);
        l->list[i].path = put(&at, list[i]->path);
        l->list[i].hops = put(&at, list[i]->hops);
    }
    return l;
}
