/* SPDX-License-Identifier: Apache-2.0 */
/* The history: what an entry costs to put and to get as it grows to the argument (10^6), CPU of the
 * whole process, so that the threads which sort and merge count too. */
#include "bench.h"

#include "base/hash.h"
#include "base/rng.h"
#include "store/history.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BATCH = 100, GETS = 100000 };

static double process_cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static uint64_t key_of(uint64_t i)
{
    return hash64_mix(i + 1);
}

static void put(struct history_batch *b, uint64_t i)
{
    char url[120], etag[40];
    uint64_t key = key_of(i);
    int n = snprintf(url, sizeof url, "https://www.host%llu.example/section/topic/page-%llu",
                     (unsigned long long)(key % 5000), (unsigned long long)i);
    int e = snprintf(etag, sizeof etag, "\"%llx-%llx\"", (unsigned long long)hash64_mix(key),
                     (unsigned long long)i);
    struct history_entry p = {
        .url = str_make(url, (size_t)n),
        .via = key_of(i / 43),
        .seed_path = STR("LLLL"),
        .date_ms = 1700000000000 + (int64_t)i,
        .code = 200,
        .bytes = 28000 + i % 977,
        .has_digest = true,
        .digest = {.kind = DIGEST_SHA1},
        .captured_ms = 1700000000000 + (int64_t)i,
        .etag = str_make(etag, (size_t)e),
        .last_modified = STR("Sun, 06 Nov 1994 08:49:37 GMT"),
        .mime = STR("text/html"),
        .fetches = 1,
    };
    for (unsigned k = 0; k < 2; k++) {
        uint64_t noise[2] = {hash64_mix(key + k), hash64_mix(key - k)};
        memcpy(k ? p.record_id : p.digest.bytes, noise, sizeof noise);
    }
    history_put(b, key, &p);
}

static void get_some(struct history *h, uint64_t first, uint64_t count, const char *name)
{
    struct arena *arena = arena_open(4096, 1 << 20);
    struct rng r;
    struct history_entry got;
    rng_init(&r, 3);
    double start = process_cpu_us();
    for (int i = 0; i < GETS; i++) {
        enum rc rc = history_get(h, key_of(first + rng_below(&r, count)), arena, &got);
        if (rc && rc != RC_NOT_FOUND)
            abort();
        arena_clear(arena);
    }
    bench_row(name, (process_cpu_us() - start) / GETS, "us", "-");
    arena_close(arena);
}

static void put_all(struct history *h, uint64_t count)
{
    struct history_batch *b = history_batch_open();
    double start = process_cpu_us();
    for (uint64_t i = 0; i < count; i++) {
        put(b, i);
        if (i % BATCH == BATCH - 1 && history_write(h, b, i))
            abort();
    }
    if (history_write(h, b, count) || history_flush(h))
        abort();
    bench_row("put, merging included", (process_cpu_us() - start) / (double)count, "us", "<= 8");
    history_batch_close(b);
}

static void remove_all(const char *folder)
{
    DIR *d = opendir(folder);
    const struct dirent *e;
    while (d && (e = readdir(d)))
        (void)unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        (void)closedir(d);
    (void)rmdir(folder);
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    char folder[] = "history_bench.XXXXXX";
    struct buf why = {.max = 4096};
    struct history *h;
    struct rusage use;
    if (!mkdtemp(folder) || history_open(folder, HISTORY_USUAL_BYTES, &h, &why))
        abort();
    printf("%llu entries\n", (unsigned long long)count);
    put_all(h, count);
    get_some(h, 0, count, "get, known");
    get_some(h, count, count, "get, unknown");
    bench_row("memory and disk", (double)history_bytes(h) / (double)count, "B/entry", "-");
    (void)getrusage(RUSAGE_SELF, &use);
    bench_row("most memory of the process", (double)use.ru_maxrss / 1024, "MB", "<= 96");
    history_close(h);
    remove_all(folder);
    return 0;
}
