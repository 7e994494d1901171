/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at swapped buckets, for walks over all hosts (frontier/move.h).
 *
 * A look is a read whose bytes do not fill the bucket but wait here until the walk takes them. With
 * the file goes what is in memory of the inbox when it comes; while a look is on its way nothing of
 * the inbox goes to the file, so that the two are everything. If the bucket was loaded meanwhile,
 * what was read is dropped: the walk finds it in memory. */
#include "base/mem.h"
#include "frontier/frontier_internal.h"
#include "frontier/swap_internal.h"

enum { KEPT_MS = 10000 };

static void clear(struct look *l)
{
    buf_done(&l->file);
    buf_done(&l->inbox);
    *l = (struct look){0};
}

static bool is_of(const struct look *l, unsigned bucket, const struct away *a)
{
    return l->bucket == bucket && l->generation == a->file.generation;
}

enum rc look_came(struct frontier *f, struct swap_job *job, const struct snapshot_context *c)
{
    struct look *l = &f->swap.looks[job->looker];
    struct away *a = f->away[job->bucket];
    if (!a || a->file.generation != job->file.generation)
        return job->rc;
    a->looks--;
    if (job->rc || !l->is_asked || l->is_here || !is_of(l, job->bucket, a))
        return job->rc;
    buf_init(&l->inbox, SWAP_MAX_BYTES);
    buf_add(&l->inbox, buf_str(&a->inbox));
    l->file = job->bytes;
    job->bytes = (struct buf){0};
    l->is_here = true;
    l->here_ms = c->now_ms;
    return buf_rc(&l->inbox);
}

/* Limits do not hold: what is only looked at has been admitted. */
static enum rc unfold(const struct frontier *f, const struct look *l,
                      const struct snapshot_context *c, struct frontier **ret)
{
    struct frontier_settings all = {.max_hosts = UINT32_MAX,
                                    .max_host_queue = UINT32_MAX,
                                    .replays = true,
                                    .store = f->settings.store};
    struct frontier *aside = frontier_open(&all, f->shard, f->shards);
    if (aside)
        aside->era = f->era;
    enum rc rc = aside
                     ? swap_fill(aside, l->bucket, buf_str(&l->file), buf_str(&l->inbox), false, c)
                     : RC_NOMEM;
    if (rc == RC_OK)
        *ret = aside;
    else
        frontier_close(aside);
    return rc;
}

static enum rc ask(struct frontier *f, unsigned bucket, unsigned looker)
{
    struct look *l = &f->swap.looks[looker];
    struct away *a = f->away[bucket];
    clear(l);
    enum rc rc = swap_send(f, SWAP_LOOK, bucket, a->file, NULL, looker);
    if (rc)
        return rc;
    a->looks++;
    *l = (struct look){.is_asked = true, .bucket = bucket, .generation = a->file.generation};
    return RC_AGAIN;
}

enum rc frontier_look(struct frontier *f, unsigned bucket, unsigned looker,
                      const struct snapshot_context *c, struct frontier **ret)
{
    struct look *l = &f->swap.looks[looker];
    const struct away *a = f->away[bucket];
    if (a->is_loading) /* its file may be gone before it is read again */
        return RC_AGAIN;
    if (!l->is_asked || !is_of(l, bucket, a))
        return ask(f, bucket, looker);
    if (!l->is_here)
        return RC_AGAIN;
    enum rc rc = unfold(f, l, c, ret);
    clear(l);
    return rc;
}

void look_expire(struct frontier *f, uint64_t now_ms)
{
    for (unsigned i = 0; i < SWAP_LOOKERS; i++)
        if (f->swap.looks[i].is_here && now_ms > f->swap.looks[i].here_ms + KEPT_MS)
            clear(&f->swap.looks[i]);
}

void look_close(struct frontier *f)
{
    for (unsigned i = 0; i < SWAP_LOOKERS; i++)
        clear(&f->swap.looks[i]);
}
