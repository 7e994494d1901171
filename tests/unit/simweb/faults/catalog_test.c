/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every fault, whoever wrote it. */
#include "unit/simweb/faults/ask.h"

enum { FAULTS = 93 };

static void every_number_has_its_fault_in_order(void **state)
{
    (void)state;
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++) {
        char id[8];
        struct buf b = buf_on(id, sizeof id);
        buf_printf(&b, "F%02u", i + 1);
        assert_str(str_c(all[i]->id), buf_str(&b));
        assert_ptr_equal(fault_find(buf_str(&b)), all[i]);
    }
    assert_int_equal(count, FAULTS);
    for (uint32_t i = 0; i < count; i++) /* no group is longer than its part of the list */
        assert_true(!all[i][1].id || all[i] + 1 == all[i + 1]);
    assert_null(fault_find(STR("F94")));
    assert_null(fault_find(STR("")));
    assert_ptr_equal(fault_find(STR("f35")), all[34]);
}

/* One line that fits a cell of a table in Markdown: no full stop at its end. */
static void check_text(const struct fault *f, const char *text)
{
    struct str s = str_c(text);
    if (!text || s.n < 10 || str_find(s, '|') < s.n || str_find(s, '\n') < s.n ||
        str_ends(s, STR(".")))
        fail_msg("%s: \"%s\" does not fit the table", f->id, text ? text : "");
}

static void every_fault_says_what_it_does_and_wants(void **state)
{
    (void)state;
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++) {
        check_text(all[i], all[i]->does);
        check_text(all[i], all[i]->wants);
        if (!all[i]->cases || !all[i]->cases[0].path)
            fail_msg("%s has no case", all[i]->id);
        if (!all[i]->expects || !all[i]->expects[0].why)
            fail_msg("%s expects nothing", all[i]->id);
        if (all[i]->is_path && !all[i]->answer)
            fail_msg("%s is a path's and answers nothing", all[i]->id);
    }
}

static bool label_is_known(const struct fault *f, const char *label)
{
    return label[0] == 0 || fault_host(f, str_c(label)) || !f->hosts;
}

static void every_case_stands_on_a_host_of_its_fault(void **state)
{
    (void)state;
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++)
        for (const struct fault_case *c = all[i]->cases; c->path; c++) {
            if (c->path[0] != '/' || !c->says || !c->says[0])
                fail_msg("%s: case \"%s\" is not whole", all[i]->id, c->path);
            if (c->label && !label_is_known(all[i], c->label))
                fail_msg("%s: nobody knows the host \"%s\"", all[i]->id, c->label);
        }
}

/* As witness/judge.h matches. */
static bool is_about(const struct expect *e, const char *label, const char *path)
{
    struct str want = str_c(e->path), have = str_c(path), l = str_c(e->label);
    if (l.p && !str_eq(l, str_c(label)) && !(str_eq(l, STR("*")) && label[0]))
        return false;
    if (!want.p)
        return true;
    if (str_ends(want, STR("*")))
        return str_starts(have, str_first(want, want.n - 1));
    return str_eq(want, have);
}

static bool is_own_path_of_a_case(const struct fault *f, const struct expect *e)
{
    for (const struct fault_case *c = f->cases; c->path; c++)
        if (is_about(e, c->label ? c->label : "", c->path))
            return true;
    return false;
}

/* What the table leaves to the crawler altogether. */
static bool is_a_choice(const struct fault *f, const struct fault_case *c)
{
    static const char *const choices[][3] = {
        {"F46", "slow", "/page"}, {"F51", "half", "/page"}, {"F58", "dollar", "/mid$dle"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (str_eq(str_c(f->id), str_c(choices[i][0])) &&
            str_eq(str_c(c->label), str_c(choices[i][1])) &&
            str_eq(str_c(c->path), str_c(choices[i][2])))
            return true;
    return false;
}

/* By an expectation about itself, or about what a crawler finds behind it: on the same host, or
 * anywhere if the case is the site's own. */
static bool is_judged(const struct fault *f, const struct fault_case *c)
{
    const char *label = c->label ? c->label : "";
    for (const struct expect *e = f->expects; e->why; e++) {
        struct expect any = {.label = e->label};
        if (is_about(e, label, c->path) ||
            ((!label[0] || is_about(&any, label, "")) && e->path && !is_own_path_of_a_case(f, e)))
            return true;
    }
    return false;
}

static void every_case_is_judged(void **state)
{
    (void)state;
    uint32_t count, missing = 0;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++)
        for (const struct fault_case *c = all[i]->cases; c->path; c++)
            if (!is_judged(all[i], c) && !is_a_choice(all[i], c)) {
                print_message("%s: nothing is expected of %s %s\n", all[i]->id, c->label, c->path);
                missing++;
            }
    assert_int_equal(missing, 0);
}

static void every_expectation_is_whole(void **state)
{
    (void)state;
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++) {
        const struct expect *e = all[i]->expects;
        for (; e->why; e++) {
            if (e->path && e->path[0] != '/' && !str_eq(str_c(e->path), STR("*")))
                fail_msg("%s: \"%s\" is no path", all[i]->id, e->path);
            if (e->label && !str_eq(str_c(e->label), STR("*")) && !label_is_known(all[i], e->label))
                fail_msg("%s: nobody knows the host \"%s\"", all[i]->id, e->label);
            if (e->kind == EXPECT_NO_FACT && !e->n)
                fail_msg("%s: which fact of %s?", all[i]->id, e->path);
        }
        if (e->path)
            fail_msg("%s: what is expected of %s has no reason", all[i]->id, e->path);
    }
}

/* A path that must be fetched is a place, or no crawler could be told so. */
static void whatever_must_be_fetched_exists(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++)
        for (const struct expect *e = all[i]->expects; e->why; e++) {
            if (e->kind != EXPECT_FETCHED || !e->path || str_ends(str_c(e->path), STR("*")))
                continue;
            const char *label = e->label && e->label[0] != '*' ? e->label : "";
            struct reply *r = ask_fault(&a, all[i], label, e->path);
            assert_rc(buf_rc(&r->bytes), RC_OK);
            if (r->status == 404 && !str_starts(str_c(e->path), STR("/robots.txt")))
                fail_msg("%s: %s %s is nowhere", all[i]->id, label, e->path);
        }
    ask_close(&a);
}

static void every_answer_fits_its_steps(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++)
        for (const struct fault_case *c = all[i]->cases; c->path; c++) {
            struct reply *r = ask_fault(&a, all[i], c->label ? c->label : "", c->path);
            size_t bytes = 0;
            for (uint32_t s = 0; s < r->step_count; s++)
                bytes += r->steps[s].bytes;
            if (buf_rc(&r->bytes) != RC_OK || r->step_count == 0 || bytes != r->bytes.n)
                fail_msg("%s %s: %u steps, %zu of %zu bytes", all[i]->id, c->path, r->step_count,
                         bytes, r->bytes.n);
        }
    ask_close(&a);
}

static void no_two_faults_share_an_address(void **state)
{
    (void)state;
    static struct {
        uint32_t address;
        const struct fault *fault;
    } seen[4096];
    size_t n = 0;
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++) {
        const struct fault_host *h = all[i]->hosts;
        seen[n].address = fault_address(all[i], STR(""));
        seen[n++].fault = all[i];
        for (; h && h->label && n < sizeof seen / sizeof *seen; h++) {
            seen[n].address = fault_address(all[i], str_c(h->label));
            seen[n++].fault = all[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        assert_true(seen[i].address >= 0x7f006401 && seen[i].address <= 0x7f00ff5d);
        for (size_t j = 0; j < i; j++)
            assert_true(seen[i].address != seen[j].address || seen[i].fault == seen[j].fault);
    }
}

/* "F01\ttcp\t…" for all but F94-F96, which are the crawler's own. */
static void the_table_of_the_project_has_the_same_ones(void **state)
{
    (void)state;
    const char *path = test_conformance("faults/fault_zoo.tsv");
    struct buf text = {0};
    struct score score = {.set = "faults/fault_zoo.tsv"};
    if (!path)
        skip();
    assert_true(test_slurp(path, &text));
    for (struct str rest = buf_str(&text); rest.p;) {
        struct str line = str_take_until(&rest, '\n');
        struct str id = str_take_until(&line, '\t');
        struct str group = str_take_until(&line, '\t');
        if (!str_starts(id, STR("F")) || str_eq(group, STR("self")))
            continue;
        const struct fault *f = fault_find(id);
        score_row(&score, f && str_eq(group, str_c(f->group)), STR_FMT " of " STR_FMT, STR_ARG(id),
                  STR_ARG(group));
    }
    buf_done(&text);
    score_end(&score, FAULTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_has_its_fault_in_order),
        cmocka_unit_test(every_fault_says_what_it_does_and_wants),
        cmocka_unit_test(every_case_stands_on_a_host_of_its_fault),
        cmocka_unit_test(every_case_is_judged),
        cmocka_unit_test(every_expectation_is_whole),
        cmocka_unit_test(whatever_must_be_fetched_exists),
        cmocka_unit_test(every_answer_fits_its_steps),
        cmocka_unit_test(no_two_faults_share_an_address),
        cmocka_unit_test(the_table_of_the_project_has_the_same_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
