/* SPDX-License-Identifier: Apache-2.0 */
/* What another agent writes to the control log reaches this agent's log, but does not fill it. */
#include "agent/peer_request_internal.h"

#include "base/log.h"
#include "bus/bus_sim.h"
#include "lib/test.h"

#include <stdio.h>

enum { JUNK = 60, MOST_STEPS = 20000 };

struct world {
    struct nats_sim *post;
    struct bus *bus;
    struct peer_requests *peers;
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
    (void)peer_requests_event(w->peers, e, clock_now_ms(&w->clock.clock));
}

static void open_world(struct world *w)
{
    *w = (struct world){0};
    clock_simulated_init(&w->clock, 1000, 1794823200123u);
    w->post = nats_sim_open(7, 1000000);
    assert_non_null(w->post);
    assert_true(nats_sim_stream(w->post, STR("ORB_c_CONTROL"), STR("orb.c.")) >= 0);
    w->bus = nats_sim_connect(w->post, 1000);
    w->log = log_open(LOG_LEVEL_INFO, false, &w->clock.clock, (struct log_sink){take_line, w});
    struct peer_requests_setup setup = {.bus = w->bus,
                                        .scope = &w->scope,
                                        .log = w->log,
                                        .crawl = STR("c"),
                                        .name = STR("a"),
                                        .wake = -1,
                                        .poll_ms = 20};
    assert_rc(peer_requests_open(&setup, &w->peers), RC_OK);
}

static void close_world(struct world *w)
{
    peer_requests_close(w->peers);
    peer_requests_free(w->peers);
    bus_close(w->bus);
    nats_sim_close(w->post);
    log_close(w->log);
}

static bool is_read(struct world *w)
{
    return atomic_load(&w->peers->is_ready) && control_log_is_read(&w->peers->log_of_control);
}

static void run_until_read(struct world *w)
{
    for (unsigned i = 0; i < MOST_STEPS && !is_read(w); i++) {
        uint64_t now_ms = clock_now_ms(&w->clock.clock);
        peer_requests_turn(w->peers, now_ms);
        while (nats_sim_next_ms(w->post) <= now_ms)
            (void)nats_sim_step(w->post, now_ms);
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
        assert_rc(nats_sim_append(w.post, STR("orb.c.scope.b"), str_c(text), 1000), RC_OK);
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
