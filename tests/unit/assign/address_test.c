/* SPDX-License-Identifier: Apache-2.0 */
#include "sets.h"

static struct assign_key ipv4(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    return (struct assign_key){.ip = {{a, b, c, d}, 4}};
}

static struct assign_key ipv6(const uint8_t *first_eight, uint8_t last)
{
    struct assign_key key = {.ip = {.bytes = 16}};
    memcpy(key.ip.at, first_eight, 8);
    key.ip.at[15] = last;
    return key;
}

static void p3_a_slash_24_goes_to_one_client(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 30, ASSIGN_WEIGHT_ONE);
    struct assign *a = set_open("address", &s);
    int different = 0;
    for (uint8_t c = 0; c < 200; c++) {
        struct assign_key first = ipv4(192, 0, c, 0), next = ipv4(192, 0, (uint8_t)(c + 1), 0);
        struct str owner = owner_name(a, &first);
        for (uint8_t d = 1; d; d++) {
            struct assign_key near = ipv4(192, 0, c, d);
            assert_str(owner_name(a, &near), owner);
        }
        different += !str_eq(owner_name(a, &next), owner);
    }
    assert_true(different > 150);
    assign_close(a);
}

static void p3_a_slash_48_goes_to_one_client(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 30, ASSIGN_WEIGHT_ONE);
    struct assign *a = set_open("address", &s);
    int different = 0;
    for (uint8_t i = 0; i < 200; i++) {
        uint8_t site[8] = {0x20, 0x01, 0x0d, 0xb8, 1, i, 0, 0};
        struct assign_key here = ipv6(site, 1);
        struct str owner = owner_name(a, &here);
        site[7] = 9; /* another /64 of the same /48 */
        struct assign_key near = ipv6(site, 200);
        assert_str(owner_name(a, &near), owner);
        site[5]++;
        struct assign_key next = ipv6(site, 1);
        different += !str_eq(owner_name(a, &next), owner);
    }
    assert_true(different > 150);
    assign_close(a);
}

static void an_ipv4_address_mapped_into_ipv6_is_the_same_address(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 30, ASSIGN_WEIGHT_ONE);
    struct assign *a = set_open("address", &s);
    for (uint8_t c = 0; c < 100; c++) {
        struct assign_key plain = ipv4(10, 1, c, 4);
        struct assign_key mapped = {.ip = {{[10] = 0xff, [11] = 0xff, 10, 1, c, 77}, 16}};
        assert_str(owner_name(a, &mapped), owner_name(a, &plain));
    }
    assign_close(a);
}

static void when_a_client_dies_only_its_addresses_move(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 30, ASSIGN_WEIGHT_ONE);
    struct assign *before = set_open("address", &s);
    s.count--;
    struct assign *after = set_open("address", &s);
    for (uint8_t c = 0; c < 200; c++) {
        struct assign_key key = ipv4(172, 16, c, 1);
        struct str old = owner_name(before, &key);
        if (!str_eq(old, s.agents[29].name))
            assert_str(owner_name(after, &key), old);
    }
    assign_close(before);
    assign_close(after);
}

static void a_key_without_an_address_is_refused(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 1, 2, ASSIGN_WEIGHT_ONE);
    struct assign *a = set_open("address", &s);
    struct assign_key key = {.host = STR("example.org")};
    uint32_t at;
    assert_rc(assign_owner(a, &key, &at), RC_INVALID);
    key.ip.bytes = 5;
    assert_rc(assign_owner(a, &key, &at), RC_INVALID);
    assign_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p3_a_slash_24_goes_to_one_client),
        cmocka_unit_test(p3_a_slash_48_goes_to_one_client),
        cmocka_unit_test(an_ipv4_address_mapped_into_ipv6_is_the_same_address),
        cmocka_unit_test(when_a_client_dies_only_its_addresses_move),
        cmocka_unit_test(a_key_without_an_address_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
