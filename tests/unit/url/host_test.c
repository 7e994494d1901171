/* SPDX-License-Identifier: Apache-2.0 */
#include "url/host.h"

#include "conform.h"
#include "url/idn.h"

struct row {
    const char *name, *host, *want; /* NULL: refused */
};

static const struct row special[] = {
    {"letters are lowered", "ExAmPlE.COM", "example.com"},
    {"escapes are undone", "%65x%41mple.com", "example.com"},
    {"an escaped forbidden character is refused", "a%2Fb", NULL},
    {"a percent sign is refused", "a%b", NULL},
    {"an underscore is allowed", "a_b.example", "a_b.example"},
    {"empty labels are allowed", "a..b", "a..b"},
    {"a dot at the end is kept", "a.b.", "a.b."},
    {"punycode is not looked into", "xn--a", "xn--a"},
    {"a name outside ASCII is converted",
     "b\xc3\xbc"
     "cher.example",
     "xn--bcher-kva.example"},
    {"an escaped name outside ASCII is converted", "b%C3%BCcher.example", "xn--bcher-kva.example"},
    {"eszett stays itself", "fa\xc3\x9f.de", "xn--fa-hia.de"},
    {"full-width letters are letters", "\xef\xbd\x81.example", "a.example"},
    {"full-width digits make an address", "\xef\xbc\x91.2.3.4", "1.2.3.4"},
    {"an ideographic full stop is a dot",
     "a\xe3\x80\x82"
     "b",
     "a.b"},
    {"a soft hyphen is ignored",
     "a\xc2\xad"
     "b",
     "ab"},
    {"nothing but a soft hyphen is refused", "\xc2\xad", NULL},
    {"mixed directions are refused",
     "\xd9\x8a"
     "a",
     NULL},
    {"bytes that are not UTF-8 are refused", "a%80", NULL},

    {"one number is an address", "2130706433", "127.0.0.1"},
    {"octal and hexadecimal numbers", "0177.0x1", "127.0.0.1"},
    {"0x alone is zero", "0x", "0.0.0.0"},
    {"one dot behind an address", "1.2.3.4.", "1.2.3.4"},
    {"two dots behind make it a name", "1.2.3.4..", "1.2.3.4.."},
    {"five numbers are refused", "1.2.3.4.5", NULL},
    {"a number past its bytes is refused", "1.2.256.4", NULL},
    {"the last number fills what is left", "1.16777215", "1.255.255.255"},
    {"past that it is refused", "1.16777216", NULL},
    {"a huge number is refused", "99999999999999999999999999", NULL},
    {"a name that ends in a number is refused", "example.1", NULL},
    {"a name that ends in a bad octal number is refused", "example.09", NULL},
    {"a number that is not the last label is a name", "1.example", "1.example"},

    {"IPv6 is compressed", "[1:0:0:0:0:0:0:8]", "[1::8]"},
    {"the first longest run of zeros is", "[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"},
    {"the first of two equal runs is", "[1:0:0:2:3:0:0:4]", "[1::2:3:0:0:4]"},
    {"a single zero is not", "[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]"},
    {"two colons alone", "[::]", "[::]"},
    {"two colons at the end", "[1::]", "[1::]"},
    {"two colons for one piece", "[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"},
    {"letters are lowered in IPv6", "[::ABCD]", "[::abcd]"},
    {"an IPv4 tail", "[::1.2.3.4]", "[::102:304]"},
    {"an IPv4 tail of three numbers is refused", "[::1.2.3]", NULL},
    {"an IPv4 tail with a zero in front is refused", "[::01.2.3.4]", NULL},
    {"an IPv4 tail after seven pieces is refused", "[1:2:3:4:5:6:7:1.2.3.4]", NULL},
    {"two runs of colons are refused", "[1::2::3]", NULL},
    {"three colons are refused", "[:::]", NULL},
    {"one colon in front is refused", "[:1]", NULL},
    {"one colon at the end is refused", "[1:2:3:4:5:6:7:]", NULL},
    {"nine pieces are refused", "[1:2:3:4:5:6:7:8:9]", NULL},
    {"eight pieces and two colons are refused", "[1:2:3:4:5:6:7:8::]", NULL},
    {"seven pieces are refused", "[1:2:3:4:5:6:7]", NULL},
    {"five digits are refused", "[12345::]", NULL},
    {"a zone is refused", "[::1%25eth0]", NULL},
    {"no closing bracket is refused", "[::1", NULL},
    {"empty brackets are refused", "[]", NULL},
};

static const struct row opaque[] = {
    {"the case is kept", "HoSt", "HoSt"},         {"escapes are kept", "a%41", "a%41"},
    {"a number is no address", "1.2.3", "1.2.3"}, {"UTF-8 is encoded", "\xc3\xbc", "%C3%BC"},
    {"a space is refused", "a b", NULL},          {"IPv6 is still IPv6", "[1:0::]", "[1::]"},
};

static void run(const struct row *rows, size_t count, bool is_special)
{
    struct url_idn *idn = NULL;
    assert_rc(url_idn_open(&idn), RC_OK);
    for (size_t i = 0; i < count; i++) {
        char room[256];
        struct url_parser parser = {.idn = idn};
        struct url_out out = {.p = room, .cap = sizeof room};
        enum rc rc = url_host_write(&parser, str_c(rows[i].host), is_special, &out);
        struct str got = str_make(room, out.n);
        if (rc != (rows[i].want ? RC_OK : RC_INVALID) ||
            (rows[i].want && !str_eq(got, str_c(rows[i].want))))
            fail_msg("%s: %s, " STR_FMT, rows[i].name, rc_text(rc), STR_ARG(got));
    }
    url_idn_close(idn);
}

static void test_hosts(void **state)
{
    (void)state;
    run(special, sizeof special / sizeof *special, true);
}

static void test_opaque_hosts(void **state)
{
    (void)state;
    run(opaque, sizeof opaque / sizeof *opaque, false);
}

static void test_a_long_international_name_is_refused(void **state)
{
    (void)state;
    struct buf host = {.max = 1 << 16};
    struct url_idn *idn = NULL;
    char room[4096];
    assert_rc(url_idn_open(&idn), RC_OK);
    while (host.n + 2 <= URL_IDN_MAX_BYTES)
        buf_add(&host, STR("\xc3\xbc"));
    struct url_parser parser = {.idn = idn};
    struct url_out out = {.p = room, .cap = sizeof room};
    assert_rc(url_host_write(&parser, buf_str(&host), true, &out), RC_OK);
    buf_byte(&host, 'a');
    assert_rc(url_host_write(&parser, buf_str(&host), true, &out), RC_LIMIT);
    assert_int_equal(parser.reason, URL_REASON_LENGTH);
    buf_done(&host);
    url_idn_close(idn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_opaque_hosts),
        cmocka_unit_test(test_a_long_international_name_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
