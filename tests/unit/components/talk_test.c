/* SPDX-License-Identifier: Apache-2.0 */
/* What another agent writes to the control log reaches this one's log, but does not fill it. */
#include "components/cluster_talk_inside.h"

#include "base/log.h"
#include "bus/bus_sim.h"
#include "lib/test.h"

#include <stdio.h>

enum { JUNK = 60, MOST_STEPS = 20000 };

struct world {
    struct post *post;
    struct bus *bus;
    struct cluster_talk *talk;
    struct log *log;
    struct clock_simulated clock;
    struct scope_service scope;
    unsigned refused, summaries;
};

static void take_line(void *ctx, struct str line)
{
    struct world *w = ctx;
    bool is_refused = str_find_str(line, STR("cluster.scope_refused")) < line.n;
    bool is_summary = str_find_str(line, STR("more_like_this=50\n")) < line.n;
    w->refused += is_refused && !is_summary;
    w->summaries += is_refused && is_summary;
}

static void on_event(void *ctx, const struct bus_event *e)
{
    struct world *w = ctx;
    (void)cluster_talk_event(w->talk, e, clock_now_ms(&w->clock.clock));
}

static void open_world(struct world *w)
{
    *w = (struct world){0};
    clock_simulated_init(&w->clock, 1000, 1794823200123u);
    w->post = post_open(7, 1000000);
    assert_non_null(w->post);
    assert_true(post_stream(w->post, STR("ORB_c_CONTROL"), STR("orb.c.")) >= 0);
    w->bus = post_connect(w->post, 1000);
    w->log = log_open(LOG_LEVEL_INFO, false, &w->clock.clock, (struct log_sink){take_line, w});
    struct cluster_talk_setup setup = {.bus = w->bus,
                                       .scope = &w->scope,
                                       .log = w->log,
                                       .crawl = STR("c"),
                                       .name = STR("a"),
                                       .wake = -1,
                                       .poll_ms = 20};
    assert_rc(cluster_talk_open(&setup, &w->talk), RC_OK);
}

static void close_world(struct world *w)
{
    cluster_talk_close(w->talk);
    cluster_talk_free(w->talk);
    bus_close(w->bus);
    post_close(w->post);
    log_close(w->log);
}

static bool is_read(struct world *w)
{
    return atomic_load(&w->talk->is_ready) && control_log_is_read(&w->talk->log_of_control);
}

static void run_until_read(struct world *w)
{
    for (unsigned i = 0; i < MOST_STEPS && !is_read(w); i++) {
        uint64_t now_ms = clock_now_ms(&w->clock.clock);
        cluster_talk_turn(w->talk, now_ms);
        while (post_next_ms(w->post) <= now_ms)
            (void)post_step(w->post, now_ms);
        (void)bus_poll(w->bus, on_event, w, 64);
        clock_simulated_advance(&w->clock, 1);
    }
    assert_true(is_read(w));
}

static void junk_of_another_agent_fills_no_log(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    for (unsigned i = 0; i < JUNK; i++) {
        char text[40];
        snprintf(text, sizeof text, "no URL at all %u", i);
        assert_rc(post_append(w.post, STR("orb.c.scope.b"), str_c(text), 1000), RC_OK);
    }
    run_until_read(&w);
    assert_int_equal(w.refused, LOG_LIMIT_LINES);
    close_world(&w);
    assert_int_equal(w.summaries, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(junk_of_another_agent_fills_no_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
