/* SPDX-License-Identifier: Apache-2.0 */
#include "roster_walk.h"

#include <stdio.h>

static const char *const names[] = {"ant", "bee", "cat", "dog", "eel", "fox"};
enum { NAMES = sizeof names / sizeof *names };

static const char *any_name(struct rng *rng)
{
    return names[rng_below(rng, NAMES)];
}

/* Some agents renew for a while; the others are silent. */
static void some_go_on(struct roster_log *l, struct rng *rng)
{
    char script[128];
    int n = snprintf(script, sizeof script, "%s", any_name(rng));
    for (unsigned i = 0; i < NAMES; i++)
        if (rng_below(rng, 3))
            n += snprintf(script + n, sizeof script - (size_t)n, ",%s", names[i]);
    (void)snprintf(script + n, sizeof script - (size_t)n, " go %u",
                   (unsigned)(5 * rng_below(rng, 14)));
    roster_log_say(l, script);
}

/* One agent renews alone, then accuses others at random: some of them are silent long enough. */
static void some_are_accused(struct roster_log *l, struct rng *rng)
{
    char script[128];
    const char *by = any_name(rng);
    if (rng_below(rng, 2)) {
        (void)snprintf(script, sizeof script, "%s,%s go 60", by, any_name(rng));
        roster_log_say(l, script);
    }
    for (unsigned i = (unsigned)rng_below(rng, 3); i < NAMES;
         i += 1 + (unsigned)rng_below(rng, 3)) {
        (void)snprintf(script, sizeof script, "%s dead %s", by, names[i]);
        roster_log_say(l, script);
    }
}

static void all_are_adopted(struct roster_log *l)
{
    for (size_t i = 0; i < roster_count(l->roster); i++) {
        const struct roster_agent *a = roster_at(l->roster, i);
        const struct roster_agent *by = roster_adopter(l->roster, a);
        char script[128];
        if (a->state != ROSTER_DEAD_NOW || !by)
            continue;
        (void)snprintf(script, sizeof script, "%s adopted %s inc=%u", by->name, a->name,
                       (unsigned)a->inc);
        roster_log_say(l, script);
        i = (size_t)-1; /* the list has changed */
    }
}

void roster_walk(struct roster_log *l, struct rng *rng)
{
    static const char *const forms[] = {
        "%s join weight=%u",
        "%s join weight=%u",
        "%s weight weight=%u",
        "%s leave",
        "%s gone",
        "%s settled",
        "%s settled",
        "%s renew",
        "%s renew start boot=%u",
        "%s renew boot=%u",
        "%s join e=%u",
        "%s weight inc=%u",
        "+%2$u000; %1$s settled",
        "-%2$u000; %1$s renew",
    };
    char script[128];
    uint64_t choice = rng_below(rng, 24);
    if (choice < sizeof forms / sizeof *forms) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(script, sizeof script, forms[choice], any_name(rng),
                       (unsigned)rng_below(rng, 5) * 32);
#pragma GCC diagnostic pop
        roster_log_say(l, script);
    } else if (choice < 16) {
        some_go_on(l, rng);
    } else if (choice < 19) {
        some_are_accused(l, rng);
    } else {
        all_are_adopted(l);
        for (unsigned i = 0; i < NAMES; i++) {
            (void)snprintf(script, sizeof script, "%s gone; %s settled", names[i], names[i]);
            roster_log_say(l, script);
        }
    }
}
