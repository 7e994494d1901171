/* SPDX-License-Identifier: Apache-2.0 */
/* Records as bytes and back, what is refused, and invariant 8: merged in any order and any number
 * of times they give the same state. */
#include "cluster/wire/records.h"

#include "base/hash.h"
#include "base/rng.h"
#include "lib/test.h"

enum { KEYS = 12, RECORDS = 200, ROUNDS = 50 };

static const struct record_batch head = {
    .is = BATCH_IS_RECORDS, .session = 5, .number = 6, .src = {"ant", 3}, .src_inc = 2, .epoch = 7};

static struct record url_record(void)
{
    return (struct record){.kind = RECORD_URL,
                           .host = STR("a.test"),
                           .fingerprint = 0x1122334455667788,
                           .path = STR("/x?y=1"),
                           .via = 99,
                           .seed_path = STR("LRE"),
                           .port = 8080,
                           .is_https = true,
                           .class = 3,
                           .is_back = true};
}

static struct record done_record(void)
{
    return (struct record){.kind = RECORD_DONE,
                           .host = STR("a.test"),
                           .fingerprint = 5,
                           .time_ms = 1700000000000,
                           .status = -4001,
                           .digest = {1, 2, 3},
                           .where = STR("bee"),
                           .where_inc = 4,
                           .path = STR("/x?y=2"),
                           .seed_path = STR("LL"),
                           .port = 81,
                           .is_https = true,
                           .class = 1};
}

static struct record host_record(void)
{
    return (struct record){.kind = RECORD_HOST,
                           .host = STR("a.test"),
                           .next_wall_ms = 123,
                           .time_ms = 456,
                           .state = STR("any\0thing")};
}

static struct record way_record(void)
{
    struct record r = url_record();
    r.kind = RECORD_SEED_PATH;
    r.where = STR("bee");
    return r;
}

static void assert_same(const struct record *a, const struct record *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_str(a->host, b->host);
    assert_int_equal(b->host_hash, hash64(a->host));
    assert_int_equal(a->fingerprint, b->fingerprint);
    assert_str(a->path, b->path);
    assert_int_equal(a->via, b->via);
    assert_str(a->seed_path, b->seed_path);
    assert_int_equal(a->port, b->port);
    assert_int_equal(a->is_https, b->is_https);
    assert_int_equal(a->class, b->class);
    assert_int_equal(a->is_back, b->is_back);
    assert_int_equal(a->is_again, b->is_again);
    assert_int_equal(a->time_ms, b->time_ms);
    assert_int_equal(a->status, b->status);
    assert_memory_equal(a->digest, b->digest, RECORDS_DIGEST_BYTES);
    assert_str(a->where, b->where);
    assert_int_equal(a->where_inc, b->where_inc);
    assert_int_equal(a->recrawl_number, b->recrawl_number);
    assert_int_equal(a->next_wall_ms, b->next_wall_ms);
    assert_str(a->state, b->state);
}

static void records_come_back_as_they_were(void **state)
{
    (void)state;
    struct record list[] = {url_record(),  done_record(), host_record(), url_record(),
                            done_record(), done_record(), way_record(),  way_record()};
    enum { COUNT = sizeof list / sizeof *list };
    list[7].kind = RECORD_SHORTER;
    list[7].where = STR(""); /* no agent has it */
    list[3].is_again = true;
    list[4].path = STR(""); /* archived, and the URL is not given */
    list[5].recrawl_number = 7;
    struct buf out = {.max = RECORDS_MAX_BATCH_BYTES};
    struct record_batch b;
    struct record r;
    record_batch_begin(&out, &head);
    for (size_t i = 0; i < COUNT; i++)
        record_put(&out, &list[i]);
    assert_rc(buf_rc(&out), RC_OK);
    assert_rc(record_batch_read(buf_str(&out), &b), RC_OK);
    assert_int_equal(b.is, BATCH_IS_RECORDS);
    assert_str(b.src, head.src);
    assert_int_equal(b.src_inc, 2);
    assert_int_equal(b.epoch, 7);
    assert_true(b.session == 5 && b.number == 6 && b.attempt == 0);
    record_batch_stamp(&out, UINT64_MAX, 9, 2);
    assert_rc(record_batch_read(buf_str(&out), &b), RC_OK);
    assert_true(b.session == UINT64_MAX && b.number == 9 && b.attempt == 2);
    assert_str(b.src, head.src);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(records_next(&b.records, &r));
        assert_same(&list[i], &r);
    }
    assert_false(records_next(&b.records, &r));
    buf_done(&out);
}

static void marks_and_ends_come_back(void **state)
{
    (void)state;
    struct record_batch mark = {.is = BATCH_IS_HANDOVER_MARK,
                                .src = STR("bee"),
                                .src_inc = 1,
                                .epoch = 9,
                                .holder = STR("ant"),
                                .holder_inc = 3},
                        end = {.is = BATCH_IS_END, .src = STR("bee"), .nonce = 77}, b;
    struct buf out = {.max = 1000};
    record_batch_begin(&out, &mark);
    assert_rc(record_batch_read(buf_str(&out), &b), RC_OK);
    assert_str(b.holder, STR("ant"));
    assert_int_equal(b.holder_inc, 3);
    assert_int_equal(b.epoch, 9);
    assert_int_equal(b.records.n, 0);
    buf_clear(&out);
    record_batch_begin(&out, &end);
    assert_rc(record_batch_read(buf_str(&out), &b), RC_OK);
    assert_int_equal(b.nonce, 77);
    buf_byte(&out, 0);
    assert_rc(record_batch_read(buf_str(&out), &b), RC_CORRUPT);
    buf_done(&out);
}

/* Each row spoils one field of a good record. */
struct spoilt {
    const char *name;
    void (*spoil)(struct record *r);
};

static void host_absent(struct record *r)
{
    r->host = STR("");
}
static void host_long(struct record *r)
{
    static const char room[300];
    r->host = str_make(room, 256);
}
static void host_line(struct record *r)
{
    r->host = STR("a.test\n");
}
static void host_slash(struct record *r)
{
    r->host = STR("a/test");
}
static void host_upper(struct record *r)
{
    r->host = STR("A.test");
}
static void path_line(struct record *r)
{
    r->path = STR("/\n");
}
static void path_blank(struct record *r)
{
    r->path = STR("/a b");
}
static void path_bare(struct record *r)
{
    r->path = STR("a");
}
static void path_high(struct record *r)
{
    r->path = STR("/\xc3\xa4");
}
static void path_long(struct record *r)
{
    static char room[RECORDS_MAX_PATH_BYTES + 1];
    memset(room, '/', sizeof room);
    r->path = str_make(room, sizeof room);
}
static void seed_path_digit(struct record *r)
{
    r->seed_path = STR("L1");
}
static void class_high(struct record *r)
{
    r->class = RECORDS_CLASSES;
}
static void where_star(struct record *r)
{
    r->kind = RECORD_DONE;
    r->where = STR("a.*");
}
static void where_long(struct record *r)
{
    r->kind = RECORD_DONE;
    r->where = STR("a23456789012345678901234567890123");
}
static void done_line(struct record *r)
{
    r->kind = RECORD_DONE;
    r->where = STR("bee");
    r->path = STR("/a\nb");
}
static void kind_none(struct record *r)
{
    r->kind = (enum record_kind)9;
}

/* Each byte alone, at the front, in the middle and behind many others. */
static bool takes_byte(bool is_host, char byte, size_t at)
{
    char text[40];
    memset(text, 'a', sizeof text);
    text[0] = is_host ? 'a' : '/';
    text[at] = byte;
    struct buf out = {.max = RECORDS_MAX_BATCH_BYTES};
    struct record r = url_record();
    struct record_batch b;
    *(is_host ? &r.host : &r.path) = str_make(text, sizeof text);
    record_batch_begin(&out, &head);
    record_put(&out, &r);
    assert_rc(buf_rc(&out), RC_OK);
    bool is_taken = record_batch_read(buf_str(&out), &b) == RC_OK;
    buf_done(&out);
    return is_taken;
}

static void which_bytes_hosts_and_paths_may_have(void **state)
{
    (void)state;
    static const size_t places[] = {1, 17, 39};
    for (int byte = 0; byte < 256; byte++) {
        bool is_graphic = byte > ' ' && byte <= '~';
        bool is_in_host =
            is_graphic && !(byte >= 'A' && byte <= 'Z') && !strchr("/?#@\\<>^|%", byte);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            assert_int_equal(takes_byte(false, (char)byte, places[i]), is_graphic);
            assert_int_equal(takes_byte(true, (char)byte, places[i]), is_in_host);
        }
        assert_int_equal(takes_byte(true, (char)byte, 0), is_in_host);
    }
}

static void a_head_is_read_without_its_records(void **state)
{
    (void)state;
    struct buf out = {.max = RECORDS_MAX_BATCH_BYTES};
    struct record good = url_record(), bad = url_record();
    struct record_batch whole, b = {0};
    bad.host = STR("a b");
    record_batch_begin(&out, &head);
    size_t head_bytes = out.n;
    record_put(&out, &good);
    assert_rc(record_batch_read(buf_str(&out), &whole), RC_OK);
    assert_rc(record_batch_head(buf_str(&out), &b), RC_OK);
    assert_memory_equal(&b, &whole, sizeof b);
    record_put(&out, &bad);
    assert_rc(record_batch_read(buf_str(&out), &whole), RC_CORRUPT);
    assert_rc(record_batch_head(buf_str(&out), &b), RC_OK);
    assert_int_equal(b.epoch, head.epoch);
    assert_str(b.records, str_from(buf_str(&out), head_bytes));
    assert_rc(record_batch_head(str_first(buf_str(&out), head_bytes - 1), &b), RC_CORRUPT);
    out.p[0]++;
    assert_rc(record_batch_head(buf_str(&out), &b), RC_VERSION);
    buf_done(&out);
}

static void what_no_reader_takes(void **state)
{
    (void)state;
    static const struct spoilt rows[] = {
        {"a record without a host", host_absent},
        {"a host of 256 bytes", host_long},
        {"a host with a line break", host_line},
        {"a host with a slash", host_slash},
        {"a host in upper case", host_upper},
        {"a path with a line break", path_line},
        {"a path with a blank", path_blank},
        {"a path without a slash", path_bare},
        {"a path that is not ASCII", path_high},
        {"a path past the maximum", path_long},
        {"a seed path of other characters", seed_path_digit},
        {"a class that does not exist", class_high},
        {"an archive whose name is a wildcard", where_star},
        {"an archive whose name is too long", where_long},
        {"a done URL with a line break", done_line},
        {"a kind that does not exist", kind_none},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf out = {.max = RECORDS_MAX_BATCH_BYTES};
        struct record r = url_record();
        struct record_batch b;
        rows[i].spoil(&r);
        record_batch_begin(&out, &head);
        record_put(&out, &r);
        if (!buf_rc(&out) && record_batch_read(buf_str(&out), &b) != RC_CORRUPT)
            fail_msg("%s was taken", rows[i].name);
        buf_done(&out);
    }
}

static void cut_anywhere_it_is_refused_or_shorter(void **state)
{
    (void)state;
    struct record u = url_record(), d = done_record(), h = host_record();
    struct buf out = {.max = 10000};
    struct record_batch b;
    record_batch_begin(&out, &head);
    size_t ends[4] = {out.n};
    record_put(&out, &u);
    ends[1] = out.n;
    record_put(&out, &d);
    ends[2] = out.n;
    record_put(&out, &h);
    ends[3] = out.n;
    for (size_t n = 0; n <= out.n; n++) {
        bool is_end = n == ends[0] || n == ends[1] || n == ends[2] || n == ends[3];
        assert_rc(record_batch_read(str_first(buf_str(&out), n), &b), is_end ? RC_OK : RC_CORRUPT);
    }
    out.p[0]++;
    assert_rc(record_batch_read(buf_str(&out), &b), RC_VERSION);
    buf_fill(&out, 0, 100);
    buf_done(&out);
    static char big[RECORDS_MAX_BATCH_BYTES + 1];
    assert_rc(record_batch_read(str_make(big, sizeof big), &b), RC_LIMIT);
}

static void which_of_two_counts(void **state)
{
    (void)state;
    struct record a = done_record(), b = a, u = url_record();
    assert_int_equal(record_compare(&a, &b), 0);
    assert_int_equal(record_compare(&u, &u), 0);
    assert_true(record_compare(&a, &u) > 0 && record_compare(&u, &a) < 0);
    b.digest[19] = 1; /* at the same time the greater bytes win */
    assert_true(record_compare(&a, &b) < 0 && record_compare(&b, &a) > 0);
    a.time_ms++; /* later */
    assert_true(record_compare(&a, &b) > 0 && record_compare(&b, &a) < 0);
    b.recrawl_number = 1; /* a later recrawl wins, whatever the clocks say */
    assert_true(record_compare(&a, &b) < 0 && record_compare(&b, &a) > 0);
    struct record h = host_record(), g = h;
    g.next_wall_ms = 1;
    assert_int_equal(record_compare(&h, &g), 0);
    g.time_ms = 1;
    assert_true(record_compare(&h, &g) > 0 && record_compare(&g, &h) < 0);
}

/* Merging as the header describes it, on a small model. */
struct model {
    bool is_known[KEYS];
    struct record done[KEYS];
    struct record host[KEYS];
};

static void merge(struct model *m, const struct record *r)
{
    uint64_t key = r->fingerprint % KEYS;
    struct record *kept = r->kind == RECORD_HOST ? &m->host[key] : &m->done[key];
    m->is_known[key] |= r->kind != RECORD_HOST;
    if (r->kind == RECORD_URL)
        return;
    uint64_t later = r->next_wall_ms > kept->next_wall_ms ? r->next_wall_ms : kept->next_wall_ms;
    if (!kept->kind || record_compare(r, kept) > 0)
        *kept = *r;
    kept->next_wall_ms = later;
}

static struct record any_record(struct rng *rng)
{
    static const struct str words[] = {{"", 0}, {"a", 1}, {"b", 1}, {"ab", 2}};
    struct record r = {.kind = (enum record_kind)(1 + rng_below(rng, 3)), .host = STR("h")};
    r.fingerprint = rng_below(rng, KEYS);
    r.time_ms = rng_below(rng, 3); /* often the same time */
    r.status = (int32_t)rng_below(rng, 3) - 1;
    r.digest[3] = (uint8_t)rng_below(rng, 2);
    r.where = words[rng_below(rng, 4)];
    r.where_inc = rng_below(rng, 2);
    r.next_wall_ms = rng_below(rng, 100);
    r.state = words[rng_below(rng, 4)];
    return r;
}

static void assert_models_equal(const struct model *a, const struct model *b)
{
    for (unsigned k = 0; k < KEYS; k++) {
        assert_int_equal(a->is_known[k], b->is_known[k]);
        assert_int_equal(a->done[k].kind, b->done[k].kind);
        assert_int_equal(record_compare(&a->done[k], &b->done[k]), 0);
        assert_int_equal(record_compare(&a->host[k], &b->host[k]), 0);
        assert_int_equal(a->host[k].next_wall_ms, b->host[k].next_wall_ms);
    }
}

static void any_order_and_doubling_give_the_same_state(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(8));
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct record list[RECORDS];
        struct model one = {0}, two = {0};
        for (unsigned i = 0; i < RECORDS; i++) {
            list[i] = any_record(&rng);
            merge(&one, &list[i]);
        }
        for (unsigned i = 0; i < RECORDS; i++) {
            unsigned j = i + (unsigned)rng_below(&rng, RECORDS - i);
            struct record r = list[j];
            list[j] = list[i];
            list[i] = r;
            merge(&two, &list[rng_below(&rng, i + 1)]);
            merge(&two, &r);
        }
        assert_models_equal(&one, &two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back_as_they_were),
        cmocka_unit_test(marks_and_ends_come_back),
        cmocka_unit_test(what_no_reader_takes),
        cmocka_unit_test(which_bytes_hosts_and_paths_may_have),
        cmocka_unit_test(a_head_is_read_without_its_records),
        cmocka_unit_test(cut_anywhere_it_is_refused_or_shorter),
        cmocka_unit_test(which_of_two_counts),
        cmocka_unit_test(any_order_and_doubling_give_the_same_state),
    };
    return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
