/* SPDX-License-Identifier: Apache-2.0 */
/* log: one line per event, fields as key=value, or as one JSON object a line.
 *
 *     log_warn(log, "seed.refused", LOG_STR("seed", url), LOG_STR("why", words));
 *     2026-11-16T10:00:00.123Z warn seed.refused seed=ftp://a.org/ why="not http or https"
 *
 * An event is logged where something is decided, never for every byte. Values that hold a space, a
 * quote, = or a control are quoted; what steers a terminal (base/utf8.h) is escaped. A line is
 * formed whole and given to the sink in one call; calls may come from any thread, the sink sees
 * them one at a time. A NULL log swallows all. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/clock.h"
#include "base/str.h"

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };

struct log_field {
    const char *key; /* NULL ends the list */
    struct str text; /* the value, unless is_number */
    uint64_t number;
    bool is_number;
};

#define LOG_STR(k, s) ((struct log_field){.key = (k), .text = (s)})
#define LOG_C(k, c) ((struct log_field){.key = (k), .text = str_c(c)})
#define LOG_U64(k, v) ((struct log_field){.key = (k), .number = (v), .is_number = true})
#define LOG_RC(rc) LOG_C("error", rc_text(rc))

struct log;
struct log_sink {
    void (*write)(void *ctx, struct str line); /* the line ends with LF */
    void *ctx;
};

/* NULL without memory. The clock is borrowed. */
struct log *log_open(enum log_level least, bool as_json, struct clock *clock, struct log_sink sink);
void log_close(struct log *log);

/* A sink that writes to standard error. */
struct log_sink log_to_stderr(void);

void log_write(struct log *log, enum log_level level, const char *event,
               const struct log_field *fields);

#define LOG_FIELDS(...) ((const struct log_field[]){__VA_ARGS__ __VA_OPT__(, ){0}})
#define log_debug(log, event, ...) log_write(log, LOG_LEVEL_DEBUG, event, LOG_FIELDS(__VA_ARGS__))
#define log_info(log, event, ...) log_write(log, LOG_LEVEL_INFO, event, LOG_FIELDS(__VA_ARGS__))
#define log_warn(log, event, ...) log_write(log, LOG_LEVEL_WARN, event, LOG_FIELDS(__VA_ARGS__))
#define log_error(log, event, ...) log_write(log, LOG_LEVEL_ERROR, event, LOG_FIELDS(__VA_ARGS__))

/* For lines that another machine can cause as often as it likes: of one event LOG_LIMIT_LINES a
 * minute are written, the others are counted. When the minute is over, the next line of the log, or
 * its end, is preceded by one that says how many were left out:
 *
 *     2026-11-16T10:01:00.123Z warn place.refused more_like_this=1234 */
enum {
    LOG_LIMIT_LINES = 10,
    LOG_LIMIT_MS = 60 * 1000,
    LOG_LIMIT_EVENTS = 32, /* at most; those beyond share one count, and are told as "other" */
};
void log_write_limited(struct log *log, enum log_level level, const char *event,
                       const struct log_field *fields);
#define log_info_limited(log, event, ...) \
    log_write_limited(log, LOG_LEVEL_INFO, event, LOG_FIELDS(__VA_ARGS__))
#define log_warn_limited(log, event, ...) \
    log_write_limited(log, LOG_LEVEL_WARN, event, LOG_FIELDS(__VA_ARGS__))

/* "2026-11-16T10:00:00.123Z" of milliseconds since 1970, UTC; for logs and records alike. */
struct buf;
void buf_time_iso(struct buf *b, uint64_t wall_ms);

#endif
