/* SPDX-License-Identifier: Apache-2.0 */
/* vectors: what may never depend on the machine (D17), as rows of tests/vectors.tsv.
 *
 * Hashes, generators, owners and formats on disk or wire: kind, inputs, expected, separated by
 * tabs. The same file runs on any processor; a row that differs means that agents on two machines
 * would disagree. */
#include "kinds.h"

enum { ROWS = 229 };

static const struct vector_kind *kind_named(struct str name)
{
    static const struct vector_kind *const lists[] = {base_kinds, assign_kinds_of_vectors,
                                                      page_kinds};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct vector_kind *k = lists[i]; k->name; k++)
            if (str_eq(str_c(k->name), name))
                return k;
    return NULL;
}

static void check_row(struct score *score, struct str row)
{
    struct str whole = row, f[VECTOR_FIELDS] = {{0}};
    const struct vector_kind *kind = kind_named(str_take_until(&row, '\t'));
    size_t count = 0;
    while (row.p && count < VECTOR_FIELDS)
        f[count++] = str_take_until(&row, '\t');
    struct buf got = {.max = 1 << 16};
    if (kind && count > 1)
        kind->compute(f, &got);
    bool passed = kind && count > 1 && str_eq(buf_str(&got), f[count - 1]);
    score_row(score, passed, STR_FMT " gives " STR_FMT, STR_ARG(whole), STR_ARG(buf_str(&got)));
    buf_done(&got);
}

static void D17_every_vector_is_the_same_on_every_machine(void **state)
{
    (void)state;
    struct buf file;
    struct score score = {.set = "vectors.tsv"};
    assert_true(test_slurp(test_data("vectors.tsv"), &file));
    struct str rest = buf_str(&file);
    while (rest.p) {
        struct str row = str_take_until(&rest, '\n');
        if (row.n && row.p[0] != '#')
            check_row(&score, row);
    }
    buf_done(&file);
    score_end(&score, ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(D17_every_vector_is_the_same_on_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
