/* SPDX-License-Identifier: Apache-2.0 */
/* known: where a recrawl begins: every URL that earlier runs have asked for, from the history, a
 * few hundred to a visit that fetches nothing. Pages that have not changed tell no links (304), so
 * what they led to is brought here. What the frontier knows already is left out behind it: after an
 * interruption all of it is brought once more. In a cluster each agent brings what it has asked
 * for; what is another's by now is sent to it, as links are.
 *
 * And of a crawl that goes on: what is nearer to a seed than an earlier run had time to see
 * (depths_recall.h). */
#include "components/cluster.h"
#include "components/depths_recall.h"
#include "components/services.h"
#include "components/visit.h"

#include "base/log.h"
#include "base/mem.h"

enum { KNOWN_A_VISIT = 200, BYTES_A_VISIT = 256 << 10 }; /* whichever comes first */

struct known {
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    struct history_cursor *cursor; /* NULL: there is nothing to bring, or no more */
    struct str again;              /* likewise, of what is found again */
};

/* Something is neither open nor journalled: a list, or all before the first. */
static void on_its_way(struct known *k, bool begins)
{
    if (begins)
        k->cluster->ops->begin(k->cluster);
    else
        k->cluster->ops->end(k->cluster);
}

static void known_close(struct instance *self)
{
    struct known *k = self->state;
    history_cursor_close(k->cursor);
    mem_free(k);
}

static enum rc known_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct known *k = mem_zero(1, sizeof *k);
    if (!k)
        return RC_NOMEM;
    self->state = k;
    k->ledger = part_provider(self, 0);
    k->cluster = part_provider(self, 1);
    k->again = buf_str(&k->ledger->found_again);
    struct history *h = ledger_history(k->ledger->ledger);
    if (!k->ledger->opened.is_unmet || !h)
        return RC_OK;
    k->cursor = history_cursor_open(h);
    if (k->cursor) {
        on_its_way(k, true);
        return RC_OK;
    }
    known_close(self);
    return RC_NOMEM;
}

static char last_hop(struct str hops)
{
    return (char)(hops.n ? hops.p[hops.n - 1] : HOP_LINK);
}

static enum rc refer(struct visit *v, struct str url, struct str hops, uint64_t via)
{
    if (!visit_refer(v, url, last_hop(hops), STR_NONE))
        return RC_NOMEM;
    v->known[v->reference_count - 1] = (struct visit_known){hops.p ? hops : STR(""), via};
    return RC_OK;
}

/* RC_NOT_FOUND: there are no more. The list outlives the visit. */
static enum rc bring_again(struct known *k, struct visit *v)
{
    struct found_again f;
    return found_again_next(&k->again, &f) ? refer(v, f.url, f.hops, f.via) : RC_NOT_FOUND;
}

/* RC_NOT_FOUND: there are no more. */
static enum rc bring_one(struct instance *self, struct known *k, struct visit *v)
{
    struct past past;
    uint64_t fingerprint = 0;
    enum rc rc = history_cursor_next(k->cursor, v->arena, &fingerprint, &past);
    if (rc == RC_CORRUPT || rc == RC_VERSION) {
        log_warn(part_log(self), "known.unreadable", LOG_RC(rc));
        part_count_error(self);
        return RC_OK;
    }
    if (rc)
        return rc;
    return refer(v, past.url, past.hops, past.via);
}

static enum rc bring(struct instance *self, struct known *k, struct visit *v)
{
    enum rc rc = RC_OK;
    v->known = arena_zero(v->arena, KNOWN_A_VISIT * sizeof *v->known);
    if (!v->known)
        return RC_NOMEM;
    for (int i = 0; i < KNOWN_A_VISIT && arena_used(v->arena) < BYTES_A_VISIT && rc == RC_OK; i++)
        rc = k->again.n ? bring_again(k, v) : k->cursor ? bring_one(self, k, v) : RC_NOT_FOUND;
    return rc;
}

static enum produced known_produce(struct instance *self)
{
    struct known *k = self->state;
    if (!k->cursor && !k->again.n)
        return PRODUCED_IDLE;
    struct visit *v = visit_open(VISIT_KNOWN, NULL);
    enum rc rc = v ? bring(self, k, v) : RC_NOMEM;
    if (v && v->reference_count) {
        on_its_way(k, true);
        part_emit(self, 0, &v->head);
    } else if (v)
        message_end(&v->head);
    if (rc == RC_OK)
        return PRODUCED_MORE;
    bool was_known = k->cursor != NULL;
    history_cursor_close(k->cursor);
    k->cursor = NULL;
    k->again = STR("");
    if (was_known)
        on_its_way(k, false);
    if (was_known && rc == RC_NOT_FOUND)
        k->cluster->ops->met(k->cluster);
    else if (rc != RC_NOT_FOUND)
        part_fail(self, rc, "cannot read what is known: %s", rc_text(rc));
    return PRODUCED_IDLE;
}

const struct part part_known = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "known",
    .help = "brings what was asked for before, when it is to be asked for again",
    .where = PART_ON_ONE_SHARD,
    .outlets =
        (const struct part_port[]){{"out", VISIT_TYPE, "URLs, as links of a visit", false}, {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "has the history"},
                                        {"cluster", CLUSTER_INTERFACE, "waits for what is known"},
                                        {0}},
    .credits_each = 4,
    .credits_default = 64,
    .open = known_open,
    .close = known_close,
    .produce = known_produce,
};
