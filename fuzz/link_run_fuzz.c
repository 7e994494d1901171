/* SPDX-License-Identifier: Apache-2.0 */
/* A file of pairs (or LIST, where it begins as one) is read in order or refused, and what is read
 * is written as a file that says the same. The hashes of the input are made right first, so that
 * what stands behind them is reached. */
#include "linkindex/index_list.h"
#include "linkindex/pair_run.h"
#include "linkindex/run_internal.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "disk/disk_crash.h"
#include "fuzz.h"

#include <string.h>

enum { MAX_INPUT = 1 << 20, MOST_PAIRS = 100000 };

static void put(struct disk *d, const char *path, struct str bytes)
{
    struct disk_file *f;
    MUST(disk_open(d, path, DISK_CREATE, &f) == RC_OK);
    MUST(!bytes.n || disk_append(f, &bytes, 1) == RC_OK);
    disk_file_close(f);
}

static void hash_into(char *bytes, size_t at, size_t from, size_t to, uint64_t seed, bool seeded)
{
    struct str s = str_make(bytes + from, to - from);
    put_le64(bytes + at, seeded ? hash64_seeded(s, seed) : hash64(s));
}

/* As far as head, table and foot make sense. */
static void mend_hashes(char *bytes, size_t n)
{
    if (n < RUN_HEAD_BYTES + RUN_FOOT_BYTES)
        return;
    hash_into(bytes, RUN_HEAD_BYTES - 8, 0, RUN_HEAD_BYTES - 8, 0, false);
    size_t foot = n - RUN_FOOT_BYTES;
    uint64_t table = get_le64(bytes + foot), at = RUN_HEAD_BYTES;
    if (table >= RUN_HEAD_BYTES && table <= foot) {
        for (size_t row = (size_t)table; row + RUN_ROW_BYTES <= foot; row += RUN_ROW_BYTES) {
            uint64_t end = get_le64(bytes + row + 8);
            if (end > at + 8 && end <= table)
                hash_into(bytes, (size_t)at, (size_t)at + 8, (size_t)end, 0, false);
            at = end > at && end <= table ? end : at;
        }
        uint64_t head = get_le64(bytes + RUN_HEAD_BYTES - 8);
        hash_into(bytes, foot + 24, (size_t)table, foot, head, true);
    }
    hash_into(bytes, n - 8, foot, n - 8, 0, false);
}

/* Copies the run; both must say the same. */
static void copy(struct disk *d, const struct run *r)
{
    struct run_writer w;
    struct run_cursor c, again;
    struct run second;
    struct pair p, q, last = {0};
    uint64_t pairs = 0, bytes;
    MUST(run_writer_open(&w, d, "copy", r->kind, r->from, r->to) == RC_OK);
    enum rc rc = run_seek(&c, r, 0);
    while (rc == RC_OK && !c.is_behind && pairs < MOST_PAIRS) {
        rc = run_next(&c, &p);
        MUST(!pairs || p.key > last.key || (p.key == last.key && p.value > last.value));
        MUST(p.letters && p.letters <= PAIR_ALL_LETTERS);
        MUST(rc || run_writer_add(&w, p) == RC_OK);
        last = p;
        pairs++;
    }
    run_cursor_done(&c);
    MUST(rc == RC_OK || rc == RC_CORRUPT);
    MUST(run_writer_end(&w, &bytes) == RC_OK);
    run_writer_done(&w);
    if (rc)
        return;
    MUST(run_open(&second, d, "copy") == RC_OK && run_check(&second) == RC_OK);
    MUST(second.pairs == pairs && second.bytes == bytes);
    MUST(run_seek(&c, r, 0) == RC_OK && run_seek(&again, &second, 0) == RC_OK);
    for (uint64_t i = 0; i < pairs; i++) {
        MUST(run_next(&c, &p) == RC_OK && run_next(&again, &q) == RC_OK);
        MUST(p.key == q.key && p.value == q.value && p.letters == q.letters);
    }
    run_cursor_done(&c);
    run_cursor_done(&again);
    run_close(&second);
}

static void check_run(const char *data, size_t n)
{
    struct buf bytes = {.max = MAX_INPUT};
    struct disk *d;
    struct run r;
    buf_add(&bytes, str_make(data, n));
    MUST(buf_rc(&bytes) == RC_OK && disk_crash_open(&d) == RC_OK);
    if (n)
        mend_hashes(bytes.p, n);
    put(d, "run", buf_str(&bytes));
    enum rc rc = run_open(&r, d, "run");
    MUST(rc == RC_OK || rc == RC_CORRUPT);
    if (rc == RC_OK) {
        copy(d, &r);
        run_close(&r);
    }
    disk_close(d);
    buf_done(&bytes);
}

static void check_list(struct str text)
{
    struct buf whole = {.max = 2 * MAX_INPUT}, again = {.max = 2 * MAX_INPUT};
    struct index_list l, second;
    buf_add(&whole, text);
    buf_printf(&whole, "check %016llx\n", (unsigned long long)hash64(text));
    enum rc rc = index_list_parse(buf_str(&whole), &l);
    MUST(rc == RC_OK || rc == RC_CORRUPT || rc == RC_VERSION);
    if (rc == RC_OK) {
        index_list_print(&l, &again);
        MUST(index_list_parse(buf_str(&again), &second) == RC_OK);
        for (unsigned k = 0; k < PAIR_KINDS; k++)
            MUST(l.of[k].count == second.of[k].count && l.of[k].covered == second.of[k].covered);
        index_list_done(&l);
        index_list_done(&second);
    }
    buf_done(&whole);
    buf_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str text = str_make((const char *)data, n < MAX_INPUT ? n : MAX_INPUT);
    if (str_starts(text, STR("orbweaver")))
        check_list(text);
    else
        check_run(text.p, text.n);
    return 0;
}
