/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/calendar.h"
#include "base/jsonw.h"
#include "base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

enum { MAX_LINE_BYTES = 64 * 1024, LIMIT_NAME_BYTES = 64 };

static const char *const level_names[] = {"debug", "info", "warn", "error"};

/* One event that is limited. */
struct limit {
    char event[LIMIT_NAME_BYTES]; /* a copy: a part's library may go before the log; "" = free */
    enum log_level level;
    uint64_t since_ms;
    uint64_t written, left_out; /* since then */
};

struct log {
    enum log_level least;
    bool as_json;
    struct clock *clock;
    struct log_sink sink;
    pthread_mutex_t lock; /* guards what follows, and the calls of sink */
    struct buf line;
    struct limit limits[LOG_LIMIT_EVENTS];
};

struct log *log_open(enum log_level least, bool as_json, struct clock *clock, struct log_sink sink)
{
    struct log *log = mem_zero(1, sizeof *log);
    if (!log)
        return NULL;
    log->least = least;
    log->as_json = as_json;
    log->clock = clock;
    log->sink = sink;
    buf_init(&log->line, MAX_LINE_BYTES);
    pthread_mutex_init(&log->lock, NULL);
    return log;
}

static void put_line(struct log *log, enum log_level level, const char *event,
                     const struct log_field *fields);

/* `lock` is held. */
static void tell_left_out(struct log *log, struct limit *l)
{
    uint64_t more = l->left_out;
    l->written = l->left_out = 0;
    if (more)
        put_line(log, l->level, l->event, LOG_FIELDS(LOG_U64("more_like_this", more)));
}

/* `lock` is held. */
static void tell_all_left_out(struct log *log, uint64_t now_ms, uint64_t least_ms)
{
    for (size_t i = 0; i < LOG_LIMIT_EVENTS && log->limits[i].event[0]; i++)
        if (now_ms - log->limits[i].since_ms >= least_ms)
            tell_left_out(log, &log->limits[i]);
}

void log_close(struct log *log)
{
    if (!log)
        return;
    tell_all_left_out(log, clock_now_ms(log->clock), 0);
    pthread_mutex_destroy(&log->lock);
    buf_done(&log->line);
    mem_free(log);
}

static void stderr_write(void *ctx, struct str line)
{
    (void)ctx;
    while (line.n) {
        ssize_t written = write(STDERR_FILENO, line.p, line.n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        line = str_from(line, (size_t)written);
    }
}

struct log_sink log_to_stderr(void)
{
    return (struct log_sink){stderr_write, NULL};
}

/* `before`, then a number of two digits. */
static void put_two(struct buf *b, char before, int value)
{
    const char text[] = {before, (char)('0' + value / 10), (char)('0' + value % 10)};
    buf_add(b, str_make(text, sizeof text));
}

/* Without printf: every line of a crawl's log has one. */
void buf_time_iso(struct buf *b, uint64_t wall_ms)
{
    struct moment m = moment_of_day((int64_t)(wall_ms / CALENDAR_MS_A_DAY),
                                    (uint32_t)(wall_ms % CALENDAR_MS_A_DAY));
    buf_u64_wide(b, (uint64_t)m.year, 4, '0');
    put_two(b, '-', m.month);
    put_two(b, '-', m.day);
    put_two(b, 'T', m.hour);
    put_two(b, ':', m.minute);
    put_two(b, ':', m.second);
    buf_byte(b, '.');
    buf_u64_wide(b, (uint64_t)m.ms, 3, '0');
    buf_byte(b, 'Z');
}

static bool needs_quotes(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == '"' || s.p[i] == '=' || s.p[i] == 127)
            return true;
    return s.n == 0;
}

static void text_field(struct buf *b, const struct log_field *f)
{
    buf_printf(b, " %s=", f->key);
    if (f->is_number) {
        buf_u64(b, f->number);
        return;
    }
    bool quoted = needs_quotes(f->text);
    if (quoted)
        buf_byte(b, '"');
    buf_json_escaped(b, f->text);
    if (quoted)
        buf_byte(b, '"');
}

static void text_line(struct buf *b, uint64_t wall_ms, enum log_level level, const char *event,
                      const struct log_field *fields)
{
    buf_time_iso(b, wall_ms);
    buf_printf(b, " %s %s", level_names[level], event);
    for (; fields->key; fields++)
        text_field(b, fields);
}

static void json_line(struct buf *b, uint64_t wall_ms, enum log_level level, const char *event,
                      const struct log_field *fields)
{
    struct jsonw j = jsonw_to(b);
    jsonw_object(&j);
    char room[32];
    struct buf time = buf_on(room, sizeof room);
    buf_time_iso(&time, wall_ms);
    jsonw_text_field(&j, "time", buf_str(&time));
    jsonw_text_field(&j, "level", str_c(level_names[level]));
    jsonw_text_field(&j, "event", str_c(event));
    for (; fields->key; fields++) {
        if (fields->is_number)
            jsonw_u64_field(&j, fields->key, fields->number);
        else
            jsonw_text_field(&j, fields->key, fields->text);
    }
    jsonw_end(&j);
}

/* `lock` is held. */
static void put_line(struct log *log, enum log_level level, const char *event,
                     const struct log_field *fields)
{
    uint64_t wall_ms = clock_wall_ms(log->clock);
    buf_clear(&log->line);
    (log->as_json ? json_line : text_line)(&log->line, wall_ms, level, event, fields);
    buf_byte(&log->line, '\n');
    if (buf_rc(&log->line) == RC_OK)
        log->sink.write(log->sink.ctx, buf_str(&log->line));
}

void log_write(struct log *log, enum log_level level, const char *event,
               const struct log_field *fields)
{
    if (!log || level < log->least)
        return;
    pthread_mutex_lock(&log->lock);
    tell_all_left_out(log, clock_now_ms(log->clock), LOG_LIMIT_MS);
    put_line(log, level, event, fields);
    pthread_mutex_unlock(&log->lock);
}

/* `lock` is held. The last row is for all events that found none. */
static struct limit *limit_of(struct log *log, enum log_level level, const char *event)
{
    size_t i = 0;
    while (i + 1 < LOG_LIMIT_EVENTS && log->limits[i].event[0] &&
           strncmp(log->limits[i].event, event, LIMIT_NAME_BYTES - 1) != 0)
        i++;
    struct limit *l = &log->limits[i];
    if (!l->event[0]) {
        struct buf name = buf_on(l->event, sizeof l->event);
        buf_printf(&name, "%.*s", LIMIT_NAME_BYTES - 1, i + 1 < LOG_LIMIT_EVENTS ? event : "other");
        (void)buf_c(&name);
        l->level = level;
    }
    return l;
}

void log_write_limited(struct log *log, enum log_level level, const char *event,
                       const struct log_field *fields)
{
    if (!log || level < log->least)
        return;
    pthread_mutex_lock(&log->lock);
    uint64_t now_ms = clock_now_ms(log->clock);
    struct limit *l = limit_of(log, level, event);
    tell_all_left_out(log, now_ms, LOG_LIMIT_MS);
    if (!l->written)
        l->since_ms = now_ms;
    if (l->written < LOG_LIMIT_LINES) {
        l->written++;
        put_line(log, level, event, fields);
    } else {
        l->left_out++;
    }
    pthread_mutex_unlock(&log->lock);
}
