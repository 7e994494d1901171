/* SPDX-License-Identifier: Apache-2.0 */
/* Swapped buckets (frontier/swap.h): their files, state/rest/BUCKET-GENERATION. A thread of its own
 * reads and writes them, so that no shard and no sync waits; without threads (sync_ms 0) the caller
 * does so at once.
 *
 * A bucket has at most three files: its present one, one for the snapshot that is being made, and
 * one for the snapshot that the MANIFEST names. One that is none of them is removed. Before the
 * MANIFEST names a snapshot, every file that it refers to is synced to that length. Nothing else
 * is: until then the journal has it all. */
#include "ledger/ledger_internal.h"

#include "base/mem.h"

#include <stdio.h>

enum { MOST_TRIES = 1000 };

/* Removing ----------------------------------------------------------------------------------- */

/* Under `swap.lock`. */
static bool is_used(const struct swap_files *p, uint64_t generation)
{
    return !generation || generation == p->now || generation == p->making.generation ||
           generation == p->kept.generation;
}

static enum rc remove_file(struct ledger *l, unsigned bucket, uint64_t generation)
{
    char path[SWAP_PATH_BYTES];
    return disk_unlink(l->disk, swap_path(path, LEDGER_SWAP, bucket, generation));
}

/* Jobs --------------------------------------------------------------------------------------- */

/* Under `swap.lock`: what the shard's thread will look at. */
static void give_back(struct ledger *l, struct swap_job *j)
{
    struct ledger_shard *s = &l->shards[j->bucket % l->settings.shards];
    j->next = NULL;
    if (s->last_came)
        s->last_came->next = j;
    else
        s->came = j;
    s->last_came = j;
}

static void send(void *ctx, struct swap_job *j)
{
    struct ledger *l = ctx;
    if (!l->swap.has_thread)
        swap_job_do(l->disk, LEDGER_SWAP, j);
    (void)pthread_mutex_lock(&l->swap.lock);
    if (j->what == SWAP_WRITE)
        l->swap.files[j->bucket].now = j->file.generation;
    if (!l->swap.has_thread) {
        give_back(l, j);
    } else {
        j->next = NULL;
        if (l->swap.last_job)
            l->swap.last_job->next = j;
        else
            l->swap.jobs = j;
        l->swap.last_job = j;
        (void)pthread_cond_broadcast(&l->swap.wake);
    }
    (void)pthread_mutex_unlock(&l->swap.lock);
}

static struct swap_job *take_came(struct ledger *l, unsigned shard)
{
    struct ledger_shard *s = &l->shards[shard];
    (void)pthread_mutex_lock(&l->swap.lock);
    struct swap_job *j = s->came;
    if (j)
        s->came = j->next;
    if (!s->came)
        s->last_came = NULL;
    (void)pthread_mutex_unlock(&l->swap.lock);
    return j;
}

/* The bucket is in memory again: it does not need that file any more. */
static enum rc leave_file(struct ledger *l, unsigned bucket, uint64_t generation)
{
    struct swap_files *p = &l->swap.files[bucket];
    (void)pthread_mutex_lock(&l->swap.lock);
    if (p->now == generation)
        p->now = 0;
    bool used = is_used(p, generation);
    (void)pthread_mutex_unlock(&l->swap.lock);
    return used ? RC_OK : remove_file(l, bucket, generation);
}

enum rc swap_collect(struct ledger *l, unsigned shard)
{
    enum rc rc = RC_OK;
    struct swap_job *j;
    while (rc == RC_OK && (j = take_came(l, shard)) != NULL) {
        struct snapshot_context c = ledger_snapshot_context(l);
        unsigned bucket = j->bucket;
        struct swap_file loaded;
        rc = frontier_came(l->shards[shard].frontier, j, &c, &loaded);
        if (rc == RC_OK && loaded.generation)
            rc = leave_file(l, bucket, loaded.generation);
    }
    return rc;
}

enum rc swap_drop(struct ledger *l, unsigned shard, unsigned bucket)
{
    struct swap_file file = frontier_swap_drop(l->shards[shard].frontier, bucket);
    return file.generation ? leave_file(l, bucket, file.generation) : RC_OK;
}

/* Turns -------------------------------------------------------------------------------------- */

enum rc swap_turn(struct ledger *l, unsigned shard)
{
    struct snapshot_context c = ledger_snapshot_context(l);
    struct ledger_shard *s = &l->shards[shard];
    bool more;
    enum rc rc = swap_collect(l, shard);
    rc = rc ? rc : frontier_rotate(s->frontier, &c, false, &more);
    if (frontier_is_over(s->frontier) && !s->is_over)
        log_warn(l->settings.log, "frontier.memory",
                 LOG_C("why", "one bucket of hosts alone is more than its share"),
                 LOG_U64("bytes", l->settings.frontier.memory_bytes));
    s->is_over = frontier_is_over(s->frontier);
    return rc;
}

enum rc swap_fit(struct ledger *l, unsigned shard)
{
    struct snapshot_context c = ledger_snapshot_context(l);
    bool more = true;
    enum rc rc = RC_OK;
    while (more && rc == RC_OK) {
        rc = frontier_rotate(l->shards[shard].frontier, &c, true, &more);
        rc = rc ? rc : swap_collect(l, shard);
    }
    return rc;
}

enum rc ledger_bring(struct ledger *l, unsigned shard, uint64_t host_hash)
{
    struct frontier *f = l->shards[shard].frontier;
    enum rc rc = RC_OK;
    frontier_want(f, host_hash);
    for (unsigned i = 0; i < MOST_TRIES && rc == RC_OK && frontier_is_swapped(f, host_hash); i++) {
        rc = swap_turn(l, shard);
        rc = rc ? rc : swap_collect(l, shard);
    }
    return rc;
}

/* Snapshots ---------------------------------------------------------------------------------- */

void swap_refer(struct ledger *l, unsigned bucket, struct swap_file file)
{
    (void)pthread_mutex_lock(&l->swap.lock);
    l->swap.files[bucket].making = file;
    (void)pthread_mutex_unlock(&l->swap.lock);
}

/* Everything that was sent has been done. */
static void wait_for_jobs(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->swap.lock);
    while (l->swap.has_thread && (l->swap.jobs || l->swap.is_working))
        (void)pthread_cond_wait(&l->swap.idle, &l->swap.lock);
    (void)pthread_mutex_unlock(&l->swap.lock);
}

enum rc swap_sync(struct ledger *l)
{
    enum rc rc = RC_OK;
    bool any = false;
    wait_for_jobs(l);
    for (unsigned i = 0; i < FRONTIER_BUCKETS && rc == RC_OK; i++) {
        const struct swap_files *p = &l->swap.files[i];
        bool is_new = p->making.generation != p->kept.generation;
        if (!p->making.generation || (!is_new && p->making.bytes == p->kept.bytes))
            continue;
        rc = swap_file_sync(l->disk, LEDGER_SWAP, i, p->making.generation);
        any |= is_new;
    }
    return rc || !any ? rc : disk_dirsync(l->disk, LEDGER_SWAP);
}

/* The snapshot that was being made counts from now on, or (`is_kept` false) was given up. */
enum rc swap_end_snapshot(struct ledger *l, bool is_kept)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; l->swap.files && i < FRONTIER_BUCKETS && rc == RC_OK; i++) {
        struct swap_files *p = &l->swap.files[i];
        (void)pthread_mutex_lock(&l->swap.lock);
        uint64_t old = is_kept ? p->kept.generation : p->making.generation;
        if (is_kept)
            p->kept = p->making;
        p->making = (struct swap_file){0};
        bool used = is_used(p, old);
        (void)pthread_mutex_unlock(&l->swap.lock);
        rc = used ? RC_OK : remove_file(l, i, old);
    }
    return rc;
}

/* Opening ------------------------------------------------------------------------------------ */

static enum rc note_generation(void *ctx, struct str name, bool is_folder)
{
    uint64_t *most = ctx, generation;
    unsigned bucket;
    if (!is_folder && swap_path_read(name, &bucket, &generation) && generation > *most)
        *most = generation;
    return RC_OK;
}

enum rc swap_begin(struct ledger *l)
{
    uint64_t most = 0;
    enum rc rc = disk_list(l->disk, LEDGER_SWAP, note_generation, &most);
    rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++)
        frontier_swap_begin(l->shards[i].frontier, (struct swap_carrier){send, l}, most);
    return rc;
}

enum rc swap_adopt(struct ledger *l, struct str reference)
{
    struct snapshot_context c = ledger_snapshot_context(l);
    unsigned bucket = snapshot_bucket(reference);
    if (bucket >= FRONTIER_BUCKETS)
        return RC_CORRUPT;
    struct frontier *f = l->shards[bucket % l->settings.shards].frontier;
    enum rc rc = swap_read_reference(f, reference, &c);
    if (rc)
        return rc == RC_EXISTS ? RC_CORRUPT : rc;
    struct swap_file file = frontier_swap_file(f, bucket);
    l->swap.files[bucket].now = file.generation;
    l->swap.files[bucket].kept = file;
    return swap_file_check(l->disk, LEDGER_SWAP, bucket, file);
}

enum rc swap_cut(struct ledger *l)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < FRONTIER_BUCKETS && rc == RC_OK; i++)
        if (l->swap.files[i].kept.generation)
            rc = swap_file_cut(l->disk, LEDGER_SWAP, i, l->swap.files[i].kept);
    return rc;
}

static enum rc remove_unused(void *ctx, struct str name, bool is_folder)
{
    struct ledger *l = ctx;
    char path[DISK_MAX_NAME_BYTES + sizeof LEDGER_SWAP + 1];
    uint64_t generation;
    unsigned bucket;
    if (is_folder || (swap_path_read(name, &bucket, &generation) && bucket < FRONTIER_BUCKETS &&
                      is_used(&l->swap.files[bucket], generation)))
        return RC_OK;
    (void)snprintf(path, sizeof path, LEDGER_SWAP "/" STR_FMT, STR_ARG(name));
    return disk_unlink(l->disk, path);
}

enum rc swap_clean(struct ledger *l)
{
    return disk_list(l->disk, LEDGER_SWAP, remove_unused, l);
}

/* The thread --------------------------------------------------------------------------------- */

/* Under `swap.lock`. */
static struct swap_job *next_job(struct ledger *l)
{
    struct swap_job *j = l->swap.jobs;
    l->swap.jobs = j->next;
    if (!l->swap.jobs)
        l->swap.last_job = NULL;
    return j;
}

static void *carry(void *ctx)
{
    struct ledger *l = ctx;
    (void)pthread_mutex_lock(&l->swap.lock);
    while (l->swap.jobs || !l->swap.stop) {
        if (!l->swap.jobs) {
            (void)pthread_cond_wait(&l->swap.wake, &l->swap.lock);
            continue;
        }
        struct swap_job *j = next_job(l);
        l->swap.is_working = true;
        (void)pthread_mutex_unlock(&l->swap.lock);
        swap_job_do(l->disk, LEDGER_SWAP, j);
        if (j->rc)
            (void)ledger_fail(l, j->rc);
        (void)pthread_mutex_lock(&l->swap.lock);
        l->swap.is_working = false;
        give_back(l, j);
        (void)pthread_cond_broadcast(&l->swap.idle);
    }
    (void)pthread_mutex_unlock(&l->swap.lock);
    return NULL;
}

enum rc swap_start(struct ledger *l)
{
    if (!l->settings.sync_ms)
        return RC_OK;
    l->swap.has_thread = pthread_create(&l->swap.thread, NULL, carry, l) == 0;
    return l->swap.has_thread ? RC_OK : RC_NOMEM;
}

void swap_stop(struct ledger *l)
{
    if (!l->swap.has_thread)
        return;
    (void)pthread_mutex_lock(&l->swap.lock);
    l->swap.stop = true;
    (void)pthread_cond_broadcast(&l->swap.wake);
    (void)pthread_mutex_unlock(&l->swap.lock);
    (void)pthread_join(l->swap.thread, NULL);
    l->swap.has_thread = false;
}

void swap_done(struct ledger *l)
{
    struct swap_job *j;
    swap_stop(l);
    for (unsigned i = 0; l->shards && i < l->settings.shards; i++)
        while ((j = take_came(l, i)) != NULL)
            swap_job_close(j);
    (void)pthread_mutex_destroy(&l->swap.lock);
    (void)pthread_cond_destroy(&l->swap.wake);
    (void)pthread_cond_destroy(&l->swap.idle);
    mem_free(l->swap.files);
}

bool swap_make(struct ledger *l)
{
    (void)pthread_mutex_init(&l->swap.lock, NULL);
    (void)pthread_cond_init(&l->swap.wake, NULL);
    (void)pthread_cond_init(&l->swap.idle, NULL);
    l->swap.files = mem_zero(FRONTIER_BUCKETS, sizeof *l->swap.files);
    return l->swap.files != NULL;
}
