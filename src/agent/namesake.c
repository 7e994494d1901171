/* SPDX-License-Identifier: Apache-2.0 */
/* Another process runs with this agent's name: where it runs, and the text with which this process
 * ends. It is asked while this agent waits: when the evidence is complete, it is too late. */
#include "agent/agent_internal.h"

#include "base/clock.h"
#include "base/log.h"
#include "cluster/wire/subjects.h"

#include <jansson.h>
#include <stdio.h>

enum { ASK_MS = 2000 };

/* Below the ticket bits of peer requests, above the agent's serials. */
#define NAMESAKE_TICKET (UINT64_C(1) << 60)

void cluster_namesake_look(struct cluster_part *c, uint64_t now_ms)
{
    struct cluster_namesake *n = &c->namesake;
    char room[BUS_MAX_SUBJECT_BYTES];
    struct buf subject = buf_on(room, sizeof room);
    struct str name = str_c(c->login.name);
    if (!agent_namesake(c->agent) || now_ms < n->next_ms)
        return;
    n->next_ms = now_ms + 2 * ASK_MS;
    subject_write(
        &(struct subject){
            .kind = SUBJECT_ASK, .crawl = str_c(c->login.crawl), .to = name, .from = name},
        &subject);
    if (buf_rc(&subject) == RC_OK)
        (void)!bus_ask(c->bus, NAMESAKE_TICKET, buf_str(&subject), STR("{\"do\":\"agent\"}"),
                       ASK_MS);
}

bool cluster_namesake_event(struct cluster_part *c, const struct bus_event *e)
{
    if (e->kind != BUS_DONE || e->ticket != NAMESAKE_TICKET)
        return false;
    json_t *j = e->rc ? NULL : json_loadb(e->payload.p, e->payload.n, 0, NULL);
    const char *host = json_string_value(json_object_get(j, "host"));
    if (host) {
        struct cluster_namesake *n = &c->namesake;
        (void)snprintf(n->host, sizeof n->host, "%s", host);
        n->pid = (uint64_t)json_integer_value(json_object_get(j, "process"));
        n->began_ms = (uint64_t)json_integer_value(json_object_get(j, "began_ms"));
    }
    json_decref(j);
    return true;
}

void cluster_namesake_why(struct cluster_part *c, struct buf *out)
{
    const struct roster_agent *other = agent_namesake(c->agent);
    const struct cluster_namesake *n = &c->namesake;
    buf_printf(out, AGENT_NAMESAKE ": agent %s", c->login.name);
    if (other) {
        buf_printf(out, ", incarnation %llu, which renewed its lease at ",
                   (unsigned long long)other->inc);
        buf_time_iso(out, other->lease_stamp_ms);
    }
    if (*n->host) {
        buf_printf(out, ". It is process %llu on machine %s, since ", (unsigned long long)n->pid,
                   n->host);
        buf_time_iso(out, n->began_ms);
    } else {
        buf_add(out, STR(". Where it runs is not known"));
    }
    buf_add(out, STR(". That process continues, this one ends. To use this directory instead, "
                     "stop that process first; otherwise give this agent its own name (`orbweaver "
                     "cluster add NAME`)"));
}

void cluster_namesake_say(struct cluster_part *c, bool is_seen)
{
    if (!is_seen || c->namesake.is_said)
        return;
    c->namesake.is_said = true;
    log_warn(c->log, "cluster.namesake",
             LOG_C("why", "another process uses this agent's name, with an empty or older "
                          "directory; that process ends by itself, and this one continues"));
}
