/* SPDX-License-Identifier: Apache-2.0 */
/* power_cut: the frame of a test that cuts the power at every call of something that writes.
 *
 * A test has a struct of its own that begins with a struct power_cut and holds what it believes to
 * be on the disk: what must be there, what may be. `work` writes and keeps that true. Before each
 * of its calls, and at the end, the images that a power cut may leave are made, and `go_on` is
 * handed each of them with a copy of the struct: it recovers, looks, goes on, looks again. Of some
 * images the power is cut once more while `go_on` works on them; not a third time.
 *
 * Mixtures at random come from the limits' seeds and $ORBWEAVER_TEST_SEED. */
#ifndef TESTS_UNIT_DISK_POWER_CUT_H
#define TESTS_UNIT_DISK_POWER_CUT_H

#include "disk/disk_crash.h"

struct power_cut;

struct power_cut_test {
    size_t bytes; /* of the test's struct */
    struct disk_crash_limits outer, nested;
    unsigned nested_every; /* one image in so many is cut again */
    enum rc (*work)(struct power_cut *c, struct disk *d);
    const char *(*go_on)(struct power_cut *c, struct disk *image); /* NULL, or what is wrong */
};

struct power_cut {
    const struct power_cut_test *test;
    /* The rest is the frame's. */
    unsigned depth; /* 0 works, 1 recovers, 2 recovers what broke off while it recovered */
    bool looks;     /* images are made of its disk */
    bool is_brief;  /* with the nested limits from the beginning */
    struct power_cut *outer;
    uint64_t round, images;
    bool failed;
    char why[2000];
};

/* Makes the images of `d` now, and tries each, if this one looks. */
void power_cut_look(struct power_cut *c, struct disk *d);

/* No more cuts on this image: for what `go_on` does behind the part that must bear them. */
void power_cut_enough(struct disk *image);

/* Works on a disk of its own with the power cut at each call. c->failed and c->why tell. */
void power_cut_run(struct power_cut *c);

/* The same; fails the test if any image did, or if there were not more than so many. */
void power_cut_everywhere(struct power_cut *c, uint64_t images);

/* Each call in turn (under sanitizers, one in five, other ones for each way) fails in each of these
 * ways and ends the process; then the power is cut. More than so many calls must come to failing.
 * `fresh` is copied for each. */
void power_cut_failures(const struct power_cut *fresh, const enum rc *ways, size_t count,
                        uint64_t calls);

#endif
