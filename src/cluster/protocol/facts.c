/* SPDX-License-Identifier: Apache-2.0 */
/* facts: what an agent must remember of itself, as bytes in the crawl's journal. A fact is a kind,
 * its numbers, a name, and for a message of the roster the message. */
#include "base/bytes.h"
#include "cluster/protocol/agent_internal.h"

enum fact_kind {
    FACT_INC = 1, /* a new incarnation begins */
    FACT_BOOT,
    FACT_CURSOR,
    FACT_HANDOVER_MARK,
    FACT_ADOPT,
    FACT_ROSTER,
    FACT_CUT,
    FACT_RECRAWL,
};
enum { FACT_HEAD_BYTES = 1 + 3 * 8 + 1 };

static void put_fact(struct buf *out, enum fact_kind kind, uint64_t x, uint64_t y, uint64_t z,
                     struct str name)
{
    buf_byte(out, (char)kind);
    buf_le64(out, x);
    buf_le64(out, y);
    buf_le64(out, z);
    buf_byte(out, (char)name.n);
    buf_add(out, name);
}

void fact_inc(struct buf *out, uint64_t inc)
{
    put_fact(out, FACT_INC, inc, 0, 0, STR(""));
}

void fact_boot(struct buf *out, uint64_t boot)
{
    put_fact(out, FACT_BOOT, boot, 0, 0, STR(""));
}

void fact_cursor(struct buf *out, const struct inbox *in)
{
    put_fact(out, FACT_CURSOR, in->generation, in->cursor, in->cursor_hash, STR(""));
}

void fact_handover_mark(struct buf *out, struct str holder, uint64_t inc, uint64_t epoch)
{
    put_fact(out, FACT_HANDOVER_MARK, inc, epoch, 0, holder);
}

void fact_adopted(struct buf *out, const struct adoptee *d)
{
    put_fact(out, FACT_ADOPT, d->inc, d->cursor, 0, str_c(d->name));
}

void fact_roster(struct buf *out, uint64_t stamp_ms, struct str writer, struct str entry)
{
    put_fact(out, FACT_ROSTER, stamp_ms, 0, 0, writer);
    buf_add(out, entry);
}

void fact_cut(struct buf *out, uint64_t sequence)
{
    put_fact(out, FACT_CUT, sequence, 0, 0, STR(""));
}

void fact_recrawl(struct buf *out, const struct recrawl *t)
{
    put_fact(out, FACT_RECRAWL, t->number, t->id, t->wall_ms, STR(""));
}

static void recall_boot(struct agent *a, uint64_t boot)
{
    if (a->boots.count == AGENT_MAX_BOOTS) {
        memmove(a->boots.list, a->boots.list + 1, (AGENT_MAX_BOOTS - 1) * sizeof *a->boots.list);
        a->boots.count--;
    }
    a->boots.list[a->boots.count++] = boot;
    a->boot = boot;
}

static void recall_inc(struct agent *a, uint64_t position, uint64_t inc)
{
    a->inc = inc;
    agent_look_for_me(a);
    a->first_inc = a->first_inc ? a->first_inc : inc;
    a->inc_position = position;
    a->boots.count = 0;
    inbox_reset(a);
    gates_reset(a);
}

enum rc facts_recall(void *agent, uint64_t position, struct str fact)
{
    struct agent *a = agent;
    while (fact.n) {
        if (fact.n < FACT_HEAD_BYTES)
            return RC_CORRUPT;
        uint64_t x = get_le64(fact.p + 1), y = get_le64(fact.p + 9), z = get_le64(fact.p + 17);
        struct str name = str_make(fact.p + FACT_HEAD_BYTES, (unsigned char)fact.p[25]);
        enum fact_kind kind = (enum fact_kind)(unsigned char)fact.p[0];
        if (name.n > ROSTER_MAX_NAME_BYTES || name.n > fact.n - FACT_HEAD_BYTES)
            return RC_CORRUPT;
        fact = str_from(fact, FACT_HEAD_BYTES + name.n);
        switch (kind) {
        case FACT_INC:
            recall_inc(a, position, x);
            break;
        case FACT_BOOT:
            recall_boot(a, x);
            break;
        case FACT_CURSOR:
            a->inbox.generation = x;
            a->inbox.cursor = y;
            a->inbox.cursor_hash = z;
            break;
        case FACT_HANDOVER_MARK:
            gates_handover_mark(a, name, x, y, position);
            break;
        case FACT_ADOPT:
            adoption_recall(a, name, x, y);
            break;
        case FACT_ROSTER: /* always the last fact of its batch: the message is the rest */
            return roster_log_take(a, x, name, fact);
        case FACT_CUT:
            if (x > a->log.count)
                return RC_CORRUPT;
            return roster_log_cut(a, x);
        case FACT_RECRAWL:
            recrawls_recall(a, position, x, y, z);
            break;
        default:
            return RC_CORRUPT;
        }
    }
    return RC_OK;
}
