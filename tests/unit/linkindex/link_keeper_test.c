/* SPDX-License-Identifier: Apache-2.0 */
#include "linkindex/link_keeper.h"

#include "lib/test.h"
#include "links_model.h"

#include <pthread.h>
#include <stdlib.h>

#define FOLDER "link_keeper_test.tmp"

enum { ROUNDS = 5, ENOUGH = 50 };

struct keeping {
    struct links_model model;
    pthread_mutex_t lock;
    pthread_cond_t looked;
    uint64_t durable[PAIR_KINDS];
    unsigned looks; /* of the keeper */
};

static void durable(void *ctx, uint64_t ret[PAIR_KINDS])
{
    struct keeping *k = ctx;
    (void)pthread_mutex_lock(&k->lock);
    for (unsigned i = 0; i < PAIR_KINDS; i++)
        ret[i] = k->durable[i];
    k->looks++;
    (void)pthread_cond_signal(&k->looked);
    (void)pthread_mutex_unlock(&k->lock);
}

/* Until the keeper has looked twice more: it has done what was there to do at the first look. */
static void wait_for_it(struct keeping *k)
{
    (void)pthread_mutex_lock(&k->lock);
    for (unsigned until = k->looks + 2; k->looks < until;)
        (void)pthread_cond_wait(&k->looked, &k->lock);
    (void)pthread_mutex_unlock(&k->lock);
}

static int clean(void **state)
{
    (void)state;
    return system("rm -rf " FOLDER);
}

static void the_thread_lets_the_index_grow(void **state)
{
    (void)state;
    static struct keeping k = {.lock = PTHREAD_MUTEX_INITIALIZER,
                               .looked = PTHREAD_COND_INITIALIZER};
    struct link_keeper *keeper;
    struct link_index x;
    struct disk *d;
    struct buf why = {.max = 1000};
    assert_rc(disk_real_open(FOLDER, &d), RC_OK);
    model_begin(&k.model, d, test_seed(1));
    struct link_keeper_settings s = {.disk = d,
                                     .index = {.chunk_bytes = 2000, .fan_in = 3},
                                     .look_ms = 1,
                                     .durable = durable,
                                     .ctx = &k};
    assert_rc(link_keeper_open(&s, &keeper, &why), RC_OK);
    for (unsigned i = 0; i < ROUNDS; i++) {
        model_add(&k.model, d, ENOUGH);
        (void)pthread_mutex_lock(&k.lock);
        k.durable[PAIRS_LINKS] = k.model.bytes[PAIRS_LINKS];
        k.durable[PAIRS_NAMES] = k.model.bytes[PAIRS_NAMES];
        (void)pthread_mutex_unlock(&k.lock);
        model_compare(&k.model, d); /* while it works */
        wait_for_it(&k);
        model_compare(&k.model, d);
    }
    link_keeper_close(keeper);
    assert_rc(link_index_open(&x, d, &s.index, &why), RC_OK);
    assert_true(k.model.bytes[PAIRS_LINKS] - x.list.of[PAIRS_LINKS].covered < 2000 + 400);
    link_index_close(&x);
    disk_close(d);
}

static void without_its_folder_it_does_not_begin(void **state)
{
    (void)state;
    struct link_keeper *keeper = NULL;
    struct disk *d;
    struct buf why = {.max = 1000};
    assert_rc(disk_real_open(FOLDER, &d), RC_OK);
    struct link_keeper_settings s = {.disk = d, .durable = durable};
    assert_rc(link_keeper_open(&s, &keeper, &why), RC_NOT_FOUND);
    assert_null(keeper);
    assert_true(why.n > 0);
    buf_done(&why);
    disk_close(d);
    link_keeper_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_thread_lets_the_index_grow, clean, clean),
        cmocka_unit_test_setup_teardown(without_its_folder_it_does_not_begin, clean, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
