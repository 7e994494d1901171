/* SPDX-License-Identifier: Apache-2.0 */
/* namesake: a second process with the name of a running agent, and an empty directory.
 *
 * It must end by itself, for that reason, and must fetch nothing; the first process continues in
 * its boot. No other fault happens meanwhile: after a kill, another process might rightly take the
 * name. */
#include "base/mem.h"
#include "simulate/world_internal.h"

enum { MOST_DEADS = 3 };

bool namesake_runs(const struct world *w)
{
    return w->namesake && w->namesake->agent;
}

static uint64_t boot_of(const struct world *w, const struct world_agent *a)
{
    struct agent_status st = {0};
    if (a->agent)
        agent_status(a->agent, world_agent_now(w, a), &st);
    return st.boot;
}

static bool is_up(const struct world *w, const struct world_agent *a)
{
    struct agent_status st;
    agent_status(a->agent, world_agent_now(w, a), &st);
    return st.state == AGENT_UP && !a->is_leaving;
}

static struct world_agent *make_namesake(struct world *w, const struct world_agent *first)
{
    struct world_agent *a = mem_zero(1, sizeof *a);
    if (!a)
        return NULL;
    *a = (struct world_agent){.stream = first->stream, .start_ms = UINT64_MAX, .skew_ms = 1000};
    memcpy(a->name, first->name, sizeof a->name);
    a->next = (struct heap_node){.key = UINT64_MAX, .order = w->agent_most};
    if (model_init(&a->model, &w->web, a->name, w->facts) || heap_add(&w->schedule, &a->next)) {
        model_done(&a->model);
        mem_free(a);
        return NULL;
    }
    return a;
}

bool namesake_begin(struct world *w, struct world_agent *first)
{
    if (!first || !is_up(w, first) || w->namesake)
        return false;
    w->namesake = make_namesake(w, first);
    if (!w->namesake || world_start(w, w->namesake)) {
        world_break(w, 12, "no memory");
        return false;
    }
    w->namesake_of = first;
    w->namesake_boot = boot_of(w, first);
    w->namesake_end_ms = w->now_ms + MOST_DEADS * (uint64_t)w->timings.dead_ms;
    return true;
}

void namesake_stop(struct world *w)
{
    if (w->namesake)
        world_stop(w, w->namesake);
}

void namesake_ended(struct world *w)
{
    const char *why = agent_why(w->namesake->agent);
    if (strcmp(why, AGENT_NAMESAKE) != 0)
        world_break(w, 12, "the second process of %s ends: %s", w->namesake->name, why);
    else if (boot_of(w, w->namesake_of) != w->namesake_boot)
        world_break(w, 12, "%s did not continue beside a second process", w->namesake->name);
    namesake_stop(w);
}

void namesake_look(struct world *w)
{
    if (!namesake_runs(w))
        return;
    if (!w->namesake_of->agent) /* the first process has ended, so the simulation ends the second */
        namesake_stop(w);
    else if (w->now_ms > w->namesake_end_ms)
        world_break(w, 12, "the second process of %s does not end", w->namesake->name);
}

void namesake_free(struct world *w)
{
    if (!w->namesake)
        return;
    namesake_stop(w);
    model_done(&w->namesake->model);
    mem_free(w->namesake);
}
