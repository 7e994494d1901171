/* SPDX-License-Identifier: Apache-2.0 */
/* The owners at each epoch, through anything that a roster goes through: the same as an assignment
 * made from the list alone, and no host moves without need. */
#include "assign/assign.h"
#include "base/hash.h"
#include "cluster/roster/roster_internal.h"
#include "lib/test.h"
#include "roster_walk.h"

#include <stdio.h>

enum { KEYS = 60, STEPS = 400, WALKS = 12, EPOCHS = 2000 };

static uint64_t key(unsigned i)
{
    return hash64_mix(i + 1);
}

static struct str owner_name(const struct roster *r, uint64_t host_hash, uint64_t epoch)
{
    const struct roster_agent *a = roster_owner(r, host_hash, epoch);
    return a ? str_c(a->name) : STR("");
}

/* The owners of all keys by src/assign, from the list of living agents. */
struct truth {
    char names[KEYS][ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc[KEYS];
    bool is_unknown;
};

static void truth_now(const struct roster_log *l, struct truth *ret)
{
    struct assign_agent list[64];
    const struct roster_agent *of[64];
    uint32_t count = 0, at;
    for (size_t i = 0; i < roster_count(l->roster); i++) {
        const struct roster_agent *a = roster_at(l->roster, i);
        if (a->state == ROSTER_LIVING && a->weight) {
            of[count] = a;
            list[count++] = (struct assign_agent){.name = str_c(a->name), .weight = a->weight};
        }
    }
    *ret = (struct truth){0};
    if (!count)
        return;
    struct assign *a;
    struct assign_options o = {.points = l->points, .probes = l->probes};
    assert_rc(assign_open(assign_kind_find(STR("ring")), &o, list, count, 1, NULL, &a), RC_OK);
    for (unsigned i = 0; i < KEYS; i++) {
        assert_rc(assign_owner(a, &(struct assign_key){.host_hash = key(i)}, &at), RC_OK);
        (void)snprintf(ret->names[i], sizeof ret->names[i], "%s", of[at]->name);
        ret->inc[i] = of[at]->inc;
    }
    assign_close(a);
}

static void check_owners(const struct roster *r, const struct truth *by_epoch)
{
    for (uint64_t e = roster_settled(r); e <= roster_epoch(r); e++)
        for (unsigned i = 0; i < KEYS && !by_epoch[e].is_unknown; i++) {
            const struct roster_agent *a = roster_owner(r, key(i), e);
            assert_string_equal(a ? a->name : "", by_epoch[e].names[i]);
            assert_int_equal(a ? a->inc : 0, by_epoch[e].inc[i]);
        }
    assert_null(roster_owner(r, 1, roster_epoch(r) + 1));
}

static void check_holders(const struct roster *r)
{
    const struct roster_agent *list[32];
    for (unsigned i = 0; i < KEYS; i++) {
        uint64_t gained, last = roster_epoch(r);
        size_t count = roster_holders(r, key(i), list, 32, &gained);
        const struct roster_agent *now = roster_owner(r, key(i), last);
        for (uint64_t e = gained; e <= last; e++)
            assert_ptr_equal(roster_owner(r, key(i), e), now);
        assert_true(gained == roster_settled(r) || roster_owner(r, key(i), gained - 1) != now);
        for (uint64_t e = roster_settled(r); e <= last; e++) {
            const struct roster_agent *held = roster_owner(r, key(i), e);
            size_t found = 0;
            for (size_t j = 0; j < count; j++)
                found += list[j] == held;
            assert_int_equal(found, held != NULL);
        }
    }
}

/* An agent that held a key which another owns at a later epoch is one whose handover mark the other
 * waits for. */
static void check_held_for(const struct roster *r)
{
    for (uint64_t e = roster_settled(r); e <= roster_epoch(r); e++)
        for (uint64_t before = roster_settled(r); before < e; before++)
            for (unsigned i = 0; i < KEYS; i++) {
                const struct roster_agent *a = roster_owner(r, key(i), before);
                const struct roster_agent *b = roster_owner(r, key(i), e);
                if (a && b && a != b)
                    assert_true(roster_held_for(r, a, b, e));
            }
}

static void owners_are_those_of_the_list_alone(void **state)
{
    (void)state;
    static struct truth by_epoch[EPOCHS];
    struct rng rng;
    uint64_t epochs = 0, stacked = 0;
    rng_init(&rng, test_seed(2));
    for (unsigned walk = 0; walk < WALKS; walk++) {
        struct roster_log l;
        roster_log_open(&l);
        l.probes = 1 + walk % 3;
        l.points = walk % 2 ? 64 : 5;
        roster_log_say(&l, "found");
        truth_now(&l, &by_epoch[0]);
        for (unsigned step = 0; step < STEPS; step++) {
            uint64_t before = roster_epoch(l.roster);
            roster_walk(&l, &rng);
            if (roster_epoch(l.roster) == before && rng_below(&rng, 20))
                continue;
            truth_now(&l, &by_epoch[roster_epoch(l.roster)]);
            for (uint64_t e = before + 1; e < roster_epoch(l.roster); e++)
                by_epoch[e].is_unknown = true; /* several died in one step */
            check_owners(l.roster, by_epoch);
            check_holders(l.roster);
            check_held_for(l.roster);
            stacked += roster_epoch(l.roster) > roster_settled(l.roster) + 1;
        }
        epochs += roster_epoch(l.roster);
        roster_log_close(&l);
    }
    print_message("# %lu epochs, %lu looks with deaths in a transition\n", (unsigned long)epochs,
                  (unsigned long)stacked);
    assert_true(epochs > 20 * WALKS && stacked > 20);
}

static unsigned moved(const struct roster *r, struct str who, bool is_to)
{
    unsigned count = 0;
    uint64_t e = roster_epoch(r);
    for (unsigned i = 0; i < 5000; i++) {
        struct str a = owner_name(r, key(i), e - 1), b = owner_name(r, key(i), e);
        if (str_eq(a, b))
            continue;
        count++;
        assert_str(is_to ? b : a, who);
    }
    return count;
}

/* Minimal movement, through the roster. */
static void a_join_or_a_death_moves_only_its_own_hosts(void **state)
{
    (void)state;
    struct roster_log l;
    roster_log_open(&l);
    l.points = ASSIGN_POINTS;
    roster_log_say(&l, "found; ant join; ant settled; bee join; ant settled; cat join; ant settled;"
                       "dog join");
    assert_in_range(moved(l.roster, STR("dog"), true), 1100, 1400); /* a quarter */
    roster_log_say(&l, "ant settled; bee,cat,dog go 60; bee dead ant");
    assert_string_equal(l.why, "");
    assert_in_range(moved(l.roster, STR("ant"), false), 1100, 1400);
    roster_log_say(&l, "bee,dog go 60; dog dead cat"); /* within the transition */
    assert_string_equal(l.why, "");
    assert_in_range(moved(l.roster, STR("cat"), false), 1500, 1850);
    roster_log_close(&l);
}

static const struct roster_agent *agent(const struct roster_log *l, const char *name)
{
    return roster_find(l->roster, str_c(name));
}

static bool held_for(const struct roster_log *l, const char *holder, const char *to)
{
    return roster_held_for(l->roster, agent(l, holder), agent(l, to), roster_epoch(l->roster));
}

static void marks_are_needed_of_those_who_lost_only(void **state)
{
    (void)state;
    struct roster_log l;
    roster_log_open(&l);
    roster_log_say(&l, "found; ant join; ant settled; bee join; ant settled; cat join");
    assert_true(held_for(&l, "ant", "cat") && held_for(&l, "bee", "cat"));
    assert_false(held_for(&l, "ant", "bee") || held_for(&l, "cat", "ant") ||
                 held_for(&l, "cat", "cat"));
    roster_log_say(&l, "ant settled");
    assert_false(held_for(&l, "ant", "cat") || held_for(&l, "bee", "cat"));
    roster_log_say(&l, "bee,cat go 60; bee dead ant");
    assert_true(held_for(&l, "ant", "cat") && held_for(&l, "ant", "bee"));
    assert_false(held_for(&l, "bee", "cat") || held_for(&l, "cat", "bee"));
    const struct roster_agent *by = roster_adopter(l.roster, agent(&l, "ant"));
    char script[128];
    (void)snprintf(script, sizeof script, "%s adopted ant; bee settled; bee weight weight=32",
                   by->name);
    roster_log_say(&l, script);
    assert_string_equal(l.why, "");
    assert_true(held_for(&l, "bee", "cat"));
    assert_false(held_for(&l, "cat", "bee"));
    roster_log_say(&l, "bee settled; bee weight weight=64");
    assert_true(held_for(&l, "cat", "bee"));
    assert_false(held_for(&l, "bee", "cat"));
    roster_log_say(&l, "bee settled; cat leave");
    assert_true(held_for(&l, "cat", "bee"));
    assert_true(roster_held_for(l.roster, agent(&l, "bee"), agent(&l, "cat"), 99));
    roster_log_close(&l);
}

static void the_last_one_may_leave_and_the_next_takes_all(void **state)
{
    (void)state;
    struct roster_log l;
    roster_log_open(&l);
    roster_log_say(&l, "found; ant join; ant settled; ant leave");
    assert_string_equal(l.why, "");
    assert_null(roster_owner(l.roster, 5, roster_epoch(l.roster)));
    roster_log_say(&l, "bee join");
    assert_string_equal(l.why, "");
    assert_str(owner_name(l.roster, 5, roster_epoch(l.roster)), STR("bee"));
    assert_true(held_for(&l, "ant", "bee"));
    roster_log_say(&l, "bee settled; ant gone");
    assert_string_equal(l.why, "");
    assert_int_equal(roster_count(l.roster), 1);
    assert_int_equal(agent(&l, "ant")->state, ROSTER_FORGOTTEN);
    roster_log_close(&l);
}

/* Many agents die within one transition: no ring is made, and all owners are found. */
static void many_deaths_cost_no_rings(void **state)
{
    (void)state;
    enum { CREW = 300 };
    struct roster_log l;
    char script[64];
    roster_log_open(&l);
    l.points = 16;
    roster_log_say(&l, "found");
    for (unsigned i = 0; i < CREW; i++) {
        (void)snprintf(script, sizeof script, "a%u join; a%u settled", i, i);
        roster_log_say(&l, script);
        assert_string_equal(l.why, "");
    }
    roster_log_say(&l, "a7 go 60");
    for (unsigned i = 0; i < CREW; i++) {
        (void)snprintf(script, sizeof script, "a7 dead a%u", i);
        if (i != 7)
            roster_log_say(&l, script);
        assert_string_equal(l.why, "");
    }
    assert_int_equal(roster_epoch(l.roster) - roster_settled(l.roster), CREW - 1);
    for (size_t i = 1; i < l.roster->row_count; i++)
        assert_ptr_equal(l.roster->rows[i].ring, l.roster->rows[0].ring);
    for (unsigned i = 0; i < KEYS; i++)
        assert_str(owner_name(l.roster, key(i), roster_epoch(l.roster)), STR("a7"));
    for (unsigned i = 0; i < CREW; i++) {
        (void)snprintf(script, sizeof script, "a7 adopted a%u", i);
        if (i != 7)
            roster_log_say(&l, script);
        assert_string_equal(l.why, "");
    }
    roster_log_say(&l, "a7 settled");
    assert_int_equal(roster_count(l.roster), 1);
    assert_int_equal(l.roster->rows[0].absent_count, 0); /* the ring was made anew */
    assert_int_equal(agent(&l, "a9")->inc, 1);
    roster_log_close(&l);
}

/* Through anything that a roster goes through, one that shares its rings folds the same and has the
 * same owners. "eve" was not given, so rings with her are the roster's own. */
static void rings_that_are_shared_are_the_same_rings(void **state)
{
    (void)state;
    const struct str names[] = {STR("ant"), STR("cat"), STR("bee")};
    struct roster_log own;
    struct roster_rings *rings = NULL;
    struct roster *first = NULL, *second = NULL;
    assert_rc(roster_rings_open(names, 3, 64, 2 * ASSIGN_WEIGHT_ONE, &rings), RC_OK);
    assert_rc(roster_open_sharing(rings, &first), RC_OK);
    assert_rc(roster_open_sharing(rings, &second), RC_OK);
    roster_log_open(&own);
    roster_log_say(&own, "found; ant join; ant settled; bee join; ant settled; cat join weight=128;"
                         "ant settled; bee weight weight=16; ant settled; ant,cat go 70;"
                         "ant dead bee; eve join; cat adopted bee; ant adopted bee; ant settled;"
                         "eve join; ant settled; cat leave");
    struct str kept = buf_str(&own.kept), bytes;
    struct roster_stand at;
    while (roster_lost_next(&kept, &at, &bytes)) {
        const char *why;
        at.number = roster_length(first) + 1;
        assert_rc(roster_take(first, &at, bytes, &why), RC_OK);
        assert_rc(roster_take(second, &at, bytes, &why), RC_OK);
        for (unsigned i = 0; roster_epoch(first) && i < KEYS; i++)
            assert_str(owner_name(first, key(i), roster_epoch(first)),
                       owner_name(second, key(i), roster_epoch(second)));
    }
    assert_true(roster_epoch(own.roster) > 5);
    assert_int_equal(roster_hash(first), roster_hash(own.roster));
    assert_int_equal(roster_hash(second), roster_hash(own.roster));
    for (uint64_t e = roster_settled(first); e <= roster_epoch(first); e++)
        for (unsigned i = 0; i < KEYS; i++)
            assert_str(owner_name(first, key(i), e), owner_name(own.roster, key(i), e));
    roster_close(first);
    roster_close(second);
    roster_rings_close(rings);
    roster_log_close(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_are_those_of_the_list_alone),
        cmocka_unit_test(a_join_or_a_death_moves_only_its_own_hosts),
        cmocka_unit_test(marks_are_needed_of_those_who_lost_only),
        cmocka_unit_test(the_last_one_may_leave_and_the_next_takes_all),
        cmocka_unit_test(many_deaths_cost_no_rings),
        cmocka_unit_test(rings_that_are_shared_are_the_same_rings),
    };
    return cmocka_run_group_tests_name("roster_ring", tests, NULL, NULL);
}
