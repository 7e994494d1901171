/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/archive_wait.h"

#include "base/mem.h"
#include "lib/step.h"

/* What the owner of the queue saw. The last letter of a path that is in `there` is there. */
struct seen {
    const char *there;
    char looked[8000];
    unsigned looks, given_up, ended;
    struct archive_wait *add_to; /* the first look adds one more here */
};

static bool look(void *ctx, struct links *from, const struct candidate *page)
{
    struct seen *s = ctx;
    char letter = page->path.p[page->path.n - 1];
    assert_true(s->looks < sizeof s->looked - 1);
    assert_non_null(from);
    s->looked[s->looks++] = letter;
    if (s->add_to) {
        struct candidate c = step_candidate("http://a.test/z", "L");
        const struct candidate *list = &c;
        assert_rc(archive_wait_add(s->add_to, links_open(&list, 1, STR(""), 0, 0)), RC_OK);
        s->add_to = NULL;
    }
    return strchr(s->there, letter) != NULL;
}

static void give_up(void *ctx)
{
    ((struct seen *)ctx)->given_up++;
}

static void ended(void *ctx, struct links *l)
{
    ((struct seen *)ctx)->ended++;
    message_end(&l->head);
}

static struct links *links_to(const char *first, const char *second)
{
    const struct candidate both[] = {step_candidate(first, "L"), step_candidate(second, "L")};
    const struct candidate *list[] = {&both[0], &both[1]};
    struct links *l = links_open(list, 2, STR(""), 0, 0);
    assert_non_null(l);
    return l;
}

static void a_page_waits_until_it_is_there(void **state)
{
    (void)state;
    struct archive_wait w = {0};
    struct seen s = {.there = "a"};
    struct archive_wait_asks asks = {look, give_up, ended, &s};
    assert_true(archive_wait_is_empty(&w));
    assert_rc(archive_wait_add(&w, links_to("http://a.test/a", "http://a.test/b")), RC_OK);
    assert_false(archive_wait_is_empty(&w));
    archive_wait_try(&w, &asks);
    assert_string_equal(s.looked, "ab");
    assert_int_equal(s.ended, 0);
    s.there = "b";
    archive_wait_try(&w, &asks);
    assert_string_equal(s.looked, "abb"); /* a was there */
    assert_int_equal(s.ended, 1);
    assert_int_equal(s.given_up, 0);
    assert_true(archive_wait_is_empty(&w));
}

static void after_so_many_tries_a_page_is_given_up(void **state)
{
    (void)state;
    struct archive_wait w = {0};
    struct seen s = {.there = ""};
    struct archive_wait_asks asks = {look, give_up, ended, &s};
    assert_rc(archive_wait_add(&w, links_to("http://a.test/a", "http://a.test/b")), RC_OK);
    for (int i = 1; i < ARCHIVE_WAIT_TRIES; i++)
        archive_wait_try(&w, &asks);
    assert_int_equal(s.given_up, 0);
    assert_int_equal(s.ended, 0);
    archive_wait_try(&w, &asks);
    assert_int_equal(s.looks, 2 * ARCHIVE_WAIT_TRIES);
    assert_int_equal(s.given_up, 2);
    assert_int_equal(s.ended, 1);
    assert_true(archive_wait_is_empty(&w));
}

static void each_message_has_its_own_tries(void **state)
{
    (void)state;
    struct archive_wait w = {0};
    struct seen s = {.there = ""};
    struct archive_wait_asks asks = {look, give_up, ended, &s};
    assert_rc(archive_wait_add(&w, links_to("http://a.test/a", "http://a.test/b")), RC_OK);
    archive_wait_try(&w, &asks);
    assert_rc(archive_wait_add(&w, links_to("http://a.test/c", "http://a.test/d")), RC_OK);
    for (int i = 1; i < ARCHIVE_WAIT_TRIES; i++)
        archive_wait_try(&w, &asks);
    assert_int_equal(s.ended, 1);
    archive_wait_try(&w, &asks);
    assert_int_equal(s.ended, 2);
    assert_int_equal(s.given_up, 4);
}

static void what_comes_meanwhile_waits_for_the_next_time(void **state)
{
    (void)state;
    struct archive_wait w = {0};
    struct seen s = {.there = "", .add_to = &w};
    struct archive_wait_asks asks = {look, give_up, ended, &s};
    assert_rc(archive_wait_add(&w, links_to("http://a.test/a", "http://a.test/b")), RC_OK);
    archive_wait_try(&w, &asks);
    assert_string_equal(s.looked, "ab");
    s.there = "abz";
    archive_wait_try(&w, &asks);
    assert_int_equal(s.looks, 5);
    assert_int_equal(s.ended, 2);
}

static void nothing_waits_after_it_was_cleared(void **state)
{
    (void)state;
    struct archive_wait w = {0};
    struct seen s = {.there = ""};
    struct archive_wait_asks asks = {look, give_up, ended, &s};
    assert_rc(archive_wait_add(&w, links_to("http://a.test/a", "http://a.test/b")), RC_OK);
    assert_rc(archive_wait_add(&w, links_to("http://a.test/c", "http://a.test/d")), RC_OK);
    archive_wait_clear(&w, &asks);
    assert_true(archive_wait_is_empty(&w));
    assert_int_equal(s.ended, 2);
    assert_int_equal(s.looks, 0);
    assert_int_equal(s.given_up, 0);
    archive_wait_clear(&w, &asks);
    assert_int_equal(s.ended, 2);
}

static void without_memory_the_links_stay_the_callers(void **state)
{
    (void)state;
    struct archive_wait w = {0};
    struct links *l = links_to("http://a.test/a", "http://a.test/b");
    mem_fault_at(1);
    assert_rc(archive_wait_add(&w, l), RC_NOMEM);
    mem_fault_at(0);
    assert_true(archive_wait_is_empty(&w));
    message_end(&l->head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_waits_until_it_is_there),
        cmocka_unit_test(after_so_many_tries_a_page_is_given_up),
        cmocka_unit_test(each_message_has_its_own_tries),
        cmocka_unit_test(what_comes_meanwhile_waits_for_the_next_time),
        cmocka_unit_test(nothing_waits_after_it_was_cleared),
        cmocka_unit_test(without_memory_the_links_stay_the_callers),
    };
    return cmocka_run_group_tests_name("archive_wait", tests, NULL, NULL);
}
