/* SPDX-License-Identifier: Apache-2.0 */
#include "change/tree.h"

#include "lib/test.h"
#include "sample.h"

#include <stdio.h>

struct row {
    const char *name, *tags, *levels;
};

static const struct row rows[] = {
    {"the paper's first page", "html head title /title /head body h1 /h1 p /p p /p p /p", "1,2,5"},
    {"no tags, no levels", "", ""},
    {"a void tag is a leaf", "p br/ b /b /p", "1,2"},
    {"an end without a start does nothing", "div /p /span p", "1,1"},
    {"an end closes what is open inside", "div b i /div p", "2,1,1"},
    {"li ends li", "ul li li li /ul", "1,3"},
    {"li inside a list inside li does not end the outer one", "ul li ul li li /ul li /ul",
     "1,2,1,2"},
    {"a block ends p", "body p p div p ul", "1,3,2"},
    {"inline elements do not end p", "p b /b a /a", "1,2"},
    {"cells and rows end each other", "table tr td td tr th td tbody tr td", "1,3,5,1"},
    {"body ends head", "html head title /title body", "1,2,1"},
    {"option ends option and optgroup both", "select optgroup option option optgroup option",
     "1,2,3"},
    {"dt and dd end each other", "dl dt dd dd dt", "1,4"},
    {"a heading ended as another one has ended", "h3 a /a /h2 p", "2,1"},
    {"a heading inside an open heading stands beside it", "h2 h3 p", "2,1"},
    {"a heading's end closes what is open inside", "h2 b i /h2 p", "2,1,1"},
    {"a heading's end without a heading does nothing", "div /h2 p", "1,1"},
    {"several roots stand on level 1", "p /p q /q", "2"},
};

static void print_levels(const struct change_levels *l, char *to, size_t room)
{
    struct buf b = buf_on(to, room - 1);
    for (uint32_t i = 0; i < l->count; i++)
        buf_printf(&b, "%s%u", i ? "," : "", l->at[i]);
    to[b.n] = 0;
}

static void levels_of(const char *tags, struct change_levels *ret, struct arena *arena)
{
    struct sample s;
    struct change_tree tree;
    sample_tags(&s, tags);
    assert_rc(change_tree(s.tags, s.count, arena, &tree), RC_OK);
    change_tree_levels(&tree, ret);
}

static void p11_rows(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 20);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct change_levels levels;
        char text[400];
        print_message("# %s\n", rows[i].name);
        levels_of(rows[i].tags, &levels, arena);
        print_levels(&levels, text, sizeof text);
        assert_string_equal(text, rows[i].levels);
    }
    arena_close(arena);
}

/* The paper's figures 3a and 3b, drawn from its lists of children; in 3b it prints one child for
 * node 17, whose level then lacks the third of its own count, so here 17 has 18 and 19. */
static const char figure_3a[] =
    "n1 n2 n3 n5 /n5 /n3 n4 n6 n7 n8 /n8 n9 n10 n11 /n11 n12 n15 /n15 /n12 n13 /n13 n14 /n14";
static const char figure_3b[] =
    "n1 n2 n3 n5 /n5 /n3 n4 n6 n7 n8 n16 n17 n18 /n18 n19 /n19 /n17 /n16 /n8 n9 n10 n11 /n11 "
    "n12 n15 /n15 /n12 n13 /n13 n14 /n14";

static void p11_figures(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 20);
    struct change_levels a, b;
    char text[400];
    levels_of(figure_3a, &a, arena);
    print_levels(&a, text, sizeof text);
    assert_string_equal(text, "1,1,2,2,1,2,1,4,1");
    levels_of(figure_3b, &b, arena);
    print_levels(&b, text, sizeof text);
    assert_string_equal(text, "1,1,2,2,1,2,2,5,3");
    assert_true(change_levels_differ(&a, &b) == (1u << 6 | 1u << 7 | 1u << 8));
    assert_true(change_levels_differ(&a, &a) == 0);
    arena_close(arena);
}

static uint64_t hash_of(const char *tags, uint64_t *simhash)
{
    struct arena *arena = arena_open(4096, 1 << 20);
    struct sample s;
    struct change_tree tree;
    sample_tags(&s, tags);
    assert_rc(change_tree(s.tags, s.count, arena, &tree), RC_OK);
    uint64_t hash = tree.nodes[0].hash;
    if (simhash)
        *simhash = change_tree_simhash(&tree);
    arena_close(arena);
    return hash;
}

/* Where the paper's structure codes are blind, the tree's hash is not. */
static void p14_hash_sees(void **state)
{
    (void)state;
    assert_true(hash_of("div p /p b /b", NULL) != hash_of("div p b /b /p", NULL));
    assert_true(hash_of("div p /p b /b", NULL) != hash_of("div b /b p /p", NULL));
    assert_true(hash_of("body section /section", NULL) != hash_of("body span /span", NULL));
    assert_true(hash_of("p /p", NULL) != hash_of("p /p p /p", NULL));
    assert_true(hash_of("p br/ /p", NULL) == hash_of("p br /br /p", NULL));
    assert_true(hash_of("ul li /li li /li /ul", NULL) == hash_of("ul li li", NULL));
}

/* Stored values, so the same on every machine and in every version of the format. */
static void d17_vectors(void **state)
{
    (void)state;
    static const char *const vectors[][2] = {
        {"", "48218226ff3cd4bf 0000000000000000"},
        {"html head title /title /head body h1 /h1 p /p p /p p /p",
         "58b152302a470b1d 94a40d0432a29c89"},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint64_t simhash, hash = hash_of(vectors[i][0], &simhash);
        char text[64];
        snprintf(text, sizeof text, "%016llx %016llx", (unsigned long long)hash,
                 (unsigned long long)simhash);
        assert_string_equal(text, vectors[i][1]);
    }
}

/* As deep as anyone likes: the stack ends at CHANGE_MAX_DEPTH, the work stays linear. */
static void deep_and_wide(void **state)
{
    (void)state;
    enum { MANY = 200000 };
    struct change_tag *tags = test_malloc(MANY * sizeof *tags);
    struct arena *arena = arena_open(1 << 20, 64 << 20);
    struct change_tree tree;
    struct change_levels levels;
    for (size_t i = 0; i < MANY; i++)
        tags[i] = (struct change_tag){STR("div"), CHANGE_TAG_START};
    assert_rc(change_tree(tags, MANY, arena, &tree), RC_OK);
    assert_int_equal(tree.count, MANY + 1);
    assert_int_equal(tree.nodes[MANY].level, CHANGE_MAX_DEPTH);
    assert_int_equal(tree.nodes[MANY].parent, CHANGE_MAX_DEPTH - 1);
    change_tree_levels(&tree, &levels);
    assert_int_equal(levels.count, CHANGE_LEVELS);
    assert_int_equal(levels.at[CHANGE_LEVELS - 1], MANY - CHANGE_LEVELS + 1);
    for (size_t i = CHANGE_MAX_DEPTH; i < MANY; i++)
        tags[i] = (struct change_tag){STR("p"), CHANGE_TAG_END};
    assert_rc(change_tree(tags, MANY, arena, &tree), RC_OK);
    assert_int_equal(tree.count, CHANGE_MAX_DEPTH + 1);
    assert_rc(change_tree(tags, CHANGE_MAX_TAGS + 1, arena, &tree), RC_LIMIT);
    arena_close(arena);
    test_free(tags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p11_rows),      cmocka_unit_test(p11_figures),
        cmocka_unit_test(p14_hash_sees), cmocka_unit_test(d17_vectors),
        cmocka_unit_test(deep_and_wide),
    };
    return cmocka_run_group_tests_name("P11 the tree and its levels", tests, NULL, NULL);
}
