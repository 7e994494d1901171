/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets that rest (frontier/rest.h): their files, state/rest/BUCKET-GENERATION, read and written
 * by a thread of its own, so that no shard and no sync is waited for; without threads (sync_ms 0)
 * at once, by who asks.
 *
 * A bucket has at most three files: the one it rests in now, the one that the image being made
 * refers to, and that of the image which the MANIFEST names. One that is none of them is removed.
 * Before the MANIFEST names an image, every file that it refers to is synced to that length.
 * Nothing else is: until then the journal has it all. */
#include "crawl/ledger_inside.h"

#include "base/mem.h"

#include <stdio.h>

enum { MOST_TRIES = 1000 };

/* Removing ----------------------------------------------------------------------------------- */

/* Under `rest_lock`. */
static bool is_used(const struct rest_place *p, uint64_t generation)
{
    return !generation || generation == p->now || generation == p->making.generation ||
           generation == p->kept.generation;
}

static enum rc remove_file(struct ledger *l, unsigned bucket, uint64_t generation)
{
    char path[REST_PATH_BYTES];
    return disk_unlink(l->disk, rest_path(path, LEDGER_REST, bucket, generation));
}

/* Jobs --------------------------------------------------------------------------------------- */

/* Under `rest_lock`: what the shard's thread will look at. */
static void give_back(struct ledger *l, struct rest_job *j)
{
    struct ledger_shard *s = &l->shards[j->bucket % l->settings.shards];
    j->next = NULL;
    if (s->last_came)
        s->last_came->next = j;
    else
        s->came = j;
    s->last_came = j;
}

static void send(void *ctx, struct rest_job *j)
{
    struct ledger *l = ctx;
    if (!l->has_rest_thread)
        rest_job_do(l->disk, LEDGER_REST, j);
    (void)pthread_mutex_lock(&l->rest_lock);
    if (j->what == REST_WRITE)
        l->places[j->bucket].now = j->file.generation;
    if (!l->has_rest_thread) {
        give_back(l, j);
    } else {
        j->next = NULL;
        if (l->last_job)
            l->last_job->next = j;
        else
            l->jobs = j;
        l->last_job = j;
        (void)pthread_cond_broadcast(&l->rest_wake);
    }
    (void)pthread_mutex_unlock(&l->rest_lock);
}

static struct rest_job *take_came(struct ledger *l, unsigned shard)
{
    struct ledger_shard *s = &l->shards[shard];
    (void)pthread_mutex_lock(&l->rest_lock);
    struct rest_job *j = s->came;
    if (j)
        s->came = j->next;
    if (!s->came)
        s->last_came = NULL;
    (void)pthread_mutex_unlock(&l->rest_lock);
    return j;
}

/* The bucket is in memory again: it does not rest in that file any more. */
static enum rc leave_file(struct ledger *l, unsigned bucket, uint64_t generation)
{
    struct rest_place *p = &l->places[bucket];
    (void)pthread_mutex_lock(&l->rest_lock);
    if (p->now == generation)
        p->now = 0;
    bool used = is_used(p, generation);
    (void)pthread_mutex_unlock(&l->rest_lock);
    return used ? RC_OK : remove_file(l, bucket, generation);
}

enum rc rest_collect(struct ledger *l, unsigned shard)
{
    enum rc rc = RC_OK;
    struct rest_job *j;
    while (rc == RC_OK && (j = take_came(l, shard)) != NULL) {
        struct image_context c = ledger_image_context(l);
        unsigned bucket = j->bucket;
        struct rest_file loaded;
        rc = frontier_came(l->shards[shard].frontier, j, &c, &loaded);
        if (rc == RC_OK && loaded.generation)
            rc = leave_file(l, bucket, loaded.generation);
    }
    return rc;
}

enum rc rest_drop(struct ledger *l, unsigned shard, unsigned bucket)
{
    struct rest_file file = frontier_rest_drop(l->shards[shard].frontier, bucket);
    return file.generation ? leave_file(l, bucket, file.generation) : RC_OK;
}

/* Turns -------------------------------------------------------------------------------------- */

enum rc rest_turn(struct ledger *l, unsigned shard)
{
    struct image_context c = ledger_image_context(l);
    struct ledger_shard *s = &l->shards[shard];
    bool more;
    enum rc rc = rest_collect(l, shard);
    rc = rc ? rc : frontier_rotate(s->frontier, &c, false, &more);
    if (frontier_is_over(s->frontier) && !s->is_over)
        log_warn(l->settings.log, "frontier.memory",
                 LOG_C("why", "one bucket of hosts alone is more than its share"),
                 LOG_U64("bytes", l->settings.frontier.memory_bytes));
    s->is_over = frontier_is_over(s->frontier);
    return rc;
}

enum rc rest_fit(struct ledger *l, unsigned shard)
{
    struct image_context c = ledger_image_context(l);
    bool more = true;
    enum rc rc = RC_OK;
    while (more && rc == RC_OK) {
        rc = frontier_rotate(l->shards[shard].frontier, &c, true, &more);
        rc = rc ? rc : rest_collect(l, shard);
    }
    return rc;
}

enum rc ledger_bring(struct ledger *l, unsigned shard, uint64_t position)
{
    struct frontier *f = l->shards[shard].frontier;
    enum rc rc = RC_OK;
    frontier_want(f, position);
    for (unsigned i = 0; i < MOST_TRIES && rc == RC_OK && frontier_rests(f, position); i++) {
        rc = rest_turn(l, shard);
        rc = rc ? rc : rest_collect(l, shard);
    }
    return rc;
}

/* Images ------------------------------------------------------------------------------------- */

void rest_refer(struct ledger *l, unsigned bucket, struct rest_file file)
{
    (void)pthread_mutex_lock(&l->rest_lock);
    l->places[bucket].making = file;
    (void)pthread_mutex_unlock(&l->rest_lock);
}

/* Everything that was sent has been done. */
static void wait_for_jobs(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->rest_lock);
    while (l->has_rest_thread && (l->jobs || l->is_working))
        (void)pthread_cond_wait(&l->rest_idle, &l->rest_lock);
    (void)pthread_mutex_unlock(&l->rest_lock);
}

enum rc rest_sync(struct ledger *l)
{
    enum rc rc = RC_OK;
    bool any = false;
    wait_for_jobs(l);
    for (unsigned i = 0; i < FRONTIER_BUCKETS && rc == RC_OK; i++) {
        const struct rest_place *p = &l->places[i];
        bool is_new = p->making.generation != p->kept.generation;
        if (!p->making.generation || (!is_new && p->making.bytes == p->kept.bytes))
            continue;
        rc = rest_file_sync(l->disk, LEDGER_REST, i, p->making.generation);
        any |= is_new;
    }
    return rc || !any ? rc : disk_dirsync(l->disk, LEDGER_REST);
}

/* The image that was being made is the one that counts, or (`is_kept` false) has been given up. */
enum rc rest_settle(struct ledger *l, bool is_kept)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; l->places && i < FRONTIER_BUCKETS && rc == RC_OK; i++) {
        struct rest_place *p = &l->places[i];
        (void)pthread_mutex_lock(&l->rest_lock);
        uint64_t old = is_kept ? p->kept.generation : p->making.generation;
        if (is_kept)
            p->kept = p->making;
        p->making = (struct rest_file){0};
        bool used = is_used(p, old);
        (void)pthread_mutex_unlock(&l->rest_lock);
        rc = used ? RC_OK : remove_file(l, i, old);
    }
    return rc;
}

/* Opening ------------------------------------------------------------------------------------ */

static enum rc note_generation(void *ctx, struct str name, bool is_folder)
{
    uint64_t *most = ctx, generation;
    unsigned bucket;
    if (!is_folder && rest_path_read(name, &bucket, &generation) && generation > *most)
        *most = generation;
    return RC_OK;
}

enum rc rest_begin(struct ledger *l)
{
    uint64_t most = 0;
    enum rc rc = disk_list(l->disk, LEDGER_REST, note_generation, &most);
    rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++)
        frontier_rest_begin(l->shards[i].frontier, (struct rest_carrier){send, l}, most);
    return rc;
}

enum rc rest_adopt(struct ledger *l, struct str reference)
{
    struct image_context c = ledger_image_context(l);
    unsigned bucket = image_bucket(reference);
    if (bucket >= FRONTIER_BUCKETS)
        return RC_CORRUPT;
    struct frontier *f = l->shards[bucket % l->settings.shards].frontier;
    enum rc rc = rest_read_reference(f, reference, &c);
    if (rc)
        return rc == RC_EXISTS ? RC_CORRUPT : rc;
    struct rest_file file = frontier_rest_file(f, bucket);
    l->places[bucket].now = file.generation;
    l->places[bucket].kept = file;
    return rest_file_check(l->disk, LEDGER_REST, bucket, file);
}

enum rc rest_cut(struct ledger *l)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < FRONTIER_BUCKETS && rc == RC_OK; i++)
        if (l->places[i].kept.generation)
            rc = rest_file_cut(l->disk, LEDGER_REST, i, l->places[i].kept);
    return rc;
}

static enum rc remove_unused(void *ctx, struct str name, bool is_folder)
{
    struct ledger *l = ctx;
    char path[DISK_MAX_NAME_BYTES + sizeof LEDGER_REST + 1];
    uint64_t generation;
    unsigned bucket;
    if (is_folder || (rest_path_read(name, &bucket, &generation) && bucket < FRONTIER_BUCKETS &&
                      is_used(&l->places[bucket], generation)))
        return RC_OK;
    (void)snprintf(path, sizeof path, LEDGER_REST "/" STR_FMT, STR_ARG(name));
    return disk_unlink(l->disk, path);
}

enum rc rest_clean(struct ledger *l)
{
    return disk_list(l->disk, LEDGER_REST, remove_unused, l);
}

/* The thread --------------------------------------------------------------------------------- */

/* Under `rest_lock`. */
static struct rest_job *next_job(struct ledger *l)
{
    struct rest_job *j = l->jobs;
    l->jobs = j->next;
    if (!l->jobs)
        l->last_job = NULL;
    return j;
}

static void *carry(void *ctx)
{
    struct ledger *l = ctx;
    (void)pthread_mutex_lock(&l->rest_lock);
    while (l->jobs || !l->rest_stop) {
        if (!l->jobs) {
            (void)pthread_cond_wait(&l->rest_wake, &l->rest_lock);
            continue;
        }
        struct rest_job *j = next_job(l);
        l->is_working = true;
        (void)pthread_mutex_unlock(&l->rest_lock);
        rest_job_do(l->disk, LEDGER_REST, j);
        if (j->rc)
            (void)ledger_fail(l, j->rc);
        (void)pthread_mutex_lock(&l->rest_lock);
        l->is_working = false;
        give_back(l, j);
        (void)pthread_cond_broadcast(&l->rest_idle);
    }
    (void)pthread_mutex_unlock(&l->rest_lock);
    return NULL;
}

enum rc rest_start(struct ledger *l)
{
    if (!l->settings.sync_ms)
        return RC_OK;
    l->has_rest_thread = pthread_create(&l->rest_thread, NULL, carry, l) == 0;
    return l->has_rest_thread ? RC_OK : RC_NOMEM;
}

void rest_stop(struct ledger *l)
{
    if (!l->has_rest_thread)
        return;
    (void)pthread_mutex_lock(&l->rest_lock);
    l->rest_stop = true;
    (void)pthread_cond_broadcast(&l->rest_wake);
    (void)pthread_mutex_unlock(&l->rest_lock);
    (void)pthread_join(l->rest_thread, NULL);
    l->has_rest_thread = false;
}

void rest_done(struct ledger *l)
{
    struct rest_job *j;
    rest_stop(l);
    for (unsigned i = 0; l->shards && i < l->settings.shards; i++)
        while ((j = take_came(l, i)) != NULL)
            rest_job_close(j);
    (void)pthread_mutex_destroy(&l->rest_lock);
    (void)pthread_cond_destroy(&l->rest_wake);
    (void)pthread_cond_destroy(&l->rest_idle);
    mem_free(l->places);
}

bool rest_make(struct ledger *l)
{
    (void)pthread_mutex_init(&l->rest_lock, NULL);
    (void)pthread_cond_init(&l->rest_wake, NULL);
    (void)pthread_cond_init(&l->rest_idle, NULL);
    l->places = mem_zero(FRONTIER_BUCKETS, sizeof *l->places);
    return l->places != NULL;
}
