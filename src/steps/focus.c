/* SPDX-License-Identifier: Apache-2.0 */
/* focus: does a page fit the topic, and do its links promise to?
 *
 * Each page gets a score. A page below keep-score is not archived; links of a page below
 * follow-score are not followed; a link is not followed if its words and its page promise less than
 * link-score. What a page needs to be shown is taken if the page is. Links of a seed are followed
 * whatever its score: a portal need not speak of the topic. Without keywords everything passes. */
#include "discovery/seed_path.h"
#include "fetch/topic.h"
#include "order/order.h"
#include "order/pvalue.h"
#include "visit/visit.h"

#include "base/mem.h"

struct focus_settings {
    struct option_list keywords;
    double keep_score, follow_score, link_score;
    unsigned order;
};

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct focus_settings, field, __VA_ARGS__)
static const struct option focus_options[] = {
    ROW(LIST, keywords, "keywords", NULL, "the topic: words and phrases, with weights as word^2",
        .arg = "WORD,..."),
    ROW(REAL, keep_score, "keep-score", "0.1", "pages that fit less are not archived"),
    ROW(REAL, follow_score, "follow-score", "0.1", "links of pages that fit less are not followed"),
    ROW(REAL, link_score, "link-score", "0", "links that promise less are not followed"),
    ROW(CHOICE, order, "order", "breadth", "of topic: links are asked for by their scores",
        .choices = ORDER_CHOICES),
    {0},
};
#undef ROW

struct focus {
    struct topic *topic; /* NULL: there is none */
};

static void focus_close(struct instance *self)
{
    struct focus *f = self->state;
    topic_close(f->topic);
    mem_free(f);
}

static bool is_score(double x, const char *key, struct buf *why)
{
    if (x >= 0 && x <= 1)
        return true;
    buf_printf(why, "%s: a score is from 0 to 1", key);
    return false;
}

static bool has_topic(const struct focus_settings *s, struct buf *why)
{
    if (s->order != ORDER_TOPIC || s->keywords.count)
        return true;
    buf_add(why, STR("order: topic orders links by how well they fit the keywords, and there are "
                     "none; give --keywords WORD,... or another --order"));
    return false;
}

static enum rc focus_open(struct instance *self, struct buf *why)
{
    const struct focus_settings *s = self->settings;
    if (!is_score(s->keep_score, "keep-score", why) ||
        !is_score(s->follow_score, "follow-score", why) ||
        !is_score(s->link_score, "link-score", why) || !has_topic(s, why))
        return RC_INVALID;
    struct focus *f = mem_zero(1, sizeof *f);
    if (!f)
        return RC_NOMEM;
    self->state = f;
    enum rc rc = s->keywords.count
                     ? topic_open(s->keywords.items, s->keywords.count, &f->topic, why)
                     : RC_OK;
    if (rc)
        focus_close(self);
    return rc == RC_LIMIT ? RC_INVALID : rc;
}

/* Of pages alone: neither of sitemaps nor of redirects. */
static void score_page(struct focus *f, const struct focus_settings *s, struct visit *v)
{
    v->judged.score = topic_page_score(f->topic, v->parsed.title, v->parsed.visible);
    v->judged.is_unkept = v->judged.score < s->keep_score;
}

static double score_link(struct focus *f, const struct visit *v, const struct link_reference *r)
{
    struct topic_field fields[] = {{r->anchor, 1, false}, {r->raw, 1, true}};
    return topic_link_score(topic_score(f->topic, fields, 2), v->judged.score);
}

/* Its score is wanted for a threshold, or for the order of the crawl. */
static bool promises_enough(struct focus *f, const struct focus_settings *s, const struct visit *v,
                            struct link_reference *r)
{
    if (s->link_score <= 0 && s->order != ORDER_TOPIC)
        return true;
    double score = score_link(f, v, r);
    r->worth = (uint16_t)order_score_value(score);
    return score >= s->link_score;
}

static void choose_links(struct focus *f, const struct focus_settings *s, struct visit *v)
{
    bool stops = v->judged.score >= 0 && v->judged.score < s->follow_score &&
                 !seed_path_is_seeds(v->turn.checkout.seed_path);
    for (size_t i = 0; i < v->parsed.reference_count; i++) {
        struct link_reference *r = &v->parsed.references[i];
        if (r->hop == HOP_EMBED)
            r->is_unwanted = v->judged.is_unkept;
        else if (hop_is_deeper(r->hop))
            r->is_unwanted = stops || !promises_enough(f, s, v, r);
        v->judged.unwanted_count += r->is_unwanted;
    }
}

static void focus_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct focus *f = self->state;
    struct visit *v = visit_of(m);
    if (f->topic && v->kind == VISIT_PAGE) {
        if (v->parsed.is_page)
            score_page(f, self->settings, v);
        choose_links(f, self->settings, v);
    }
    part_emit(self, 0, m);
}

const struct part part_focus = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "focus",
    .help = "scores pages and links by keywords",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "with references", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "with a score", false}, {0}},
    .options = focus_options,
    .settings_bytes = sizeof(struct focus_settings),
    .open = focus_open,
    .close = focus_close,
    .handle = focus_handle,
};
