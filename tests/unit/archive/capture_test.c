/* SPDX-License-Identifier: Apache-2.0 */
/* Captures as records: what is a revisit and what is not, where it stands, its line in the index;
 * and the table of digests. */
#include "archive/capture.h"
#include "archive/digest_refill.h"
#include "archive/outlinks.h"
#include "archive/warc_name.h"

#include "disk/disk_crash.h"
#include "lib/test.h"
#include "warc/cdxj.h"
#include "warc/reader.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct shop {
    struct disk *disk;
    struct warc_files *files;
    struct capture_writer *writer;
    struct digest_table *table;
};

static void shop_open(struct shop *s, uint64_t roll_bytes)
{
    struct warc_files_settings settings = {.folder = "archive",
                                           .prefix = STR("CRAWL"),
                                           .host = STR("my-host"),
                                           .serial_step = 1,
                                           .roll_bytes = roll_bytes,
                                           .buffer_bytes = 1 << 20,
                                           .info = {.software = STR("orbweaver/test")}};
    assert_rc(disk_crash_open(&s->disk), RC_OK);
    assert_rc(warc_files_open(s->disk, &settings, &s->files), RC_OK);
    s->writer = capture_writer_open();
    s->table = digest_table_open(1 << 20);
    assert_non_null(s->writer);
    assert_non_null(s->table);
}

static void shop_close(struct shop *s)
{
    warc_files_close(s->files);
    capture_writer_close(s->writer);
    digest_table_close(s->table);
    disk_close(s->disk);
}

static struct capture page(const char *uri, const char *head, const char *body)
{
    return (struct capture){.target_uri = str_c(uri),
                            .date_ms = INT64_C(1700000000123),
                            .request = STR("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
                            .head = str_c(head),
                            .body = str_c(body)};
}

#define PLAIN "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\nContent-Length: 5\r\n\r\n"
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static struct warc_location put(struct shop *s, const struct capture *c)
{
    struct warc_location location;
    assert_rc(capture_write(s->writer, s->files, s->table, c, &location), RC_OK);
    capture_remember(s->table, c, &location);
    return location;
}

/* The first record at a location: its header fields as text, found in what is on the disk. */
static void record_at(struct shop *s, const struct warc_location *p, struct buf *story)
{
    char path[WARC_PATH_BYTES];
    struct buf all;
    struct str piece;
    assert_rc(warc_files_sync(s->files), RC_OK);
    buf_init(&all, 1 << 20);
    buf_clear(story);
    assert_rc(disk_read_whole(s->disk, warc_path(path, "archive", p->file, true), &all), RC_OK);
    struct warc_reader *r = warc_reader_open(NULL);
    warc_reader_feed(r, str_make(all.p + p->offset, p->bytes));
    warc_reader_finish(r);
    assert_int_equal(warc_reader_next(r, &piece), WARC_RECORD);
    const struct warc_record *record = warc_reader_record(r);
    for (size_t i = 0; i < record->field_count; i++)
        buf_printf(story, STR_FMT ": " STR_FMT "\n", STR_ARG(record->fields[i].name),
                   STR_ARG(record->fields[i].value));
    enum warc_event event = warc_reader_next(r, &piece);
    while (event == WARC_BLOCK) {
        buf_add(story, piece);
        event = warc_reader_next(r, &piece);
    }
    assert_int_equal(event, WARC_RECORD_END);
    assert_int_equal(warc_reader_ended(r).bytes, p->record_bytes);
    warc_reader_close(r);
    buf_done(&all);
}

static void assert_says(const struct buf *story, const char *what)
{
    if (str_find_str(buf_str(story), str_c(what)) == story->n)
        fail_msg("\"%s\" is not in:\n" STR_FMT, what, STR_ARG(buf_str(story)));
}

/* The fields of a story without the record's own name. */
static struct str without_name(struct buf *story)
{
    struct str all = buf_str(story), name = STR("WARC-Record-ID: ");
    size_t at = str_find_str(all, name);
    memset(story->p + at, '-', name.n + sizeof "<urn:uuid:00000000-0000-0000-0000-000000000000>");
    return all;
}

static void a_body_that_was_packed_elsewhere_makes_the_record_that_it_makes_here(void **state)
{
    (void)state;
    static const char *const bodies[] = {"hello", "", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"};
    struct packed_body_tools *tools = packed_body_tools_open();
    for (int i = 0; i < 6; i++) {
        struct shop here, there;
        struct buf one = {.max = 1 << 16}, two = {.max = 1 << 16};
        struct capture c = page("http://a.example/1", i < 3 ? PLAIN : CHUNKED, bodies[i % 3]);
        shop_open(&here, 1 << 20);
        shop_open(&there, 1 << 20);
        struct warc_location plain = put(&here, &c);
        struct packed_body packed;
        assert_rc(packed_body_make(tools, c.head, c.body, 1 << 20, &packed), RC_OK);
        c.packed = &packed;
        c.body = STR("");
        struct warc_location joined = put(&there, &c);
        assert_true(digest_eq(&plain.digest, &joined.digest));
        assert_int_equal(plain.entity_bytes, joined.entity_bytes);
        record_at(&here, &plain, &one);
        record_at(&there, &joined, &two);
        assert_str(without_name(&two), without_name(&one));
        assert_int_equal(put(&there, &c).is_revisit, plain.entity_bytes > 0);
        buf_done(&one);
        buf_done(&two);
        shop_close(&here);
        shop_close(&there);
    }
    packed_body_tools_close(tools);
}

static void the_same_entity_is_a_revisit_whatever_its_chunks(void **state)
{
    (void)state;
    struct shop s;
    struct buf story;
    buf_init(&story, 1 << 16);
    shop_open(&s, 1 << 20);
    struct capture a = page("http://a.example/1", PLAIN, "hello");
    struct capture b = page("http://b.example/2", CHUNKED, "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
    struct warc_location first = put(&s, &a), second = put(&s, &b);
    assert_false(first.is_revisit);
    assert_true(second.is_revisit);
    assert_int_equal(second.entity_bytes, 5);
    assert_true(digest_eq(&first.digest, &second.digest));
    record_at(&s, &first, &story);
    assert_says(&story, "WARC-Type: response\n");
    assert_says(&story, "WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\n");
    record_at(&s, &second, &story);
    assert_says(&story, "WARC-Type: revisit\n");
    assert_says(&story, "/revisit/identical-payload-digest\n");
    assert_says(&story, "WARC-Refers-To-Target-URI: http://a.example/1\n");
    assert_says(&story, "WARC-Refers-To-Date: 2023-11-14T22:13:20.123Z\n");
    assert_true(str_ends(buf_str(&story), STR("chunked\r\n\r\n")));
    shop_close(&s);
    buf_done(&story);
}

static void what_was_cut_or_is_empty_is_never_a_revisit(void **state)
{
    (void)state;
    struct shop s;
    struct buf story;
    buf_init(&story, 1 << 16);
    shop_open(&s, 1 << 20);
    struct capture cut = page("http://a.example/1", PLAIN, "hello");
    cut.cut = WARC_CUT_LENGTH;
    struct warc_location p = put(&s, &cut);
    record_at(&s, &p, &story);
    assert_says(&story, "WARC-Truncated: length\n");
    struct capture whole = page("http://a.example/2", PLAIN, "hello");
    assert_false(put(&s, &whole).is_revisit); /* the cut one did not enter */
    assert_false(put(&s, &cut).is_revisit);   /* and finds nothing */
    assert_true(put(&s, &whole).is_revisit);
    struct capture empty = page("http://a.example/3", "HTTP/1.1 302 Found\r\n\r\n", "");
    assert_false(put(&s, &empty).is_revisit);
    assert_false(put(&s, &empty).is_revisit);
    shop_close(&s);
    buf_done(&story);
}

static void a_304_confirms_what_it_is_told(void **state)
{
    (void)state;
    struct shop s;
    struct buf story;
    buf_init(&story, 1 << 16);
    shop_open(&s, 1 << 20);
    struct capture a = page("http://a.example/1", PLAIN, "hello");
    struct warc_location first = put(&s, &a);
    struct capture c = page("http://a.example/1", "HTTP/1.1 304 Not Modified\r\n\r\n", "");
    struct digest_ref ref = {first.id, a.date_ms, a.target_uri};
    c.not_modified = &ref;
    c.not_modified_digest = &first.digest;
    c.is_http2 = true;
    struct warc_location p = put(&s, &c);
    assert_true(p.is_revisit);
    record_at(&s, &p, &story);
    assert_says(&story, "/revisit/server-not-modified\n");
    assert_says(&story, "WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\n");
    assert_says(&story, "WARC-Protocol: h2\n");
    c.not_modified = NULL; /* nothing is known of it: an answer like any other */
    assert_false(put(&s, &c).is_revisit);
    shop_close(&s);
    buf_done(&story);
}

static void a_capture_that_is_refused_leaves_nothing(void **state)
{
    (void)state;
    struct shop s;
    shop_open(&s, 1 << 20);
    struct capture good = page("http://a.example/1", PLAIN, "hello");
    struct warc_outlink bad_link = {.uri = STR("http://a.example/\r\nx: y"), .hop = 'L'};
    struct warc_fetch_facts facts = {.via = STR("no uri\r\n"), .outlinks = &bad_link};
    struct warc_location p, untouched;
    memset(&p, 7, sizeof p);
    untouched = p;
    put(&s, &good);
    uint64_t before = warc_files_position(s.files);
    struct capture bad = page("http://b.example/\n", PLAIN, "other");
    assert_rc(capture_write(s.writer, s.files, s.table, &bad, &p), RC_INVALID);
    bad = page("http://b.example/", PLAIN, "other");
    bad.facts = &facts; /* its response and its request are already there */
    assert_rc(capture_write(s.writer, s.files, s.table, &bad, &p), RC_INVALID);
    assert_memory_equal(&p, &untouched, sizeof p);
    assert_int_equal(warc_files_position(s.files), before);
    p = put(&s, &good);
    assert_int_equal(p.offset, before);
    shop_close(&s);
}

static void the_line_of_the_index_finds_the_record(void **state)
{
    (void)state;
    struct shop s;
    struct buf line, room;
    struct cdxj_entry e;
    buf_init(&line, 1 << 16);
    buf_init(&room, 1 << 16);
    shop_open(&s, 1 << 20);
    struct capture a = page("http://www.Example.com/A?b=2&a=1", PLAIN, "hello");
    put(&s, &a);
    struct warc_location p = put(&s, &a);
    assert_rc(capture_print_cdxj(&line, &a, &p), RC_OK);
    assert_rc(cdxj_parse(buf_str(&line), &room, &e), RC_OK);
    assert_str(e.key, STR("com,example)/a?a=1&b=2"));
    assert_str(e.mime, STR("warc/revisit"));
    assert_int_equal(e.status, 200);
    assert_int_equal(e.offset, p.offset);
    assert_int_equal(e.length, p.record_bytes);
    assert_str(e.filename, str_c(p.file));
    assert_str(e.digest, STR("VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"));
    assert_str(e.filename, STR("CRAWL-20231114221320123-00000-my-host.warc.gz"));
    shop_close(&s);
    buf_done(&line);
    buf_done(&room);
}

static enum rc count_files(void *ctx, struct str name, bool is_folder)
{
    struct str last;
    unsigned *counts = ctx;
    (void)is_folder;
    counts[warc_name_is_open(name, &last) ? 1 : 0]++;
    return RC_OK;
}

static void a_type_that_nobody_named_is_unk(void **state)
{
    (void)state;
    struct shop s;
    struct buf line;
    buf_init(&line, 10000);
    shop_open(&s, 1 << 20);
    struct capture c = page("http://a.example/1", "HTTP/1.1 200 OK\r\n\r\n", "hello");
    struct warc_location location = put(&s, &c);
    assert_rc(capture_print_cdxj(&line, &c, &location), RC_OK);
    assert_says(&line, "\"mime\":\"unk\"");
    shop_close(&s);
    buf_done(&line);
}

static void a_file_gets_its_last_name_when_it_is_full_and_vouched_for(void **state)
{
    (void)state;
    struct shop s;
    unsigned counts[2] = {0};
    shop_open(&s, 600);
    struct capture a = page("http://a.example/1", PLAIN, "hello");
    for (int i = 0; i < 6; i++)
        put(&s, &a);
    assert_rc(warc_files_sync(s.files), RC_OK);
    assert_rc(warc_files_seal(s.files, 0), RC_OK);
    assert_rc(disk_list(s.disk, "archive", count_files, counts), RC_OK);
    assert_int_equal(counts[0], 0);
    assert_true(counts[1] >= 3);
    unsigned made = counts[1];
    warc_files_roll(s.files);
    assert_rc(warc_files_sync(s.files), RC_OK);
    assert_rc(warc_files_seal(s.files, warc_files_position(s.files)), RC_OK);
    counts[0] = counts[1] = 0;
    assert_rc(disk_list(s.disk, "archive", count_files, counts), RC_OK);
    assert_int_equal(counts[0], made);
    assert_int_equal(counts[1], 0);
    put(&s, &a); /* and it goes on in another */
    assert_rc(warc_files_sync(s.files), RC_OK);
    assert_rc(disk_list(s.disk, "archive", count_files, counts), RC_OK);
    assert_int_equal(counts[1], 1);
    shop_close(&s);
}

static struct digest digest_n(uint32_t n)
{
    struct digest d;
    assert_rc(digest_of(DIGEST_SHA1, str_make((const char *)&n, sizeof n), &d), RC_OK);
    return d;
}

static void a_table_that_grows_forgets_no_payload(void **state)
{
    (void)state;
    enum { PAYLOADS = 5000 };
    struct digest_table *t = digest_table_open(4 << 20);
    struct digest_ref ref = {.uri = STR("http://a.example/")}, got;
    struct buf room;
    buf_init(&room, DIGEST_TABLE_MAX_URI);
    uint64_t bytes_at_first = digest_table_bytes(t);
    for (uint32_t i = 0; i < PAYLOADS; i++) {
        struct digest d = digest_n(i);
        ref.date_ms = i;
        digest_table_put(t, &d, &ref);
    }
    for (uint32_t i = 0; i < PAYLOADS; i++) {
        struct digest d = digest_n(i);
        assert_true(digest_table_get(t, &d, &room, &got));
        assert_int_equal(got.date_ms, i);
    }
    assert_true(bytes_at_first < 64 << 10);
    digest_table_close(t);
    buf_done(&room);
}

static void the_table_keeps_what_is_used_and_stays_within_its_bytes(void **state)
{
    (void)state;
    struct digest_table *t = digest_table_open(400000);
    struct digest_ref ref = {.date_ms = 5, .uri = STR("http://a.example/")}, got;
    struct buf room;
    buf_init(&room, DIGEST_TABLE_MAX_URI);
    assert_non_null(t);
    struct digest kept = digest_n(1000000), gone = digest_n(0);
    digest_table_put(t, &kept, &ref);
    for (uint32_t i = 0; i < 20000; i++) {
        struct digest d = digest_n(i);
        digest_table_put(t, &d, &ref);
        assert_true(digest_table_get(t, &d, &room, &got));
        if (i % 10 == 0)
            assert_true(digest_table_get(t, &kept, &room, &got));
    }
    assert_str(got.uri, ref.uri);
    assert_false(digest_table_get(t, &gone, &room, &got));
    assert_true(digest_table_count(t) > 500 && digest_table_count(t) < 20000);
    assert_true(digest_table_bytes(t) <= 800000);
    digest_table_close(t);
    buf_done(&room);
}

/* The owner appends while a helper syncs and seals. ------------------------------------------- */

struct helper {
    struct warc_files *files;
    bool failed;
};

static void *sync_and_seal(void *arg)
{
    struct helper *h = arg;
    for (int i = 0; i < 40; i++) {
        uint64_t position = warc_files_position(h->files);
        if (warc_files_sync(h->files) || warc_files_seal(h->files, position) ||
            warc_files_synced(h->files) < position)
            h->failed = true;
    }
    return NULL;
}

static enum rc remove_file(void *ctx, struct str name, bool is_folder)
{
    struct shop *s = ctx;
    char path[300];
    struct buf all;
    uint64_t whole;
    (void)is_folder;
    buf_init(&all, 8 << 20);
    (void)snprintf(path, sizeof path, "archive/" STR_FMT, STR_ARG(name));
    assert_true(str_ends(name, STR(".warc.gz")));
    assert_rc(disk_read_whole(s->disk, path, &all), RC_OK);
    assert_rc(warc_recover(buf_str(&all), &whole, NULL), RC_OK);
    buf_done(&all);
    return disk_unlink(s->disk, path);
}

static void the_owner_goes_on_while_a_helper_syncs(void **state)
{
    (void)state;
    char folder[] = "/tmp/archive-test-XXXXXX";
    struct shop s;
    pthread_t thread;
    shop_open(&s, 20000);
    warc_files_close(s.files);
    disk_close(s.disk);
    assert_non_null(mkdtemp(folder));
    assert_rc(disk_real_open(folder, &s.disk), RC_OK);
    struct warc_files_settings settings = {.folder = "archive",
                                           .prefix = STR("T"),
                                           .host = STR("h"),
                                           .serial_step = 1,
                                           .roll_bytes = 20000,
                                           .buffer_bytes = 1 << 20,
                                           .info = {.software = STR("orbweaver/test")}};
    assert_rc(warc_files_open(s.disk, &settings, &s.files), RC_OK);
    struct helper h = {.files = s.files};
    assert_int_equal(pthread_create(&thread, NULL, sync_and_seal, &h), 0);
    struct capture a = page("http://a.example/1", PLAIN, "hello");
    for (int i = 0; i < 1000; i++) {
        put(&s, &a);
        enum rc rc = warc_files_write(s.files); /* or too many files wait for the helper */
        assert_true(rc == RC_OK || rc == RC_AGAIN);
    }
    (void)pthread_join(thread, NULL);
    assert_false(h.failed);
    warc_files_roll(s.files);
    assert_rc(warc_files_sync(s.files), RC_OK);
    assert_rc(warc_files_seal(s.files, warc_files_position(s.files)), RC_OK);
    assert_rc(disk_list(s.disk, "archive", remove_file, &s), RC_OK);
    shop_close(&s);
}

struct told {
    char text[400];
    size_t n, most;
};

static bool tell(void *ctx, struct str uri, char hop)
{
    struct told *t = ctx;
    t->n += (size_t)snprintf(t->text + t->n, sizeof t->text - t->n, "%c " STR_FMT "\n", hop,
                             STR_ARG(uri));
    return --t->most > 0;
}

static void what_was_found_on_a_page_is_read_back(void **state)
{
    (void)state;
    struct shop s;
    shop_open(&s, 1 << 20);
    struct warc_outlink links[] = {{STR("http://a.example/2"), 'L', STR("a/@href")},
                                   {STR("http://b.example/x?y=1"), 'E', STR_NONE},
                                   {STR("http://a.example/3"), 'R', STR("Location:")}};
    struct warc_fetch_facts facts = {
        .via = STR("http://v.example/"), .outlinks = links, .outlink_count = 3};
    struct capture a = page("http://a.example/1", PLAIN, "hello");
    put(&s, &a);
    a.facts = &facts;
    struct warc_location p = put(&s, &a); /* a revisit, with what was found this time */
    uint64_t offset = p.offset + p.record_bytes, bytes = p.bytes - p.record_bytes;
    struct told t = {.most = 9};
    assert_rc(outlinks_read(s.disk, "archive", str_c(p.file), offset, bytes, tell, &t),
              RC_NOT_FOUND); /* it is in memory still */
    assert_rc(warc_files_write(s.files), RC_OK);
    assert_rc(outlinks_read(s.disk, "archive", str_c(p.file), offset, bytes, tell, &t), RC_OK);
    assert_string_equal(t.text,
                        "L http://a.example/2\nE http://b.example/x?y=1\nR http://a.example/3\n");
    t = (struct told){.most = 1};
    assert_rc(outlinks_read(s.disk, "archive", str_c(p.file), offset, bytes, tell, &t), RC_OK);
    assert_string_equal(t.text, "L http://a.example/2\n");
    assert_rc(outlinks_read(s.disk, "archive", str_c(p.file), offset + 1, bytes - 1, tell, &t),
              RC_CORRUPT);
    assert_rc(outlinks_read(s.disk, "archive", str_c(p.file), offset, bytes + 1, tell, &t),
              RC_NOT_FOUND);
    assert_rc(outlinks_read(s.disk, "archive", STR("none.warc.gz"), 0, 9, tell, &t), RC_NOT_FOUND);
    shop_close(&s);
}

static void give_name(void *ctx, const struct digest *d, struct digest_ref *ref)
{
    (void)d;
    assert_str(ref->uri, STR("http://a.example/1"));
    memcpy(ref->id.bytes, ctx, sizeof ref->id.bytes);
    ref->date_ms += 123;
}

/* Three payloads, one of them used again at last, and what is no line. */
static void write_index(struct shop *s, const char *path)
{
    static const char *const bodies[] = {"hello", "other", "third", "hello"};
    struct disk_file *f;
    struct buf lines;
    buf_init(&lines, 10000);
    buf_add(&lines, STR("nonsense\n"));
    for (unsigned i = 0; i < 4; i++) {
        struct capture c = page("http://a.example/1", PLAIN, bodies[i]);
        struct warc_location location = put(s, &c);
        assert_rc(capture_print_cdxj(&lines, &c, &location), RC_OK);
    }
    struct str bytes = buf_str(&lines);
    assert_rc(disk_open(s->disk, path, DISK_APPEND, &f), RC_OK);
    assert_rc(disk_append(f, &bytes, 1), RC_OK);
    disk_file_close(f);
    buf_done(&lines);
}

static void an_index_refills_the_table(void **state)
{
    (void)state;
    struct shop s;
    struct buf story;
    struct warc_id id = {.bytes = {1, 2, 3}};
    buf_init(&story, 1 << 16);
    shop_open(&s, 1 << 20);
    write_index(&s, "index");
    digest_table_close(s.table);
    s.table = digest_table_open(1 << 20);
    assert_rc(digest_refill(s.table, s.disk, "absent", 1 << 20, NULL), RC_OK);
    assert_int_equal(digest_table_count(s.table), 0);
    assert_rc(digest_refill(s.table, s.disk, "index", 1 << 20, NULL), RC_OK);
    assert_int_equal(digest_table_count(s.table), 3);
    struct capture b = page("http://b.example/2", PLAIN, "hello");
    struct warc_location location = put(&s, &b);
    assert_true(location.is_revisit);
    record_at(&s, &location, &story); /* the name is not known */
    assert_says(&story, "WARC-Refers-To-Target-URI: http://a.example/1\n"
                        "WARC-Refers-To-Date: 2023-11-14T22:13:20Z\n");
    assert_true(str_find_str(buf_str(&story), STR("WARC-Refers-To:")) == story.n);
    b.name = give_name;
    b.name_ctx = id.bytes;
    location = put(&s, &b);
    record_at(&s, &location, &story);
    assert_says(&story, "WARC-Refers-To: <urn:uuid:01020300-0000-4000-8000-000000000000>\n");
    assert_says(&story, "WARC-Refers-To-Date: 2023-11-14T22:13:20.123Z\n");
    shop_close(&s);
    buf_done(&story);
}

/* Of a long index only the tail is read, and its first line may be half a line. */
static void of_an_index_only_the_tail_is_read(void **state)
{
    (void)state;
    struct shop s;
    shop_open(&s, 1 << 20);
    write_index(&s, "index");
    for (uint64_t bytes = 0; bytes < 1200; bytes += 7) {
        struct digest_table *t = digest_table_open(1 << 20);
        assert_non_null(t);
        assert_rc(digest_refill(t, s.disk, "index", bytes, NULL), RC_OK);
        uint64_t count = digest_table_count(t);
        assert_true(count <= bytes / 150);
        assert_true(bytes < 1000 || count);
        digest_table_close(t);
    }
    shop_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_was_packed_elsewhere_makes_the_record_that_it_makes_here),
        cmocka_unit_test(the_same_entity_is_a_revisit_whatever_its_chunks),
        cmocka_unit_test(what_was_cut_or_is_empty_is_never_a_revisit),
        cmocka_unit_test(a_304_confirms_what_it_is_told),
        cmocka_unit_test(a_capture_that_is_refused_leaves_nothing),
        cmocka_unit_test(the_line_of_the_index_finds_the_record),
        cmocka_unit_test(a_type_that_nobody_named_is_unk),
        cmocka_unit_test(a_file_gets_its_last_name_when_it_is_full_and_vouched_for),
        cmocka_unit_test(what_was_found_on_a_page_is_read_back),
        cmocka_unit_test(a_table_that_grows_forgets_no_payload),
        cmocka_unit_test(the_table_keeps_what_is_used_and_stays_within_its_bytes),
        cmocka_unit_test(an_index_refills_the_table),
        cmocka_unit_test(of_an_index_only_the_tail_is_read),
        cmocka_unit_test(the_owner_goes_on_while_a_helper_syncs),
    };
    return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
