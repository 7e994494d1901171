/* SPDX-License-Identifier: Apache-2.0 */
/* When an entry of the roster counts: every rule of roster.h, for and against. */
#include "cluster/roster/roster_internal.h"
#include "lib/test.h"
#include "roster_log.h"

#include <stdio.h>

struct rule_row {
    const char *name;
    const char *script; /* its last entry is checked */
    const char *why;    /* "": it counts */
};

#define ONE "found; ant join; ant settled; "
#define TWO ONE "bee join; ant settled; "
#define THREE TWO "cat join; ant settled; "
#define BEE_DEAD TWO "ant go 60; ant dead bee; "

static const struct rule_row rows[] = {
    /* found */
    {"the first entry founds the roster", "found", ""},
    {"a second foundation does not count", "found; found", "the roster has been founded already"},
    {"a foundation behind junk counts", "ant join; found", ""},
    {"nothing counts before the foundation", "ant join", "the roster has not been founded"},
    {"renewals too seldom for the fence are refused", "found renew=23000",
     "its heartbeat or renew is 0, or too long for its other timings"},
    {"no renewals at all are refused", "found renew=0",
     "its heartbeat or renew is 0, or too long for its other timings"},
    {"a fence that closes after death is refused", "found fence=50000",
     "its timings are not suspect < fence < abort <= dead, fence < 5/6 dead"},
    {"a ring without points is refused", "found points=0",
     "its ring has too few or too many points or probes"},
    {"a ring with nine probes is refused", "found probes=9",
     "its ring has too few or too many points or probes"},
    /* renew */
    {"a living agent renews", ONE "ant renew", ""},
    {"one that never joined does not", ONE "bee renew", "its incarnation is not living"},
    {"nor another incarnation", ONE "ant renew inc=2", "its incarnation is not living"},
    {"nor a dead one", BEE_DEAD "bee renew", "its incarnation is not living"},
    {"nor another boot: a copy of the directory", ONE "ant renew boot=9",
     "its boot is not the roster's"},
    {"a start brings a new boot", ONE "ant renew boot=9 start", ""},
    {"and from then on it is the roster's", ONE "ant renew boot=9 start; ant renew boot=9", ""},
    {"and the former is not", ONE "ant renew boot=9 start; ant renew boot=1",
     "its boot is not the roster's"},
    {"who is leaving renews", TWO "bee leave; bee renew", ""},
    /* join */
    {"the first agent joins at epoch 1", "found; ant join", ""},
    {"not at another epoch", "found; ant join e=2", "its epoch is not the next"},
    {"the first incarnation is 1", "found; ant join inc=2",
     "its incarnation is not its former one plus 1"},
    {"a second agent waits until the first is settled", "found; ant join; bee join",
     "a transition is open"},
    {"and joins when it is", ONE "bee join", ""},
    {"two that join at one epoch: the second does not", ONE "bee join e=2; cat join e=2",
     "its epoch is not the next"},
    {"a name that is living does not join", ONE "ant join", "that name is living"},
    {"nor while it is leaving", TWO "bee leave; bee join", "that name is living"},
    {"a dead one comes back when it is adopted", BEE_DEAD "ant adopted bee; ant settled; bee join",
     ""},
    {"not before", BEE_DEAD "bee join", "its former incarnation is not adopted yet"},
    {"not before that is settled", BEE_DEAD "ant adopted bee; bee join", "a transition is open"},
    {"not as the same incarnation", BEE_DEAD "ant adopted bee; ant settled; bee join inc=1",
     "its incarnation is not its former one plus 1"},
    {"one that has gone comes back", TWO "bee leave; ant settled; bee gone; bee join", ""},
    {"if no agent is left a join waits for nothing",
     ONE "ant go 5; ant renew boot=7; "
         "+5000; ant renew boot=7; +5000; ant renew boot=7; +5000; ant renew boot=7; "
         "+5000; ant renew boot=7; +5000; ant renew boot=7; +5000; ant renew boot=7; "
         "+5000; ant renew boot=7; +5000; ant renew boot=7; +5000; ant renew boot=7; "
         "+5000; ant renew boot=7; ant dead ant; ant join",
     ""},
    /* weight */
    {"a weight changes when all is settled", ONE "ant weight weight=32", ""},
    {"not while a transition is open", "found; ant join; ant weight weight=32",
     "a transition is open"},
    {"not that of another incarnation", ONE "ant weight inc=2", "its incarnation is not living"},
    {"not at the last epoch", ONE "ant weight e=1", "its epoch is not the next"},
    {"not of one that is leaving", TWO "bee leave; ant settled; bee weight", "it is leaving"},
    {"an empty ring need not be settled to be filled",
     "found; ant join weight=0; ant weight weight=64", ""},
    {"not with nothing", "found; ant join weight=0; ant weight weight=0", "a transition is open"},
    {"nor by one more that owns nothing", "found; ant join weight=0; bee join weight=0",
     "a transition is open"},
    {"but by one that does", "found; ant join weight=0; bee join", ""},
    /* recrawl */
    {"a recrawl begins", ONE "ant recrawl n=1", ""},
    {"also while a transition is open", ONE "bee join; ant recrawl n=1", ""},
    {"not twice the same", ONE "ant recrawl n=1; ant settled; ant recrawl n=1",
     "that recrawl has begun already"},
    {"nor an earlier one", ONE "ant recrawl n=3; ant recrawl n=2",
     "that recrawl has begun already"},
    {"the next one does", ONE "ant recrawl n=1; ant recrawl n=2", ""},
    {"not at the last epoch", ONE "ant recrawl n=1 e=1", "its epoch is not the next"},
    {"not by one that never joined", ONE "bee recrawl n=1", "its incarnation is not living"},
    {"by one that is leaving too", TWO "bee leave; bee recrawl n=1", ""},
    {"and an epoch of its own has to be settled", ONE "ant recrawl n=1; bee join",
     "a transition is open"},
    /* leave, gone */
    {"an agent leaves", TWO "bee leave", ""},
    {"not twice", TWO "bee leave; ant settled; bee leave", "it is leaving"},
    {"not while a transition is open", ONE "bee join; bee leave", "a transition is open"},
    {"not at another epoch", TWO "bee leave e=9", "its epoch is not the next"},
    {"not if it never came", ONE "bee leave", "its incarnation is not living"},
    {"who is leaving goes", TWO "bee leave; bee gone", ""},
    {"who is not leaving does not", TWO "bee gone", "it is not leaving"},
    {"who has gone does not go again", TWO "bee leave; bee gone; bee gone",
     "its incarnation is not living"},
    /* dead */
    {"who is silent long enough is dead", TWO "ant go 50; ant dead bee", ""},
    {"not a little earlier: a hasty accusation", TWO "ant go 45; +4999; ant dead bee",
     "the lease is not old enough"},
    {"not if it has renewed meanwhile", TWO "ant go 60; bee renew; ant dead bee lease=4",
     "the lease it names is not the agent's last"},
    {"not by a lease of the future", TWO "ant go 60; ant dead bee lease=99",
     "the lease it names is not the agent's last"},
    {"not twice", BEE_DEAD "ant dead bee", "the agent it names is not living"},
    {"not another incarnation", TWO "ant go 60; ant dead bee inc=2",
     "the agent it names is not living"},
    {"not an unknown agent", TWO "ant go 60; ant dead dog", "the agent it names is not living"},
    {"not at another epoch", TWO "ant go 60; ant dead bee e=9", "its epoch is not the next"},
    {"deaths do not wait for a transition", TWO "cat join; ant,bee go 60; ant dead cat", ""},
    {"nor for another death", THREE "ant go 60; ant dead bee; ant dead cat", ""},
    {"who is leaving can die", TWO "bee leave; ant go 60; ant dead bee", ""},
    {"an hour in which no agent could write makes no lease old", TWO "+3600000; ant dead bee",
     "the lease is not old enough"},
    {"nor does a clock that jumps", TWO "ant go 20; +3600000; ant go 20; ant dead bee",
     "the lease is not old enough"},
    {"a clock turned back holds no death up", TWO "ant go 20; -3600000; ant go 35; ant dead bee",
     ""},
    {"an accuser that was away does not count", THREE "cat go 60; ant dead bee",
     "its writer was not heard throughout"},
    {"nor one that has just come", TWO "ant go 40; cat join; ant go 20; cat dead bee",
     "its writer was not heard throughout"},
    {"it may pause for less than half of the time",
     THREE "cat go 25; ant renew; cat go 25; ant dead bee", ""},
    {"one that never joined cannot accuse", TWO "ant,dog go 60; dog dead bee",
     "its writer was not heard throughout"},
    {"one that comes back accuses, though it is not living",
     THREE "ant,cat go 60; ant dead bee; cat,bee go 60; bee dead ant", ""},
    {"but not at once", THREE "ant,cat go 60; ant dead bee; cat go 60; bee dead ant",
     "its writer was not heard throughout"},
    /* adopted */
    {"the adopter says when all is forwarded", BEE_DEAD "ant adopted bee", ""},
    {"no other agent does", BEE_DEAD "bee adopted bee", "its writer is not the adopter"},
    {"not of one that is living", TWO "ant adopted bee", "the agent it names is not dead"},
    {"not twice", BEE_DEAD "ant adopted bee; ant adopted bee", "the agent it names is not dead"},
    /* settled */
    {"a living agent settles the last epoch", "found; ant join; ant settled", ""},
    {"not another epoch", TWO "bee weight; ant settled e=2", "its epoch is not the last"},
    {"not twice", ONE "ant settled", "that epoch is settled already"},
    {"not one that is not living", "found; ant join; bee settled", "its writer is not living"},
    {"not while a dead agent is not adopted", BEE_DEAD "ant settled",
     "a dead agent is not adopted yet"},
    {"but when all are", BEE_DEAD "ant adopted bee; ant settled", ""},
};

static void every_rule_for_and_against(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct roster_log l;
        roster_log_open(&l);
        roster_log_say(&l, rows[i].script);
        if (strcmp(l.why, rows[i].why) != 0)
            fail_msg("%s: \"%s\", expected \"%s\"", rows[i].name, l.why, rows[i].why);
        roster_log_close(&l);
    }
}

/* An entry that does not count has no effect, except for its number and that its writer was
 * heard. */
static void what_does_not_count_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct roster_log l, m;
        if (!rows[i].why[0])
            continue;
        roster_log_open(&l);
        roster_log_open(&m);
        roster_log_say(&l, rows[i].script);
        size_t cut = strlen(rows[i].script);
        while (cut > 0 && rows[i].script[cut - 1] != ';')
            cut--;
        char script[512] = "";
        memcpy(script, rows[i].script, cut);
        roster_log_say(&m, script);
        assert_int_equal(roster_epoch(l.roster), roster_epoch(m.roster));
        assert_int_equal(roster_settled(l.roster), roster_settled(m.roster));
        assert_int_equal(roster_length(l.roster), roster_length(m.roster) + 1);
        assert_int_equal(roster_count(l.roster), roster_count(m.roster));
        for (size_t j = 0; j < roster_count(l.roster); j++)
            assert_memory_equal(roster_at(l.roster, j), roster_at(m.roster, j),
                                sizeof(struct roster_agent));
        roster_log_close(&l);
        roster_log_close(&m);
    }
}

/* Two agents whose points collide cannot both be in the ring. Points of 8 bits make that happen. */
static void a_collision_is_refused_and_another_name_taken(void **state)
{
    (void)state;
    struct roster_log l;
    roster_log_open(&l);
    l.roster->shape.point_bits = 8;
    l.points = 16;
    roster_log_say(&l, ONE);
    unsigned refused = 0, joined = 0;
    for (unsigned i = 0; i < 100; i++) {
        char script[64];
        (void)snprintf(script, sizeof script, "bee%u join", i);
        uint64_t epoch = roster_epoch(l.roster);
        size_t count = roster_count(l.roster);
        roster_log_say(&l, script);
        bool is_in = l.why[0] == '\0';
        refused += !is_in;
        joined += is_in;
        assert_int_equal(roster_epoch(l.roster), epoch + is_in);
        assert_int_equal(roster_count(l.roster), count + is_in);
        assert_true(is_in || str_starts(str_c(l.why), STR("a point of its ring collides")));
        assert_true(is_in == (roster_find(l.roster, str_make(script, strcspn(script, " "))) != 0));
        if (is_in)
            roster_log_say(&l, "ant settled");
    }
    assert_true(refused > 50 && joined > 0);
    /* More points collide with others, too. */
    roster_log_say(&l, "ant weight weight=4096");
    assert_true(l.why[0] != '\0');
    assert_int_equal(roster_find(l.roster, STR("ant"))->weight, 64);
    roster_log_close(&l);
}

static void junk_takes_a_number_and_nothing_else(void **state)
{
    (void)state;
    struct roster_log l;
    const char *why;
    roster_log_open(&l);
    roster_log_say(&l, ONE);
    roster_log_take(&l, STR("ant"), STR("junk"));
    assert_string_equal(l.why, "it cannot be read");
    roster_log_take(&l, STR("a.b"), STR("\1\11\1\0\0\0\0\0\0\0"));
    assert_string_equal(l.why, "its writer's name is not valid");
    assert_int_equal(roster_length(l.roster), 5);
    struct roster_stand at = {5, 0, STR("ant")};
    assert_rc(roster_take(l.roster, &at, STR(""), &why), RC_INVALID);
    at.number = 7;
    assert_rc(roster_take(l.roster, &at, STR(""), &why), RC_INVALID);
    roster_log_close(&l);
}

static void past_the_limit_of_agents_nobody_joins(void **state)
{
    (void)state;
    struct roster_log l;
    char script[64];
    roster_log_open(&l);
    l.points = 1;
    roster_log_say(&l, "found");
    for (unsigned i = 0; i < ROSTER_MAX_AGENTS; i++) {
        (void)snprintf(script, sizeof script, "a%u join; a%u settled", i, i);
        roster_log_say(&l, script);
        assert_string_equal(l.why, "");
    }
    roster_log_say(&l, "late join");
    assert_int_equal(l.rc, RC_LIMIT);
    assert_string_equal(l.why, "there are too many agents, names, points or rings");
    assert_null(roster_find(l.roster, STR("late")));
    roster_log_say(&l, "a5 leave; a0 settled; a5 gone; late join");
    assert_string_equal(l.why, "");
    roster_log_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_for_and_against),
        cmocka_unit_test(what_does_not_count_changes_nothing),
        cmocka_unit_test(a_collision_is_refused_and_another_name_taken),
        cmocka_unit_test(junk_takes_a_number_and_nothing_else),
        cmocka_unit_test(past_the_limit_of_agents_nobody_joins),
    };
    return cmocka_run_group_tests_name("roster_rules", tests, NULL, NULL);
}
