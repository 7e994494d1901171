/* SPDX-License-Identifier: Apache-2.0 */
/* What the journal holds for other agents. Batches that a recovery has made void are passed over.
 * The batch that says so stands behind them, so all such batches are read first. */
#include "ledger/ledger_internal.h"

#include "base/mem.h"

struct ledger_outbox {
    struct ledger *ledger;
    struct journal_reader *reader;
};

struct ledger_outbox *ledger_outbox_open(struct ledger *l)
{
    struct ledger_outbox *o = mem_zero(1, sizeof *o);
    if (!o)
        return NULL;
    o->ledger = l;
    o->reader = journal_reader_open(l->journal);
    if (o->reader)
        return o;
    mem_free(o);
    return NULL;
}

void ledger_outbox_close(struct ledger_outbox *o)
{
    if (!o)
        return;
    journal_reader_close(o->reader);
    mem_free(o);
}

static bool is_for_others(const struct ledger *l, const struct batch *b, uint64_t position)
{
    if (stretches_have(&l->voids, position))
        return false;
    if (b->kind == BATCH_NEWS)
        return b->news.foreign.n > 0;
    bool has_seed_path =
        b->has_history && b->history.file.p; /* of a page whose links were judged again */
    return b->kind == BATCH_OUTCOME && (b->links.n || b->has_url || has_seed_path);
}

enum rc ledger_outbox_next(struct ledger_outbox *o, uint64_t from, struct batch *ret,
                           uint64_t *ret_position, uint64_t *ret_next)
{
    uint64_t durable = ledger_durable(o->ledger), position = from, next = from;
    const char *why;
    struct str bytes;
    enum rc rc = RC_OK;
    while (position < durable && rc == RC_OK) {
        rc = journal_reader_at(o->reader, position, &bytes, &next);
        rc = rc ? rc : batch_read(bytes, ret, &why);
        if (rc == RC_OK && is_for_others(o->ledger, ret, position)) {
            *ret_position = position;
            *ret_next = next;
            return RC_OK;
        }
        position = next;
    }
    return rc ? rc : RC_NOT_FOUND;
}

/* What earlier recoveries made void between the outbox and the snapshot: recovery itself begins at
 * the snapshot. */
enum rc outbox_find_voids(struct ledger *l)
{
    struct journal_reader *r = journal_reader_open(l->journal);
    uint64_t position = l->agent.outbox_kept;
    enum rc rc = r ? RC_OK : RC_NOMEM;
    while (rc == RC_OK && position < l->kept.position) {
        struct str bytes;
        struct batch b;
        const char *why;
        uint64_t at = position;
        rc = journal_reader_at(r, position, &bytes, &position);
        rc = rc ? rc : batch_read(bytes, &b, &why);
        if (rc == RC_OK && b.kind == BATCH_VOID)
            rc = stretches_add(&l->voids, b.void_from, at);
    }
    journal_reader_close(r);
    return rc;
}
