/* SPDX-License-Identifier: Apache-2.0 */
#include "content/looks.h"
#include "content/sheet.h"
#include "world/put.h"

enum {
    NAV_LINKS = 7,
    FOOT_LINKS = 5,
    SECTION_BYTES = 2600,
    MOST_SECTIONS = 4000,
    CHANGE_CLASSES = 16, /* a change of text renews one of so many paragraphs, in turn */
};

/* The links of the body that are still to be written: [next, end). */
struct queue {
    uint32_t next, end;
};

static const struct link *queue_at(const struct sheet *s, const struct queue *q, uint32_t ahead)
{
    uint32_t at = q->next + ahead;
    return at < q->end ? &s->links->list[s->body[at]] : NULL;
}

static bool is_anchor(const struct link *l)
{
    return l && (l->kind == LINK_A || l->kind == LINK_A_NOFOLLOW);
}

/* How many links of one sort stand in a row, `most` at most. */
static uint32_t queue_run(const struct sheet *s, const struct queue *q, uint32_t most)
{
    const struct link *first = queue_at(s, q, 0), *l = first;
    uint32_t n = 0;
    while (n < most && l && (l->kind == first->kind || (is_anchor(first) && is_anchor(l))))
        l = queue_at(s, q, ++n);
    return n;
}

static const struct link *queue_take(const struct sheet *s, struct queue *q)
{
    const struct link *l = queue_at(s, q, 0);
    q->next++;
    return l;
}

static void piece_of(struct sheet *s, enum piece_kind kind, uint64_t chance)
{
    sheet_piece(s, pool_pick(s->pool, kind, chance));
}

/* Text that another version has differently: the plan knows the length it had at first. */
static void piece_of_version(struct sheet *s, enum piece_kind kind, uint64_t chance,
                             uint64_t version)
{
    uint32_t first = pool_pick(s->pool, kind, chance);
    if (version == 0) {
        sheet_piece(s, first);
        return;
    }
    uint32_t now = pool_other(s->pool, kind, first, version);
    s->drift += (int64_t)pool_piece(s->pool, now).n - (int64_t)pool_piece(s->pool, first).n;
    sheet_piece(s, now);
}

static uint64_t bytes_by_plan(const struct sheet *s)
{
    return (uint64_t)((int64_t)s->out->n - s->drift);
}

/* Runs of links ------------------------------------------------------------------------------ */

static void links_in_text(struct sheet *s, struct queue *q, uint32_t count, uint64_t chance)
{
    static const struct str before[] = {{"See ", 4},  {"Compare ", 8}, {"More in ", 8},
                                        {"Read ", 5}, {"Also: ", 6},   {"And ", 4}};
    PUT(s->out, "<p>");
    for (uint32_t i = 0; i < count; i++) {
        put(s->out, before[(chance >> (3 * i)) % 6]);
        anchor_write(s, queue_take(s, q), STR_NONE);
        PUT(s->out, ". ");
        if (i % 2 == 0)
            piece_of(s, PIECE_SENTENCE, hash64_mix(chance + i));
        put_byte(s->out, i + 1 < count ? ' ' : '\n');
    }
    PUT(s->out, "</p>\n");
}

static void links_as_list(struct sheet *s, struct queue *q, uint32_t count, uint64_t chance)
{
    PUT(s->out, "<ul class=\"simple\">\n");
    for (uint32_t i = 0; i < count; i++) {
        PUT(s->out, "<li>");
        anchor_write(s, queue_take(s, q), STR_NONE);
        if (chance >> i & 1) {
            PUT(s->out, " &ndash; ");
            piece_of(s, PIECE_HEADING, hash64_mix(chance + i));
        }
        PUT_EITHER(s->out, chance & 1, "</li>\n", "\n");
    }
    PUT(s->out, "</ul>\n");
}

static void links_as_cards(struct sheet *s, struct queue *q, uint32_t count, uint64_t chance)
{
    PUT(s->out, "<div class=\"cards\">\n");
    for (uint32_t i = 0; i < count; i++) {
        PUT(s->out, "<section class=\"card\"><h3>");
        anchor_write(s, queue_take(s, q), STR_NONE);
        PUT(s->out, "</h3><p>");
        piece_of(s, PIECE_SENTENCE, hash64_mix(chance + i));
        PUT(s->out, "</p></section>\n");
    }
    PUT(s->out, "</div>\n");
}

static void links_as_table(struct sheet *s, struct queue *q, uint32_t count, uint64_t chance)
{
    PUT(s->out, "<table>\n");
    for (uint32_t i = 0; i < count; i++) {
        PUT(s->out, "<tr><td>");
        anchor_write(s, queue_take(s, q), STR_NONE);
        PUT(s->out, "<td>");
        piece_of(s, PIECE_HEADING, hash64_mix(chance + i));
        put_byte(s->out, '\n');
    }
    PUT(s->out, "</table>\n");
}

static void anchors_write(struct sheet *s, struct queue *q, uint64_t chance)
{
    static void (*const ways[])(struct sheet *, struct queue *, uint32_t, uint64_t) = {
        links_in_text, links_in_text, links_in_text,  links_as_list,
        links_as_list, links_in_text, links_as_cards, links_as_table,
    };
    uint32_t count = queue_run(s, q, 1 + (uint32_t)(chance >> 56) % 6);
    ways[chance >> 48 & 7](s, q, count, chance);
}

static void map_write(struct sheet *s, struct queue *q)
{
    uint32_t count = queue_run(s, q, 8), name = q->next;
    PUT(s->out, "<map name=\"map");
    put_u64(s->out, name);
    PUT(s->out, "\">");
    for (uint32_t i = 0; i < count; i++)
        area_write(s, queue_take(s, q), i, STR_NONE);
    PUT(s->out, "</map>\n");
}

/* An image; the next link makes it a choice of two, or a map. */
static void figure_write(struct sheet *s, struct queue *q, uint64_t chance)
{
    const struct link *l = queue_take(s, q), *next = queue_at(s, q, 0), *other = NULL;
    if (next && next->kind == LINK_IMAGE && (next->quirks & QUIRK_SRCSET) &&
        !(l->quirks & QUIRK_SRCSET))
        other = queue_take(s, q);
    next = queue_at(s, q, 0);
    char room[32];
    struct buf map = buf_on(room, sizeof room);
    if (next && next->kind == LINK_AREA) {
        PUT(&map, "map");
        buf_u64(&map, q->next);
    }
    PUT(s->out, "<figure class=\"figure\">");
    image_element_write(s, l, other, STR_NONE, map.n ? buf_str(&map) : STR_NONE);
    PUT(s->out, "<figcaption>");
    if (world_settings(s->world)->demo)
        image_words(s->world, l->to, s->out);
    else
        piece_of(s, PIECE_HEADING, chance);
    PUT(s->out, "</figcaption></figure>\n");
}

static void frame_write(struct sheet *s, struct queue *q)
{
    PUT(s->out, "<div class=\"figure\">");
    iframe_write(s, queue_take(s, q));
    PUT(s->out, "</div>\n");
}

/* The next few links, in whichever way fits them. */
static void links_write(struct sheet *s, struct queue *q)
{
    uint64_t chance = sheet_chance(s, SHEET_LINKS + q->next);
    switch (queue_at(s, q, 0)->kind) {
    case LINK_IMAGE:
        figure_write(s, q, chance);
        break;
    case LINK_AREA:
        map_write(s, q);
        break;
    case LINK_IFRAME:
        frame_write(s, q);
        break;
    default:
        anchors_write(s, q, chance);
        break;
    }
}

/* The article -------------------------------------------------------------------------------- */

static void title_of_page(struct sheet *s)
{
    char room[800];
    struct buf words = buf_on(room, sizeof room);
    page_title_write(s->world, s->at.host, s->original, &words);
    PUT(s->out, "<h1>");
    sheet_text(s, buf_str(&words));
    PUT(s->out, "</h1>\n");
}

/* Every change of text shows here, and the one sentence of a near duplicate that is its own. */
static void lead_write(struct sheet *s)
{
    uint64_t chance = sheet_chance(s, SHEET_LEAD);
    uint64_t own = s->page.role == PAGE_NEAR_DUPLICATE ? s->at.page + 1 : 0;
    PUT(s->out, "<p class=\"lead\">");
    if (world_settings(s->world)->demo) {
        demo_page_lead(s->world, s->at.host, s->original, s->out);
        put_byte(s->out, ' ');
    }
    piece_of_version(s, PIECE_SENTENCE, chance, s->version.text);
    put_byte(s->out, ' ');
    piece_of_version(s, PIECE_SENTENCE, hash64_mix(chance), own);
    PUT(s->out, "</p>\n");
}

/* Something that a change of structure moves and replaces. */
static void box_write(struct sheet *s)
{
    size_t start = s->out->n;
    uint64_t chance = sheet_chance(s, SHEET_BOX + ((uint64_t)s->version.structure << 32));
    switch (s->version.structure % 3) {
    case 0:
        PUT(s->out, "<aside class=\"box\"><h3>");
        piece_of(s, PIECE_HEADING, chance);
        PUT(s->out, "</h3>\n");
        piece_of(s, PIECE_PLAIN, hash64_mix(chance));
        PUT(s->out, "</aside>\n");
        break;
    case 1:
        PUT(s->out, "<aside class=\"box\">\n");
        piece_of(s, PIECE_TABLE, chance);
        PUT(s->out, "</aside>\n");
        break;
    default:
        PUT(s->out, "<div class=\"box\">\n");
        piece_of(s, PIECE_LIST, chance);
        PUT(s->out, "</div>\n");
        break;
    }
    s->drift += (int64_t)(s->out->n - start);
}

static enum piece_kind block_kind(uint64_t chance)
{
    static const enum piece_kind kinds[16] = {
        PIECE_PLAIN, PIECE_PLAIN, PIECE_PLAIN, PIECE_PLAIN, PIECE_PLAIN, PIECE_RICH,
        PIECE_RICH,  PIECE_RICH,  PIECE_RICH,  PIECE_LIST,  PIECE_LIST,  PIECE_TERMS,
        PIECE_CODE,  PIECE_CODE,  PIECE_TABLE, PIECE_QUOTE,
    };
    return kinds[chance & 15];
}

/* The next one is asked for before this one is copied. */
static void block_prefetch(const struct sheet *s, uint32_t nth)
{
    uint64_t chance = sheet_chance(s, SHEET_PIECES + nth);
    pool_prefetch(s->pool, pool_pick(s->pool, block_kind(chance), chance));
}

static void block_write(struct sheet *s, uint32_t nth)
{
    uint64_t chance = sheet_chance(s, SHEET_PIECES + nth);
    enum piece_kind kind = block_kind(chance);
    uint32_t class = nth % CHANGE_CLASSES;
    uint64_t version = (s->version.text + CHANGE_CLASSES - 1 - class) / CHANGE_CLASSES;
    block_prefetch(s, nth + 1);
    if (kind == PIECE_PLAIN)
        piece_of_version(s, kind, chance, version);
    else
        piece_of(s, kind, chance);
    if ((chance >> 4 & 63) == 0)
        piece_of(s, PIECE_COMMENT, chance);
    else if ((chance >> 4 & 63) == 1)
        piece_of(s, PIECE_FORM, chance);
}

static void section_begin(struct sheet *s, uint32_t nth)
{
    PUT(s->out, "<section id=\"s");
    put_u64(s->out, nth);
    PUT(s->out, "\">\n<h2>");
    piece_of(s, PIECE_HEADING, sheet_chance(s, SHEET_SECTIONS + nth));
    if (!s->page.has_base) { /* with a base it would lead to the home page */
        PUT(s->out, "<a class=\"headerlink\" href=\"#s");
        put_u64(s->out, nth);
        PUT(s->out, "\">&para;</a>");
    }
    PUT(s->out, "</h2>\n");
}

/* Sections of text with links spread over them, up to `goal` bytes if the links leave room. */
static void sections_write(struct sheet *s, struct queue q, uint64_t goal)
{
    uint64_t start = bytes_by_plan(s), text = goal > start ? goal - start : 0;
    uint32_t sections = 1 + (uint32_t)(text / SECTION_BYTES), blocks = 0;
    if (sections > MOST_SECTIONS)
        sections = MOST_SECTIONS;
    uint32_t first = q.next, links = q.end - q.next;
    uint32_t box = (uint32_t)((sheet_chance(s, SHEET_BOX) + s->version.structure) % sections);
    for (uint32_t i = 0; i < sections; i++) {
        uint64_t here = start + text * (i + 1) / sections;
        uint32_t until = first + (uint32_t)((uint64_t)links * (i + 1) / sections);
        section_begin(s, i);
        while (s->out->rc == RC_OK && (q.next < until || bytes_by_plan(s) < here)) {
            if (q.next < until)
                links_write(s, &q);
            if (bytes_by_plan(s) < here)
                block_write(s, blocks++);
        }
        if (i == box)
            box_write(s);
        PUT(s->out, "</section>\n");
    }
}

/* Top and foot ------------------------------------------------------------------------------- */

static void site_write(struct sheet *s, struct queue *q)
{
    PUT(s->out, "<strong>");
    put(s->out, str_make(s->site, s->site_bytes));
    PUT(s->out, "</strong>\n<nav class=\"nav\">");
    for (uint32_t i = 0; i < NAV_LINKS && is_anchor(queue_at(s, q, 0)); i++) {
        anchor_write(s, queue_take(s, q), STR_NONE);
        put_byte(s->out, i % 3 == 2 ? '\n' : ' ');
    }
    PUT(s->out, "</nav>\n");
}

static void top_write(struct sheet *s, struct queue *q)
{
    PUT(s->out, "<header class=\"top\">");
    if (world_settings(s->world)->demo)
        emblem_write(s->world, s->at.host, s->out);
    site_write(s, q);
    PUT(s->out, "</header>\n");
}

/* Moves the last links of the queue to a queue of their own. */
static struct queue foot_queue(const struct sheet *s, struct queue *q)
{
    struct queue foot = {q->end, q->end};
    while (foot.next > q->next && foot.end - foot.next < FOOT_LINKS &&
           is_anchor(&s->links->list[s->body[foot.next - 1]]))
        foot.next--;
    q->end = foot.next;
    return foot;
}

static void foot_write(struct sheet *s, struct queue q)
{
    uint64_t chance = sheet_chance(s, SHEET_FOOT);
    PUT(s->out, "<footer class=\"foot\">\n<p>");
    while (q.next < q.end) {
        anchor_write(s, queue_take(s, &q), STR_NONE);
        PUT(s->out, " | ");
    }
    PUT(s->out, "<a href=\"mailto:post@example.invalid\">Write to us</a> | "
                "<a href=\"javascript:void(0)\">Top</a></p>\n<p>&copy; ");
    put_u64(s->out, 1999 + chance % 25);
    PUT(s->out, " &middot; ");
    piece_of(s, PIECE_HEADING, chance);
    PUT(s->out, "</p>\n</footer>\n");
    if (s->page.bytes > 6000 && chance >> 32 & 1)
        piece_of(s, PIECE_SCRIPT, hash64_mix(chance));
}

static void demo_link(void *ctx, uint32_t nth, struct str inner, struct buf *out)
{
    struct sheet *s = ctx;
    const struct link *l = &s->links->list[nth];
    struct buf *usual = s->out;
    s->out = out;
    if (l->kind == LINK_IMAGE)
        image_element_write(s, l, NULL, inner, STR_NONE);
    else if (l->kind == LINK_AREA)
        area_write(s, l, nth % 10, inner);
    else if (l->kind == LINK_IFRAME)
        iframe_write(s, l);
    else
        anchor_write(s, l, inner);
    s->out = usual;
}

static bool is_of_body(const struct link *l)
{
    return is_anchor(l) || l->kind == LINK_AREA || l->kind == LINK_IFRAME || l->kind == LINK_IMAGE;
}

/* The first few anchors come first, for the navigation; the others stay in their order. */
static void body_links(struct sheet *s)
{
    uint32_t top = 0;
    s->body_count = 0;
    for (uint32_t i = 0; i < s->links->count && top < NAV_LINKS; i++)
        if (is_anchor(&s->links->list[i])) {
            s->body[s->body_count++] = (uint16_t)i;
            top++;
        }
    uint32_t last = top ? s->body[top - 1] : 0;
    for (uint32_t i = 0; i < s->links->count; i++)
        if (is_of_body(&s->links->list[i]) && (i > last || !is_anchor(&s->links->list[i])))
            s->body[s->body_count++] = (uint16_t)i;
}

void body_write(struct sheet *s)
{
    enum { FOOT_BYTES = 900 };
    body_links(s);
    struct queue q = {0, s->body_count};
    if (s->is_demo_index)
        q.next = q.end;
    PUT(s->out, "<body class=\"page\">\n");
    top_write(s, &q);
    struct queue foot = foot_queue(s, &q);
    PUT(s->out, "<main class=\"article\">\n");
    if (s->is_demo_index) {
        demo_index_write(s->world, &(struct demo_links){s->links, demo_link, s}, s->out);
    } else {
        PUT(s->out, "<article>\n");
        title_of_page(s);
        lead_write(s);
        sections_write(s, q, s->page.bytes > FOOT_BYTES ? s->page.bytes - FOOT_BYTES : 0);
        PUT(s->out, "</article>\n");
    }
    PUT(s->out, "</main>\n");
    foot_write(s, foot);
    PUT(s->out, "</body>\n");
}
