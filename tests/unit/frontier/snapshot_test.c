/* SPDX-License-Identifier: Apache-2.0 */
/* A bucket written and read back is the same bucket; anything else is refused and leaves nothing.
 */
#include "frontier/snapshot.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/rng.h"
#include "lib/test.h"

#include <stdio.h>

enum { HOSTS = 60, URLS = 900, NOW = 5000, WALL = 1700000000 };

static const struct frontier_settings roomy = {.max_hosts = 1000, .max_host_queue = 1000};

static struct candidate url_of(unsigned h, unsigned n)
{
    static char host[32], path[300], whole[400];
    int host_n = snprintf(host, sizeof host, "host%u.test", h);
    int path_n = snprintf(path, sizeof path, "/%0*u", (int)(n % 200), n);
    int whole_n = snprintf(whole, sizeof whole, "%s%s", host, path);
    struct str name = str_make(host, (size_t)host_n);
    return (struct candidate){.fingerprint = hash64(str_make(whole, (size_t)whole_n)),
                              .host_hash = hash64(name),
                              .host = name,
                              .path = str_make(path, (size_t)path_n),
                              .via = n * 77,
                              .port = (uint16_t)(n % 9 ? 0 : 8000 + n % 90),
                              .is_https = n % 2,
                              .class = (uint8_t)(n % 7 ? 0 : n % FRONTIER_CLASSES),
                              .seed_path = str_first(STR("LLRELXLRRRELLLP"), n % 15)};
}

/* A frontier in the middle of its work: some hosts out, some waiting, some done. */
static struct frontier *busy(struct rng *r)
{
    struct frontier *f = frontier_open(&roomy, 0, 1);
    for (unsigned i = 0; f && i < URLS; i++) {
        struct candidate c = url_of((unsigned)rng_below(r, HOSTS), i);
        enum admitted what;
        size_t done;
        struct checkout l;
        if (frontier_admit(f, &c, 1, NOW, &what, &done)) {
            frontier_close(f);
            return NULL;
        }
        if (i % 5 == 0 && frontier_checkout(f, i % 4, NOW, &l) == RC_OK && i % 3)
            frontier_checkin(f, &l, (enum checkin)(i % 3), NOW + rng_below(r, 3000));
    }
    return f;
}

static void write_name(void *ctx, const struct host *h, struct buf *out)
{
    (void)ctx;
    buf_add(out, STR("extra of "));
    buf_add(out, host_name(h));
}

static enum rc check_name(void *ctx, struct host *h, struct str bytes, size_t *ret_bytes)
{
    int *count = ctx;
    *ret_bytes = bytes.n;
    ++*count;
    assert_str(str_from(bytes, 9), host_name(h));
    return RC_OK;
}

static enum rc copy_all(const struct frontier *from, struct frontier *to,
                        const struct snapshot_context *write, const struct snapshot_context *read)
{
    enum rc rc = RC_OK;
    for (unsigned b = 0; b < FRONTIER_BUCKETS && rc == RC_OK; b++) {
        struct buf image = {.max = 1 << 24};
        snapshot_write(from, b, write, &image);
        rc = buf_rc(&image);
        if (rc == RC_OK)
            rc = snapshot_read(to, buf_str(&image), read);
        buf_done(&image);
    }
    return rc;
}

/* Lends all that `f` has, in turn, as text. What is out of `f` comes first, as an image has it. */
static void drain(struct frontier *f, uint64_t from_ms, struct buf *out)
{
    struct checkout l;
    for (uint64_t now = from_ms; now < from_ms + 10000; now += 100)
        while (frontier_checkout(f, 0, now, &l) == RC_OK) {
            buf_printf(out, STR_FMT " " STR_FMT " %llu %llu %u %d %u " STR_FMT "\n",
                       STR_ARG(l.host_name), STR_ARG(l.path), (unsigned long long)l.sequence,
                       (unsigned long long)l.via, l.port, l.is_https, l.class,
                       STR_ARG(l.seed_path));
            frontier_checkin(f, &l, CHECKIN_DONE, now);
        }
}

static void a_bucket_read_back_is_lent_as_the_one_written(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, test_seed(3));
    int extras = 0;
    struct snapshot_context write = {
        .now_ms = NOW, .wall_ms = WALL, .most_wait_ms = 5000, .write_extra = write_name};
    struct snapshot_context read = {.now_ms = 100,
                                    .wall_ms = WALL,
                                    .most_wait_ms = 5000,
                                    .read_extra = check_name,
                                    .ctx = &extras};
    struct frontier *one = busy(&r), *two = frontier_open(&roomy, 0, 1);
    struct frontier *three = frontier_open(&roomy, 0, 1);
    struct buf a = {.max = 1 << 22}, b = {.max = 1 << 22};
    assert_rc(copy_all(one, two, &write, &read), RC_OK);
    assert_rc(copy_all(one, three, &write, &read), RC_OK);
    struct frontier_counts was = frontier_counts(one), is = frontier_counts(two);
    assert_true(was.out > 0);
    assert_true(is.hosts == was.hosts && is.known == was.known && is.queued == was.queued);
    assert_true(is.out == 0 && extras == 2 * (int)was.hosts);
    for (unsigned i = 0; i < URLS; i++)
        for (unsigned h = 0; h < HOSTS; h += 7) {
            struct candidate c = url_of(h, i);
            assert_int_equal(frontier_knows(one, c.host_hash, c.fingerprint),
                             frontier_knows(two, c.host_hash, c.fingerprint));
        }
    drain(two, 100, &a);
    drain(three, 100, &b);
    assert_str(buf_str(&a), buf_str(&b));
    assert_int_equal(frontier_counts(two).queued, 0);
    frontier_close(one);
    frontier_close(two);
    frontier_close(three);
    buf_done(&a);
    buf_done(&b);
}

/* Fingerprints stand in an image in order of size. Put one by one into a table that is small still
 * they make a pile that each next one walks: 20 s of CPU here, and a hundred times that for ten
 * times the URLs. */
static void a_site_of_many_urls_is_read_in_time_that_grows_with_their_number(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    struct frontier_settings large = {.max_hosts = 10, .max_host_queue = MANY};
    struct snapshot_context at = {.now_ms = NOW, .wall_ms = WALL, .most_wait_ms = 5000};
    struct frontier *one = frontier_open(&large, 0, 1), *two = frontier_open(&large, 0, 1);
    struct candidate c = url_of(1, 1);
    struct buf image = {.max = 1 << 26};
    enum admitted what;
    size_t done;
    for (uint64_t i = 0; i < MANY; i++) {
        c.fingerprint = hash64_mix(i + 1);
        assert_rc(frontier_admit(one, &c, 1, NOW, &what, &done), RC_OK);
    }
    snapshot_write(one, frontier_bucket(c.host_hash), &at, &image);
    assert_rc(snapshot_read(two, buf_str(&image), &at), RC_OK);
    assert_int_equal(frontier_counts(two).known, MANY);
    for (uint64_t i = 0; i < MANY; i += 100)
        assert_true(frontier_knows(two, c.host_hash, hash64_mix(i + 1)));
    assert_true(frontier_counts(two).bytes <= frontier_counts(one).bytes * 3 / 2);
    buf_done(&image);
    frontier_close(one);
    frontier_close(two);
}

static void moments_follow_the_wall_clock_and_are_never_far(void **state)
{
    (void)state;
    struct frontier *one = frontier_open(&roomy, 0, 1), *two = frontier_open(&roomy, 0, 1);
    struct candidate c = url_of(1, 1);
    enum admitted what;
    size_t done;
    struct checkout l;
    assert_rc(frontier_admit(one, &c, 1, 0, &what, &done), RC_OK);
    assert_rc(frontier_checkout(one, 0, 0, &l), RC_OK);
    frontier_checkin(one, &l, CHECKIN_AGAIN, 9000);
    struct snapshot_context write = {.now_ms = 1000, .wall_ms = WALL};
    struct snapshot_context later = {.now_ms = 50, .wall_ms = WALL + 3000, .most_wait_ms = 60000};
    assert_rc(copy_all(one, two, &write, &later), RC_OK);
    assert_int_equal(frontier_due_ms(two), 50 + 5000);
    frontier_close(two);
    two = frontier_open(&roomy, 0, 1);
    struct snapshot_context back = {.now_ms = 50, .wall_ms = 0, .most_wait_ms = 60000};
    assert_rc(copy_all(one, two, &write, &back), RC_OK);
    assert_int_equal(frontier_due_ms(two), 50 + 60000);
    frontier_close(one);
    frontier_close(two);
}

/* The same image, whole, as another version would write it. */
static enum rc read_as_version_9(struct frontier *f, const struct buf *image,
                                 const struct snapshot_context *c)
{
    struct buf other = {.max = 1 << 22};
    buf_add(&other, buf_str(image));
    put_le32(other.p + 8, 9);
    put_le64(other.p + other.n - 8, hash64(str_first(buf_str(&other), other.n - 8)));
    enum rc rc = snapshot_read(f, buf_str(&other), c);
    buf_done(&other);
    return rc;
}

static void what_is_cut_or_changed_is_refused_and_leaves_nothing(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, test_seed(4));
    struct frontier *one = busy(&r), *two = frontier_open(&roomy, 0, 1);
    struct snapshot_context c = {.now_ms = NOW, .wall_ms = WALL, .most_wait_ms = 5000};
    struct candidate first = url_of(1, 1);
    struct buf image = {.max = 1 << 22};
    snapshot_write(one, frontier_bucket(first.host_hash), &c, &image);
    assert_true(image.n > 500);
    for (size_t cut = 0; cut < image.n; cut++)
        assert_rc(snapshot_read(two, str_first(buf_str(&image), cut), &c), RC_CORRUPT);
    for (size_t at = 0; at < image.n; at++) {
        image.p[at] ^= 0x20;
        assert_rc(snapshot_read(two, buf_str(&image), &c), RC_CORRUPT);
        image.p[at] ^= 0x20;
    }
    assert_rc(read_as_version_9(two, &image, &c), RC_VERSION);
    struct frontier_counts empty = frontier_counts(two);
    assert_true(!empty.hosts && !empty.known && !empty.queued && !empty.bytes);
    assert_rc(snapshot_read(two, buf_str(&image), &c), RC_OK);
    assert_rc(snapshot_read(two, buf_str(&image), &c), RC_EXISTS);
    frontier_close(one);
    frontier_close(two);
    buf_done(&image);
}

static enum rc every_step(void *ctx)
{
    (void)ctx;
    struct rng r;
    rng_init(&r, 9);
    struct frontier *one = frontier_open(&roomy, 0, 1), *two = frontier_open(&roomy, 0, 1);
    struct snapshot_context c = {
        .now_ms = NOW, .wall_ms = WALL, .most_wait_ms = 5000, .write_extra = write_name};
    enum rc rc = one && two ? RC_OK : RC_NOMEM;
    for (unsigned i = 0; i < 12 && rc == RC_OK; i++) {
        struct candidate u = url_of(1, i);
        enum admitted what;
        size_t done;
        rc = frontier_admit(one, &u, 1, NOW, &what, &done);
    }
    struct buf image = {.max = 1 << 20};
    if (rc == RC_OK) {
        snapshot_write(one, frontier_bucket(url_of(1, 0).host_hash), &c, &image);
        rc = buf_rc(&image);
    }
    if (rc == RC_OK)
        rc = snapshot_read(two, buf_str(&image), &c);
    if (rc && two)
        assert_int_equal(frontier_counts(two).hosts, 0);
    buf_done(&image);
    frontier_close(one);
    frontier_close(two);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(every_step, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_read_back_is_lent_as_the_one_written),
        cmocka_unit_test(a_site_of_many_urls_is_read_in_time_that_grows_with_their_number),
        cmocka_unit_test(moments_follow_the_wall_clock_and_are_never_far),
        cmocka_unit_test(what_is_cut_or_changed_is_refused_and_leaves_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
