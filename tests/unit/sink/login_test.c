/* SPDX-License-Identifier: Apache-2.0 */
/* Logins of agents for an archive machine, and which lines of an index belong to a file. */
#include "disk/disk_crash.h"
#include "lib/test.h"
#include "sink/index_lines.h"
#include "sink/login.h"

#define SECRET "0123456789abcdef0123456789abcdef0123456789abcdef"

static void a_login_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct sink_login l = {
        .host = "archive.example", .port = 99, .name = "a-1", .secret = {SECRET}};
    struct sink_login got;
    struct buf text = {.max = SINK_LOGIN_MAX_BYTES};
    sink_login_write(&l, STR("-----BEGIN CERTIFICATE-----\nkey: no line of ours\n"), &text);
    assert_rc(sink_login_read(buf_str(&text), &got), RC_OK);
    assert_string_equal(got.host, l.host);
    assert_int_equal(got.port, 99);
    assert_string_equal(got.name, "a-1");
    assert_string_equal(got.secret.text, SECRET);
    buf_done(&text);
}

static void what_is_no_login_is_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "server: a:1\nagent: b\n",
        "server: a:1\nagent: b\nsecret: short\n",
        "server: a:1\nagent: B\nsecret: " SECRET "\n",
        "server: a:0\nagent: b\nsecret: " SECRET "\n",
        "server: a:70000\nagent: b\nsecret: " SECRET "\n",
        "server: a b\nagent: b\nsecret: " SECRET "\n",
        "server: \nagent: b\nsecret: " SECRET "\n",
        "server: a:1\nagent: b\nsecret: " SECRET "\nwhat: else\n",
        "-----BEGIN CERTIFICATE-----\nserver: a:1\nagent: b\nsecret: " SECRET "\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sink_login got;
        assert_rc(sink_login_read(str_c(rows[i]), &got), RC_INVALID);
    }
}

static void an_agent_is_known_by_its_own_secret_alone(void **state)
{
    (void)state;
    struct secret a, b;
    struct secret_hash of_a, of_b;
    struct buf one = {.max = 4096}, two = {.max = 4096}, three = {.max = 4096};
    assert_rc(secret_make(&a), RC_OK);
    assert_rc(secret_make(&b), RC_OK);
    assert_rc(secret_hash_make(&a, &of_a), RC_OK);
    assert_rc(secret_hash_make(&b, &of_b), RC_OK);
    sink_agents_write(STR(""), STR("a"), &of_a, &one);
    sink_agents_write(buf_str(&one), STR("b"), &of_b, &two);
    assert_true(sink_agents_know(buf_str(&two), STR("a"), str_c(a.text)));
    assert_true(sink_agents_know(buf_str(&two), STR("b"), str_c(b.text)));
    assert_false(sink_agents_know(buf_str(&two), STR("a"), str_c(b.text)));
    assert_false(sink_agents_know(buf_str(&two), STR("c"), str_c(a.text)));
    assert_false(sink_agents_know(buf_str(&two), STR("a"), STR("")));
    assert_false(sink_agents_know(buf_str(&two), STR(""), STR("")));
    assert_false(sink_agents_know(buf_str(&two), STR("a"), str_c(of_a.text)));
    sink_agents_write(buf_str(&two), STR("a"), NULL, &three);
    assert_false(sink_agents_has(buf_str(&three), STR("a")));
    assert_true(sink_agents_know(buf_str(&three), STR("b"), str_c(b.text)));
    buf_done(&one);
    buf_done(&two);
    buf_done(&three);
}

/* Index ---------------------------------------------------------------------------------------- */

#define LINE(key, file)                                                                     \
    key " 20240506070809 {\"url\":\"http://" key "/\",\"length\":\"1\",\"offset\":\"0\",\"" \
        "filename\":\"" file "\"}\n"

static void append(struct disk *d, const char *text)
{
    struct disk_file *f;
    struct str piece = str_c(text);
    assert_rc(disk_open(d, "indexes/parts/index.cdxj", DISK_APPEND, &f), RC_OK);
    assert_rc(disk_append(f, &piece, 1), RC_OK);
    disk_file_close(f);
}

static void assert_picked(struct disk *d, struct index_lines *x, const char *file, const char *want)
{
    struct buf got = {.max = 1 << 16};
    assert_rc(index_lines_pick(x, str_c(file), "picked"), RC_OK);
    assert_rc(disk_read_whole(d, "picked", &got), RC_OK);
    assert_str(buf_str(&got), str_c(want));
    buf_done(&got);
}

static void the_lines_of_a_file_are_picked_from_those_of_others(void **state)
{
    (void)state;
    struct disk *d;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(disk_mkdir(d, "indexes"), RC_OK);
    assert_rc(disk_mkdir(d, "indexes/parts"), RC_OK);
    struct index_lines *x = index_lines_open(d);
    assert_non_null(x);
    assert_picked(d, x, "f1", ""); /* there is no index yet */
    append(d, LINE("a", "f1") LINE("b", "f2") "garbage\n" LINE("c", "f1") LINE("d", "f3"));
    assert_picked(d, x, "f1", LINE("a", "f1") LINE("c", "f1"));
    append(d, LINE("e", "f2") "f 2024"); /* within a line */
    assert_picked(d, x, "f2", LINE("b", "f2") LINE("e", "f2"));
    append(d, "\n" LINE("g", "f4"));
    assert_picked(d, x, "f4", LINE("g", "f4"));
    assert_picked(d, x, "f3", LINE("d", "f3"));
    assert_picked(d, x, "f1", LINE("a", "f1") LINE("c", "f1"));
    assert_picked(d, x, "f5", "");
    index_lines_close(x);
    disk_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_login_is_read_as_it_was_written),
        cmocka_unit_test(what_is_no_login_is_refused),
        cmocka_unit_test(an_agent_is_known_by_its_own_secret_alone),
        cmocka_unit_test(the_lines_of_a_file_are_picked_from_those_of_others),
    };
    return cmocka_run_group_tests_name("login", tests, NULL, NULL);
}
