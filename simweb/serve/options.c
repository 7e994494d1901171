/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/server.h"

#include "serve/sim_clock.h"

#define ROW(type, field, key, def, help, ...) \
    OPTION_##type##_ROW(struct server_settings, field, key, def, help, __VA_ARGS__)

const struct option server_options[] = {
    ROW(TEXT, dir, "dir", ".simweb", "folder of run.json and the web's own authority",
        .arg = "DIR"),
    ROW(COUNT, dns_port, "dns-port", "8053", "where DNS is served; 0 is any free port",
        .max = 65535),
    ROW(COUNT, control_port, "control-port", "8090", "where report and clock are; 0 is any",
        .max = 65535),
    ROW(DURATION, latency_least_ms, "latency-least", "0ms", "wait before an answer, a host's own",
        .max = 3600000),
    ROW(DURATION, latency_most_ms, "latency-most", "0ms", "and the slowest host's", .max = 3600000),
    ROW(SIZE, bandwidth_least, "bandwidth-least", "0", "bytes a second of a connection, by host"),
    ROW(SIZE, bandwidth_most, "bandwidth-most", "0", "and the fastest host's; 0 is any"),
    ROW(REAL, rate_limit, "rate-limit", "0", "requests a second a host takes; 0 is any"),
    ROW(COUNT, rate_burst, "rate-burst", "5", "requests at once before that", .min = 1,
        .max = 1000000),
    ROW(REAL, chunked, "chunked", "0.2", "share of hosts that answer in chunks"),
    ROW(REAL, coded, "coded", "0.5", "share of hosts that offer gzip, br and zstd"),
    ROW(REAL, http2, "http2", "1.0", "share of https hosts that offer HTTP/2"),
    ROW(COUNT, clock_ms, "clock-start", "0", "the web's time at first, ms since 1970; 0 is now",
        .arg = "MS"),
    ROW(REAL, clock_speed, "clock-speed", "1", "seconds of the web a second; 0 stands still"),
    ROW(BOOL, keep_urls, "keep-urls", "yes", "the witness remembers every URL"),
    ROW(DURATION, idle_ms, "idle-timeout", "60s", "a silent connection is closed after this",
        .min = 1, .max = 86400000),
    ROW(COUNT, most_connections, "connections", "4000", "open at once", .min = 1, .max = 1000000),
    ROW(COUNT, knobs.retry_after_s, "retry-after", "120", "seconds that F35 asks for",
        .max = 1000000000),
    ROW(DURATION, knobs.drip_ms, "drip", "10s", "between the bytes of F07; F08 a tenth",
        .max = 86400000),
    ROW(DURATION, knobs.patience_ms, "patience", "20m",
        "a client that has not given up by then hangs", .min = 1, .max = 86400000),
    ROW(SIZE, knobs.endless_bytes, "endless", "2G", "what an endless body sends at most"),
    ROW(REAL, knobs.scale, "fault-scale", "1", "sizes of faults, 1 = as the table says"),
    {0},
};

static enum rc check_share(const char *key, double value, struct buf *why)
{
    if (value >= 0 && value <= 1) /* false for NaN */
        return RC_OK;
    buf_printf(why, "--%s: %g is no share; expected a number from 0 to 1", key, value);
    return RC_INVALID;
}

static enum rc check_speed(const char *key, double value, struct buf *why)
{
    if (value >= 0 && value <= 1e9)
        return RC_OK;
    buf_printf(why, "--%s: expected a number from 0 to 1000000000, not %g", key, value);
    return RC_INVALID;
}

static enum rc check_range(const char *key, uint64_t least, uint64_t most, struct buf *why)
{
    if (least <= most)
        return RC_OK;
    buf_printf(why, "--%s-least is above --%s-most", key, key);
    return RC_INVALID;
}

static enum rc check_clock(uint64_t start_ms, struct buf *why)
{
    if (!start_ms || (start_ms >= SIM_CLOCK_FIRST_MS && start_ms <= SIM_CLOCK_LAST_MS))
        return RC_OK;
    buf_printf(why,
               "--clock-start: expected 0 (now), or milliseconds since 1970 from %llu (2025, when "
               "this web begins) to %llu (9999)",
               (unsigned long long)SIM_CLOCK_FIRST_MS, (unsigned long long)SIM_CLOCK_LAST_MS);
    return RC_INVALID;
}

enum rc server_settings_check(const struct server_settings *s, struct buf *why)
{
    enum rc rc = check_share("chunked", s->chunked, why);
    if (rc == RC_OK)
        rc = check_share("coded", s->coded, why);
    if (rc == RC_OK)
        rc = check_share("http2", s->http2, why);
    if (rc == RC_OK)
        rc = check_speed("rate-limit", s->rate_limit, why);
    if (rc == RC_OK)
        rc = check_speed("clock-speed", s->clock_speed, why);
    if (rc == RC_OK)
        rc = check_clock(s->clock_ms, why);
    if (rc == RC_OK)
        rc = check_speed("fault-scale", s->knobs.scale, why);
    if (rc == RC_OK)
        rc = check_range("latency", s->latency_least_ms, s->latency_most_ms, why);
    if (rc == RC_OK)
        rc = check_range("bandwidth", s->bandwidth_least, s->bandwidth_most, why);
    return rc;
}
