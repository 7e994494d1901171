/* SPDX-License-Identifier: Apache-2.0 */
/* compare: finds what changed since the last visit: the page's elements, its words, or neither.
 *
 * The next visit is compared with a handful of codes (src/change), which the history keeps. They
 * are made only where the crawl asks for them (turn.is_compared): they cost more than all else that
 * is done to a page, except compressing it. write-warc says whether anything changed, by the digest
 * of the payload; compare says what. */
#include "change/verdict.h"
#include "html/page.h"
#include "visit/visit.h"

#include "base/mem.h"

enum { COMPARED_TESTS = CHANGE_STRUCTURE_TESTS | CHANGE_TEXT_TESTS, ARENA_BYTES = 64 << 20 };

struct compare {
    struct arena *scratch; /* emptied after each page */
};

static void compare_close(struct instance *self)
{
    struct compare *c = self->state;
    arena_close(c->scratch);
    mem_free(c);
}

static enum rc compare_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct compare *c = mem_zero(1, sizeof *c);
    if (!c)
        return RC_NOMEM;
    self->state = c;
    c->scratch = arena_open(64 << 10, ARENA_BYTES);
    if (!c->scratch) {
        compare_close(self);
        return RC_NOMEM;
    }
    return RC_OK;
}

static enum rc codes_of(struct compare *c, const struct visit *v, struct change_codes *ret)
{
    struct change_tag *tags = arena_alloc(c->scratch, v->parsed.tag_count * sizeof *tags + 1);
    if (!tags)
        return RC_NOMEM;
    for (size_t i = 0; i < v->parsed.tag_count; i++)
        tags[i] = (struct change_tag){v->parsed.tags[i].name,
                                      (enum change_tag_kind)v->parsed.tags[i].kind};
    struct change_page page = {
        .tags = tags, .tag_count = v->parsed.tag_count, .text = v->parsed.visible};
    return change_codes_of(&page, COMPARED_TESTS, c->scratch, ret);
}

static unsigned what_changed(const struct change_codes *old, const struct change_codes *new)
{
    struct change_verdict verdict;
    change_compare_codes(old, new, CHANGE_EVERYTHING, &verdict);
    if (!verdict.of[CHANGE_STRUCTURE].tested || !verdict.of[CHANGE_TEXT].tested)
        return 0;
    unsigned bits = (verdict.of[CHANGE_STRUCTURE].changed ? HISTORY_STRUCTURE : 0) |
                    (verdict.of[CHANGE_TEXT].changed ? HISTORY_TEXT : 0);
    return bits ? bits : HISTORY_MARKUP;
}

static void compare_page(struct compare *c, struct visit *v)
{
    char room[CHANGE_CODES_MAX_BYTES];
    struct buf bytes = buf_on(room, sizeof room);
    struct change_codes codes, before;
    if (codes_of(c, v, &codes) != RC_OK) /* past a limit, or no memory: the page is not compared */
        return;
    change_codes_encode(&codes, &bytes);
    v->judged.codes = buf_rc(&bytes) == RC_OK ? arena_dup(v->arena, buf_str(&bytes)) : STR_NONE;
    if (v->turn.has_history && v->turn.history.codes.p &&
        change_codes_decode(v->turn.history.codes, &before) == RC_OK)
        v->judged.what_changed = what_changed(&before, &codes);
}

static void compare_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct compare *c = self->state;
    struct visit *v = visit_of(m);
    if (v->turn.is_compared && v->kind == VISIT_PAGE && v->parsed.is_page && v->parsed.tags &&
        v->answer.http->outcome == HTTP_WHOLE) {
        compare_page(c, v);
        arena_clear(c->scratch);
    }
    part_emit(self, 0, m);
}

const struct part part_compare = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "compare",
    .help = "says what changed since last time: elements, words, or neither",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "with a text", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "compared", false}, {0}},
    .open = compare_open,
    .close = compare_close,
    .handle = compare_handle,
};
