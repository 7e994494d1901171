/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster as this agent sees it, and the agent itself, as members of a JSON object. */
#include "agent/agent_internal.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cluster/protocol/view.h"

#include <unistd.h>

static const char *state_of(const struct roster_agent *r)
{
    static const char *const words[] = {"living", "leaving", "dead", "forgotten"};
    return words[r->state];
}

static void say_member(struct jsonw *j, const struct view_member *m)
{
    jsonw_object(j);
    jsonw_text_field(j, "agent", str_c(m->is->name));
    jsonw_u64_field(j, "inc", m->is->inc);
    jsonw_text_field(j, "state", str_c(state_of(m->is)));
    jsonw_u64_field(j, "weight", m->is->weight);
    jsonw_key(j, "share");
    jsonw_real(j, m->share);
    jsonw_bool_field(j, "me", m->is_me);
    if (!m->is_me) {
        jsonw_u64_field(j, "silent_ms", m->silent_ms);
        jsonw_bool_field(j, "suspect", m->is_suspect);
    }
    jsonw_end(j);
}

static void say_members(struct cluster_part *c, struct jsonw *j, uint64_t now_ms)
{
    struct view_member *list = mem_zero(ROSTER_MAX_AGENTS, sizeof *list);
    size_t count = list ? agent_view(c->agent, now_ms, list, ROSTER_MAX_AGENTS) : 0;
    jsonw_key(j, "suspects");
    jsonw_array(j);
    for (size_t i = 0; i < count; i++)
        if (list[i].is_suspect)
            jsonw_text(j, str_c(list[i].is->name));
    jsonw_end(j);
    jsonw_key(j, "members");
    jsonw_array(j);
    for (size_t i = 0; i < count; i++)
        say_member(j, &list[i]);
    jsonw_end(j);
    mem_free(list);
}

/* Agents that took part and are dead or gone. They still have what they archived. */
static void say_away(const struct roster *r, struct jsonw *j)
{
    const struct roster_agent *a;
    jsonw_key(j, "away");
    jsonw_array(j);
    for (size_t i = 0; (a = roster_known(r, i)); i++) {
        const struct roster_agent *youngest = roster_find(r, str_c(a->name));
        if (a == youngest && (a->state == ROSTER_DEAD_NOW || a->state == ROSTER_FORGOTTEN))
            jsonw_text(j, str_c(a->name));
    }
    jsonw_end(j);
}

static void say_status(struct jsonw *j, const struct agent_status *s)
{
    jsonw_text_field(j, "state", str_c(agent_state_text(s->state)));
    jsonw_u64_field(j, "inc", s->inc);
    jsonw_u64_field(j, "first", s->first_inc);
    jsonw_u64_field(j, "epoch", s->epoch);
    jsonw_u64_field(j, "settled", s->settled);
    jsonw_u64_field(j, "roster", s->roster_length);
    jsonw_bool_field(j, "roster_whole", s->is_whole);
    jsonw_key(j, "lease_ms");
    if (s->lease_age_ms == UINT64_MAX)
        jsonw_null(j);
    else
        jsonw_u64(j, s->lease_age_ms);
    jsonw_u64_field(j, "generation", s->generation);
    jsonw_u64_field(j, "cursor", s->cursor);
    jsonw_u64_field(j, "acked_through", s->acked_through);
    jsonw_u64_field(j, "behind", s->cursor > s->acked_through ? s->cursor - s->acked_through : 0);
    jsonw_u64_field(j, "parcels", s->parcels);
    jsonw_u64_field(j, "pages_unsent", s->pages_unsent);
    jsonw_u64_field(j, "untold", s->untold);
    jsonw_u64_field(j, "untold_most", s->untold_most);
    jsonw_bool_field(j, "untold_paused", s->is_paused);
    jsonw_bool_field(j, "gates_open", s->gates_open);
    jsonw_bool_field(j, "idle", s->is_idle);
    jsonw_bool_field(j, "finished", s->is_finished);
    jsonw_u64_field(j, "junk", s->junk);
    jsonw_u64_field(j, "sent_again", s->sent_again);
    jsonw_u64_field(j, "appends", s->appends);
    jsonw_u64_field(j, "append_bytes", s->append_bytes);
}

static void say_counts(struct jsonw *j, const struct port_counts *n)
{
    jsonw_u64_field(j, "queued", n->queued);
    jsonw_u64_field(j, "open", n->open);
    jsonw_u64_field(j, "moving", n->moving);
    jsonw_u64_field(j, "pages", n->pages);
}

static void say_where(const struct cluster_part *c, struct jsonw *j)
{
    char host[256] = "";
    (void)gethostname(host, sizeof host - 1);
    jsonw_text_field(j, "host", str_c(host));
    jsonw_u64_field(j, "process", (uint64_t)getpid());
    jsonw_u64_field(j, "began_ms", c->began_ms);
}

void cluster_view(struct cluster_service *s, struct jsonw *j)
{
    struct cluster_part *c = EVENT_OF(s, struct cluster_part, service);
    uint64_t now_ms = clock_now_ms(c->ledger->run.clock);
    struct agent_status status;
    struct port_counts counts;
    (void)pthread_mutex_lock(&c->lock);
    agent_status(c->agent, now_ms, &status);
    counts = port_counts(&c->port);
    jsonw_text_field(j, "crawl", str_c(c->login.crawl));
    jsonw_text_field(j, "agent", str_c(c->login.name));
    say_where(c, j);
    say_status(j, &status);
    say_counts(j, &counts);
    cluster_lost_say(c, j);
    say_away(agent_roster(c->agent), j);
    say_members(c, j, now_ms);
    (void)pthread_mutex_unlock(&c->lock);
}

/* The youngest incarnation of that name, forgotten or not. Older ones are forgotten, unless they
 * are members. */
void cluster_former(struct cluster_service *s, struct str name, struct jsonw *j)
{
    struct cluster_part *c = EVENT_OF(s, struct cluster_part, service);
    (void)pthread_mutex_lock(&c->lock);
    const struct roster_agent *a = roster_find(agent_roster(c->agent), name);
    jsonw_key(j, "former");
    jsonw_object(j);
    jsonw_text_field(j, "agent", name);
    jsonw_u64_field(j, "inc", a ? a->inc : 0);
    jsonw_text_field(j, "state", a ? str_c(state_of(a)) : STR("unknown"));
    jsonw_end(j);
    (void)pthread_mutex_unlock(&c->lock);
}

bool cluster_owner(struct cluster_service *s, uint64_t host_hash, char *name)
{
    struct cluster_part *c = EVENT_OF(s, struct cluster_part, service);
    (void)pthread_mutex_lock(&c->lock);
    const struct roster_agent *owner = agent_view_owner(c->agent, host_hash);
    bool is_other = owner && !agent_owns(c->agent, host_hash);
    if (is_other)
        memcpy(name, owner->name, sizeof owner->name);
    (void)pthread_mutex_unlock(&c->lock);
    return is_other;
}

size_t cluster_others(struct cluster_service *s, char (*names)[PEER_NAME_BYTES + 1], size_t most)
{
    struct cluster_part *c = EVENT_OF(s, struct cluster_part, service);
    size_t count = 0;
    (void)pthread_mutex_lock(&c->lock);
    const struct roster *r = agent_roster(c->agent);
    for (size_t i = 0; i < roster_count(r) && count < most; i++) {
        const struct roster_agent *a = roster_at(r, i);
        bool is_living = a->state == ROSTER_LIVING || a->state == ROSTER_LEAVING;
        if (is_living && strcmp(a->name, c->login.name) != 0)
            memcpy(names[count++], a->name, sizeof a->name);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return count;
}

bool cluster_is_suspect(struct cluster_service *s, struct str name)
{
    struct cluster_part *c = EVENT_OF(s, struct cluster_part, service);
    (void)pthread_mutex_lock(&c->lock);
    bool is = agent_is_suspect(c->agent, name, clock_now_ms(c->ledger->run.clock));
    (void)pthread_mutex_unlock(&c->lock);
    return is;
}

void cluster_ask_leave(struct cluster_service *s)
{
    struct cluster_part *c = EVENT_OF(s, struct cluster_part, service);
    (void)pthread_mutex_lock(&c->lock);
    agent_leave(c->agent);
    (void)pthread_mutex_unlock(&c->lock);
}
