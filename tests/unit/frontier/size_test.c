/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory a large frontier takes: 10^6 URLs on 10^5 hosts; ten times that in the soak tier
 * ($ORBWEAVER_TEST_LARGE). In a process of its own, so that its peak is the frontier's; under a
 * clock that is only counted up. Bytes are asserted, never a time. */
#include "frontier/frontier.h"

#include "base/hash.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINKS = 40, TEXT = 64, HOST_URLS = 10, DELAY_MS = 1000, SMALL_URLS = 1000 * 1000 };

struct scale {
    uint64_t urls;
    uint64_t max_bytes;       /* the frontier's own count */
    uint64_t max_resident_kb; /* of the process */
};

/* Ten queued URLs a host, 46 bytes of path each: 153 bytes a URL were counted, the host's share in
 * it. What a process has besides is a few MB. */
static const struct scale small = {SMALL_URLS, 170 * 1000 * 1000, 190 * 1024};
static const struct scale large = {10 * SMALL_URLS, 1700 * 1000 * 1000, 1900 * 1024};

struct page {
    struct candidate list[LINKS];
    char hosts[LINKS][TEXT], paths[LINKS][TEXT];
    enum admitted what[LINKS];
};

struct seen_sizes { /* what the child found, through a pipe */
    struct frontier_counts full, end;
    uint64_t checkout, twice_new, resident_kb;
};

/* URLs `first` and on: neighbours are on one host, hosts come again and again. */
static void make_page(struct page *p, uint64_t hosts, uint64_t first)
{
    for (unsigned i = 0; i < LINKS; i++) {
        unsigned long long url = first + i, host = url / 4 % hosts;
        int host_n = snprintf(p->hosts[i], TEXT, "www.host%llu.example", host);
        int path_n = snprintf(p->paths[i], TEXT, "/section/topic/a-page-about-%018llu", url);
        struct str name = str_make(p->hosts[i], (size_t)host_n);
        p->list[i] = (struct candidate){.fingerprint = hash64_mix(url + 1),
                                        .host_hash = hash64(name),
                                        .host = name,
                                        .path = str_make(p->paths[i], (size_t)path_n),
                                        .via = first,
                                        .seed_path = STR("LLL")};
    }
}

/* How many of the page's were new; -1 without memory. */
static long admit(struct frontier *f, struct page *p, uint64_t now_ms)
{
    size_t done;
    long fresh = 0;
    if (frontier_admit(f, p->list, LINKS, now_ms, p->what, &done))
        return -1;
    for (unsigned i = 0; i < LINKS; i++)
        fresh += p->what[i] == ADMITTED_NEW;
    return fresh;
}

/* Every host once, at its time, then none until its delay is over. */
static uint64_t check_all_out_once(struct frontier *f, uint64_t now_ms)
{
    struct checkout l;
    uint64_t count = 0;
    while (frontier_checkout(f, 0, now_ms, &l) == RC_OK) {
        frontier_checkin(f, &l, CHECKIN_DONE, now_ms + DELAY_MS);
        count++;
    }
    return count;
}

static uint64_t resident_kb(void)
{
    char line[200];
    unsigned long long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = strtoull(line + 6, NULL, 10);
    if (f)
        (void)fclose(f);
    return kb;
}

static bool drive(const struct scale *s, struct seen_sizes *ret)
{
    static struct page p;
    struct frontier_settings settings = {.max_hosts = s->urls, .max_host_queue = s->urls};
    struct frontier *f = frontier_open(&settings, 0, 1);
    uint64_t hosts = s->urls / HOST_URLS, now_ms = 1000;
    if (!f)
        return false;
    for (uint64_t url = 0; url < s->urls; url += LINKS) {
        make_page(&p, hosts, url);
        if (admit(f, &p, now_ms) != LINKS)
            return false;
    }
    ret->full = frontier_counts(f);
    for (uint64_t url = 0; url < s->urls; url += s->urls / 100) {
        make_page(&p, hosts, url);
        ret->twice_new += (uint64_t)admit(f, &p, now_ms);
    }
    ret->checkout = check_all_out_once(f, now_ms);
    ret->checkout += check_all_out_once(f, now_ms + DELAY_MS - 1);
    ret->checkout += check_all_out_once(f, now_ms + DELAY_MS);
    ret->end = frontier_counts(f);
    ret->resident_kb = resident_kb();
    frontier_close(f);
    return true;
}

static void run(const struct scale *s, struct seen_sizes *ret)
{
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct seen_sizes seen = {0};
        bool good = drive(s, &seen) && write(ends[1], &seen, sizeof seen) == sizeof seen;
        _exit(!good);
    }
    (void)close(ends[1]);
    ssize_t got = read(ends[0], ret, sizeof *ret);
    (void)close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(got, sizeof *ret);
}

static void ten_urls_a_host_stay_below_the_stated_bytes(void **state)
{
    (void)state;
    const struct scale *s = getenv("ORBWEAVER_TEST_LARGE") ? &large : &small;
    struct seen_sizes seen = {0};
    run(s, &seen);
    assert_int_equal(seen.full.known, s->urls);
    assert_int_equal(seen.full.queued, s->urls);
    assert_int_equal(seen.full.hosts, s->urls / HOST_URLS);
    assert_int_equal(seen.twice_new, 0);
    assert_int_equal(seen.checkout, 2 * seen.full.hosts);
    assert_int_equal(seen.end.known, s->urls);
    assert_int_equal(seen.end.queued, s->urls - seen.checkout);
    print_message("# %llu URLs: %llu bytes counted, %llu KB resident at most\n",
                  (unsigned long long)s->urls, (unsigned long long)seen.full.bytes,
                  (unsigned long long)seen.resident_kb);
    assert_true(seen.full.bytes <= s->max_bytes);
    assert_true(seen.end.bytes <= s->max_bytes);
    if (!TEST_IS_SANITIZED)
        assert_true(seen.resident_kb > 0 && seen.resident_kb <= s->max_resident_kb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_urls_a_host_stay_below_the_stated_bytes),
    };
    return cmocka_run_group_tests_name("frontier size", tests, NULL, NULL);
}
