/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl/crawl_statistics.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "roles/counters.h"

#include <stdio.h>
#include <unistd.h>

enum { EVERY_MS = 20 * 1000, PATH_BYTES = 4096 };

struct crawl_statistics {
    FILE *file;
    struct ledger_service *ledger;
    uint64_t begun_ms, last_ms;
    uint64_t last_fetched, last_bytes;
};

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

struct crawl_statistics *crawl_statistics_open(const char *dir, struct ledger_service *ledger)
{
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s/logs/progress-statistics.log", dir);
    struct crawl_statistics *s = mem_zero(1, sizeof *s);
    if (s && length > 0 && (size_t)length < sizeof path)
        s->file = fopen(path, "ae");
    if (!s || !s->file) {
        mem_free(s);
        return NULL;
    }
    s->ledger = ledger;
    s->begun_ms = s->last_ms = clock_now_ms(clock_real());
    if (fseek(s->file, 0, SEEK_END) == 0 && ftell(s->file) == 0)
        (void)fputs("timestamp discovered queued downloaded doc/s(avg) KB/s(avg) dl-failures "
                    "busy-thread mem-use-KB heap-size-KB congestion max-depth avg-depth\n",
                    s->file);
    return s;
}

/* The resident memory of the process: the second number of statm, in pages. */
static uint64_t resident_bytes(void)
{
    char text[200] = "";
    uint64_t pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && !fgets(text, sizeof text, f))
        text[0] = 0;
    if (f)
        (void)fclose(f);
    struct str line = str_c(text);
    struct str second = str_from(line, str_find(line, ' ') + 1);
    if (str_to_u64(str_first(second, str_find(second, ' ')), &pages) != RC_OK)
        pages = 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static double rate(uint64_t count, uint64_t over_ms)
{
    return over_ms ? (double)count * 1000 / (double)over_ms : 0;
}

static void print_rates(struct crawl_statistics *s, uint64_t now_ms, struct buf *out)
{
    const struct crawl_counts *c = &s->ledger->counts;
    uint64_t fetched = get(&c->fetched), bytes = get(&c->bytes);
    uint64_t lately_ms = now_ms - s->last_ms, all_ms = now_ms - s->begun_ms;
    buf_printf(out, " %.2f(%.2f) %.0f(%.0f)", rate(fetched - s->last_fetched, lately_ms),
               rate(fetched, all_ms), rate(bytes - s->last_bytes, lately_ms) / 1000,
               rate(bytes, all_ms) / 1000);
    s->last_fetched = fetched;
    s->last_bytes = bytes;
    s->last_ms = now_ms;
}

static void print_number(struct buf *out, uint64_t number)
{
    buf_byte(out, ' ');
    buf_u64(out, number);
}

static void write_line(struct crawl_statistics *s, uint64_t now_ms)
{
    const struct crawl_counts *c = &s->ledger->counts;
    struct ledger_totals totals = ledger_totals(s->ledger->ledger);
    struct buf out = {.max = 4096};
    buf_time_iso(&out, clock_wall_ms(clock_real()));
    print_number(&out, counter_value(COUNTER_KNOWN, c, &totals));
    print_number(&out, counter_value(COUNTER_QUEUED, c, &totals));
    print_number(&out, counter_value(COUNTER_TOTAL_PAGES, c, &totals));
    print_rates(s, now_ms, &out);
    print_number(&out, counter_value(COUNTER_FAILED, c, &totals));
    print_number(&out, counter_value(COUNTER_OPEN, c, &totals));
    print_number(&out, counter_value(COUNTER_FRONTIER_BYTES, c, &totals) / 1024);
    print_number(&out, resident_bytes() / 1024);
    buf_add(&out, STR(" - - -\n"));
    (void)fwrite(buf_str(&out).p, 1, out.n, s->file);
    (void)fflush(s->file);
    buf_done(&out);
}

void crawl_statistics_look(struct crawl_statistics *s, uint64_t now_ms)
{
    if (s && now_ms - s->last_ms >= EVERY_MS)
        write_line(s, now_ms);
}

void crawl_statistics_close(struct crawl_statistics *s)
{
    if (!s)
        return;
    write_line(s, clock_now_ms(clock_real()));
    (void)fclose(s->file);
    mem_free(s);
}
