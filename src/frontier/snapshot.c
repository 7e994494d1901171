/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/snapshot.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "frontier/frontier_internal.h"

enum { HEAD_BYTES = 8 + 4 + 4 + 4 + 4, HASH_BYTES = 8, VARINT_MOST_BYTES = 10 };
#define MAGIC "OWBUCKET"
#define MOST_SEQUENCE (UINT64_C(1) << 62) /* a URL a nanosecond for a century */

static void put_varint(struct buf *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        buf_byte(out, (char)(v | 0x80));
    buf_byte(out, (char)v);
}

/* Writing ------------------------------------------------------------------------------------ */

uint64_t snapshot_wall_ms(const struct snapshot_context *c, uint64_t due_ms)
{
    return due_ms > c->now_ms ? c->wall_ms + (due_ms - c->now_ms) : 0;
}

static void write_class(struct host *h, unsigned class, struct buf *out)
{
    const struct host_class *c = host_class_of(h, class);
    struct url_queue none = {0};
    const struct url_queue *q = c ? &c->queue : &none;
    struct url_walk w = url_queue_walk(q);
    struct url_entry e;
    uint64_t before = 0;
    put_varint(out, q->count);
    while (url_walk_next(&w, &e)) {
        put_varint(out, e.sequence - before);
        buf_le64(out, e.via);
        buf_byte(out, (char)e.origin);
        buf_byte(out, (char)e.seed_path.n);
        buf_add(out, e.seed_path);
        put_varint(out, e.path.n);
        buf_add(out, e.path);
        before = e.sequence;
    }
}

static void write_extra(const struct host *h, const struct snapshot_context *c, struct buf *out)
{
    struct buf extra = {.max = SNAPSHOT_MAX_EXTRA_BYTES};
    if (c->write_extra)
        c->write_extra(c->ctx, h, &extra);
    if (buf_rc(&extra) && !out->rc)
        out->rc = buf_rc(&extra);
    put_varint(out, extra.n);
    buf_add(out, buf_str(&extra));
    buf_done(&extra);
}

static void write_host(struct host *h, const struct snapshot_context *c, struct buf *out)
{
    buf_byte(out, (char)h->name_bytes);
    buf_add(out, host_name(h));
    buf_byte(out, (char)h->origin_count);
    for (uint8_t i = 0; i < h->origin_count; i++) {
        struct origin o = host_origin_at(h, i);
        buf_le16(out, o.port);
        buf_byte(out, (char)o.is_https);
    }
    buf_le64(out, snapshot_wall_ms(c, h->due_ms));
    write_extra(h, c, out);
    for (unsigned i = 0; i < FRONTIER_CLASSES; i++)
        write_class(h, i, out);
}

static void write_set(const struct seen_set *s, struct buf *out)
{
    for (uint32_t i = 0; i < s->slot_count; i++)
        if (s->slots[i])
            buf_le64(out, s->slots[i]);
}

/* In the order of write_set. */
static void write_links(const struct seen_set *s, struct buf *out)
{
    for (uint32_t i = 0; i < s->slot_count; i++)
        if (s->slots[i])
            buf_byte(out, (char)s->links[i]);
}

static void write_overlay(const struct overlay *o, struct buf *out)
{
    buf_le64(out, o->known);
    buf_le32(out, o->era);
    buf_le32(out, o->gone.count);
    write_set(&o->gone, out);
}

void snapshot_write(const struct frontier *f, unsigned bucket, const struct snapshot_context *c,
                    struct buf *out)
{
    size_t start = out->n;
    static const struct bucket none;
    const struct bucket *b = f->buckets[bucket] ? f->buckets[bucket] : &none;
    buf_add(out, STR(MAGIC));
    buf_le32(out, b->overlay      ? SNAPSHOT_VERSION_STORE
                  : b->seen.links ? SNAPSHOT_VERSION_LINKS
                                  : SNAPSHOT_VERSION);
    buf_le32(out, bucket);
    buf_le32(out, b->host_count);
    buf_le32(out, b->seen.count);
    if (b->overlay)
        write_overlay(b->overlay, out);
    for (uint32_t i = 0; i < b->host_slots; i++)
        if (b->hosts[i])
            write_host(b->hosts[i], c, out);
    write_set(&b->seen, out);
    if (!b->overlay && b->seen.links)
        write_links(&b->seen, out);
    if (!buf_rc(out))
        buf_le64(out, hash64(str_make(out->p + start, out->n - start)));
}

bool snapshot_is_empty(const struct frontier *f, unsigned bucket)
{
    const struct bucket *b = f->buckets[bucket];
    return !b || bucket_is_empty(b);
}

unsigned snapshot_bucket(struct str bytes)
{
    return bytes.n < HEAD_BYTES ? FRONTIER_BUCKETS : get_le32(bytes.p + 12);
}

/* Reading ------------------------------------------------------------------------------------ */

/* What is left of the snapshot; `bad` once something reached past its end or makes no sense. */
struct reader {
    struct str rest;
    bool bad;
};

static struct str take(struct reader *r, uint64_t bytes)
{
    if (bytes > r->rest.n) {
        r->bad = true;
        return STR("");
    }
    struct str taken = str_first(r->rest, bytes);
    r->rest = str_from(r->rest, bytes);
    return taken;
}

static uint8_t take_byte(struct reader *r)
{
    struct str s = take(r, 1);
    return s.n ? (uint8_t)s.p[0] : 0;
}

static uint16_t take_le16(struct reader *r)
{
    struct str s = take(r, 2);
    return s.n ? get_le16(s.p) : 0;
}

static uint32_t take_le32(struct reader *r)
{
    struct str s = take(r, 4);
    return s.n ? get_le32(s.p) : 0;
}

static uint64_t take_le64(struct reader *r)
{
    struct str s = take(r, 8);
    return s.n ? get_le64(s.p) : 0;
}

static uint64_t take_varint(struct reader *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 7 * VARINT_MOST_BYTES; shift += 7) {
        uint8_t byte = take_byte(r);
        v |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (byte < 0x80)
            return v;
    }
    r->bad = true;
    return 0;
}

uint64_t snapshot_due_ms(const struct snapshot_context *c, uint64_t wall_ms)
{
    if (wall_ms <= c->wall_ms)
        return 0;
    uint64_t wait = wall_ms - c->wall_ms;
    return c->now_ms + (wait < c->most_wait_ms ? wait : c->most_wait_ms);
}

static bool is_sane(const struct host *h, const struct url_entry *e)
{
    return e->origin < h->origin_count && e->seed_path.n <= FRONTIER_MAX_SEED_PATH &&
           e->path.n <= FRONTIER_MAX_PATH_BYTES;
}

static enum rc read_class(struct frontier *f, struct host *h, unsigned class, struct reader *r)
{
    uint64_t count = take_varint(r), before = 0;
    for (uint64_t i = 0; i < count && !r->bad; i++) {
        struct url_entry e = {0};
        uint64_t above = take_varint(r);
        e.sequence = before + above;
        e.via = take_le64(r);
        e.origin = take_byte(r);
        e.seed_path = take(r, take_byte(r));
        e.path = take(r, take_varint(r));
        if (r->bad || !is_sane(h, &e) || above > MOST_SEQUENCE || e.sequence > MOST_SEQUENCE ||
            (!above && i))
            return RC_CORRUPT;
        f->has_lists |= class != 0;
        struct host_class *c = host_class_need(h, class, &f->counts.bytes);
        enum rc rc = c ? url_queue_push(&c->queue, &e, &f->counts.bytes) : RC_NOMEM;
        if (rc)
            return rc;
        before = e.sequence;
        h->queued++;
        f->counts.queued++;
        if (e.sequence >= f->next_sequence)
            f->next_sequence = e.sequence + 1;
        f->snapshot_sequence = f->next_sequence;
    }
    return r->bad ? RC_CORRUPT : RC_OK;
}

static enum rc read_origins(struct frontier *f, struct host *h, struct reader *r)
{
    unsigned count = take_byte(r);
    for (unsigned i = 0; i < count && !r->bad; i++) {
        struct origin o = {.port = take_le16(r)};
        uint8_t number = 0;
        o.is_https = take_byte(r) != 0;
        enum rc rc = host_origin_number(h, o, &number, &f->counts.bytes);
        if (rc == RC_NOMEM)
            return rc;
        if (rc || number != i) /* too many, or one of them twice */
            return RC_CORRUPT;
    }
    return r->bad ? RC_CORRUPT : RC_OK;
}

/* A host that is not in the bucket yet; *ret is in no heap. */
static enum rc add_host(struct frontier *f, struct bucket *b, unsigned bucket, struct str name,
                        struct host **ret)
{
    uint64_t host_hash = hash64(name);
    if (!name.n || frontier_bucket(host_hash) != bucket || bucket_host(b, host_hash, name))
        return RC_CORRUPT;
    enum rc rc = frontier_heaps_reserve(f);
    if (rc)
        return rc == RC_LIMIT ? RC_LIMIT : RC_NOMEM;
    *ret = bucket_add_host(b, host_hash, name, &f->counts.bytes);
    f->counts.hosts += *ret != NULL;
    return *ret ? RC_OK : RC_NOMEM;
}

static enum rc read_host(struct frontier *f, struct bucket *b, unsigned bucket, struct reader *r,
                         const struct snapshot_context *c)
{
    struct host *h = NULL;
    struct str name = take(r, take_byte(r));
    enum rc rc = r->bad ? RC_CORRUPT : add_host(f, b, bucket, name, &h);
    if (rc == RC_OK)
        rc = read_origins(f, h, r);
    if (rc)
        return rc;
    h->due_ms = snapshot_due_ms(c, take_le64(r));
    struct str extra = take(r, take_varint(r));
    if (r->bad || extra.n > SNAPSHOT_MAX_EXTRA_BYTES)
        return RC_CORRUPT;
    size_t extra_bytes = 0;
    if (c->read_extra && extra.n)
        rc = c->read_extra(c->ctx, h, extra, &extra_bytes);
    frontier_extra_bytes(f, h, extra_bytes);
    if (c->not_before && c->not_before(c->ctx, h) > h->due_ms)
        h->due_ms = c->not_before(c->ctx, h);
    for (unsigned i = 0; i < FRONTIER_CLASSES && rc == RC_OK; i++)
        rc = read_class(f, h, i, r);
    b->queued += h->queued;
    return rc;
}

/* Fingerprints in the order of their table. */
static enum rc read_set(struct frontier *f, struct seen_set *s, uint32_t count, struct reader *r)
{
    if (r->bad || r->rest.n / sizeof(uint64_t) < count)
        return RC_CORRUPT;
    size_t before = seen_bytes(s);
    enum rc rc = seen_reserve(s, count);
    f->counts.bytes += seen_bytes(s) - before;
    if (rc)
        return rc;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t fingerprint = take_le64(r);
        if (!fingerprint || seen_has(s, fingerprint))
            return RC_CORRUPT;
        seen_put(s, fingerprint);
    }
    return RC_OK;
}

/* They are the last of a snapshot. A frontier that does not count links passes their bytes over. */
static enum rc read_seen(struct frontier *f, struct bucket *b, uint32_t count, bool has_links,
                         struct reader *r)
{
    struct str fingerprints = r->rest;
    if (r->bad || r->rest.n != (uint64_t)count * (sizeof(uint64_t) + has_links))
        return RC_CORRUPT;
    enum rc rc = read_set(f, &b->seen, count, r);
    for (uint32_t i = 0; has_links && i < count && rc == RC_OK; i++)
        seen_add_links(&b->seen, get_le64(fingerprints.p + i * sizeof(uint64_t)), take_byte(r));
    return rc;
}

static enum rc read_overlay(struct frontier *f, struct overlay *o, struct reader *r)
{
    o->known = take_le64(r);
    o->era = take_le32(r);
    uint32_t gone = take_le32(r);
    return read_set(f, &o->gone, gone, r);
}

/* Everything is there: the hosts take their places. */
static void wake_all(struct frontier *f, struct bucket *b, uint64_t now_ms)
{
    for (uint32_t i = 0; i < b->host_slots; i++)
        if (b->hosts[i])
            frontier_put_down(f, b->hosts[i], now_ms);
}

/* A frontier that has got a store reads a snapshot that was made without one: all are young. */
static enum rc read_known(struct frontier *f, struct bucket *b, uint32_t fingerprints,
                          uint32_t version, struct reader *r)
{
    enum rc rc = read_seen(f, b, fingerprints, version == SNAPSHOT_VERSION_LINKS, r);
    if (b->overlay && version != SNAPSHOT_VERSION_STORE)
        b->overlay->known = b->seen.count;
    f->counts.known += bucket_known(b);
    return rc;
}

static enum rc read_body(struct frontier *f, unsigned bucket, uint32_t version, struct reader *r,
                         const struct snapshot_context *c)
{
    bool has_overlay = version == SNAPSHOT_VERSION_STORE;
    uint32_t hosts = take_le32(r), fingerprints = take_le32(r);
    if (!hosts && !fingerprints && !has_overlay)
        return r->bad || r->rest.n ? RC_CORRUPT : RC_OK;
    uint64_t before = f->counts.bytes, known = f->counts.known;
    struct bucket *b = frontier_bucket_need(f, bucket, c->now_ms);
    enum rc rc = b ? RC_OK : RC_NOMEM;
    if (rc == RC_OK && has_overlay)
        rc = read_overlay(f, b->overlay, r);
    for (uint32_t i = 0; i < hosts && rc == RC_OK; i++)
        rc = read_host(f, b, bucket, r, c);
    if (rc == RC_OK)
        rc = read_known(f, b, fingerprints, version, r);
    if (rc) {
        frontier_bucket_drop(f, bucket);
        f->counts.known = known;
        return rc;
    }
    b->bytes = f->counts.bytes - before;
    wake_all(f, b, c->now_ms);
    return RC_OK;
}

enum rc snapshot_read(struct frontier *f, struct str bytes, const struct snapshot_context *c)
{
    if (bytes.n < HEAD_BYTES + HASH_BYTES || !str_starts(bytes, STR(MAGIC)))
        return RC_CORRUPT;
    struct str hashed = str_first(bytes, bytes.n - HASH_BYTES);
    if (hash64(hashed) != get_le64(bytes.p + hashed.n))
        return RC_CORRUPT;
    uint32_t version = get_le32(bytes.p + 8);
    if (version < SNAPSHOT_VERSION || version > SNAPSHOT_VERSION_LINKS)
        return RC_VERSION;
    if (version == SNAPSHOT_VERSION_STORE && !f->settings.store)
        return RC_UNSUPPORTED;
    struct reader r = {.rest = str_from(hashed, 12)};
    unsigned bucket = take_le32(&r);
    if (bucket >= FRONTIER_BUCKETS || bucket % f->shards != f->shard)
        return RC_CORRUPT;
    if (f->buckets[bucket] || f->away[bucket])
        return RC_EXISTS;
    return read_body(f, bucket, version, &r, c);
}
