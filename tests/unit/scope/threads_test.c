/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads check while one adds seeds and another changes the settings. What a thread has
 * been told is in scope stays there, and what was added before it asked is there. Run it with the
 * thread sanitizer as well. */
#include "lib/test.h"
#include "scope/scope.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { CHECKERS = 3, SEEDS = 4000, MOST_URL = 128 };

struct stage {
    struct scope *scope;
    struct scope_settings settings, other;
    _Atomic unsigned added; /* seeds 0 to added - 1 are in */
    _Atomic bool is_done;
    _Atomic unsigned wrong;
};

static struct url numbered(char room[MOST_URL], unsigned i, const char *path)
{
    char text[MOST_URL];
    struct url u = {0};
    struct url_parser parser = {.idn = NULL};
    (void)snprintf(text, sizeof text, "http://www.h%u.test/folder/%s", i, path);
    if (url_parse(&parser, str_c(text), NULL, (struct url_room){room, MOST_URL}, &u))
        u.n = 0;
    return u;
}

static void *check_all(void *ctx)
{
    struct stage *s = ctx;
    char room[MOST_URL];
    unsigned wrong = 0;
    for (unsigned round = 0; !atomic_load(&s->is_done); round++) {
        unsigned added = atomic_load(&s->added);
        if (!added)
            continue;
        unsigned i = round * 7919 % added;
        struct url seed = numbered(room, i, "seed");
        wrong += scope_check(s->scope, &seed, STR("")) != SCOPE_IN;
        if (s->settings.scope != SCOPE_PAGE) {
            struct url page = numbered(room, added - 1, "page");
            wrong += scope_check(s->scope, &page, STR("L")) != SCOPE_IN;
        }
        struct url elsewhere = numbered(room, SEEDS + i, "page");
        wrong += scope_check(s->scope, &elsewhere, STR("L")) != SCOPE_OUTSIDE;
    }
    atomic_fetch_add(&s->wrong, wrong);
    return NULL;
}

static void *change_all(void *ctx)
{
    struct stage *s = ctx;
    struct buf why = {.max = 1000};
    unsigned failed = 0;
    for (unsigned i = 0; i < 200; i++)
        failed += scope_change(s->scope, i % 2 ? &s->settings : &s->other, &why) != RC_OK;
    atomic_fetch_add(&s->wrong, failed);
    buf_done(&why);
    return NULL;
}

static void add_all(struct stage *s)
{
    char room[MOST_URL];
    for (unsigned i = 0; i < SEEDS; i++) {
        struct url seed = numbered(room, i, "seed");
        assert_rc(scope_add_seed(s->scope, &seed), RC_OK);
        atomic_store(&s->added, i + 1);
    }
}

static void run(enum scope_kind kind)
{
    struct arena *arena = arena_open(1024, 1 << 20);
    struct stage s = {.added = 0};
    struct buf why = {.max = 1000};
    struct str never = STR("^never"), folder = STR("/folder/");
    pthread_t threads[CHECKERS + 1];
    assert_rc(options_default(scope_options, &s.settings, arena), RC_OK);
    s.settings.scope = kind;
    s.settings.exclude = (struct option_list){&never, 1};
    s.other = s.settings;
    s.other.include = (struct option_list){&folder, 1};
    assert_rc(scope_open(&s.settings, &s.scope, &why), RC_OK);
    for (int i = 0; i <= CHECKERS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < CHECKERS ? check_all : change_all, &s), 0);
    add_all(&s);
    pthread_join(threads[CHECKERS], NULL);
    atomic_store(&s.is_done, true);
    for (int i = 0; i < CHECKERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&s.wrong), 0);
    scope_close(s.scope);
    buf_done(&why);
    arena_close(arena);
}

static void hosts_are_added_while_others_check(void **state)
{
    (void)state;
    run(SCOPE_HOST);
}

static void domains_are_added_while_others_check(void **state)
{
    (void)state;
    run(SCOPE_DOMAIN);
}

static void prefixes_are_added_while_others_check(void **state)
{
    (void)state;
    run(SCOPE_PREFIX);
}

static void pages_are_added_while_others_check(void **state)
{
    (void)state;
    run(SCOPE_PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_added_while_others_check),
        cmocka_unit_test(domains_are_added_while_others_check),
        cmocka_unit_test(prefixes_are_added_while_others_check),
        cmocka_unit_test(pages_are_added_while_others_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
