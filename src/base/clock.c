/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

static uint64_t read_ms(clockid_t id)
{
    struct timespec t;
    int failed = clock_gettime(id, &t);
    assert(!failed);
    (void)failed;
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static uint64_t real_now(struct clock *c)
{
    (void)c;
    return read_ms(CLOCK_BOOTTIME);
}

static uint64_t real_wall(struct clock *c)
{
    (void)c;
    return read_ms(CLOCK_REALTIME);
}

static void real_wait(struct clock *c, uint64_t moment_ms)
{
    (void)c;
    struct timespec t = {.tv_sec = (time_t)(moment_ms / 1000),
                         .tv_nsec = (long)(moment_ms % 1000 * 1000000)};
    while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &t, NULL) == EINTR)
        continue;
}

struct clock *clock_real(void)
{
    static struct clock real = {real_now, real_wall, real_wait};
    return &real;
}

static uint64_t simulated_now(struct clock *c)
{
    return ((struct clock_simulated *)c)->now;
}

static uint64_t simulated_wall(struct clock *c)
{
    return ((struct clock_simulated *)c)->wall;
}

static void simulated_wait(struct clock *c, uint64_t moment_ms)
{
    struct clock_simulated *s = (struct clock_simulated *)c;
    if (moment_ms > s->now)
        clock_simulated_advance(s, moment_ms - s->now);
}

void clock_simulated_init(struct clock_simulated *c, uint64_t now_ms, uint64_t wall_ms)
{
    *c = (struct clock_simulated){
        .clock = {simulated_now, simulated_wall, simulated_wait}, .now = now_ms, .wall = wall_ms};
}

void clock_simulated_advance(struct clock_simulated *c, uint64_t by_ms)
{
    c->now += by_ms;
    c->wall += by_ms;
}

void clock_simulated_jump(struct clock_simulated *c, int64_t by_ms)
{
    c->wall += (uint64_t)by_ms;
}
