/* SPDX-License-Identifier: Apache-2.0 */
/* The second half of damage_judge.h: comparing.
 *
 * What a power cut may take cannot be told from damage: bytes behind the last sync. Where a case
 * has damaged only such bytes, and the machine was booted again or they are the journal's last
 * batch, the outcomes from the first damaged one on may be undone: their pages wait again, or are
 * not known if only those outcomes had found them, and their records and lines may be gone.
 * Everything else must be as it is without the damage. */
#include "damage_judge.h"

#include "archive/warc_name.h"
#include "cluster/wire/records.h"

#include <stdio.h>

static bool begins(const char *path, const char *with)
{
    return strncmp(path, with, strlen(with)) == 0;
}

static bool ends(const char *path, const char *with)
{
    size_t n = strlen(path), m = strlen(with);
    return n >= m && strcmp(path + n - m, with) == 0;
}

/* The diary of RocksDB, and what only locks. */
static bool is_no_content(const char *path)
{
    return begins(path, "state/history/LOG") || ends(path, "/LOCK");
}

/* What was lost at the earliest, where damage looks like a power cut --------------------------- */

struct loose {
    size_t from; /* this batch and those behind it may be undone; batch_count: none */
    bool done[SMALL_URLS], found[SMALL_URLS]; /* by those batches */
};

static bool number_of(struct str path, uint64_t *ret)
{
    return str_to_u64(str_from(path, 1), ret) == RC_OK && *ret < SMALL_URLS;
}

static bool is_intact(const struct tree *before, const char *path, const struct base *b,
                      uint64_t offset, uint64_t bytes)
{
    const struct tree_entry *is = tree_find(before, path), *was = tree_find(&b->now, path);
    return is && was && is->bytes.n >= offset + bytes &&
           memcmp(is->bytes.p + offset, was->bytes.p + offset, bytes) == 0;
}

static size_t first_broken_batch(const struct base *b, const struct tree *before)
{
    size_t i = 0;
    while (i < b->batch_count &&
           is_intact(before, b->batches[i].file, b, b->batches[i].offset, b->batches[i].bytes))
        i++;
    return i;
}

/* What the last commit vouches for, of an archive that was open; 0: of all that was there then it
 * was none, or it is not known. */
static uint64_t committed(const struct base *b, struct str file)
{
    struct batch commit;
    struct str name;
    uint64_t bytes;
    if (base_commit(b, &commit))
        while (batch_next_file(&commit.files, &name, &bytes))
            if (str_eq(name, file))
                return bytes;
    return 0;
}

static uint64_t first_difference(const struct tree_entry *a, const struct tree_entry *b,
                                 uint64_t from)
{
    uint64_t i = from;
    while (a && b && i < a->bytes.n && i < b->bytes.n && a->bytes.p[i] == b->bytes.p[i])
        i++;
    return i;
}

static bool reaches(const struct base_batch *batch, struct str file, uint64_t at)
{
    struct batch read;
    const char *why;
    return batch_read(batch->body, &read, &why) == RC_OK && read.has_location &&
           str_eq(read.location.file, file) && read.location.offset + read.location.bytes > at;
}

static size_t first_broken_record(const struct base *b, const struct tree *before, const char *path)
{
    struct str file = str_c(path + 8); /* behind "archive/" */
    if (!warc_name_is_open(file, &file))
        return b->batch_count;
    const struct tree_entry *is = tree_find(before, path);
    uint64_t trusted = committed(b, file);
    uint64_t at = first_difference(is, tree_find(&b->now, path), trusted);
    size_t i = 0;
    if (trusted && (!is || is->bytes.n < trusted)) /* no power cut leaves that */
        return b->batch_count;
    while (i < b->batch_count && !reaches(&b->batches[i], file, at))
        i++;
    return i;
}

static void note_undone(struct loose *l, const struct base_batch *batch)
{
    struct batch b;
    struct candidate c;
    struct record_batch records;
    struct record r;
    const char *why;
    uint64_t i;
    if (batch_read(batch->body, &b, &why))
        return;
    if (b.kind == BATCH_OUTCOME && b.has_url && b.url.how == CHECKIN_DONE &&
        number_of(b.url.path, &i))
        l->done[i] = true;
    while (b.kind == BATCH_OUTCOME && batch_next_link(&b.links, &c, NULL))
        if (number_of(c.path, &i))
            l->found[i] = true;
    if (b.kind == BATCH_NEWS && record_batch_read(b.news.mine, &records) == RC_OK)
        while (records_next(&records.records, &r))
            if (number_of(r.path, &i))
                l->found[i] = true;
}

static struct loose loose_of(const struct damage_case *c, const struct base *b,
                             const struct tree *before)
{
    struct loose l = {.from = b->batch_count};
    if (begins(c->path, "state/journal"))
        l.from = first_broken_batch(b, before);
    else if (begins(c->path, "archive/"))
        l.from = first_broken_record(b, before, c->path);
    bool is_last = l.from + 1 == b->batch_count;
    bool is_durable = l.from < b->batch_count && b->batches[l.from].position < b->durable;
    /* The end of an open archive that is torn off takes no whole record with it. */
    bool is_torn_off = c->damage == DAMAGE_CUT && begins(c->path, "archive/");
    if (is_durable || (!c->is_rebooted && !is_last && !is_torn_off))
        l.from = b->batch_count;
    for (size_t i = l.from; i < b->batch_count; i++)
        note_undone(&l, &b->batches[i]);
    return l;
}

/* Comparing ------------------------------------------------------------------------------------ */

struct comparing {
    const struct damage_case *c;
    const struct base *b;
    const struct tree *before;
    const struct opened *reference, *is;
    struct loose loose;
    struct buf *out;
    bool is_wrong;
};

static void wrong(struct comparing *x, const char *what, const char *which)
{
    if (!x->is_wrong)
        buf_printf(x->out, "%s%s%s", what, *which ? " " : "", which);
    x->is_wrong = true;
}

static bool is_loose(const struct comparing *x)
{
    return x->loose.from < x->b->batch_count;
}

static bool url_may_be(const struct comparing *x, unsigned i)
{
    enum url_state was = x->reference->urls[i], is = x->is->urls[i];
    bool may_wait = was == URL_DONE && x->loose.done[i];
    bool may_be_unknown = x->loose.found[i] && (was != URL_DONE || may_wait);
    return is == was || (is == URL_WAITS && may_wait) || (is == URL_UNKNOWN && may_be_unknown);
}

static void compare_urls(struct comparing *x)
{
    static const char *const states[] = {"not known", "waiting", "done"};
    char what[80];
    for (unsigned i = 0; i < SMALL_URLS; i++) {
        (void)snprintf(what, sizeof what, "URL %u was %s and is %s", i,
                       states[x->reference->urls[i]], states[x->is->urls[i]]);
        if (!url_may_be(x, i))
            wrong(x, what, "");
        if (x->is->history[i] != x->reference->history[i] && !x->loose.done[i])
            wrong(x, "the history has something else of a URL", "");
    }
}

static void compare_numbers(struct comparing *x)
{
    const struct opened *was = x->reference, *is = x->is;
    if (is->is_new != was->is_new)
        wrong(x, "a crawl is taken for a new one", "");
    if (is->is_recrawl != was->is_recrawl || is->needs_requeue != was->needs_requeue ||
        is->recrawl_id != was->recrawl_id || is->recrawl_ms != was->recrawl_ms)
        wrong(x, "the recrawl is another", "");
    if (is_loose(x))
        return;
    if (is->pages != was->pages || is->bytes != was->bytes ||
        is->archive_bytes != was->archive_bytes)
        wrong(x, "the totals differ", "");
    if (memcmp(is->hosts, was->hosts, sizeof is->hosts) != 0)
        wrong(x, "the record of a host differs", "");
    if (is->facts != was->facts || is->sent_pages != was->sent_pages ||
        is->sent_records != was->sent_records || is->kept != was->kept)
        wrong(x, "facts or outbox differ", "");
}

/* Of the directory only what a person reads is compared as bytes. */
static bool is_compared(const char *path)
{
    if (strcmp(path, "logs/SYNCED") == 0)
        return false;
    return !begins(path, "state/") || strcmp(path, "state/seeds") == 0 ||
           strcmp(path, "state/elsewhere") == 0;
}

/* The file's name now: an archive gets its last one when it is recovered. */
static const struct tree_entry *find_now(const struct tree *t, const char *path)
{
    char room[TREE_MAX_PATH + 8];
    const struct tree_entry *e = tree_find(t, path);
    size_t n = strlen(path);
    if (e)
        return e;
    (void)snprintf(room, sizeof room, "%s.open", path);
    e = tree_find(t, room);
    if (e || !ends(path, ".open"))
        return e;
    room[n - 5] = 0;
    return tree_find(t, room);
}

/* Byte i may only differ where the case has changed it. */
static bool byte_holds(const struct tree_entry *was, const struct tree_entry *is,
                       const struct tree_entry *whole, const struct tree_entry *damaged, size_t i)
{
    return is->bytes.p[i] == was->bytes.p[i] ||
           (whole && damaged && i < whole->bytes.n && i < damaged->bytes.n &&
            damaged->bytes.p[i] != whole->bytes.p[i] && is->bytes.p[i] == damaged->bytes.p[i]);
}

static void compare_file(struct comparing *x, const struct tree_entry *was)
{
    const struct tree_entry *is = find_now(&x->is->after, was->path);
    const struct tree_entry *whole = find_now(&x->b->now, was->path);
    const struct tree_entry *damaged = find_now(x->before, was->path);
    size_t n = is && is->bytes.n < was->bytes.n ? is->bytes.n : was->bytes.n;
    if (!is && !is_loose(x))
        wrong(x, "missing:", was->path);
    else if (is && is->bytes.n < was->bytes.n && !is_loose(x))
        wrong(x, "shorter:", was->path);
    else if (is && is->bytes.n > was->bytes.n)
        wrong(x, "longer:", was->path);
    for (size_t i = 0; is && i < n && !x->is_wrong; i++)
        if (!byte_holds(was, is, whole, damaged, i))
            wrong(x, "other bytes:", was->path);
}

static void compare_files(struct comparing *x, const char *below)
{
    const struct tree *was = &x->reference->after, *is = &x->is->after;
    for (size_t i = 0; i < was->count; i++)
        if (!was->entries[i].is_folder && is_compared(was->entries[i].path) &&
            begins(was->entries[i].path, below))
            compare_file(x, &was->entries[i]);
    for (size_t i = 0; i < is->count; i++)
        if (begins(is->entries[i].path, "archive/") && !find_now(was, is->entries[i].path))
            wrong(x, "an archive too many:", is->entries[i].path);
}

/* Records and lines of the outcomes before the first that may be undone. */
static bool has_lines(const struct tree *t, struct str lines)
{
    struct ledger_line line;
    bool has = true;
    static const char *const paths[LEDGER_FILES] = {
        [LEDGER_CDXJ] = "indexes/parts/index.cdxj",
        [LEDGER_PAGES] = "pages/pages.jsonl",
        [LEDGER_EXTRA_PAGES] = "pages/extraPages.jsonl",
        [LEDGER_CRAWL_LOG] = "logs/crawl.log",
        [LEDGER_NODES] = "links/links.nodes",
        [LEDGER_ARCS] = "links/links.arcs",
        [LEDGER_SKIPPED] = "reports/skippedPages.jsonl",
        [LEDGER_SEEDS] = "state/seeds",
        [LEDGER_ELSEWHERE] = "state/elsewhere",
    };
    while (has && batch_next_line(&lines, &line)) {
        const struct tree_entry *e = tree_find(t, paths[line.file]);
        has = e && str_find_str(buf_str(&e->bytes), line.text) < e->bytes.n;
    }
    return has;
}

static bool has_record(const struct comparing *x, const struct batch_location *p)
{
    char path[TREE_MAX_PATH];
    (void)snprintf(path, sizeof path, "archive/" STR_FMT, STR_ARG(p->file));
    const struct tree_entry *e = find_now(&x->is->after, path);
    return e && e->bytes.n >= p->offset + p->bytes;
}

static void compare_outcomes(struct comparing *x)
{
    struct batch b;
    const char *why;
    for (size_t i = 0; i < x->loose.from && i < x->b->batch_count; i++) {
        if (batch_read(x->b->batches[i].body, &b, &why) || b.kind != BATCH_OUTCOME)
            continue;
        if (b.has_location && !has_record(x, &b.location))
            wrong(x, "an earlier record is gone", "");
        if (is_loose(x) && !has_lines(&x->is->after, b.lines))
            wrong(x, "an earlier line is gone", "");
    }
}

/* Judging -------------------------------------------------------------------------------------- */

static bool names_a_file(const char *why)
{
    static const char *const names[] = {"state", "archive", "indexes/", "pages/",
                                        "logs/", "links/",  "reports/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(why, names[i]))
            return true;
    return false;
}

/* Only bytes that nothing reads at the opening may be found later. */
static bool may_be_late(const struct damage_case *c)
{
    bool is_unseen = c->damage == DAMAGE_FLIP || c->damage == DAMAGE_ZEROS;
    return is_unseen && (begins(c->path, "state/rest/") || begins(c->path, "state/history/"));
}

static enum outcome judge_refusal(struct comparing *x)
{
    const struct opened *o = x->is;
    const char *changed = tree_difference(x->before, &o->after, is_no_content);
    bool is_version = strcmp(x->c->path, "state/VERSION") == 0;
    if (o->rc != RC_CORRUPT && !(is_version && o->rc == RC_VERSION))
        wrong(x, "refused with another code:", rc_text(o->rc));
    if (changed && may_be_late(x->c)) /* lines come again from the journal, with the next opening */
        compare_files(x, "archive/");
    else if (changed)
        wrong(x, "refused, but changed:", changed);
    if (!names_a_file(o->why))
        wrong(x, "refused without naming a file", "");
    if (x->is_wrong)
        buf_printf(x->out, " (%s)", o->why);
    return x->is_wrong ? OUTCOME_WRONG : changed ? OUTCOME_LATE : OUTCOME_REFUSED;
}

enum outcome judge(const struct damage_case *c, const struct base *b, const struct tree *before,
                   const struct opened *reference, const struct opened *o, struct buf *out)
{
    struct comparing x = {.c = c,
                          .b = b,
                          .before = before,
                          .reference = reference,
                          .is = o,
                          .loose = loose_of(c, b, before),
                          .out = out};
    if (o->rc)
        return judge_refusal(&x);
    if (o->late == RC_CORRUPT && may_be_late(c))
        return OUTCOME_LATE;
    if (o->late)
        wrong(&x, "opened, and later:", o->why);
    compare_urls(&x);
    compare_numbers(&x);
    compare_files(&x, "");
    compare_outcomes(&x);
    if (x.is_wrong)
        return OUTCOME_WRONG;
    return is_loose(&x) ? OUTCOME_TORN : OUTCOME_KEPT;
}
