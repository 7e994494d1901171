/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl/crawl_progress.h"

#include "cli/crawl/crawl_statistics.h"
#include "control/crawl_status.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { REDRAW_MS = 250, LINE_MS = 60 * 1000, RATE_MS = 5000, MAX_COLUMNS = 400 };

struct crawl_progress {
    struct crawl_progress_settings settings;
    bool is_terminal;
    struct flow *flow;
    struct ledger_service *ledger;
    pthread_t thread;
    bool runs;
    pthread_mutex_t lock; /* guards what follows, and standard error */
    pthread_cond_t wakes;
    bool ends;
    bool is_drawn; /* a progress line stands on the terminal */
    /* of the thread */
    struct buf line;
    uint64_t rate_ms, rate_fetched; /* where the rate is measured from */
    uint64_t before_ms, before_fetched;
    uint64_t said_ms;
    uint64_t told_ms; /* when a signal, or the end at a limit, was first seen */
    struct crawl_statistics *statistics;
};

/* Signal handlers get no argument. Atomic: any thread may run one, and others read these. */
static atomic_int last_signal, signal_count;
static _Atomic(struct flow *) running;

static void on_signal(int number)
{
    struct flow *f = atomic_load(&running);
    int error = errno;
    bool is_first = atomic_fetch_add(&signal_count, 1) == 0;
    atomic_store(&last_signal, number);
    if (f && is_first)
        flow_drain(f);
    else if (f)
        flow_stop(f);
    errno = error;
}

static void catch_signals(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

int crawl_progress_signal(const struct crawl_progress *w)
{
    (void)w;
    return last_signal;
}

int crawl_progress_signals(const struct crawl_progress *w)
{
    (void)w;
    return signal_count;
}

struct crawl_progress *crawl_progress_open(const struct crawl_progress_settings *s)
{
    struct crawl_progress *w = mem_zero(1, sizeof *w);
    if (!w)
        return NULL;
    w->settings = *s;
    w->is_terminal = isatty(STDERR_FILENO) && !s->json;
    buf_init(&w->line, 64 << 10);
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_t how;
    (void)pthread_condattr_init(&how);
    (void)pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&w->wakes, &how);
    (void)pthread_condattr_destroy(&how);
    return w;
}

void crawl_progress_close(struct crawl_progress *w)
{
    if (!w)
        return;
    crawl_progress_end(w);
    (void)pthread_cond_destroy(&w->wakes);
    pthread_mutex_destroy(&w->lock);
    buf_done(&w->line);
    mem_free(w);
}

/* Drawing -------------------------------------------------------------------------------------- */

static void wipe(struct crawl_progress *w)
{
    if (w->is_drawn)
        (void)fputs("\r\x1b[K", stderr);
    w->is_drawn = false;
}

static void sink_write(void *ctx, struct str line)
{
    struct crawl_progress *w = ctx;
    pthread_mutex_lock(&w->lock);
    wipe(w);
    (void)fwrite(line.p, 1, line.n, stderr);
    (void)fflush(stderr);
    pthread_mutex_unlock(&w->lock);
}

struct log_sink crawl_progress_sink(struct crawl_progress *w)
{
    return (struct log_sink){sink_write, w};
}

static size_t columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col == 0)
        return 80;
    return size.ws_col < MAX_COLUMNS ? size.ws_col : MAX_COLUMNS;
}

/* As many characters as the terminal is wide; the text is UTF-8. */
static struct str fit(struct str text, size_t width)
{
    size_t characters = 0;
    for (size_t i = 0; i < text.n; i++) {
        characters += ((unsigned char)text.p[i] & 0xc0) != 0x80;
        if (characters >= width)
            return str_first(text, i);
    }
    return text;
}

static void draw(struct crawl_progress *w, uint64_t now_ms)
{
    uint64_t over_ms = now_ms - w->before_ms;
    buf_clear(&w->line);
    if (w->settings.json)
        crawl_status_json(w->ledger, &w->line);
    else
        crawl_status_print(w->ledger, w->before_fetched, over_ms, &w->line);
    if (!w->settings.json && flow_is_paused(w->flow))
        buf_add(&w->line, STR(" · paused"));
    struct str line = w->is_terminal ? fit(buf_str(&w->line), columns()) : buf_str(&w->line);
    pthread_mutex_lock(&w->lock);
    (void)fprintf(stderr, w->is_terminal ? "\r" STR_FMT "\x1b[K" : STR_FMT "\n", STR_ARG(line));
    (void)fflush(stderr);
    w->is_drawn = w->is_terminal;
    pthread_mutex_unlock(&w->lock);
}

/* The rate is that of the last five to ten seconds. */
static void measure(struct crawl_progress *w, uint64_t now_ms)
{
    if (now_ms - w->rate_ms < RATE_MS)
        return;
    w->before_ms = w->rate_ms;
    w->before_fetched = w->rate_fetched;
    w->rate_ms = now_ms;
    w->rate_fetched = atomic_load_explicit(&w->ledger->counts.fetched, memory_order_relaxed);
}

static void look(struct crawl_progress *w)
{
    uint64_t now_ms = clock_now_ms(clock_real());
    uint64_t every_ms = w->is_terminal ? REDRAW_MS : LINE_MS;
    measure(w, now_ms);
    if ((last_signal || flow_is_ending(w->flow)) && !w->told_ms)
        w->told_ms = now_ms;
    if (w->told_ms && now_ms - w->told_ms > w->settings.grace_ms)
        flow_stop(w->flow);
    crawl_statistics_look(w->statistics, now_ms);
    if (!w->settings.quiet && now_ms - w->said_ms >= every_ms) {
        w->said_ms = now_ms;
        draw(w, now_ms);
    }
}

static void *watch_main(void *arg)
{
    struct crawl_progress *w = arg;
    pthread_mutex_lock(&w->lock);
    while (!w->ends) {
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += REDRAW_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&w->wakes, &w->lock, &until);
        if (w->ends)
            break;
        /* Without the lock: look() takes locks of the crawl, and a thread that holds those may
         * log. */
        pthread_mutex_unlock(&w->lock);
        look(w);
        pthread_mutex_lock(&w->lock);
    }
    wipe(w);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

enum rc crawl_progress_begin(struct crawl_progress *w, struct flow *flow,
                             struct ledger_service *ledger)
{
    w->flow = flow;
    w->ledger = ledger;
    w->rate_ms = w->before_ms = w->said_ms = clock_now_ms(clock_real());
    atomic_store(&running, flow);
    catch_signals(on_signal);
    w->ends = false;
    w->statistics = crawl_statistics_open(w->settings.dir, ledger);
    w->runs = pthread_create(&w->thread, NULL, watch_main, w) == 0;
    if (w->runs)
        return RC_OK;
    crawl_statistics_close(w->statistics);
    w->statistics = NULL;
    return RC_LIMIT;
}

void crawl_progress_end(struct crawl_progress *w)
{
    if (!w->runs)
        return;
    pthread_mutex_lock(&w->lock);
    w->ends = true;
    (void)pthread_cond_signal(&w->wakes);
    pthread_mutex_unlock(&w->lock);
    (void)pthread_join(w->thread, NULL);
    crawl_statistics_close(w->statistics);
    w->statistics = NULL;
    w->runs = false;
    atomic_store(&running, NULL);
    catch_signals(SIG_DFL);
}
