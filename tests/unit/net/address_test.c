/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"
#include "lib/test.h"
#include "net/address.h"

#include <arpa/inet.h>

struct read_row {
    const char *text;
    const char *printed; /* NULL: no address */
};

static const struct read_row read_rows[] = {
    {"0.0.0.0", "0.0.0.0"},
    {"255.255.255.255", "255.255.255.255"},
    {"127.1.2.3", "127.1.2.3"},
    {"::", "::"},
    {"::1", "::1"},
    {"[::1]", "::1"},
    {"1::", "1::"},
    {"2001:DB8::A", "2001:db8::a"},
    {"2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"},
    {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
    {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},
    {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
    {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
    {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
    {"0:0:1:0:0:0:0:0", "0:0:1::"},
    {"1:0:0:2:0:0:0:0", "1:0:0:2::"},
    {"::ffff:10.0.0.1", "::ffff:10.0.0.1"},
    {"::FFFF:A00:1", "::ffff:10.0.0.1"},
    {"64:ff9b::10.0.0.1", "64:ff9b::a00:1"},
    {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
    {"::1.2.3.4", "::102:304"},
    {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
    {"ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    {"", NULL},
    {"1", NULL},
    {"1.2.3", NULL},
    {"1.2.3.4.5", NULL},
    {"1.2.3.4.", NULL},
    {".1.2.3.4", NULL},
    {"1..2.3", NULL},
    {"01.2.3.4", NULL},
    {"1.2.3.00", NULL},
    {"0x7f.0.0.1", NULL},
    {"256.1.1.1", NULL},
    {"1.2.3.999", NULL},
    {"1.2.3.0004", NULL},
    {"1.2.3.-4", NULL},
    {"1.2.3.+4", NULL},
    {" 1.2.3.4", NULL},
    {"1.2.3.4 ", NULL},
    {"[1.2.3.4]", NULL},
    {"2130706433", NULL},
    {":", NULL},
    {":::", NULL},
    {"1:2:3:4:5:6:7", NULL},
    {"1:2:3:4:5:6:7:8:9", NULL},
    {"1:2:3:4:5:6:7:8::", NULL},
    {"1:2:3:4::5:6:7:8", NULL},
    {"::1::", NULL},
    {"1::2::3", NULL},
    {"12345::", NULL},
    {"g::", NULL},
    {":1:2:3:4:5:6:7", NULL},
    {"1:2:3:4:5:6:7:", NULL},
    {"::1:", NULL},
    {":1::", NULL},
    {"1.2.3.4::", NULL},
    {"::1.2.3.4:5", NULL},
    {"::1.2.3", NULL},
    {"::1.2.3.04", NULL},
    {"1:2:3:4:5:6:7:1.2.3.4", NULL},
    {"fe80::1%eth0", NULL},
    {"fe80::1%1", NULL},
    {"[::1", NULL},
    {"::1]", NULL},
    {"[[::1]]", NULL},
    {"[]", NULL},
    {"[", NULL},
    {"::1/128", NULL},
    {"0000:0000:0000:0000:0000:0000:0000:0000:0000:00", NULL},
};

static void addresses_are_read_strictly_and_printed_in_one_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof read_rows / sizeof *read_rows; i++) {
        const struct read_row *row = &read_rows[i];
        struct address a;
        memset(&a, 0x55, sizeof a);
        enum rc rc = address_read(str_c(row->text), &a);
        if (rc != (row->printed ? RC_OK : RC_INVALID))
            fail_msg("\"%s\": %s", row->text, rc_text(rc));
        if (!row->printed)
            continue;
        char room[ADDRESS_TEXT_BYTES];
        struct buf out = buf_on(room, sizeof room);
        address_print(&a, &out);
        assert_rc(buf_rc(&out), RC_OK);
        assert_str(buf_str(&out), str_c(row->printed));
    }
}

static void a_nul_within_an_address_is_no_address(void **state)
{
    (void)state;
    struct address a;
    assert_rc(address_read(STR("1.2.3.4\0"), &a), RC_INVALID);
    assert_rc(address_read(STR("1.2\0.3.4"), &a), RC_INVALID);
    assert_rc(address_read(STR("::1\0"), &a), RC_INVALID);
    assert_rc(address_read(STR_NONE, &a), RC_INVALID);
}

/* Half of the groups are zero, so that every shape of run comes up. */
static void the_system_reads_what_is_printed_and_prints_what_is_read(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(52));
    for (int round = 0; round < 20000; round++) {
        struct address a = {.is_v6 = rng_below(&rng, 4) > 0}, again;
        for (int i = 0; i < (a.is_v6 ? 8 : 2); i++) {
            uint64_t v = rng_next(&rng) & (rng_below(&rng, 2) ? 0xffff : 0);
            a.bytes[2L * i] = (uint8_t)(v >> 8);
            a.bytes[2L * i + 1] = (uint8_t)v;
        }
        char room[ADDRESS_TEXT_BYTES], theirs[INET6_ADDRSTRLEN];
        struct buf out = buf_on(room, sizeof room);
        address_print(&a, &out);
        struct address system = {.is_v6 = a.is_v6};
        assert_int_equal(inet_pton(a.is_v6 ? AF_INET6 : AF_INET, buf_c(&out), system.bytes), 1);
        assert_true(address_eq(&a, &system));
        assert_non_null(inet_ntop(a.is_v6 ? AF_INET6 : AF_INET, a.bytes, theirs, sizeof theirs));
        assert_rc(address_read(str_c(theirs), &again), RC_OK);
        assert_true(address_eq(&a, &again));
    }
}

struct kind_row {
    const char *text;
    enum address_kind kind;
};

static const struct kind_row kind_rows[] = {
    {"1.1.1.1", ADDRESS_PUBLIC},
    {"9.255.255.255", ADDRESS_PUBLIC},
    {"0.0.0.0", ADDRESS_UNSPECIFIED},
    {"0.255.255.255", ADDRESS_UNSPECIFIED},
    {"1.0.0.0", ADDRESS_PUBLIC},
    {"10.0.0.0", ADDRESS_PRIVATE},
    {"10.255.255.255", ADDRESS_PRIVATE},
    {"11.0.0.0", ADDRESS_PUBLIC},
    {"100.63.255.255", ADDRESS_PUBLIC},
    {"100.64.0.0", ADDRESS_PRIVATE},
    {"100.127.255.255", ADDRESS_PRIVATE},
    {"100.128.0.0", ADDRESS_PUBLIC},
    {"126.255.255.255", ADDRESS_PUBLIC},
    {"127.0.0.1", ADDRESS_LOOPBACK},
    {"127.255.255.255", ADDRESS_LOOPBACK},
    {"128.0.0.0", ADDRESS_PUBLIC},
    {"169.253.255.255", ADDRESS_PUBLIC},
    {"169.254.169.254", ADDRESS_LINK_LOCAL},
    {"169.255.0.0", ADDRESS_PUBLIC},
    {"172.15.255.255", ADDRESS_PUBLIC},
    {"172.16.0.0", ADDRESS_PRIVATE},
    {"172.31.255.255", ADDRESS_PRIVATE},
    {"172.32.0.0", ADDRESS_PUBLIC},
    {"192.0.0.8", ADDRESS_RESERVED},
    {"192.0.0.170", ADDRESS_RESERVED},
    {"192.0.1.0", ADDRESS_PUBLIC},
    {"192.0.2.1", ADDRESS_RESERVED},
    {"192.0.3.0", ADDRESS_PUBLIC},
    {"192.31.196.1", ADDRESS_PUBLIC},
    {"192.88.99.1", ADDRESS_RESERVED},
    {"192.88.100.0", ADDRESS_PUBLIC},
    {"192.167.255.255", ADDRESS_PUBLIC},
    {"192.168.0.0", ADDRESS_PRIVATE},
    {"192.169.0.0", ADDRESS_PUBLIC},
    {"198.17.255.255", ADDRESS_PUBLIC},
    {"198.18.0.0", ADDRESS_RESERVED},
    {"198.19.255.255", ADDRESS_RESERVED},
    {"198.20.0.0", ADDRESS_PUBLIC},
    {"198.51.100.7", ADDRESS_RESERVED},
    {"203.0.113.255", ADDRESS_RESERVED},
    {"203.0.114.0", ADDRESS_PUBLIC},
    {"223.255.255.255", ADDRESS_PUBLIC},
    {"224.0.0.1", ADDRESS_MULTICAST},
    {"239.255.255.255", ADDRESS_MULTICAST},
    {"240.0.0.0", ADDRESS_RESERVED},
    {"255.255.255.255", ADDRESS_RESERVED},
    {"::", ADDRESS_UNSPECIFIED},
    {"::1", ADDRESS_LOOPBACK},
    {"2606:4700::1111", ADDRESS_PUBLIC},
    {"2001:200::1", ADDRESS_PUBLIC},
    {"2a00:1450::1", ADDRESS_PUBLIC},
    {"3ffe:ffff::", ADDRESS_PUBLIC},
    {"3fff::1", ADDRESS_RESERVED},
    {"3fff:fff::1", ADDRESS_RESERVED},
    {"3fff:1000::1", ADDRESS_PUBLIC},
    {"100::1", ADDRESS_RESERVED},
    {"100:0:0:1::1", ADDRESS_RESERVED},
    {"200::1", ADDRESS_RESERVED},
    {"1fff::", ADDRESS_RESERVED},
    {"4000::", ADDRESS_RESERVED},
    {"5f00::1", ADDRESS_RESERVED},
    {"2001:2::1", ADDRESS_RESERVED},
    {"2001:10::1", ADDRESS_RESERVED},
    {"2001:20::1", ADDRESS_RESERVED},
    {"2001:30::1", ADDRESS_RESERVED},
    {"2001:1ff::1", ADDRESS_RESERVED},
    {"2001:db8::1", ADDRESS_RESERVED},
    {"2001:db9::1", ADDRESS_PUBLIC},
    {"fbff::1", ADDRESS_RESERVED},
    {"fc00::1", ADDRESS_PRIVATE},
    {"fdff::1", ADDRESS_PRIVATE},
    {"fe00::1", ADDRESS_RESERVED},
    {"fe80::1", ADDRESS_LINK_LOCAL},
    {"febf::1", ADDRESS_LINK_LOCAL},
    {"fec0::1", ADDRESS_PRIVATE},
    {"ff02::1", ADDRESS_MULTICAST},
    /* IPv4 inside: mapped, compatible, NAT64, local NAT64, 6to4, Teredo */
    {"::ffff:127.0.0.1", ADDRESS_LOOPBACK},
    {"::ffff:10.0.0.1", ADDRESS_PRIVATE},
    {"::ffff:169.254.169.254", ADDRESS_LINK_LOCAL},
    {"::ffff:0.0.0.0", ADDRESS_UNSPECIFIED},
    {"::ffff:8.8.8.8", ADDRESS_PUBLIC},
    {"::127.0.0.1", ADDRESS_LOOPBACK},
    {"::10.0.0.1", ADDRESS_PRIVATE},
    {"::2", ADDRESS_UNSPECIFIED},
    {"::ffff:0:127.0.0.1", ADDRESS_RESERVED},
    {"64:ff9b::127.0.0.1", ADDRESS_LOOPBACK},
    {"64:ff9b::10.0.0.1", ADDRESS_PRIVATE},
    {"64:ff9b::8.8.8.8", ADDRESS_PUBLIC},
    {"64:ff9b::1:8.8.8.8", ADDRESS_RESERVED},
    {"64:ff9b:1::169.254.169.254", ADDRESS_LINK_LOCAL},
    {"64:ff9b:1:ffff::8.8.8.8", ADDRESS_PRIVATE},
    {"64:ff9b:2::8.8.8.8", ADDRESS_RESERVED},
    {"2002:7f00:1::", ADDRESS_LOOPBACK},
    {"2002:a9fe:a9fe::1", ADDRESS_LINK_LOCAL},
    {"2002:808:808::1", ADDRESS_PUBLIC},
    {"2001:0:4136:e378:8000:63bf:f5ff:fffe", ADDRESS_PRIVATE},  /* client 10.0.0.1 */
    {"2001:0:4136:e378:8000:63bf:3fff:fdd2", ADDRESS_RESERVED}, /* client 192.0.2.45 */
    {"2001:0:4136:e378:8000:63bf:f7f7:f7f7", ADDRESS_PUBLIC},   /* client 8.8.8.8 */
    {"2001:0:7f00:1:8000:63bf:f7f7:f7f7", ADDRESS_LOOPBACK},    /* server 127.0.0.1 */
    /* What clouds keep at addresses that no registry marks: both ends, and their neighbours */
    {"161.25.255.255", ADDRESS_PUBLIC},
    {"161.26.0.0", ADDRESS_PLATFORM},
    {"161.26.255.255", ADDRESS_PLATFORM},
    {"161.27.0.0", ADDRESS_PUBLIC},
    {"166.7.255.255", ADDRESS_PUBLIC},
    {"166.8.0.0", ADDRESS_PLATFORM},
    {"166.11.255.255", ADDRESS_PLATFORM},
    {"166.12.0.0", ADDRESS_PUBLIC},
    {"168.63.129.15", ADDRESS_PUBLIC},
    {"168.63.129.16", ADDRESS_PLATFORM},
    {"168.63.129.17", ADDRESS_PUBLIC},
    {"192.80.8.123", ADDRESS_PUBLIC},
    {"192.80.8.124", ADDRESS_PLATFORM},
    {"192.80.8.125", ADDRESS_PUBLIC},
    {"199.36.153.3", ADDRESS_PUBLIC},
    {"199.36.153.4", ADDRESS_PLATFORM},
    {"199.36.153.11", ADDRESS_PLATFORM},
    {"199.36.153.12", ADDRESS_PUBLIC},
    {"2600:2d00:2:fff::1", ADDRESS_PUBLIC},
    {"2600:2d00:2:1000::1", ADDRESS_PLATFORM},
    {"2600:2d00:2:1001::1", ADDRESS_PUBLIC},
    {"2600:2d00:2:2000::1", ADDRESS_PLATFORM},
    {"::ffff:168.63.129.16", ADDRESS_PLATFORM},
    {"::168.63.129.16", ADDRESS_PLATFORM},
    {"64:ff9b::168.63.129.16", ADDRESS_PLATFORM},
    {"64:ff9b:1::168.63.129.16", ADDRESS_PLATFORM},
    {"2002:a83f:8110::1", ADDRESS_PLATFORM},
    {"2001:0:4136:e378:8000:63bf:57c0:7eef", ADDRESS_PLATFORM}, /* client 168.63.129.16 */
    {"2001:0:a83f:8110:8000:63bf:f7f7:f7f7", ADDRESS_PLATFORM}, /* server 168.63.129.16 */
};

/* Where each cloud answers its machines with their secrets, keys or settings. */
static const char *const platform_rows[][2] = {
    {"Alibaba metadata", "100.100.100.200"},
    {"AWS metadata", "169.254.169.254"},
    {"AWS metadata, IPv6", "fd00:ec2::254"},
    {"AWS time", "169.254.169.123"},
    {"AWS name server", "169.254.169.253"},
    {"AWS ECS task credentials", "169.254.170.2"},
    {"AWS EKS pod credentials", "169.254.170.23"},
    {"AWS EKS pod credentials, IPv6", "fd00:ec2::23"},
    {"Azure host and agent", "168.63.129.16"},
    {"Azure metadata", "169.254.169.254"},
    {"Equinix Metal metadata", "192.80.8.124"},
    {"Google metadata", "169.254.169.254"},
    {"Google metadata, IPv6", "fd20:ce::254"},
    {"Google private access", "199.36.153.8"},
    {"Google restricted access", "199.36.153.4"},
    {"IBM infrastructure services", "161.26.0.10"},
    {"IBM service endpoints", "166.9.12.1"},
    {"Linode metadata, IPv6", "fd00:a9fe:a9fe::1"},
    {"OpenStack metadata, IPv6", "fe80::a9fe:a9fe"},
    {"Oracle metadata, IPv6", "fd00:c1::a9fe:a9fe"},
    {"Oracle boot volume", "169.254.0.2"},
    {"Oracle Classic metadata", "192.0.0.192"},
    {"Scaleway metadata", "169.254.42.42"},
    {"Scaleway metadata, IPv6", "fd00:42::42"},
    {"Tencent metadata", "169.254.0.23"},
    {"Tencent metadata, old", "100.88.222.5"},
};

static void no_platform_address_of_a_cloud_is_public(void **state)
{
    (void)state;
    struct address a;
    for (size_t i = 0; i < sizeof platform_rows / sizeof *platform_rows; i++) {
        assert_rc(address_read(str_c(platform_rows[i][1]), &a), RC_OK);
        if (address_kind(&a) == ADDRESS_PUBLIC)
            fail_msg("%s: %s counts as public", platform_rows[i][0], platform_rows[i][1]);
    }
}

static void every_special_network_is_known_at_both_ends(void **state)
{
    (void)state;
    struct address a;
    for (size_t i = 0; i < sizeof kind_rows / sizeof *kind_rows; i++) {
        assert_rc(address_read(str_c(kind_rows[i].text), &a), RC_OK);
        if (address_kind(&a) != kind_rows[i].kind)
            fail_msg("%s is %s, expected %s", kind_rows[i].text,
                     address_kind_name(address_kind(&a)), address_kind_name(kind_rows[i].kind));
    }
}

static uint64_t group(const char *text)
{
    struct address a;
    assert_rc(address_read(str_c(text), &a), RC_OK);
    return address_group(&a);
}

static void politeness_counts_ipv4_alone_and_ipv6_by_64_bits(void **state)
{
    (void)state;
    assert_true(group("1.2.3.4") != group("1.2.3.5"));
    assert_true(group("1.2.3.4") == group("::ffff:1.2.3.4"));
    assert_true(group("1.2.3.4") == group("64:ff9b::1.2.3.4"));
    assert_true(group("64:ff9b::1.2.3.4") != group("64:ff9b::1.2.3.5"));
    assert_true(group("2a00:1:2:3::1") == group("2a00:1:2:3:ffff::"));
    assert_true(group("2a00:1:2:3::1") != group("2a00:1:2:4::1"));
    assert_true(group("0.0.0.1") != group("::1"));
}

static void kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(address_kind_name(ADDRESS_PUBLIC), "public");
    assert_string_equal(address_kind_name(ADDRESS_LINK_LOCAL), "link-local");
    assert_string_equal(address_kind_name(ADDRESS_RESERVED), "reserved");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_strictly_and_printed_in_one_way),
        cmocka_unit_test(a_nul_within_an_address_is_no_address),
        cmocka_unit_test(the_system_reads_what_is_printed_and_prints_what_is_read),
        cmocka_unit_test(every_special_network_is_known_at_both_ends),
        cmocka_unit_test(no_platform_address_of_a_cloud_is_public),
        cmocka_unit_test(politeness_counts_ipv4_alone_and_ipv6_by_64_bits),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
