/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/overlay.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "frontier/frontier_internal.h"
#include "frontier/seen_store.h"

enum { LIST_HEAD = 12, BUCKETS_A_CALL = 64 };

static size_t listed_bytes(const struct overlay *o)
{
    return ((size_t)o->added + o->removed) * sizeof *o->listed;
}

struct overlay *overlay_open(uint32_t era, uint64_t *bytes)
{
    struct overlay *o = mem_zero(1, sizeof *o);
    if (!o)
        return NULL;
    o->era = era;
    *bytes += sizeof *o;
    return o;
}

void overlay_close(struct overlay *o, uint64_t *bytes)
{
    if (!o)
        return;
    *bytes -= sizeof *o + seen_bytes(&o->gone) + listed_bytes(o);
    seen_done(&o->gone);
    mem_free(o->listed);
    mem_free(o);
}

/* Knowing -------------------------------------------------------------------------------------- */

/* What is taken out of the store is masked until take_listed() has cleared this. */
static uint64_t *recent_slot(const struct frontier *f, const struct bucket *b, uint64_t key)
{
    bool has_one = f->store_recent && b->overlay->era == f->era;
    return has_one ? &f->store_recent[key & (f->settings.store->recent - 1)] : NULL;
}

static void forget_recent(struct frontier *f)
{
    if (f->store_recent)
        memset(f->store_recent, 0, f->settings.store->recent * sizeof *f->store_recent);
}

enum rc overlay_has(const struct frontier *f, const struct bucket *b, uint64_t fingerprint,
                    bool *ret)
{
    const struct seen_store *s = f->settings.store;
    uint64_t key = seen_key(fingerprint), *recent = recent_slot(f, b, key);
    *ret = false;
    if (seen_has(&b->overlay->gone, fingerprint))
        return RC_OK;
    if (recent && *recent == key) {
        *ret = true;
        return RC_OK;
    }
    enum rc rc = s->has(s->ctx, b->overlay->era, key, ret);
    if (recent && *ret)
        *recent = key;
    return rc;
}

enum rc bucket_knows(const struct frontier *f, const struct bucket *b, uint64_t fingerprint,
                     bool *ret)
{
    *ret = seen_has(&b->seen, fingerprint);
    return *ret || !b->overlay ? RC_OK : overlay_has(f, b, fingerprint, ret);
}

uint64_t bucket_known(const struct bucket *b)
{
    return b->overlay ? b->overlay->known : b->seen.count;
}

bool bucket_is_empty(const struct bucket *b)
{
    return !b->host_count && !bucket_known(b) && !(b->overlay && b->overlay->gone.count);
}

void bucket_learnt(struct frontier *f, struct bucket *b, uint64_t fingerprint)
{
    f->counts.known++;
    if (!b->overlay)
        return;
    b->overlay->known++;
    (void)seen_remove(&b->overlay->gone, fingerprint);
}

/* From now on the store's word on it does not count. */
static enum rc mask(struct frontier *f, struct bucket *b, uint64_t fingerprint)
{
    struct seen_set *gone = &b->overlay->gone;
    size_t before = seen_bytes(gone);
    enum rc rc = seen_reserve(gone, 1);
    if (rc)
        return rc;
    seen_put(gone, fingerprint);
    f->counts.bytes += seen_bytes(gone) - before;
    b->bytes += seen_bytes(gone) - before;
    return RC_OK;
}

/* One that is listed will be in the store, so it is masked like one that is there. */
static enum rc unknow_stored(struct frontier *f, struct bucket *b, uint64_t fingerprint,
                             bool *ret_was)
{
    bool is_young = seen_has(&b->seen, fingerprint), is_stored = false;
    enum rc rc = overlay_has(f, b, fingerprint, &is_stored);
    if (rc == RC_OK && (is_stored || (is_young && b->overlay->generation)))
        rc = mask(f, b, fingerprint);
    if (rc)
        return rc;
    (void)seen_remove(&b->seen, fingerprint);
    *ret_was = is_young || is_stored;
    b->overlay->known -= *ret_was;
    return RC_OK;
}

enum rc bucket_unknow(struct frontier *f, struct bucket *b, uint64_t fingerprint)
{
    bool was = false;
    enum rc rc = RC_OK;
    if (b->overlay)
        rc = unknow_stored(f, b, fingerprint, &was);
    else
        was = seen_remove(&b->seen, fingerprint);
    f->counts.known -= was;
    return rc;
}

/* Eras ----------------------------------------------------------------------------------------- */

uint32_t frontier_era(const struct frontier *f)
{
    return f->era;
}

void frontier_set_era(struct frontier *f, uint32_t era)
{
    f->era = era;
    forget_recent(f);
}

/* Lists for the store -------------------------------------------------------------------------- */

static void drop_list(struct frontier *f, struct bucket *b)
{
    struct overlay *o = b->overlay;
    f->counts.bytes -= listed_bytes(o);
    b->bytes -= listed_bytes(o);
    mem_free(o->listed);
    o->listed = NULL;
    o->added = o->removed = 0;
    o->generation = 0;
}

/* Takes listed ones out of a set, and gives memory back that it does not need any more. */
static void take_out(struct frontier *f, struct bucket *b, struct seen_set *s, const uint64_t *list,
                     uint32_t count)
{
    size_t before = seen_bytes(s);
    for (uint32_t i = 0; i < count; i++)
        (void)seen_remove(s, list[i]);
    if (count)
        seen_fit(s);
    f->counts.bytes -= before - seen_bytes(s);
    b->bytes -= before - seen_bytes(s);
}

/* A fingerprint that came back after it was listed is right in either set: see seen_store.h. */
static void take_listed(struct frontier *f, struct bucket *b)
{
    struct overlay *o = b->overlay;
    if (!o || !o->generation)
        return;
    if (o->generation <= f->store_has) {
        take_out(f, b, &b->seen, o->listed, o->added);
        take_out(f, b, &o->gone, o->listed + o->added, o->removed);
        if (o->removed)
            forget_recent(f);
    }
    drop_list(f, b);
}

static uint32_t copy_set(const struct seen_set *s, uint64_t *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->slot_count; i++)
        if (s->slots[i])
            to[count++] = s->slots[i];
    return count;
}

static bool make_list(struct frontier *f, struct bucket *b)
{
    struct overlay *o = b->overlay;
    uint32_t removed = f->settings.store->only_grows ? 0 : o->gone.count;
    size_t count = (size_t)b->seen.count + removed;
    o->listed = count ? mem_alloc(count * sizeof *o->listed) : NULL;
    if (!o->listed)
        return false;
    o->added = copy_set(&b->seen, o->listed);
    if (removed)
        o->removed = copy_set(&o->gone, o->listed + o->added);
    f->counts.bytes += listed_bytes(o);
    b->bytes += listed_bytes(o);
    return true;
}

void frontier_store_list(struct frontier *f, unsigned bucket, uint64_t generation, struct buf *out)
{
    struct bucket *b = f->buckets[bucket];
    struct overlay *o = b ? b->overlay : NULL;
    if (!o)
        return;
    take_listed(f, b);
    size_t at = out->n;
    if (!make_list(f, b))
        return;
    o->generation = generation;
    buf_le32(out, o->era);
    buf_le32(out, o->added);
    buf_le32(out, o->removed);
    for (uint32_t i = 0; i < o->added + o->removed; i++)
        buf_le64(out, o->listed[i]);
    if (!buf_rc(out))
        return;
    out->n = at; /* as if nothing had been listed */
    out->rc = RC_OK;
    drop_list(f, b);
}

bool frontier_store_took(struct frontier *f, uint64_t generation)
{
    if (generation > f->store_has) {
        f->store_has = generation;
        f->next_taken = f->shard;
    }
    unsigned left = BUCKETS_A_CALL;
    for (; left && f->next_taken < FRONTIER_BUCKETS; f->next_taken += f->shards) {
        struct bucket *b = f->buckets[f->next_taken];
        if (!b || !b->overlay || !b->overlay->generation || b->overlay->generation > f->store_has)
            continue;
        take_listed(f, b);
        left--;
    }
    return f->next_taken < FRONTIER_BUCKETS;
}

bool seen_store_next(struct str *lists, struct seen_store_list *ret)
{
    if (lists->n < LIST_HEAD)
        return false;
    *ret = (struct seen_store_list){.era = get_le32(lists->p),
                                    .added = get_le32(lists->p + 4),
                                    .removed = get_le32(lists->p + 8),
                                    .fingerprints = lists->p + LIST_HEAD};
    *lists = str_from(*lists, LIST_HEAD + ((size_t)ret->added + ret->removed) * 8);
    return true;
}
