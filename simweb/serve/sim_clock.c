/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/sim_clock.h"

#include "wire/reply.h"

#include "base/clock.h"

enum { TRUE_WITHIN_MS = 10 };

void sim_clock_init(struct sim_clock *c, uint64_t start_ms, double speed, uint64_t now_us)
{
    *c = (struct sim_clock){.speed = speed};
    sim_clock_set(c, now_us, start_ms ? start_ms : clock_wall_ms(clock_real()));
}

uint64_t sim_clock_wall_ms(const struct sim_clock *c, uint64_t now_us)
{
    uint64_t passed_us = now_us - c->at_us, left_ms = SIM_CLOCK_LAST_MS - c->wall_ms;
    double passed_ms = (double)passed_us * c->speed / 1000;
    if (passed_ms >= (double)left_ms)
        return SIM_CLOCK_LAST_MS;
    if (c->speed == 1) /* exact, however long it runs */
        return c->wall_ms + passed_us / 1000;
    return c->wall_ms + (uint64_t)passed_ms;
}

void sim_clock_set(struct sim_clock *c, uint64_t now_us, uint64_t wall_ms)
{
    c->wall_ms = wall_ms < SIM_CLOCK_FIRST_MS  ? SIM_CLOCK_FIRST_MS
                 : wall_ms > SIM_CLOCK_LAST_MS ? SIM_CLOCK_LAST_MS
                                               : wall_ms;
    c->at_us = now_us;
}

void sim_clock_advance(struct sim_clock *c, uint64_t now_us, uint64_t by_ms)
{
    uint64_t shown = sim_clock_wall_ms(c, now_us), left_ms = SIM_CLOCK_LAST_MS - shown;
    sim_clock_set(c, now_us, by_ms < left_ms ? shown + by_ms : SIM_CLOCK_LAST_MS);
}

bool sim_clock_is_true(const struct sim_clock *c, uint64_t now_us)
{
    uint64_t shown = sim_clock_wall_ms(c, now_us), real = clock_wall_ms(clock_real());
    return c->speed == 1 && (shown > real ? shown - real : real - shown) < TRUE_WITHIN_MS;
}

/* The parts of a date as digits at fixed places: "2026-11-16", "10:00:00", ".123". */
static bool digits_at(struct str s, size_t at, size_t n, uint64_t *ret)
{
    return at + n <= s.n && str_to_u64(str_make(s.p + at, n), ret) == RC_OK;
}

/* By way of HTTP's form, which knows how long months are. */
static enum rc read_day(struct str day, uint64_t *ret_ms)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    uint64_t y, m, d;
    char room[64];
    struct buf text = buf_on(room, sizeof room);
    if (day.n != 10 || day.p[4] != '-' || day.p[7] != '-' || !digits_at(day, 0, 4, &y) ||
        !digits_at(day, 5, 2, &m) || !digits_at(day, 8, 2, &d) || m < 1 || m > 12)
        return RC_INVALID;
    buf_printf(&text, "Sun, " STR_FMT " %.3s " STR_FMT " 00:00:00 GMT", 2, day.p + 8,
               months + (m - 1) * 3, 4, day.p);
    return http_date_read(buf_str(&text), ret_ms);
}

static enum rc read_time(struct str time, uint64_t *ret_ms)
{
    uint64_t h, m, s, ms = 0;
    if (time.n < 8 || time.p[2] != ':' || time.p[5] != ':' || !digits_at(time, 0, 2, &h) ||
        !digits_at(time, 3, 2, &m) || !digits_at(time, 6, 2, &s) || h > 23 || m > 59 || s > 60)
        return RC_INVALID;
    if (time.n != 8 && (time.n != 12 || time.p[8] != '.' || !digits_at(time, 9, 3, &ms)))
        return RC_INVALID;
    *ret_ms = ((h * 60 + m) * 60 + s) * 1000 + ms;
    return RC_OK;
}

enum rc moment_read(struct str text, uint64_t *ret_wall_ms)
{
    uint64_t day_ms = 0, time_ms = 0;
    if (str_to_u64(text, ret_wall_ms) == RC_OK)
        return RC_OK;
    if (str_ends(text, STR("Z")))
        text.n--;
    struct str day = str_take_until(&text, 'T');
    enum rc rc = read_day(day, &day_ms);
    if (rc == RC_OK && text.p)
        rc = read_time(text, &time_ms);
    if (rc == RC_OK)
        *ret_wall_ms = day_ms + time_ms;
    return rc;
}
