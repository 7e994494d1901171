/* SPDX-License-Identifier: Apache-2.0 */
#include "sink/outbox.h"

#include "archive/sent.h"
#include "archive/warc_files.h"
#include "archive/warc_name.h"
#include "base/clock.h"
#include "base/mem.h"
#include "sink/index_lines.h"
#include "sink/sender.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define ARCHIVE "archive"
#define LOCK_PATH "state/SENDING"
#define LINES_PATH "state/sending.cdxj"

enum {
    LOOK_MS = 1000,
    FIRST_PAUSE_MS = 500,
    MOST_PAUSE_MS = 60000,
    HURRIED_PAUSE_MS = 2000, /* while a caller waits for the end */
    GIVE_UP_MS = 200,
    WHY_BYTES = 400,
};

/* A file to be sent. */
struct waiting {
    char name[WARC_FILES_NAME_BYTES];
    uint64_t bytes;
    bool is_refused; /* for good, in this run */
};

struct sink_outbox {
    struct sink_outbox_settings settings;
    struct sink_login login;
    struct sink_numbers numbers;
    char *dir, *login_file;
    struct disk *disk;
    struct disk_lock *dir_lock;
    _Atomic bool stop;
    /* Only the thread uses these: */
    struct sent *sent;
    struct index_lines *index;
    struct sink_sender *sender; /* NULL: not connected */
    struct waiting *list;       /* sorted by name; the name contains the time, so mostly by age */
    size_t count, room;
    uint64_t largest_serial, pause_ms;
    char refusal[WHY_BYTES]; /* the last refusal for good */

    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t wake, news;
    bool is_hurried;  /* a caller waits for the end */
    bool is_fresh;    /* `left` was counted after is_hurried was set */
    bool has_refused; /* all files that are left were refused for good */
    char why[WHY_BYTES];
};

/* What is there ------------------------------------------------------------------------------- */

/* `is_refused` is carried from one look to the next. */
static bool was_refused(const struct waiting *list, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].is_refused && str_eq(str_c(list[i].name), name))
            return true;
    return false;
}

struct look {
    struct sink_outbox *o;
    struct waiting *before;
    size_t before_count;
    uint64_t open_files;
};

static enum rc add_waiting(struct look *l, struct str name)
{
    struct sink_outbox *o = l->o;
    struct waiting *list = mem_grow(o->list, o->count, &o->room, sizeof *list);
    if (!list)
        return RC_NOMEM;
    o->list = list;
    struct waiting *w = &o->list[o->count++];
    *w = (struct waiting){.is_refused = was_refused(l->before, l->before_count, name)};
    memcpy(w->name, name.p, name.n);
    return RC_OK;
}

static enum rc see(void *ctx, struct str name, bool is_folder)
{
    struct look *l = ctx;
    struct str last;
    uint64_t serial;
    if (is_folder || name.n >= WARC_FILES_NAME_BYTES + 5 || warc_name_serial(name, &serial))
        return RC_OK;
    if (serial > l->o->largest_serial)
        l->o->largest_serial = serial;
    if (warc_name_is_open(name, &last)) {
        l->open_files++;
        return RC_OK;
    }
    if (name.n >= WARC_FILES_NAME_BYTES || sent_has(l->o->sent, name, NULL))
        return RC_OK;
    return add_waiting(l, name);
}

static enum rc measure(struct sink_outbox *o, struct waiting *w)
{
    char path[WARC_PATH_BYTES];
    return disk_size_of(o->disk, warc_path(path, ARCHIVE, w->name, false), &w->bytes);
}

static void publish(struct sink_outbox *o)
{
    uint64_t bytes = 0;
    bool all_refused = o->count > 0;
    for (size_t i = 0; i < o->count; i++) {
        bytes += o->list[i].bytes;
        all_refused = all_refused && o->list[i].is_refused;
    }
    (void)pthread_mutex_lock(&o->lock);
    atomic_store(&o->numbers.left_files, o->count);
    atomic_store(&o->numbers.left_bytes, bytes);
    atomic_store(&o->numbers.sent_files, sent_files(o->sent));
    atomic_store(&o->numbers.sent_bytes, sent_bytes(o->sent));
    o->has_refused = all_refused;
    (void)pthread_cond_broadcast(&o->news);
    (void)pthread_mutex_unlock(&o->lock);
}

/* Makes the list of files to be sent. */
static enum rc look_for_files(struct sink_outbox *o)
{
    struct look l = {.o = o, .before = o->list, .before_count = o->count};
    (void)pthread_mutex_lock(&o->lock);
    bool was_hurried = o->is_hurried;
    (void)pthread_mutex_unlock(&o->lock);
    o->list = NULL;
    o->count = o->room = 0;
    enum rc rc = disk_list(o->disk, ARCHIVE, see, &l);
    for (size_t i = 0; i < o->count && rc == RC_OK; i++)
        rc = measure(o, &o->list[i]);
    mem_free(l.before);
    if (rc)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    atomic_store(&o->numbers.open_files, l.open_files);
    (void)pthread_mutex_lock(&o->lock);
    o->is_fresh = was_hurried;
    (void)pthread_mutex_unlock(&o->lock);
    publish(o);
    return RC_OK;
}

/* Trouble ------------------------------------------------------------------------------------- */

/* Logs each problem once, not at each try. */
static void say_trouble(struct sink_outbox *o, struct str why)
{
    char text[WHY_BYTES];
    (void)snprintf(text, sizeof text, STR_FMT, STR_ARG(why));
    (void)pthread_mutex_lock(&o->lock);
    bool is_news = strcmp(o->why, text) != 0;
    memcpy(o->why, text, sizeof text);
    (void)pthread_mutex_unlock(&o->lock);
    atomic_store(&o->numbers.is_stuck, why.n > 0);
    if (is_news && why.n)
        log_warn(o->settings.log, "sink.waiting", LOG_STR("why", why));
    else if (is_news)
        log_info(o->settings.log, "sink.resumed");
}

void sink_outbox_trouble(struct sink_outbox *o, struct buf *out)
{
    (void)pthread_mutex_lock(&o->lock);
    buf_add(out, str_c(o->why));
    (void)pthread_mutex_unlock(&o->lock);
}

/* Sending ------------------------------------------------------------------------------------- */

static void disconnect(struct sink_outbox *o)
{
    sink_sender_close(o->sender);
    o->sender = NULL;
}

static enum rc connect_to(struct sink_outbox *o, struct buf *why)
{
    if (o->sender)
        return RC_OK;
    enum rc rc = sink_sender_open(&o->login, o->login_file, &o->stop, &o->sender, why);
    if (rc) {
        char room[WHY_BYTES];
        struct buf all = buf_on(room, sizeof room);
        buf_printf(&all, "%s:%u: " STR_FMT, o->login.host, o->login.port,
                   STR_ARG(why->n ? buf_str(why) : str_c(rc_text(rc))));
        buf_clear(why);
        buf_add(why, buf_str(&all));
    }
    return rc;
}

/* Sends the file, then its index lines; then state/sent gets its name. */
static enum rc send_one(struct sink_outbox *o, const struct waiting *w, struct buf *why)
{
    char path[WARC_PATH_BYTES], lines[WARC_FILES_NAME_BYTES + 8];
    (void)snprintf(lines, sizeof lines, "%s.cdxj", w->name);
    enum rc rc = connect_to(o, why);
    rc = rc ? rc
            : sink_sender_put(o->sender, o->disk, warc_path(path, ARCHIVE, w->name, false),
                              SINK_WARC, str_c(w->name), &o->numbers.poured_bytes, why);
    rc = rc ? rc : index_lines_pick(o->index, str_c(w->name), LINES_PATH);
    rc = rc ? rc
            : sink_sender_put(o->sender, o->disk, LINES_PATH, SINK_INDEX, str_c(lines),
                              &o->numbers.poured_bytes, why);
    rc = rc ? rc : sent_add(o->sent, str_c(w->name), w->bytes);
    if (rc == RC_OK)
        log_info(o->settings.log, "sink.acknowledged", LOG_C("file", w->name),
                 LOG_U64("bytes", w->bytes));
    return rc;
}

static bool is_for_good(enum rc rc)
{
    return rc == RC_EXISTS || rc == RC_UNSUPPORTED;
}

/* A file that is refused for good does not stop those behind it; any other failure is tried again
 * later. After a while it returns for another look, so that the numbers stay current. */
static enum rc send_some(struct sink_outbox *o, struct buf *why)
{
    enum rc rc = RC_OK;
    uint64_t until = clock_now_ms(clock_real()) + LOOK_MS;
    size_t i = 0;
    while (i < o->count && rc == RC_OK && !atomic_load(&o->stop) &&
           clock_now_ms(clock_real()) < until) {
        struct waiting *w = &o->list[i];
        buf_clear(why);
        if (!w->is_refused)
            rc = send_one(o, w, why);
        if (w->is_refused) {
            i++;
        } else if (is_for_good(rc)) {
            (void)snprintf(o->refusal, sizeof o->refusal, "%s: " STR_FMT, w->name,
                           STR_ARG(buf_str(why)));
            say_trouble(o, str_c(o->refusal));
            w->is_refused = true;
            rc = RC_OK;
        } else if (rc == RC_OK) {
            memmove(w, w + 1, (o->count - i - 1) * sizeof *w);
            o->count--;
        }
        publish(o);
    }
    return rc;
}

/* Removing ------------------------------------------------------------------------------------ */

static enum rc remove_sent(void *ctx, struct str name, bool is_folder)
{
    struct sink_outbox *o = ctx;
    char path[WARC_PATH_BYTES], room[WARC_FILES_NAME_BYTES];
    uint64_t serial;
    if (is_folder || name.n >= sizeof room || warc_name_serial(name, &serial) ||
        serial >= o->largest_serial || !sent_has(o->sent, name, NULL))
        return RC_OK;
    memcpy(room, name.p, name.n);
    room[name.n] = '\0';
    return disk_unlink(o->disk, warc_path(path, ARCHIVE, room, false));
}

static enum rc tidy(struct sink_outbox *o)
{
    return o->settings.removes ? disk_list(o->disk, ARCHIVE, remove_sent, o) : RC_OK;
}

/* The thread ---------------------------------------------------------------------------------- */

/* True: there is more to do at once. */
static bool outbox_turn(struct sink_outbox *o)
{
    char room[WHY_BYTES];
    struct buf why = buf_on(room, sizeof room);
    enum rc rc = look_for_files(o);
    if (rc == RC_OK && o->count)
        rc = send_some(o, &why);
    if (rc == RC_OK)
        rc = tidy(o);
    (void)pthread_mutex_lock(&o->lock);
    bool all_refused = o->has_refused;
    (void)pthread_mutex_unlock(&o->lock);
    if (rc == RC_OK) { /* a refusal for good remains the trouble */
        say_trouble(o, all_refused ? str_c(o->refusal) : STR(""));
        o->pause_ms = 0;
    } else if (!atomic_load(&o->stop)) {
        say_trouble(o, why.n ? buf_str(&why) : str_c(rc_text(rc)));
        o->pause_ms = o->pause_ms ? o->pause_ms * 2 : FIRST_PAUSE_MS;
        o->pause_ms = o->pause_ms < MOST_PAUSE_MS ? o->pause_ms : MOST_PAUSE_MS;
    }
    if (rc || !o->count || atomic_load(&o->stop))
        disconnect(o); /* it connects again when there is a file to send */
    return rc == RC_OK && o->count && !all_refused;
}

static void wait_ms(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t ms)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(ms / 1000);
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(cond, lock, &until);
}

static void *outbox_main(void *ctx)
{
    struct sink_outbox *o = ctx;
    while (!atomic_load(&o->stop)) {
        bool has_more = outbox_turn(o);
        uint64_t ms = o->pause_ms > LOOK_MS ? o->pause_ms : LOOK_MS;
        (void)pthread_mutex_lock(&o->lock);
        if (o->is_hurried && ms > HURRIED_PAUSE_MS)
            ms = HURRIED_PAUSE_MS;
        if (!atomic_load(&o->stop) && !has_more && (!o->is_hurried || o->is_fresh))
            wait_ms(&o->wake, &o->lock, ms);
        (void)pthread_mutex_unlock(&o->lock);
    }
    return NULL;
}

bool sink_outbox_finish(struct sink_outbox *o, uint64_t most_ms, bool (*gives_up)(void *ctx),
                        void *ctx)
{
    uint64_t until = clock_now_ms(clock_real()) + most_ms;
    bool is_over = false, is_done = false;
    (void)pthread_mutex_lock(&o->lock);
    o->is_hurried = true;
    (void)pthread_cond_signal(&o->wake);
    while (!is_over) {
        is_done = o->is_fresh && atomic_load(&o->numbers.left_files) == 0;
        is_over = is_done || (o->is_fresh && o->has_refused) ||
                  clock_now_ms(clock_real()) >= until || (gives_up && gives_up(ctx));
        if (!is_over)
            wait_ms(&o->news, &o->lock, GIVE_UP_MS);
    }
    (void)pthread_mutex_unlock(&o->lock);
    return is_done;
}

/* Opening ------------------------------------------------------------------------------------- */

static enum rc read_login(struct sink_outbox *o, struct buf *why)
{
    struct buf text = {.max = SINK_LOGIN_MAX_BYTES};
    FILE *f = fopen(o->login_file, "re");
    if (!f) {
        buf_printf(why, "sink: %s: %s", o->login_file, strerror(errno));
        return RC_INVALID;
    }
    char *to = buf_reserve(&text, SINK_LOGIN_MAX_BYTES);
    text.n = to ? fread(to, 1, SINK_LOGIN_MAX_BYTES, f) : 0;
    (void)fclose(f);
    enum rc rc = to ? sink_login_read(buf_str(&text), &o->login) : RC_NOMEM;
    if (rc)
        buf_printf(
            why,
            "sink: %s is not a login file for an archive machine; `orbweaver sink add` makes one",
            o->login_file);
    if (to)
        explicit_bzero(to, SINK_LOGIN_MAX_BYTES);
    buf_done(&text);
    return rc;
}

static enum rc open_files(struct sink_outbox *o, struct buf *why)
{
    enum rc rc = disk_real_open(o->dir, &o->disk);
    rc = rc ? rc : disk_mkdir_private(o->disk, "state");
    rc = rc ? rc : disk_lock(o->disk, LOCK_PATH, &o->dir_lock);
    if (rc == RC_LOCKED) {
        buf_printf(why, "%s: another process sends from this directory (", o->dir);
        disk_lock_print(o->disk, LOCK_PATH, why);
        buf_byte(why, ')');
    }
    rc = rc ? rc : sent_open(o->disk, true, &o->sent);
    o->index = rc ? NULL : index_lines_open(o->disk);
    if (rc == RC_OK && !o->index)
        rc = RC_NOMEM;
    if (rc && !why->n)
        buf_printf(why, "%s: %s", o->dir, rc_text(rc));
    return rc;
}

static char *copy_settings(const char *text)
{
    size_t n = strlen(text) + 1;
    char *to = mem_alloc(n);
    if (to)
        memcpy(to, text, n);
    return to;
}

static struct sink_outbox *make_outbox(const struct sink_outbox_settings *s)
{
    pthread_condattr_t monotonic;
    struct sink_outbox *o = mem_zero(1, sizeof *o);
    if (!o)
        return NULL;
    o->settings = *s;
    o->dir = copy_settings(s->dir);
    o->login_file = copy_settings(s->login_file);
    (void)pthread_mutex_init(&o->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&o->wake, &monotonic);
    (void)pthread_cond_init(&o->news, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    if (o->dir && o->login_file)
        return o;
    sink_outbox_close(o);
    return NULL;
}

enum rc sink_outbox_open(const struct sink_outbox_settings *s, struct sink_outbox **ret,
                         struct buf *why)
{
    struct sink_outbox *o = make_outbox(s);
    if (!o)
        return RC_NOMEM;
    enum rc rc = read_login(o, why);
    rc = rc ? rc : open_files(o, why);
    rc = rc ? rc : look_for_files(o); /* so that the numbers are right from the beginning */
    if (rc == RC_OK) {
        o->has_thread = pthread_create(&o->thread, NULL, outbox_main, o) == 0;
        rc = o->has_thread ? RC_OK : RC_NOMEM;
    }
    if (rc)
        sink_outbox_close(o);
    else
        *ret = o;
    return rc;
}

const struct sink_numbers *sink_outbox_numbers(const struct sink_outbox *o)
{
    return &o->numbers;
}

void sink_outbox_close(struct sink_outbox *o)
{
    if (!o)
        return;
    atomic_store(&o->stop, true);
    if (o->has_thread) {
        (void)pthread_mutex_lock(&o->lock);
        (void)pthread_cond_signal(&o->wake);
        (void)pthread_mutex_unlock(&o->lock);
        (void)pthread_join(o->thread, NULL);
    }
    disconnect(o);
    if (o->dir_lock)
        (void)!disk_unlink(o->disk, LINES_PATH); /* it may not be there */
    index_lines_close(o->index);
    sent_close(o->sent);
    disk_unlock(o->dir_lock);
    disk_close(o->disk);
    (void)pthread_cond_destroy(&o->wake);
    (void)pthread_cond_destroy(&o->news);
    (void)pthread_mutex_destroy(&o->lock);
    explicit_bzero(&o->login, sizeof o->login);
    mem_free(o->list);
    mem_free(o->dir);
    mem_free(o->login_file);
    mem_free(o);
}
