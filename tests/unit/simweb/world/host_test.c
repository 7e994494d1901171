/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/simweb/world/make.h"

#include "base/map.h"
#include "world/place.h"
#include "world/words.h"

#include <stdio.h>

static struct str name_of(const struct world *w, uint32_t host, struct buf *room)
{
    buf_clear(room);
    host_name(w, host, room);
    assert_rc(buf_rc(room), RC_OK);
    return buf_str(room);
}

static const char *const webs[] = {
    "hosts=3000",
    "hosts=3000 hosts-per-domain=1",
    "hosts=3000 hosts-per-domain=37 suffix=sim.example.org",
    "hosts=3000 hosts-per-domain=100000",
    "hosts=3000 demo=yes suffix=localhost",
    "hosts=5 demo=yes",
};

static void a_name_leads_back_to_its_host(void **state)
{
    (void)state;
    struct buf room;
    buf_init(&room, 300);
    for (size_t i = 0; i < sizeof webs / sizeof *webs; i++) {
        struct made m = make_world(webs[i]);
        for (uint32_t h = 0; h < m.settings.hosts; h++)
            assert_int_equal(host_of(m.world, name_of(m.world, h, &room)), h);
        unmake_world(&m);
    }
    buf_done(&room);
}

static void no_two_hosts_have_the_same_name(void **state)
{
    (void)state;
    struct buf room;
    buf_init(&room, 300);
    for (size_t i = 0; i < sizeof webs / sizeof *webs; i++) {
        struct made m = make_world(webs[i]);
        struct map names;
        map_init(&names, 3000);
        for (uint32_t h = 0; h < m.settings.hosts; h++)
            assert_rc(map_put(&names, arena_dup(m.arena, name_of(m.world, h, &room)), m.arena),
                      RC_OK);
        map_done(&names);
        unmake_world(&m);
    }
    buf_done(&room);
}

static void names_are_read_in_any_case_and_with_a_dot_behind(void **state)
{
    (void)state;
    struct made m = make_world("hosts=50");
    struct buf room;
    buf_init(&room, 300);
    for (uint32_t h = 0; h < 50; h++) {
        name_of(m.world, h, &room);
        for (size_t k = 0; k < room.n; k += 2)
            room.p[k] = ascii_upper(room.p[k]);
        buf_byte(&room, '.');
        assert_int_equal(host_of(m.world, buf_str(&room)), h);
        buf_byte(&room, '.');
        assert_int_equal(host_of(m.world, buf_str(&room)), -1);
    }
    buf_done(&room);
    unmake_world(&m);
}

static void other_names_are_no_hosts(void **state)
{
    (void)state;
    struct made m = make_world("hosts=20 hosts-per-domain=2");
    static const char *const names[] = {
        "",
        ".",
        "test",
        ".test",
        "..test",
        "zoo.test",
        "f35.test",
        "www.test",
        "heron.test",
        "99.test",
        "www..test",
        "heron99999.test",
        "www.heron5.example",
        "x.y.z.test",
        "heron18446744073709551616.test",
        "s0.test",
        "www.f12.test",
        "-.test",
        "test.test",
        "s99999999999999999999.heron1.test",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (host_of(m.world, str_c(names[i])) != -1)
            fail_msg("%s is a host", names[i]);
    assert_int_equal(host_of(m.world, STR_NONE), -1);
    char long_name[400];
    memset(long_name, 'a', sizeof long_name);
    struct buf end = buf_on(long_name + sizeof long_name - 5, 5);
    buf_add(&end, STR(".test"));
    assert_int_equal(host_of(m.world, str_make(long_name, sizeof long_name)), -1);
    unmake_world(&m);
}

/* One byte changed, left out or doubled makes it no host, or that very other host. */
static void a_name_spoilt_is_never_taken_for_the_host(void **state)
{
    (void)state;
    struct made m = make_world("hosts=40");
    struct buf room, spoilt;
    buf_init(&room, 300);
    buf_init(&spoilt, 300);
    for (uint32_t h = 0; h < 40; h++) {
        struct str name = name_of(m.world, h, &room);
        for (size_t k = 0; k < name.n; k++)
            for (int how = 0; how < 3; how++) {
                buf_clear(&spoilt);
                buf_add(&spoilt, str_first(name, how == 2 ? k + 1 : k));
                if (how == 0)
                    buf_byte(&spoilt, (char)(name.p[k] + 1));
                buf_add(&spoilt, str_from(name, how == 2 ? k : k + 1));
                int64_t other = host_of(m.world, buf_str(&spoilt));
                assert_int_not_equal(other, h);
                char again[300];
                struct buf b = buf_on(again, sizeof again);
                if (other >= 0) {
                    host_name(m.world, (uint32_t)other, &b);
                    assert_str(buf_str(&spoilt), buf_str(&b));
                }
            }
    }
    buf_done(&room);
    buf_done(&spoilt);
    unmake_world(&m);
}

static void hosts_of_a_domain_are_numbered_in_a_row_and_end_alike(void **state)
{
    (void)state;
    struct made m = make_world("hosts=300 hosts-per-domain=3");
    char room_a[300], room_b[300];
    for (uint32_t h = 1; h < 300; h++) {
        struct buf a = buf_on(room_a, 300), b = buf_on(room_b, 300);
        assert_int_equal(host_domain(m.world, h), h / 3);
        if (h % 3 == 0)
            continue;
        host_name(m.world, h - 1, &a);
        host_name(m.world, h, &b);
        struct str domain = str_from(buf_str(&b), str_find(buf_str(&b), '.') + 1);
        assert_true(str_ends(buf_str(&a), domain));
    }
    unmake_world(&m);
}

static void a_demo_has_names_for_people_first(void **state)
{
    (void)state;
    struct made m = make_world("demo=yes suffix=localhost hosts=40 hosts-per-domain=4");
    char room[300];
    struct buf b = buf_on(room, sizeof room);
    host_name(m.world, 0, &b);
    assert_str(buf_str(&b), STR("index.localhost"));
    assert_int_equal(host_of(m.world, STR("GARDEN.localhost")), 1);
    uint32_t named = 0;
    while (demo_label(named).p)
        named++;
    assert_int_equal(named, 12);
    assert_int_equal(host_domain(m.world, 11), 11);
    assert_int_equal(host_domain(m.world, 12), 12);
    assert_int_equal(host_domain(m.world, 15), 12);
    assert_int_equal(host_domain(m.world, 16), 13);
    assert_int_equal(host_address(m.world, 39), 0x7f000001);
    assert_int_equal(world_addresses(m.world), 1);
    unmake_world(&m);
}

static void hosts_share_addresses_in_loopback_alone(void **state)
{
    (void)state;
    struct made m = make_world("hosts=10 hosts-per-address=4");
    assert_int_equal(world_addresses(m.world), 3);
    assert_int_equal(host_address(m.world, 0), 0x7f010000);
    assert_int_equal(host_address(m.world, 3), 0x7f010000);
    assert_int_equal(host_address(m.world, 4), 0x7f010001);
    assert_int_equal(host_address(m.world, 9), 0x7f010002);
    unmake_world(&m);
    m = make_world("hosts=100M hosts-per-address=1");
    assert_int_equal(world_addresses(m.world), WORLD_MAX_ADDRESSES);
    for (uint32_t h = 0; h < WORLD_MAX_HOSTS - 1000000; h += 999999) {
        uint32_t a = host_address(m.world, h);
        assert_true(a >= 0x7f010000 && a < 0x7f010000 + WORLD_MAX_ADDRESSES);
    }
    unmake_world(&m);
}

static void sizes_keep_their_mean_when_they_are_uneven(void **state)
{
    (void)state;
    static const char *const rows[] = {"hosts=500 pages=200 host-sizes=zipf zipf=1",
                                       "hosts=5000 pages=100 host-sizes=zipf zipf=0.6",
                                       "hosts=500 pages=30 host-sizes=equal"};
    for (size_t i = 0; i < 3; i++) {
        struct made m = make_world(rows[i]);
        uint64_t sum = 0;
        for (uint32_t h = 0; h < m.settings.hosts; h++) {
            assert_true(host_pages(m.world, h) >= 1);
            assert_true(h == 0 || host_pages(m.world, h) <= host_pages(m.world, h - 1));
            sum += host_pages(m.world, h);
        }
        double mean = (double)sum / (double)m.settings.hosts;
        assert_true(mean > 0.97 * (double)m.settings.pages &&
                    mean < 1.03 * (double)m.settings.pages);
        unmake_world(&m);
    }
}

static void robots_and_sitemaps_of_most_hosts(void **state)
{
    (void)state;
    struct made m = make_world("hosts=2000 pages=60 crawl-delays=0.5 https=0.25");
    uint32_t exist = 0, sitemaps = 0, delays = 0, https = 0;
    for (uint32_t h = 0; h < 2000; h++) {
        struct host_robots r = host_robots(m.world, h);
        assert_int_equal(r.exists, r.forbids_private);
        assert_int_equal(r.names_sitemap, r.sitemaps > 0);
        assert_true(r.exists || (!r.sitemaps && !r.crawl_delay_ms));
        exist += r.exists;
        sitemaps += r.sitemaps > 0;
        delays += r.crawl_delay_ms > 0;
        https += host_is_https(m.world, h);
    }
    assert_true(exist > 1750 && exist < 1850);
    assert_true(sitemaps > 1180 && sitemaps < 1340);
    assert_true(delays > 830 && delays < 970);
    assert_true(https > 430 && https < 570);
    unmake_world(&m);
}

static void the_parts_of_a_sitemap_cover_every_page_once(void **state)
{
    (void)state;
    static const char *const rows[] = {"pages=1",    "pages=9",     "pages=10",   "pages=999",
                                       "pages=1000", "pages=12345", "pages=500k", "pages=1999k"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m = make_world(rows[i]);
        uint32_t parts = host_robots(m.world, 0).sitemaps, next = 0, from, to;
        assert_true(parts > 0);
        assert_true(parts > 1 || m.settings.pages < 10);
        for (uint32_t p = 0; p < parts; p++) {
            sitemap_range(m.world, 0, p, &from, &to);
            assert_int_equal(from, next);
            assert_true(to > from && to - from <= WORLD_MAX_LINKS);
            next = to;
        }
        assert_int_equal(next, m.settings.pages);
        sitemap_range(m.world, 0, parts, &from, &to);
        assert_true(from >= to);
        unmake_world(&m);
    }
}

static void an_origin_names_the_port_unless_it_is_the_usual_one(void **state)
{
    (void)state;
    static const struct {
        const char *words, *origin, *scheme_less;
    } rows[] = {
        {"demo=yes suffix=localhost http-port=80", "http://index.localhost", "//index.localhost"},
        {"demo=yes http-port=8080", "http://index.test:8080", "//index.test:8080"},
        {"demo=yes https=1 https-port=443", "https://index.test", "//index.test"},
        {"demo=yes https=1 https-port=80", "https://index.test:80", "//index.test:80"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m = make_world(rows[i].words);
        char room[300];
        struct buf b = buf_on(room, sizeof room);
        host_origin(m.world, 0, false, &b);
        assert_str(buf_str(&b), str_c(rows[i].origin));
        buf_clear(&b);
        host_origin(m.world, 0, true, &b);
        assert_str(buf_str(&b), str_c(rows[i].scheme_less));
        unmake_world(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_leads_back_to_its_host),
        cmocka_unit_test(no_two_hosts_have_the_same_name),
        cmocka_unit_test(names_are_read_in_any_case_and_with_a_dot_behind),
        cmocka_unit_test(other_names_are_no_hosts),
        cmocka_unit_test(a_name_spoilt_is_never_taken_for_the_host),
        cmocka_unit_test(hosts_of_a_domain_are_numbered_in_a_row_and_end_alike),
        cmocka_unit_test(a_demo_has_names_for_people_first),
        cmocka_unit_test(hosts_share_addresses_in_loopback_alone),
        cmocka_unit_test(sizes_keep_their_mean_when_they_are_uneven),
        cmocka_unit_test(robots_and_sitemaps_of_most_hosts),
        cmocka_unit_test(the_parts_of_a_sitemap_cover_every_page_once),
        cmocka_unit_test(an_origin_names_the_port_unless_it_is_the_usual_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
