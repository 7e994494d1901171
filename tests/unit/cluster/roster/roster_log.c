/* SPDX-License-Identifier: Apache-2.0 */
#include "roster_log.h"

#include "lib/test.h"

#include <stdlib.h>

const struct roster_timings roster_log_timings = {.heartbeat_ms = 1000,
                                                  .renew_ms = 5000,
                                                  .suspect_ms = 6000,
                                                  .fence_ms = 45000,
                                                  .abort_ms = 55000,
                                                  .dead_ms = 60000};

void roster_log_open(struct roster_log *l)
{
    *l = (struct roster_log){
        .stamp_ms = 1000000, .kept = {.max = 1 << 26}, .points = 64, .probes = 3};
    assert_rc(roster_open(&l->roster), RC_OK);
}

void roster_log_close(struct roster_log *l)
{
    roster_close(l->roster);
    buf_done(&l->kept);
}

void roster_log_take(struct roster_log *l, struct str writer, struct str bytes)
{
    struct roster_stand at = {roster_length(l->roster) + 1, l->stamp_ms, writer};
    l->why = NULL;
    l->rc = roster_take(l->roster, &at, bytes, &l->why);
    assert_true(l->rc == RC_OK || l->rc == RC_LIMIT);
    assert_non_null(l->why);
    roster_lost_put(&l->kept, &at, bytes);
}

static enum roster_kind kind_of(struct str word)
{
    static const char *const names[] = {"",       "found",   "renew",   "join",
                                        "weight", "leave",   "dead",    "adopted",
                                        "gone",   "settled", "restore", "recrawl"};
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (str_eq(word, str_c(names[i])))
            return (enum roster_kind)i;
    fail_msg("no such entry: " STR_FMT, STR_ARG(word));
    return 0;
}

static void set_field(struct roster_entry *e, struct str word)
{
    struct str key = str_take_until(&word, '=');
    uint64_t v = word.p ? strtoull(word.p, NULL, 10) : 1;
    if (str_eq(key, STR("inc")))
        e->inc = v;
    else if (str_eq(key, STR("e")))
        e->epoch = v;
    else if (str_eq(key, STR("n")))
        e->n = v;
    else if (str_eq(key, STR("lease")))
        e->lease = v;
    else if (str_eq(key, STR("boot")))
        e->boot = v;
    else if (str_eq(key, STR("weight")))
        e->weight = (uint32_t)v;
    else if (str_eq(key, STR("points")))
        e->points = (uint32_t)v;
    else if (str_eq(key, STR("probes")))
        e->probes = (uint32_t)v;
    else if (str_eq(key, STR("renew")))
        e->timings.renew_ms = (uint32_t)v;
    else if (str_eq(key, STR("fence")))
        e->timings.fence_ms = (uint32_t)v;
    else if (str_eq(key, STR("start")))
        e->is_start = true;
    else
        fail_msg("no such field: " STR_FMT, STR_ARG(key));
}

static void fill_in(const struct roster_log *l, struct str writer, struct roster_entry *e)
{
    const struct roster_agent *own = roster_find(l->roster, writer);
    const struct roster_agent *v = roster_find(l->roster, e->victim);
    const struct roster_agent *about = e->victim.p ? v : own;
    e->inc = (about ? about->inc : 0) + (e->kind == ROSTER_JOIN);
    e->boot = own && e->kind != ROSTER_JOIN ? own->boot : 1;
    e->n = l->stamp_ms;
    e->epoch = roster_epoch(l->roster) + (e->kind != ROSTER_SETTLED);
    e->lease = v ? v->lease_number : 0;
    e->weight = ASSIGN_WEIGHT_ONE;
    e->timings = roster_log_timings;
    e->points = l->points;
    e->probes = l->probes;
}

static void write_entry(struct roster_log *l, struct str writer, struct str rest)
{
    char room[256];
    struct buf out = buf_on(room, sizeof room);
    struct roster_entry e = {.kind = kind_of(str_take_until(&rest, ' '))};
    if (e.kind == ROSTER_DEAD || e.kind == ROSTER_ADOPTED)
        e.victim = str_take_until(&rest, ' ');
    fill_in(l, writer, &e);
    while (rest.p)
        set_field(&e, str_take_until(&rest, ' '));
    roster_entry_write(&e, &out);
    assert_rc(buf_rc(&out), RC_OK);
    roster_log_take(l, writer, buf_str(&out));
}

static void go_on(struct roster_log *l, struct str who, uint64_t seconds)
{
    for (uint64_t i = 0; i < seconds; i += 5) {
        l->stamp_ms += 5000;
        for (struct str rest = who; rest.p;)
            write_entry(l, str_take_until(&rest, ','), STR("renew"));
    }
}

static void say_one(struct roster_log *l, struct str line)
{
    if (str_starts(line, STR("+"))) {
        l->stamp_ms += strtoull(line.p + 1, NULL, 10);
        return;
    }
    if (str_starts(line, STR("-"))) {
        l->stamp_ms -= strtoull(line.p + 1, NULL, 10);
        return;
    }
    if (str_starts(line, STR("found"))) {
        write_entry(l, STR("operator"), line);
        return;
    }
    struct str writer = str_take_until(&line, ' ');
    if (str_starts(line, STR("go ")))
        go_on(l, writer, strtoull(line.p + 3, NULL, 10));
    else
        write_entry(l, writer, line);
}

void roster_log_say(struct roster_log *l, const char *script)
{
    for (struct str rest = str_c(script); rest.p;) {
        struct str line = str_trim(str_take_until(&rest, ';'));
        if (line.n)
            say_one(l, line);
    }
}
