/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/request.h"

#include "lib/test.h"

#define ACCEPTS                                                                   \
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n" \
    "Accept-Language: en;q=0.8,*;q=0.5\r\n"                                       \
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"

static const struct {
    const char *name, *url;
    struct request_identity identity;
    struct request_condition condition;
    const char *head;
} rows[] = {
    {"the fixed list",
     "http://example.com/a/b?c=d#e",
     {STR("bot/1"), STR_NONE},
     {STR_NONE, STR_NONE},
     "GET /a/b?c=d HTTP/1.1\r\nHost: example.com\r\nUser-Agent: bot/1\r\n" ACCEPTS "\r\n"},
    {"a host alone has a path",
     "https://example.com",
     {STR("bot/1"), STR_NONE},
     {STR_NONE, STR_NONE},
     "GET / HTTP/1.1\r\nHost: example.com\r\nUser-Agent: bot/1\r\n" ACCEPTS "\r\n"},
    {"a port that is not the scheme's own",
     "http://example.com:8080/",
     {STR("bot/1"), STR_NONE},
     {STR_NONE, STR_NONE},
     "GET / HTTP/1.1\r\nHost: example.com:8080\r\nUser-Agent: bot/1\r\n" ACCEPTS "\r\n"},
    {"userinfo is never sent",
     "http://user:secret@[::1]:81/x",
     {STR("bot/1"), STR_NONE},
     {STR_NONE, STR_NONE},
     "GET /x HTTP/1.1\r\nHost: [::1]:81\r\nUser-Agent: bot/1\r\n" ACCEPTS "\r\n"},
    {"an address to write to",
     "http://h/",
     {STR("bot/1"), STR("me@example.org")},
     {STR_NONE, STR_NONE},
     "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: bot/1\r\nFrom: me@example.org\r\n" ACCEPTS "\r\n"},
    {"conditions",
     "http://h/",
     {STR("bot/1"), STR_NONE},
     {STR("W/\"x\""), STR("Sun, 06 Nov 1994 08:49:37 GMT")},
     "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: bot/1\r\n" ACCEPTS
     "If-None-Match: W/\"x\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n"},
    {"values that would break the head are left out",
     "http://h/",
     {STR("bot/1"), STR("a\r\nX: y")},
     {STR("\"a\nb\""), STR("x\0y")},
     "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: bot/1\r\n" ACCEPTS "\r\n"},
};

static void a_request_is_written_byte_for_byte(void **state)
{
    (void)state;
    static char room[URL_ROOM_BYTES];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct url_parser parser = {0};
        struct url u;
        struct buf out = {.max = 4096};
        assert_rc(
            url_parse(&parser, str_c(rows[i].url), NULL, (struct url_room){room, sizeof room}, &u),
            RC_OK);
        request_write(&out, &u, &rows[i].identity, &rows[i].condition);
        assert_rc(buf_rc(&out), RC_OK);
        assert_str(buf_str(&out), str_c(rows[i].head));
        buf_done(&out);
    }
}

static const struct {
    const char *name;
    struct str agent, contact;
    const char *value, *from; /* NULL value: refused */
} identities[] = {
    {"a page", STR("orbweaver/0.1"), STR("https://x.org/bot"), "orbweaver/0.1 (+https://x.org/bot)",
     NULL},
    {"a mail address", STR("orbweaver/0.1"), STR("me@x.org"), "orbweaver/0.1 (+me@x.org)",
     "me@x.org"},
    {"a mail address as a URL", STR("bot"), STR("mailto:me@x.org"), "bot (+me@x.org)", "me@x.org"},
    {"no contact", STR("bot/2"), STR_NONE, "bot/2", NULL},
    {"blanks around", STR(" bot/2 "), STR(" https://x.org "), "bot/2 (+https://x.org)", NULL},
    {"the contact stands in the user agent already", STR("bot/2 (+https://x.org)"),
     STR("https://x.org"), "bot/2 (+https://x.org)", NULL},
    {"no name", STR(""), STR_NONE, NULL, NULL},
    {"a name that robots.txt cannot have", STR("4bot"), STR_NONE, NULL, NULL},
    {"a line end", STR("bot\r\nX: y"), STR_NONE, NULL, NULL},
    {"a NUL", STR("bot\0"), STR_NONE, NULL, NULL},
    {"bytes past ASCII", STR("b\xc3\xb6t"), STR_NONE, NULL, NULL},
    {"a contact with a line end", STR("bot"), STR("https://x.org/\nX: y"), NULL, NULL},
    {"a contact that closes the bracket", STR("bot"), STR("https://x.org/) Mozilla"), NULL, NULL},
    {"a contact that is neither", STR("bot"), STR("me"), NULL, NULL},
    {"a scheme alone", STR("bot"), STR("https://"), NULL, NULL},
};

static void an_identity_is_made_or_refused(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 16);
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++) {
        struct request_identity identity = {0};
        struct buf why = {.max = 4096};
        enum rc rc =
            identity_make(identities[i].agent, identities[i].contact, arena, &identity, &why);
        if (rc != (identities[i].value ? RC_OK : RC_INVALID) || (rc != RC_OK) != (why.n > 0))
            fail_msg("%s: %s", identities[i].name, rc_text(rc));
        assert_str(identity.user_agent, str_c(identities[i].value));
        assert_str(identity.from, str_c(identities[i].from));
        buf_done(&why);
    }
    arena_close(arena);
}

static enum rc make_one(void *ctx)
{
    (void)ctx;
    struct arena *arena = arena_open(64, 1 << 16);
    struct request_identity identity;
    struct buf why = {.max = 64};
    enum rc rc = arena ? identity_make(STR("orbweaver/0.1"), STR("somebody@a-long-name.example"),
                                       arena, &identity, &why)
                       : RC_NOMEM;
    arena_close(arena);
    return rc;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(make_one, NULL);
}

static void the_robots_token_is_what_it_begins_with(void **state)
{
    (void)state;
    assert_str(request_robots_token(STR("orbweaver/0.1 (+x)")), STR("orbweaver"));
    assert_str(request_robots_token(STR("My-Bot_x2")), STR("My-Bot_x"));
    assert_int_equal(request_robots_token(STR("/x")).n, 0);
    assert_int_equal(request_robots_token(STR("")).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_written_byte_for_byte),
        cmocka_unit_test(an_identity_is_made_or_refused),
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(the_robots_token_is_what_it_begins_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
