/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/links.h"

#include "base/mem.h"
#include "base/taker.h"

static void links_release(struct message *m)
{
    mem_free(m);
}

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

/* A crawler printed the text, so the parser needs neither IDN nor encodings. */
enum rc candidate_url(const struct candidate *c, struct arena *arena, struct url *ret)
{
    size_t room_bytes = c->host.n + c->path.n + 32;
    char *room = arena_alloc(arena, 2 * room_bytes);
    if (!room)
        return RC_NOMEM;
    struct buf text = buf_on(room, room_bytes);
    struct url_parser parser = {0};
    candidate_print(c, &text);
    return url_parse(&parser, buf_str(&text), NULL,
                     (struct url_room){room + room_bytes, room_bytes}, ret);
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
        bytes += list[i]->host.n + list[i]->path.n + list[i]->seed_path.n;
    struct links *l = mem_alloc(bytes);
    if (!l)
        return NULL;
    message_init(&l->head, &links_type);
    l->epoch = epoch;
    l->is_told = l->is_origins = false;
    l->generation = 0;
    l->batch = batch;
    l->count = count;
    l->repeats = 0;
    char *at = (char *)&l->list[count];
    l->from = put(&at, from);
    for (size_t i = 0; i < count; i++) {
        l->list[i] = *list[i];
        l->list[i].host = put(&at, list[i]->host);
        l->list[i].path = put(&at, list[i]->path);
        l->list[i].seed_path = put(&at, list[i]->seed_path);
    }
    return l;
}

/* To another place: epoch 4, batch 8, generation 8, told 1, from, count 4; each link: fingerprint 8
 * (0: an origin), host_hash 8, via 8, port 2, https 1, class 1, host, path, seed_path; texts behind
 * their length 4 (buf_str32). */
static enum rc links_pack(const struct message *m, struct buf *out)
{
    const struct links *l = (const struct links *)(const void *)m;
    buf_le32(out, l->epoch);
    buf_le64(out, l->batch);
    buf_le64(out, l->generation);
    buf_byte(out, l->is_told);
    buf_str32(out, l->from);
    buf_le32(out, (uint32_t)l->count);
    for (size_t i = 0; i < l->count; i++) {
        const struct candidate *c = &l->list[i];
        buf_le64(out, l->is_origins ? 0 : c->fingerprint);
        buf_le64(out, c->host_hash);
        buf_le64(out, c->via);
        buf_le16(out, c->port);
        buf_byte(out, c->is_https);
        buf_byte(out, (char)c->class);
        buf_str32(out, c->host);
        buf_str32(out, c->path);
        buf_str32(out, c->seed_path);
    }
    return buf_rc(out);
}

static struct str take_text(struct taker *t)
{
    struct str s = take_str32(t);
    t->bad |= s.n > LINKS_MAX_TEXT_BYTES;
    return s;
}

static struct candidate take_candidate(struct taker *t)
{
    struct candidate c = {.fingerprint = take_u64(t)};
    c.host_hash = take_u64(t);
    c.via = take_u64(t);
    c.port = take_u16(t);
    uint8_t https = take_u8(t);
    c.is_https = https == 1;
    c.class = take_u8(t);
    c.host = take_text(t);
    c.path = take_text(t);
    c.seed_path = take_text(t);
    t->bad |= https > 1 || c.class >= FRONTIER_CLASSES || !c.host.n || !c.path.n;
    return c;
}

/* Reads twice: once to see that all is in order, once to copy it. So memory is asked for only when
 * its size is known. */
static enum rc links_unpack(struct str bytes, struct message **m)
{
    struct taker t = {.rest = bytes};
    unsigned epoch = take_u32(&t);
    uint64_t batch = take_u64(&t), generation = take_u64(&t);
    uint8_t told = take_u8(&t);
    struct str from = take_text(&t);
    uint32_t count = take_u32(&t);
    struct taker again = t;
    for (uint32_t i = 0; i < count && !t.bad; i++)
        (void)take_candidate(&t);
    if (t.bad || t.rest.n || told > 1 || count > LINKS_MAX)
        return RC_INVALID;
    if (*m) /* it is constant since it was made: what stayed is the same */
        return RC_OK;
    struct candidate *list = mem_alloc((count + 1) * sizeof *list);
    const struct candidate **each = mem_alloc((count + 1) * sizeof(void *));
    for (uint32_t i = 0; i < count && list && each; i++) {
        list[i] = take_candidate(&again);
        each[i] = &list[i];
    }
    struct links *l = list && each ? links_open(each, count, from, epoch, batch) : NULL;
    mem_free(list);
    mem_free(each);
    if (!l)
        return RC_NOMEM;
    l->is_told = told;
    l->is_origins = count && !l->list[0].fingerprint;
    l->generation = generation;
    *m = &l->head;
    return RC_OK;
}

const struct message_type links_type = {
    .name = LINKS_TYPE, .release = links_release, .pack = links_pack, .unpack = links_unpack};
