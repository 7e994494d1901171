/* SPDX-License-Identifier: Apache-2.0 */
/* A disk whose syncs take as long as the test wants. Whatever is being synced, turns go on giving
 * everything to the kernel: who copies the files then, as kill -9 would leave them, finds all that
 * a turn has written. */
#include "disk/disk.h"
#include "lib/test.h"
#include "small_crawl.h"

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    FIRST_STEPS = 40,
    LAST_STEPS = 60,
    SYNCS = 24,
    PATH = 200,
    ROUNDS_MS = 5,
    HOUR_MS = 3600000,
    LOOKS = 6000
};

/* The real disk, with a gate in front of one sync of the helper. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct disk_ops ops;
    bool is_armed, is_held, is_open;
    unsigned number; /* of the sync that is held, from when the gate was armed */
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void pass_gate(void)
{
    (void)pthread_mutex_lock(&gate.lock);
    if (gate.is_armed && !gate.is_open && gate.number-- == 0) {
        gate.is_held = true;
        (void)pthread_cond_broadcast(&gate.changed);
        while (!gate.is_open)
            (void)pthread_cond_wait(&gate.changed, &gate.lock);
    }
    (void)pthread_mutex_unlock(&gate.lock);
}

/* Nothing is synced at all: a kill needs none. */
static enum rc gated_sync(struct disk_file *f)
{
    (void)f;
    pass_gate();
    return RC_OK;
}

static enum rc gated_dirsync(struct disk *d, const char *path)
{
    (void)d, (void)path;
    pass_gate();
    return RC_OK;
}

static void gate_on(struct disk *d)
{
    gate.ops = *d->ops;
    gate.ops.sync = gated_sync;
    gate.ops.dirsync = gated_dirsync;
    gate.is_armed = gate.is_held = gate.is_open = false;
    d->ops = &gate.ops;
}

static void gate_arm(unsigned number)
{
    (void)pthread_mutex_lock(&gate.lock);
    gate.number = number;
    gate.is_armed = true;
    (void)pthread_mutex_unlock(&gate.lock);
}

static void gate_open(void)
{
    (void)pthread_mutex_lock(&gate.lock);
    gate.is_open = true;
    (void)pthread_cond_broadcast(&gate.changed);
    (void)pthread_mutex_unlock(&gate.lock);
}

/* Whether somebody stands before the gate, or does so within a few rounds of the helper. */
static bool gate_waits_for(void)
{
    struct timespec until;
    int waited = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ROUNDS_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    (void)pthread_mutex_lock(&gate.lock);
    while (!gate.is_held && !waited)
        waited = pthread_cond_timedwait(&gate.changed, &gate.lock, &until);
    bool holds = gate.is_held;
    (void)pthread_mutex_unlock(&gate.lock);
    return holds;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void copy_all(const char *from, const char *to)
{
    char command[3 * PATH];
    (void)snprintf(command, sizeof command, "cp -R '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

static struct small_crawl one, two;

/* Crawls while the sync of that number is held, and looks at a copy of what the kernel has. */
static bool check_held(unsigned number, const char *root)
{
    char live[PATH], dead[PATH];
    struct small_truth truth = {0}, after = {0};
    struct disk *d, *copy;
    bool more = true;
    (void)snprintf(live, sizeof live, "%s/live-%u", root, number);
    (void)snprintf(dead, sizeof dead, "%s/dead-%u", root, number);
    assert_rc(disk_real_open(live, &d), RC_OK);
    const struct disk_ops *real = d->ops;
    gate_on(d);
    assert_rc(small_open_helped(&one, d, 2, &truth, 1), RC_OK);
    gate_arm(number);
    for (int i = 0; i < FIRST_STEPS && !gate_waits_for(); i++)
        assert_rc(small_step(&one, false, &more), RC_OK);
    bool was_held = gate_waits_for();
    for (int i = 0; i < LAST_STEPS && more; i++)
        assert_rc(small_step(&one, false, &more), RC_OK);
    copy_all(live, dead);
    gate_open();
    small_close(&one);
    d->ops = real;
    disk_close(d);
    assert_rc(disk_real_open(dead, &copy), RC_OK);
    enum rc rc = small_open(&two, copy, 2, &after);
    rc = rc ? rc : ledger_turn(two.ledger, 0);
    const char *why = rc ? rc_text(rc) : small_check_kept(copy, truth.written);
    small_close(&two);
    disk_close(copy);
    if (why && was_held) /* a copy of what moves says nothing */
        fail_msg("sync %u, held %d: %s", number, was_held, why);
    return was_held;
}

static void kill_while_something_is_synced_takes_nothing_that_was_written(void **state)
{
    (void)state;
    char root[] = "/tmp/orbweaver-slow-XXXXXX";
    assert_non_null(mkdtemp(root));
    unsigned held = 0;
    for (unsigned number = 0; number < SYNCS; number++)
        held += check_held(number, root);
    assert_true(held > SYNCS / 2); /* a machine that is busy may miss some */
    (void)nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static bool becomes_durable(struct ledger *l, uint64_t position)
{
    static const struct timespec rest = {.tv_nsec = 10000000};
    for (int i = 0; i < LOOKS && ledger_durable(l) <= position; i++)
        (void)nanosleep(&rest, NULL);
    return ledger_durable(l) > position;
}

/* The rounds are an hour apart. */
static void d10_what_is_waited_for_is_durable_before_the_next_round(void **state)
{
    (void)state;
    char root[] = "/tmp/orbweaver-hurry-XXXXXX";
    struct ledger_news n = {.kept = LEDGER_NOT_SAID, .fact = STR("a fact")};
    struct small_truth truth = {0};
    struct disk *d;
    unsigned epoch;
    uint64_t batch;
    assert_non_null(mkdtemp(root));
    assert_rc(disk_real_open(root, &d), RC_OK);
    assert_rc(small_open_helped(&one, d, 1, &truth, HOUR_MS), RC_OK);
    for (int i = 0; i < 3; i++) {
        assert_rc(ledger_tell(one.ledger, &n, &epoch, &batch), RC_OK);
        assert_true(ledger_durable(one.ledger) <= batch);
        ledger_hurry(one.ledger);
        assert_true(becomes_durable(one.ledger, batch));
    }
    small_close(&one);
    disk_close(d);
    (void)nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kill_while_something_is_synced_takes_nothing_that_was_written),
        cmocka_unit_test(d10_what_is_waited_for_is_durable_before_the_next_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
