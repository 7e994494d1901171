/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the files that a small crawl left. */
#include "ledger/host_records.h"
#include "small_crawl.h"

#include "base/hash.h"
#include "cluster/wire/records.h"
#include "ledger/batch.h"
#include "lib/test.h"
#include "warc/reader.h"

#include <stdio.h>

enum { FILE_ROOM = 1 << 20, LAST_LINKED = 22 };

struct spot { /* of a capture */
    char file[WARC_FILES_NAME_BYTES];
    uint64_t offset;
    unsigned times;
};

struct look {
    struct disk *disk;
    struct spot archived[SMALL_URLS], indexed[SMALL_URLS];
    unsigned times[SMALL_URLS];
    const char *file; /* being read */
    const char *why;
};

/* The number at the end of a URL, before whatever ends it. */
static unsigned number_in(struct str text)
{
    size_t at = str_find_str(text, STR(".test/"));
    unsigned n = 0;
    if (at == text.n)
        return SMALL_URLS - 1;
    for (size_t i = at + 6; i < text.n && ascii_is_digit(text.p[i]); i++)
        n = n * 10 + (unsigned)(text.p[i] - '0');
    return n < SMALL_URLS ? n : SMALL_URLS - 1;
}

/* Each line that speaks of a URL counts for it; the others only if they come first. */
static const char *count_lines(struct disk *d, const char *path, unsigned times[SMALL_URLS],
                               unsigned heads)
{
    struct buf all = {.max = FILE_ROOM};
    const char *why = NULL;
    memset(times, 0, SMALL_URLS * sizeof *times);
    enum rc rc = disk_read_whole(d, path, &all);
    struct str rest = buf_str(&all);
    for (unsigned at = 0; rc == RC_OK && rest.n; at++) {
        struct str line = str_take_until(&rest, '\n');
        bool is_head = str_starts(line, STR("{\"format\""));
        if (is_head != (at < heads))
            why = "a first line is missing or comes again";
        else if (!is_head)
            times[number_in(line)]++;
    }
    buf_done(&all);
    return rc ? rc_text(rc) : why;
}

const char *small_check_kept(struct disk *d, const bool must[SMALL_URLS])
{
    unsigned times[SMALL_URLS];
    const char *why = count_lines(d, "logs/crawl.log", times, 0);
    for (unsigned i = 0; i < SMALL_URLS && !why; i++) {
        if (times[i] > 1)
            why = "crawl.log has a line twice";
        if (must[i] && !times[i])
            why = "an outcome that should have lasted is lost";
    }
    return why;
}

const char *small_check_lasting(struct disk *d, const struct small_truth *truth)
{
    struct buf all = {.max = 1 << 20};
    enum rc rc = truth->lasting ? disk_read_whole(d, "links/links.arcs", &all) : RC_OK;
    bool is_there = rc == RC_OK && truth->lasting <= all.n &&
                    (!truth->lasting || hash64(str_first(buf_str(&all), (size_t)truth->lasting)) ==
                                            truth->lasting_hash);
    buf_done(&all);
    return is_there ? NULL : "links.arcs has lost what was lasting";
}

static void check_once(struct look *l, const char *path, unsigned first, unsigned last,
                       unsigned heads)
{
    const char *why = l->why ? l->why : count_lines(l->disk, path, l->times, heads);
    for (unsigned i = 0; i < SMALL_URLS && !why; i++)
        if (l->times[i] != (i >= first && i < last))
            why = path;
    l->why = why;
}

/* Each URL that a page links to once, however many link to it, whatever was killed meanwhile. */
static void check_names(struct look *l, const struct small_crawl *c)
{
    const char *path = "links/links.nodes";
    const char *why = l->why ? l->why : count_lines(l->disk, path, l->times, 0);
    for (unsigned i = 0; i < SMALL_URLS && !why; i++)
        if (l->times[i] != small_is_named(c, i))
            why = l->times[i] ? "links.nodes names a URL twice" : "links.nodes misses a URL";
    l->why = why;
}

/* Arcs are numbers: each pair as often as the page has it. */
static void check_arcs(struct look *l)
{
    struct buf all = {.max = FILE_ROOM};
    unsigned count = 0, want = 0;
    if (!l->why && disk_read_whole(l->disk, "links/links.arcs", &all))
        l->why = "links.arcs cannot be read";
    for (size_t i = 0; i < all.n; i++)
        count += all.p[i] == '\n';
    for (unsigned i = 0; i < LAST_LINKED; i++)
        want += 2u + (2 * i + 1 < LAST_LINKED) + (2 * i + 2 < LAST_LINKED);
    if (!l->why && count != want)
        l->why = "links.arcs has not each arc once";
    buf_done(&all);
}

static void note_spot(struct spot *s, struct str file, uint64_t offset)
{
    s->times++;
    s->offset = offset;
    (void)snprintf(s->file, sizeof s->file, STR_FMT, STR_ARG(file));
}

static enum rc read_archive(void *ctx, struct str name, bool is_folder)
{
    struct look *l = ctx;
    char path[300];
    struct buf all = {.max = FILE_ROOM};
    struct str piece;
    enum warc_event event;
    (void)is_folder;
    if (!str_ends(name, STR(".warc.gz")))
        l->why = "an archive is still open";
    (void)snprintf(path, sizeof path, "archive/" STR_FMT, STR_ARG(name));
    enum rc rc = disk_read_whole(l->disk, path, &all);
    struct warc_reader *r = warc_reader_open(NULL);
    assert_non_null(r);
    warc_reader_feed(r, buf_str(&all));
    warc_reader_finish(r);
    while ((event = warc_reader_next(r, &piece)) != WARC_END && event != WARC_BROKEN) {
        const struct warc_record *rec = event == WARC_RECORD ? warc_reader_record(r) : NULL;
        if (rec && (rec->type == WARC_RESPONSE || rec->type == WARC_REVISIT))
            note_spot(&l->archived[number_in(warc_record_target(rec))], name, rec->position.offset);
    }
    if (event == WARC_BROKEN)
        l->why = "an archive is not whole";
    warc_reader_close(r);
    buf_done(&all);
    return rc;
}

/* The text between quotes behind a key of a line of the index. */
static struct str json_text(struct str line, struct str key)
{
    struct str s = str_from(line, str_find_str(line, key) + key.n);
    (void)str_take_until(&s, '"'); /* closes the key */
    (void)str_take_until(&s, '"'); /* opens the value */
    return str_take_until(&s, '"');
}

static void read_index(struct look *l)
{
    struct buf all = {.max = FILE_ROOM};
    enum rc rc = disk_read_whole(l->disk, "indexes/parts/index.cdxj", &all);
    struct str rest = buf_str(&all);
    while (rc == RC_OK && rest.n) {
        struct str line = str_take_until(&rest, '\n');
        uint64_t offset = UINT64_MAX;
        (void)!str_to_u64(json_text(line, STR("\"offset")), &offset);
        note_spot(&l->indexed[number_in(json_text(line, STR("\"url")))],
                  json_text(line, STR("\"filename")), offset);
    }
    if (rc)
        l->why = rc_text(rc);
    buf_done(&all);
}

static void check_captures(struct look *l)
{
    enum rc rc = disk_list(l->disk, "archive", read_archive, l);
    if (rc)
        l->why = rc_text(rc);
    read_index(l);
    for (unsigned i = 0; i < SMALL_URLS && !l->why; i++) {
        const struct spot *a = &l->archived[i], *b = &l->indexed[i];
        unsigned want = i < LAST_LINKED && i % 9 != 8;
        if (a->times != want)
            l->why = "the archive has not each capture once";
        else if (b->times != want)
            l->why = "the index has not each capture once";
        else if (want && (strcmp(a->file, b->file) != 0 || a->offset != b->offset))
            l->why = "the index does not say where the capture is";
    }
}

/* Cards came through every crash as the last outcome left them. */
static const char *check_host_records(struct small_crawl *c)
{
    uint64_t pages = 0;
    for (unsigned i = 0; i < SMALL_HOSTS; i++) {
        char name[16];
        int n = snprintf(name, sizeof name, "h%u.test", i);
        uint64_t position = hash64(str_make(name, (size_t)n));
        struct frontier *f = ledger_frontier(c->ledger, frontier_bucket(position) % c->shards);
        if (ledger_bring(c->ledger, frontier_bucket(position) % c->shards, position))
            return "a swapped bucket cannot be loaded";
        struct host *h = frontier_host(f, position, str_make(name, (size_t)n));
        if (!h || host_queued(h))
            return h ? "a host still has URLs" : "a host is missing";
        pages += host_record_if(h) ? host_record_if(h)->pages : 0;
    }
    if (pages != LAST_LINKED)
        return "the host records have not counted each page once";
    return ledger_totals(c->ledger).pages == LAST_LINKED ? NULL : "the totals are wrong";
}

/* Of one batch for others: pages that are done, and records to pass on. */
static void count_batch(const struct batch *b, unsigned pages[SMALL_URLS], unsigned *foreign)
{
    struct record_batch records;
    struct record r;
    uint64_t i = SMALL_URLS;
    if (b->kind == BATCH_NEWS && record_batch_read(b->news.foreign, &records) == RC_OK)
        while (records_next(&records.records, &r))
            ++*foreign;
    if (b->has_url && b->url.how == CHECKIN_DONE &&
        str_to_u64(str_from(b->url.path, 1), &i) == RC_OK && i < SMALL_URLS)
        pages[i]++;
}

/* The journal was kept from its beginning: the outbox has everything once. */
static const char *check_outbox(struct small_crawl *c)
{
    unsigned pages[SMALL_URLS] = {0}, foreign = 0;
    uint64_t at, next = 0;
    struct batch b;
    struct ledger_outbox *o = ledger_outbox_open(c->ledger);
    enum rc rc = o ? RC_OK : RC_NOMEM;
    while (rc == RC_OK) {
        rc = ledger_outbox_next(o, next, &b, &at, &next);
        if (rc == RC_OK)
            count_batch(&b, pages, &foreign);
    }
    ledger_outbox_close(o);
    if (rc != RC_NOT_FOUND)
        return "the outbox cannot be read";
    for (unsigned i = 0; i < LAST_LINKED; i++)
        if (pages[i] != 1)
            return "the outbox has not each page once";
    return foreign == SMALL_NEWS ? NULL : "the outbox has not each foreign record once";
}

const char *small_check_end(struct small_crawl *c, struct disk *d)
{
    static struct look l;
    const char *why = check_host_records(c); /* changes the disk, and so may come here again */
    memset(&l, 0, sizeof l);
    l.disk = d;
    l.why = why;
    check_once(&l, "logs/crawl.log", 0, LAST_LINKED, 0);
    check_names(&l, c);
    check_once(&l, "pages/pages.jsonl", 0, 2, 1);
    check_once(&l, "pages/extraPages.jsonl", 2, LAST_LINKED, 1);
    check_arcs(&l);
    if (!l.why)
        check_captures(&l);
    if (!l.why && c->truth->has_news)
        l.why = c->told == SMALL_NEWS ? check_outbox(c) : "news are missing";
    return l.why;
}
