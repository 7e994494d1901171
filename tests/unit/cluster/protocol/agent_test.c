/* SPDX-License-Identifier: Apache-2.0 */
/* One or two agents, step by step: what the tests of whole clusters (simulate/cluster) do not
 * single out. */
#include "cluster/protocol/agent.h"

#include "bus/bus_sim.h"
#include "lib/test.h"
#include "simulate/model.h"

#include <stdio.h>

enum { STEP_MS = 20, GAP_MS = 2000, FENCE_MS = 10000, DEAD_MS = 15000, MEMBERS = 3 };

struct member {
    struct model model;
    struct bus *bus;
    struct agent *agent;
    char name[8];
    bool is_frozen;
};

struct bench {
    struct nats_sim *servers;
    struct facts *facts;
    struct web web;
    struct member members[MEMBERS];
    uint64_t now_ms, seed;
    uint64_t untold_most; /* of agents that start */
    unsigned copies;
};

static void each(void *ctx, const struct bus_event *e)
{
    struct member *m = ctx;
    agent_event(m->agent, e, m->model.now_ms);
}

static void turn(struct bench *b, struct member *m)
{
    if (!m->agent || m->is_frozen)
        return;
    m->model.now_ms = b->now_ms;
    m->model.wall_ms = b->now_ms;
    (void)bus_poll(m->bus, each, m, SIZE_MAX);
    (void)!agent_turn(m->agent, b->now_ms);
    model_sync(&m->model);
}

static void run(struct bench *b, uint64_t ms)
{
    for (uint64_t end = b->now_ms + ms; b->now_ms < end; b->now_ms += STEP_MS) {
        while (nats_sim_next_ms(b->servers) <= b->now_ms)
            (void)nats_sim_step(b->servers, b->now_ms);
        for (int i = 0; i < MEMBERS; i++)
            turn(b, &b->members[i]);
    }
}

static struct agent *start(struct bench *b, int i, const char *name)
{
    struct member *m = &b->members[i];
    struct agent_settings s = {.crawl = STR("c"),
                               .name = str_c(name),
                               .weight = ASSIGN_WEIGHT_ONE,
                               .seed = ++b->seed,
                               .gap_ms = GAP_MS,
                               .poll_ms = 100,
                               .untold_most = b->untold_most,
                               .copies = b->copies};
    (void)snprintf(m->name, sizeof m->name, "%s", name);
    m->bus = nats_sim_connect(b->servers, b->now_ms);
    assert_rc(model_start(&m->model, b->now_ms, b->now_ms), RC_OK);
    assert_rc(agent_open(&s, m->bus, &m->model.port, b->now_ms, &m->agent), RC_OK);
    m->model.agent = m->agent;
    return m->agent;
}

static void stop(struct bench *b, int i)
{
    struct member *m = &b->members[i];
    if (!m->agent)
        return;
    agent_close(m->agent);
    bus_close(m->bus);
    m->agent = m->model.agent = NULL;
}

static struct agent_status status(struct bench *b, int i)
{
    struct agent_status st;
    agent_status(b->members[i].agent, b->now_ms, &st);
    return st;
}

static void open_bench(struct bench *b)
{
    struct buf out = {.max = 4096};
    *b = (struct bench){.servers = nats_sim_open(7, 0), .facts = facts_open(64)};
    assert_rc(web_init(&b->web, 1, &(struct web_shape){10, 20, 1000, 5000}), RC_OK);
    for (int i = 0; i < MEMBERS; i++)
        assert_rc(model_init(&b->members[i].model, &b->web, "x", b->facts), RC_OK);
    (void)nats_sim_stream(b->servers, STR("ORB_c_ROSTER"), STR("orb.c.roster."));
    (void)nats_sim_stream(b->servers, STR("ORB_c_ant"), STR("orb.c.j.ant."));
    (void)nats_sim_stream(b->servers, STR("ORB_c_bee"), STR("orb.c.j.bee."));
    roster_entry_write(
        &(struct roster_entry){.kind = ROSTER_FOUND,
                               .timings = {1000, 2500, 3000, FENCE_MS, 12000, DEAD_MS},
                               .points = 16,
                               .probes = 3},
        &out);
    assert_rc(nats_sim_append(b->servers, STR("orb.c.roster.operator"), buf_str(&out), 0), RC_OK);
    buf_done(&out);
}

static void close_bench(struct bench *b)
{
    for (int i = 0; i < MEMBERS; i++) {
        stop(b, i);
        model_done(&b->members[i].model);
    }
    nats_sim_close(b->servers);
    facts_close(b->facts);
    web_done(&b->web);
}

static void the_first_agent_joins_settles_and_owns_everything(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    struct agent *a = start(&b, 0, "ant");
    assert_false(agent_may_fetch(a, 1, b.now_ms));
    run(&b, 5000);
    assert_int_equal(status(&b, 0).state, AGENT_UP);
    assert_int_equal(status(&b, 0).settled, 1);
    assert_true(agent_may_fetch(a, 1, b.now_ms));
    close_bench(&b);
}

static void d8_without_servers_it_fetches_to_the_fence_and_not_beyond(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    struct agent *a = start(&b, 0, "ant");
    run(&b, 5000);
    nats_sim_cut(b.servers, b.members[0].bus, true, b.now_ms);
    run(&b, FENCE_MS - 5000);
    assert_true(agent_may_fetch(a, 1, b.now_ms));
    run(&b, 5000);
    assert_false(agent_may_fetch(a, 1, b.now_ms));
    assert_int_equal(status(&b, 0).state, AGENT_FENCED);
    nats_sim_cut(b.servers, b.members[0].bus, false, b.now_ms);
    run(&b, 5000);
    assert_true(agent_may_fetch(a, 1, b.now_ms));
    close_bench(&b);
}

static void d8_a_clock_that_jumps_fences_before_anything_else(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    struct agent *a = start(&b, 0, "ant");
    run(&b, 5000);
    assert_true(agent_may_fetch(a, 1, b.now_ms));
    assert_false(agent_may_fetch(a, 1, b.now_ms + GAP_MS + STEP_MS));
    b.now_ms += GAP_MS + STEP_MS;
    assert_rc(agent_turn(a, b.now_ms), RC_OK);
    assert_false(agent_may_fetch(a, 1, b.now_ms));
    run(&b, 2000);
    assert_true(agent_may_fetch(a, 1, b.now_ms));
    close_bench(&b);
}

static void a_killed_process_comes_back_as_the_same_incarnation(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    (void)start(&b, 0, "ant");
    run(&b, 5000);
    uint64_t boot = status(&b, 0).boot;
    stop(&b, 0);
    (void)start(&b, 0, "ant");
    run(&b, 3000);
    assert_int_equal(status(&b, 0).state, AGENT_UP);
    assert_int_equal(status(&b, 0).inc, 1);
    assert_true(status(&b, 0).boot != boot);
    close_bench(&b);
}

static void a_wiped_disk_waits_for_its_death_and_is_another_incarnation(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    (void)start(&b, 0, "ant");
    run(&b, 5000);
    stop(&b, 0);
    model_wipe(&b.members[0].model);
    (void)start(&b, 0, "ant");
    run(&b, DEAD_MS / 2);
    assert_int_equal(status(&b, 0).state, AGENT_RETURN);
    run(&b, 4 * DEAD_MS);
    assert_int_equal(status(&b, 0).state, AGENT_UP);
    assert_int_equal(status(&b, 0).inc, 2);
    close_bench(&b);
}

static void of_two_processes_with_one_directory_one_stops(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    (void)start(&b, 0, "ant");
    run(&b, 5000);
    /* A copy of the directory: the same facts. */
    for (size_t i = 0; i < b.members[0].model.count; i++)
        if (b.members[0].model.entries[i].fact)
            assert_rc(
                port_note(&b.members[1].model.port, fact_str(b.members[0].model.entries[i].fact)),
                RC_OK);
    (void)start(&b, 1, "ant");
    run(&b, 10000);
    bool first = status(&b, 0).state == AGENT_STOPPED,
         second = status(&b, 1).state == AGENT_STOPPED;
    assert_true(first || second);
    assert_false(agent_may_fetch(b.members[first ? 0 : 1].agent, 1, b.now_ms));
    close_bench(&b);
}

static void junk_in_a_stream_is_counted_and_passed(void **state)
{
    (void)state;
    struct bench b;
    struct buf out = {.max = 4096};
    struct record r;
    open_bench(&b);
    (void)start(&b, 0, "ant");
    run(&b, 5000);
    r = web_url_record(&b.web, 3);
    record_batch_begin(
        &out, &(struct record_batch){
                  .is = BATCH_IS_RECORDS, .src = STR("bee"), .src_inc = 1, .epoch = UINT64_MAX});
    record_put(&out, &r);
    assert_rc(nats_sim_append(b.servers, STR("orb.c.j.ant.1.in.bee"), STR("junk"), b.now_ms),
              RC_OK);
    assert_rc(nats_sim_append(b.servers, STR("orb.c.j.ant.1.in.fly"), buf_str(&out), b.now_ms),
              RC_OK);
    run(&b, 5000);
    assert_int_equal(model_url(&b.members[0].model, 3)->state, MODEL_UNKNOWN);
    assert_int_equal(status(&b, 0).junk, 2);
    /* A batch of an epoch that never comes: the agent waits for the roster, but not for ever. */
    assert_rc(nats_sim_append(b.servers, STR("orb.c.j.ant.1.in.bee"), buf_str(&out), b.now_ms),
              RC_OK);
    run(&b, 10000);
    assert_int_equal(model_url(&b.members[0].model, 3)->state, MODEL_QUEUED);
    buf_done(&out);
    close_bench(&b);
}

static void d5_who_joins_gets_what_it_owns_and_who_leaves_gives_it_back(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    assert_rc(model_seed(&b.members[0].model), RC_OK);
    (void)start(&b, 0, "ant");
    run(&b, 6000);
    for (uint32_t u = 0; u < WEB_SEEDS; u++)
        assert_int_equal(model_url(&b.members[0].model, u)->state, MODEL_QUEUED);
    (void)start(&b, 1, "bee");
    run(&b, 15000);
    assert_int_equal(status(&b, 1).state, AGENT_UP);
    assert_int_equal(status(&b, 0).settled, 2);
    for (uint32_t u = 0; u < WEB_SEEDS; u++) {
        uint64_t at = b.web.hosts[b.web.urls[u].host].host_hash;
        int owner = agent_owns(b.members[1].agent, at);
        assert_int_equal(model_url(&b.members[owner].model, u)->state, MODEL_QUEUED);
        assert_int_equal(model_url(&b.members[!owner].model, u)->state, MODEL_UNKNOWN);
        assert_true(agent_may_fetch(b.members[owner].agent, at, b.now_ms));
        assert_false(agent_may_fetch(b.members[!owner].agent, at, b.now_ms));
    }
    agent_leave(b.members[0].agent);
    run(&b, 25000);
    assert_int_equal(status(&b, 0).state, AGENT_GONE);
    for (uint32_t u = 0; u < WEB_SEEDS; u++)
        assert_int_equal(model_url(&b.members[1].model, u)->state, MODEL_QUEUED);
    close_bench(&b);
}

/* "ant" has the seeds, then "bee" joins. */
static void open_two(struct bench *b)
{
    open_bench(b);
    assert_rc(model_seed(&b->members[0].model), RC_OK);
    (void)start(b, 0, "ant");
    run(b, 6000);
    (void)start(b, 1, "bee");
    run(b, 15000);
}

static const struct port_ops *real_ops;

static struct port_counts count_one_more_open(struct port *p)
{
    struct port_counts c = real_ops->counts(p);
    c.open++;
    return c;
}

static void who_leaves_stays_while_something_is_open(void **state)
{
    (void)state;
    struct bench b;
    open_two(&b);
    real_ops = b.members[0].model.port.ops;
    struct port_ops busy = *real_ops;
    busy.counts = count_one_more_open;
    b.members[0].model.port.ops = &busy;
    agent_leave(b.members[0].agent);
    run(&b, 25000);
    assert_int_equal(status(&b, 0).state, AGENT_LEAVING);
    assert_int_equal(status(&b, 0).settled, 3);
    b.members[0].model.port.ops = real_ops;
    run(&b, 5000);
    assert_int_equal(status(&b, 0).state, AGENT_GONE);
    close_bench(&b);
}

static void d7_who_is_silent_is_dead_and_its_hosts_and_urls_are_others(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    assert_rc(model_seed(&b.members[0].model), RC_OK);
    (void)start(&b, 0, "ant");
    (void)start(&b, 1, "bee");
    run(&b, 3 * DEAD_MS);
    assert_int_equal(status(&b, 0).settled, 2);
    stop(&b, 1);
    run(&b, DEAD_MS / 2);
    assert_int_equal(status(&b, 0).epoch, 2);
    run(&b, DEAD_MS);
    assert_int_equal(status(&b, 0).epoch, 3);
    run(&b, DEAD_MS);
    assert_int_equal(status(&b, 0).settled, 3);
    for (uint32_t u = 0; u < WEB_SEEDS; u++) {
        assert_int_equal(model_url(&b.members[0].model, u)->state, MODEL_QUEUED);
        assert_true(agent_may_fetch(b.members[0].agent, b.web.hosts[b.web.urls[u].host].host_hash,
                                    b.now_ms));
    }
    close_bench(&b);
}

/* All pages of hosts that are checked out in that time are fetched at once. */
static uint32_t fetch_for(struct bench *b, uint64_t ms)
{
    uint32_t count = 0, url;
    for (uint64_t end = b->now_ms + ms; b->now_ms < end; run(b, 200))
        while ((url = model_claim(&b->members[0].model)) != UINT32_MAX) {
            assert_rc(model_record_outcome(&b->members[0].model, url), RC_OK);
            count++;
        }
    return count;
}

static uint32_t fetch_without_servers(struct bench *b, uint64_t untold_most)
{
    open_bench(b);
    b->untold_most = untold_most;
    assert_rc(model_seed(&b->members[0].model), RC_OK);
    (void)start(b, 0, "ant");
    assert_true(fetch_for(b, 8000) > 0);
    run(b, 3000);
    assert_int_equal(status(b, 0).untold, 0);
    assert_false(status(b, 0).is_paused);
    nats_sim_cut(b->servers, b->members[0].bus, true, b->now_ms);
    return fetch_for(b, FENCE_MS - 3000);
}

static void outcomes_that_cannot_be_told_pause_an_agent_at_the_bound(void **state)
{
    (void)state;
    enum { MOST = 3 };
    struct bench b;
    assert_true(fetch_without_servers(&b, 0) > MOST);
    close_bench(&b);
    assert_int_equal(fetch_without_servers(&b, MOST), MOST);
    assert_int_equal(status(&b, 0).untold, MOST);
    assert_true(status(&b, 0).is_paused);
    nats_sim_cut(b.servers, b.members[0].bus, false, b.now_ms);
    run(&b, 5000);
    assert_int_equal(status(&b, 0).untold, 0);
    assert_false(status(&b, 0).is_paused);
    assert_true(fetch_for(&b, 2000) > 0);
    close_bench(&b);
}

/* If streams have copies, an outcome waits until the receivers of its links have confirmed them.
 * The next process counts what the former one has not told. */
static void who_is_silent_pauses_others_until_it_is_dead_also_across_a_restart(void **state)
{
    (void)state;
    enum { MOST = 3 };
    struct bench b;
    open_bench(&b);
    b.untold_most = MOST;
    b.copies = 3;
    assert_rc(model_seed(&b.members[0].model), RC_OK);
    (void)start(&b, 0, "ant");
    (void)start(&b, 1, "bee");
    run(&b, DEAD_MS);
    assert_int_equal(status(&b, 0).settled, 2);
    b.members[1].is_frozen = true;
    for (int tries = 0; tries < 20 && !status(&b, 0).is_paused; tries++)
        (void)fetch_for(&b, 500);
    assert_int_equal(status(&b, 0).untold, MOST);
    assert_true(status(&b, 0).is_paused);
    stop(&b, 0);
    (void)start(&b, 0, "ant");
    assert_int_equal(fetch_for(&b, 2000), 0);
    assert_int_equal(status(&b, 0).state, AGENT_UP);
    assert_true(status(&b, 0).is_paused);
    run(&b, 3 * DEAD_MS);
    assert_int_equal(status(&b, 0).untold, 0);
    assert_false(status(&b, 0).is_paused);
    assert_true(fetch_for(&b, 3000) > 0);
    close_bench(&b);
}

static void a_peer_that_was_silent_at_our_start_gets_twice_the_time(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    (void)start(&b, 0, "ant");
    (void)start(&b, 1, "bee");
    run(&b, DEAD_MS);
    assert_int_equal(status(&b, 0).settled, 2);
    stop(&b, 0);
    stop(&b, 1);
    run(&b, DEAD_MS);
    (void)start(&b, 0, "ant");
    run(&b, 2 * DEAD_MS - 1000);
    assert_int_equal(status(&b, 0).state, AGENT_UP);
    assert_int_equal(status(&b, 0).epoch, 2);
    run(&b, DEAD_MS / 2);
    assert_int_equal(status(&b, 0).epoch, 3);
    close_bench(&b);
}

static void d10_two_who_come_at_once_are_settled_within_three_beats(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    assert_rc(model_seed(&b.members[0].model), RC_OK);
    (void)start(&b, 0, "ant");
    (void)start(&b, 1, "bee");
    run(&b, 3000);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(status(&b, i).state, AGENT_UP);
        assert_int_equal(status(&b, i).settled, 2);
    }
    close_bench(&b);
}

static void d10_who_has_no_news_looks_and_speaks_rarely(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    assert_rc(model_seed(&b.members[0].model), RC_OK); /* no agent fetches here: all URLs wait */
    (void)start(&b, 0, "ant");
    (void)start(&b, 1, "bee");
    run(&b, 20000);
    struct agent_status before = status(&b, 0);
    run(&b, 20000);
    struct agent_status now = status(&b, 0);
    assert_in_range(now.says - before.says, 18, 30);
    /* 10 polls a second of two streams would be 400 */
    assert_in_range(now.gets - before.gets, 20, 120);
    close_bench(&b);
}

static void d10_all_that_is_finished_ends_soon_but_never_before_it_has_begun(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    (void)start(&b, 0, "ant");
    (void)start(&b, 1, "bee");
    run(&b, 9000);
    assert_int_equal(status(&b, 0).settled, 2);
    assert_false(status(&b, 0).is_finished); /* the agent that has the seeds may join last */
    run(&b, 2000);
    assert_true(status(&b, 0).may_end && status(&b, 1).may_end);
    close_bench(&b);
}

static void a_weight_brings_somebody_into_an_empty_ring(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    struct agent *a = start(&b, 0, "ant");
    run(&b, 3000);
    agent_set_weight(a, 0);
    run(&b, 3000);
    assert_false(agent_owns(a, 1));
    agent_set_weight(a, ASSIGN_WEIGHT_ONE);
    run(&b, 3000);
    assert_true(agent_may_fetch(a, 1, b.now_ms));
    assert_int_equal(status(&b, 0).settled, status(&b, 0).epoch);
    close_bench(&b);
}

static void names_that_are_none_are_refused(void **state)
{
    (void)state;
    struct bench b;
    struct agent *a = NULL;
    open_bench(&b);
    struct agent_settings s = {.crawl = STR("c"), .name = STR("a.b"), .gap_ms = 1, .poll_ms = 1};
    struct bus *bus = nats_sim_connect(b.servers, 0);
    assert_rc(agent_open(&s, bus, &b.members[0].model.port, 0, &a), RC_INVALID);
    assert_null(a);
    bus_close(bus);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_agent_joins_settles_and_owns_everything),
        cmocka_unit_test(d8_without_servers_it_fetches_to_the_fence_and_not_beyond),
        cmocka_unit_test(d8_a_clock_that_jumps_fences_before_anything_else),
        cmocka_unit_test(a_killed_process_comes_back_as_the_same_incarnation),
        cmocka_unit_test(a_wiped_disk_waits_for_its_death_and_is_another_incarnation),
        cmocka_unit_test(of_two_processes_with_one_directory_one_stops),
        cmocka_unit_test(junk_in_a_stream_is_counted_and_passed),
        cmocka_unit_test(d5_who_joins_gets_what_it_owns_and_who_leaves_gives_it_back),
        cmocka_unit_test(who_leaves_stays_while_something_is_open),
        cmocka_unit_test(d7_who_is_silent_is_dead_and_its_hosts_and_urls_are_others),
        cmocka_unit_test(outcomes_that_cannot_be_told_pause_an_agent_at_the_bound),
        cmocka_unit_test(who_is_silent_pauses_others_until_it_is_dead_also_across_a_restart),
        cmocka_unit_test(a_peer_that_was_silent_at_our_start_gets_twice_the_time),
        cmocka_unit_test(d10_two_who_come_at_once_are_settled_within_three_beats),
        cmocka_unit_test(d10_who_has_no_news_looks_and_speaks_rarely),
        cmocka_unit_test(d10_all_that_is_finished_ends_soon_but_never_before_it_has_begun),
        cmocka_unit_test(a_weight_brings_somebody_into_an_empty_ring),
        cmocka_unit_test(names_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
