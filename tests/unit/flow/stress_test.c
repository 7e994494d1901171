/* SPDX-License-Identifier: Apache-2.0 */
/* Flows shaped and treated at random: two at once, more shards than cores, queues of one, cycles
 * that spill, and two threads that pause, change, count, drain and stop meanwhile. Whatever
 * happens, every flow ends, and every message with it. Another ORBWEAVER_TEST_SEED, another run. */
#include "base/rng.h"
#include "lib/test.h"
#include "unit/flow/parts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 25, FLOWS = 2, HANDS = 2, MOST_SHARDS = 8 };

struct hand {
    pthread_t thread;
    struct flow **flows;
    struct rng rng;
    bool ends; /* finishes by draining or stopping; otherwise the flow comes to its own end */
};

static uint64_t seed(void)
{
    const char *text = getenv("ORBWEAVER_TEST_SEED");
    uint64_t value = 1;
    return text && str_to_u64(str_c(text), &value) == RC_OK ? value : 1;
}

static void one_call(struct hand *h, struct flow *f)
{
    struct buf text = {.max = 1 << 16};
    switch (rng_below(&h->rng, 5)) {
    case 0:
        flow_pause(f);
        usleep((useconds_t)rng_below(&h->rng, 300));
        flow_unpause(f);
        break;
    case 1:
        assert_rc(flow_change(f, STR("pass"), STR("label"), STR("another"), &text), RC_OK);
        break;
    case 2:
        flow_print_counts(f, &text);
        break;
    case 3:
        flow_connection_waiting(f, 0);
        break;
    default:
        usleep((useconds_t)rng_below(&h->rng, 500));
    }
    buf_done(&text);
}

static void *meddle(void *arg)
{
    struct hand *h = arg;
    uint64_t calls = rng_below(&h->rng, 40);
    for (uint64_t i = 0; i < calls; i++)
        one_call(h, h->flows[rng_below(&h->rng, FLOWS)]);
    for (unsigned i = 0; h->ends && i < FLOWS; i++) {
        if (rng_below(&h->rng, 2))
            flow_drain(h->flows[i]);
        else
            flow_stop(h->flows[i]);
    }
    return NULL;
}

static struct wiring *random_wiring(struct rng *rng)
{
    char yaml[1000];
    unsigned shards = 1 + (unsigned)rng_below(rng, MOST_SHARDS);
    unsigned queue[3];
    for (int i = 0; i < 3; i++)
        queue[i] = 1 + (unsigned)rng_below(rng, rng_below(rng, 2) ? 2 : 100);
    int n = snprintf(yaml, sizeof yaml,
                     "shards: %u\n"
                     "components:\n"
                     "  numbers: {count: %u, hops: %u, credits: %u}\n"
                     "  pass: \n"
                     "  hop: \n"
                     "  collect: {shard: %u}\n"
                     "connections:\n"
                     "  - numbers -> pass: {queue: %u, route: hash}\n"
                     "  - pass -> hop\n"
                     "  - hop.again -> hop: {queue: %u, route: hash, spill: yes}\n"
                     "  - hop.out -> collect: {queue: %u}\n",
                     shards, 1 + (unsigned)rng_below(rng, 2000), (unsigned)rng_below(rng, 6),
                     1 + (unsigned)rng_below(rng, 60), (unsigned)rng_below(rng, shards), queue[0],
                     queue[1], queue[2]);
    assert_true(n > 0 && (size_t)n < sizeof yaml);
    return must_read(yaml);
}

static void one_round(struct rng *rng)
{
    struct wiring *w = random_wiring(rng);
    struct flow *flows[FLOWS];
    struct hand hands[HANDS];
    struct buf why = {.max = 4096};
    bool ends = rng_below(rng, 2);
    witness_reset();
    for (unsigned i = 0; i < FLOWS; i++) {
        assert_rc(flow_open(w, (struct flow_setup){0}, &flows[i], &why), RC_OK);
        assert_rc(flow_start(flows[i]), RC_OK);
    }
    for (unsigned i = 0; i < HANDS; i++) {
        hands[i] = (struct hand){.flows = flows, .ends = ends};
        rng_init(&hands[i].rng, rng_next(rng));
        assert_int_equal(pthread_create(&hands[i].thread, NULL, meddle, &hands[i]), 0);
    }
    for (unsigned i = 0; i < HANDS; i++)
        pthread_join(hands[i].thread, NULL);
    for (unsigned i = 0; i < FLOWS; i++) {
        assert_rc(flow_wait(flows[i], &why), RC_OK);
        flow_close(flows[i]);
    }
    assert_int_equal(witness.alive, 0);
    assert_int_equal(witness.wrong_thread, 0);
    if (!ends)
        assert_int_equal(witness.arrived, witness.made);
    wiring_close(w);
    buf_done(&why);
}

static void whatever_is_done_to_it_a_flow_ends_and_every_message_with_it(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, seed());
    for (int i = 0; i < ROUNDS; i++)
        one_round(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_done_to_it_a_flow_ends_and_every_message_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
