/* SPDX-License-Identifier: Apache-2.0 */
/* What comparing costs on a page with 28 KB of visible text and some 700 elements. */
#include "bench.h"

#include "base/rng.h"
#include "change/letters.h"
#include "change/simhash.h"
#include "change/verdict.h"

enum { TEXT_BYTES = 28 << 10, MAX_TAGS = 2000, SIDE = 256 };

struct page {
    struct buf text;
    struct change_tag tags[MAX_TAGS];
    size_t tag_count;
    uint8_t pixels[SIDE * SIDE];
};

/* Words of two to ten letters out of a vocabulary of 2,000, the short ones often; a line break
 * after every paragraph. */
static void fill_text(struct page *p, struct rng *r)
{
    buf_init(&p->text, TEXT_BYTES + 64);
    while (p->text.n < TEXT_BYTES) {
        struct rng word;
        rng_init(&word, rng_below(r, 1 + rng_below(r, 2000)));
        for (uint64_t n = 2 + rng_below(&word, 5) + rng_below(&word, 5); n; n--)
            buf_byte(&p->text, (char)('a' + rng_below(&word, 26)));
        buf_byte(&p->text, rng_below(r, 60) ? ' ' : '\n');
    }
}

static void add_tag(struct page *p, struct str name, enum change_tag_kind kind)
{
    if (p->tag_count < MAX_TAGS)
        p->tags[p->tag_count++] = (struct change_tag){name, kind};
}

static void fill_tags(struct page *p, struct rng *r)
{
    static const struct str names[] = {{"p", 1},  {"a", 1},    {"span", 4}, {"li", 2},
                                       {"td", 2}, {"code", 4}, {"em", 2},   {"strong", 6}};
    add_tag(p, STR("html"), CHANGE_TAG_START);
    add_tag(p, STR("body"), CHANGE_TAG_START);
    for (int i = 0; i < 70; i++) {
        add_tag(p, STR("div"), CHANGE_TAG_START);
        for (int j = 0; j < 9; j++) {
            struct str name = names[rng_below(r, 8)];
            add_tag(p, name, CHANGE_TAG_START);
            add_tag(p, name, CHANGE_TAG_END);
        }
        add_tag(p, STR("div"), CHANGE_TAG_END);
    }
}

static void fill(struct page *p)
{
    struct rng r;
    rng_init(&r, 28);
    fill_text(p, &r);
    fill_tags(p, &r);
    for (size_t i = 0; i < sizeof p->pixels; i++)
        p->pixels[i] = (uint8_t)(i / 97 + rng_below(&r, 40));
}

#define ROW(name, goal, call)                   \
    do {                                        \
        double ns;                              \
        BENCH_BEST(ns, 200, {                   \
            for (int i_ = 0; i_ < 200; i_++) {  \
                arena_clear(arena);             \
                BENCH_USE(call);                \
            }                                   \
        });                                     \
        bench_row(name, ns / 1000, "us", goal); \
    } while (0)

static void text_rows(struct str text, struct arena *arena)
{
    struct change_text_sums sums;
    struct str normal, scratch;
    struct digest digest;
    double similarity;
    struct arena *kept = arena_open(1 << 16, 1 << 20);
    if (!kept || change_text_normalise(text, kept, &normal) != RC_OK)
        return;
    ROW("P12 sums of 28 KB of text", "-", change_text_sums(text, arena, &sums));
    ROW("normalise 28 KB", "-", change_text_normalise(text, arena, &scratch));
    ROW("SHA-256 of the normalised text", "< 25", change_text_digest(normal, &digest));
    ROW("simhash of the normalised text", "< 60", change_simhash(normal));
    ROW("simhash, one bit after another", "(308 naive)", change_simhash_plain(normal));
    ROW("similarity of two texts of 28 KB", "-",
        change_text_similarity(normal, normal, arena, &similarity));
    arena_close(kept);
}

static void structure_rows(const struct page *p, struct arena *arena)
{
    struct change_letters letters;
    struct change_tree tree;
    struct change_differences differences;
    struct arena *kept = arena_open(1 << 16, 1 << 20);
    struct change_tree a, b;
    if (!kept || change_tree(p->tags, p->tag_count, kept, &a) != RC_OK ||
        change_tree(p->tags, p->tag_count - 300, kept, &b) != RC_OK)
        return;
    printf("(%zu tags, %u elements)\n", p->tag_count, a.count - 1);
    ROW("P10 letters", "-", change_letters(p->tags, p->tag_count, arena, &letters));
    ROW("P11 tag tree with hashes", "-", change_tree(p->tags, p->tag_count, arena, &tree));
    ROW("simhash of the tree", "-", change_tree_simhash(&a));
    ROW("places of a tree that lost its end", "-", change_differences(&a, &b, arena, &differences));
    arena_close(kept);
}

static void whole_rows(const struct page *p, struct arena *arena)
{
    struct change_page page = {p->tags, p->tag_count, buf_str(&p->text), NULL, 0};
    struct change_codes codes;
    struct change_verdict verdict;
    char bytes[CHANGE_CODES_MAX_BYTES];
    ROW("all codes of a page without pictures", "-",
        change_codes_of(&page, CHANGE_ALL_TESTS & ~CHANGE_IMAGE_TESTS, arena, &codes));
    ROW("strong codes alone", "-",
        change_codes_of(&page,
                        CHANGE_BIT(CHANGE_TREE) | CHANGE_BIT(CHANGE_TEXT_DIGEST) |
                            CHANGE_BIT(CHANGE_TEXT_SIMHASH),
                        arena, &codes));
    if (change_codes_of(&page, CHANGE_ALL_TESTS & ~CHANGE_IMAGE_TESTS, arena, &codes) != RC_OK)
        return;
    ROW("comparing stored codes", "-",
        (change_compare_codes(&codes, &codes, CHANGE_EVERYTHING, &verdict), verdict.changed));
    struct buf b = buf_on(bytes, sizeof bytes);
    ROW("encoding codes", "-", (buf_clear(&b), change_codes_encode(&codes, &b), b.n));
    printf("%-44s %12zu bytes\n", "stored codes of this page", b.n);
}

static void snapshot_rows(const struct page *p, struct arena *arena)
{
    struct change_image image = {p->pixels, SIDE, SIDE};
    ROW("P13 ival, n = 64, of 256 x 256", "-", change_image_ival(&image, 64).low);
    ROW("dHash of 256 x 256", "-", change_image_dhash(&image));
}

int main(void)
{
    static struct page p;
    struct arena *arena = arena_open(1 << 20, 64 << 20);
    if (!arena)
        return 1;
    fill(&p);
    text_rows(buf_str(&p.text), arena);
    structure_rows(&p, arena);
    whole_rows(&p, arena);
    snapshot_rows(&p, arena);
    buf_done(&p.text);
    arena_close(arena);
    return 0;
}
