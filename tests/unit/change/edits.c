/* SPDX-License-Identifier: Apache-2.0 */
#include "edits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_word(struct rng *r, char *to)
{
    static const char *const syllables[] = {"or",  "ba",  "we",  "vi",  "lo",  "ta",  "ni", "ker",
                                            "sud", "mef", "pra", "stu", "gly", "hax", "qui"};
    size_t n = 0;
    for (uint64_t count = 1 + rng_below(r, 3); count; count--) {
        const char *s = syllables[rng_below(r, 15)];
        memcpy(to + n, s, strlen(s));
        n += strlen(s);
    }
    to[n] = 0;
}

static void make_block(struct rng *r, struct block *b, const char *tag, unsigned words)
{
    *b = (struct block){.tag = tag, .words = words};
    for (unsigned i = 0; i < words; i++)
        make_word(r, b->word[i]);
}

/* A picture that is different everywhere: a slope, and blots on it. */
static void make_picture(struct rng *r, uint8_t *pixels)
{
    uint64_t dx = 1 + rng_below(r, 2), dy = rng_below(r, 2);
    for (unsigned i = 0; i < EDIT_SIDE * EDIT_SIDE; i++)
        pixels[i] = (uint8_t)(10 + i % EDIT_SIDE * dx / 2 + i / EDIT_SIDE * dy / 2);
    for (int blot = 0; blot < 12; blot++) {
        uint64_t x0 = rng_below(r, 48), y0 = rng_below(r, 48), grey = 10 + rng_below(r, 190);
        uint64_t w = 5 + rng_below(r, 12), h = 5 + rng_below(r, 12);
        for (uint64_t y = y0; y < y0 + h && y < EDIT_SIDE; y++)
            memset(pixels + y * EDIT_SIDE + x0, (int)grey, w);
    }
}

void model_make(struct model *m, struct rng *r)
{
    static const char *const tags[EDIT_BLOCKS] = {"h1",    "p",  "p", "h2", "p", "p",
                                                  "table", "h2", "p", "h3", "p", "table",
                                                  "p",     "h2", "p", "p"};
    *m = (struct model){.blocks = EDIT_BLOCKS,
                        .attribute = "",
                        .comment = "",
                        .blank = " ",
                        .accent = "\xc3\xa9",
                        .ampersand = "&amp;"};
    for (unsigned i = 0; i < EDIT_BLOCKS; i++) {
        bool paragraph = tags[i][0] == 'p', table = tags[i][0] == 't';
        unsigned words = paragraph ? 20 + (unsigned)rng_below(r, 20) : table ? 12 : 4;
        make_block(r, &m->block[i], tags[i], words);
        if (paragraph) {
            m->block[i].inner = "code";
            m->block[i].mark = "i";
            snprintf(m->block[i].word[5], EDIT_WORD_BYTES, "%u", 100 + (unsigned)rng_below(r, 900));
            snprintf(m->block[i].word[8], EDIT_WORD_BYTES, "caf~");
            snprintf(m->block[i].word[9], EDIT_WORD_BYTES, "a&b");
        }
    }
    make_picture(r, m->pixels);
}

/* ~ stands for the accented letter. */
static void put_word(const struct model *m, const char *word, struct buf *to)
{
    for (; *word; word++) {
        if (*word == '~')
            buf_add(to, str_c(m->accent));
        else if (*word == '&')
            buf_add(to, str_c(m->ampersand));
        else
            buf_byte(to, *word);
    }
}

static void put_table(const struct model *m, const struct block *b, struct buf *to)
{
    for (unsigned i = 0; i < b->words; i++) {
        buf_add(to, i % EDIT_COLUMNS ? STR("<td>") : STR("<tr><td>"));
        put_word(m, b->word[i], to);
        buf_add(to, STR("</td>"));
        if (i % EDIT_COLUMNS == EDIT_COLUMNS - 1)
            buf_add(to, STR("</tr>"));
    }
}

static void put_empty(const char *name, struct buf *to)
{
    if (name)
        buf_printf(to, "<%s></%s>", name, name);
}

static void put_words(const struct model *m, const struct block *b, struct buf *to)
{
    for (unsigned i = 0; i < b->words; i++) {
        if (i)
            buf_add(to, str_c(m->blank));
        if (i == 0 && b->inner)
            buf_printf(to, "<%s>", b->inner);
        if (i == 1 && b->inner)
            buf_add(to, STR("<b>"));
        put_word(m, b->word[i], to);
        if (i == 0 && b->inner && !b->inner_open)
            buf_printf(to, "</%s>", b->inner);
        if (i == 1 && b->inner)
            buf_add(to, STR("</b>"));
        if (i == 1 && b->inner && b->inner_open)
            buf_printf(to, "</%s>", b->inner);
    }
}

void model_html(const struct model *m, struct buf *to)
{
    buf_clear(to);
    buf_add(to, STR("<!DOCTYPE html><html><head><title>A page</title></head><body>\n"));
    for (unsigned i = 0; i < m->blocks; i++) {
        const struct block *b = &m->block[i];
        if (i == m->blocks / 2)
            buf_add(to, str_c(m->comment));
        buf_printf(to, "<%s%s>", b->tag, m->attribute);
        if (b->tag[0] == 't')
            put_table(m, b, to);
        else
            put_words(m, b, to);
        put_empty(b->mark, to);
        put_empty(b->mark2, to);
        buf_printf(to, "</%s>\n", b->tag);
    }
    buf_add(to, STR("</body></html>\n"));
}

static struct block *pick(struct model *m, struct rng *r, char tag)
{
    for (;;) {
        struct block *b = &m->block[rng_below(r, m->blocks)];
        if (b->tag[0] == tag)
            return b;
    }
}

static struct block *pick_other(struct model *m, struct rng *r, const struct block * not )
{
    for (;;) {
        struct block *b = pick(m, r, not ->tag[0]);
        if (b != not )
            return b;
    }
}

/* A word of letters, not the number nor the words with special letters. */
static char *pick_word(struct model *m, struct rng *r)
{
    return pick(m, r, 'p')->word[10 + rng_below(r, 10)];
}

/* Text. */

static void word_changed(struct model *m, struct rng *r)
{
    char *word = pick_word(m, r), old[EDIT_WORD_BYTES];
    memcpy(old, word, sizeof old);
    while (strcmp(old, word) == 0)
        make_word(r, word);
}

static void word_removed(struct model *m, struct rng *r)
{
    struct block *b = pick(m, r, 'p');
    unsigned at = 10 + (unsigned)rng_below(r, 5);
    memmove(b->word[at], b->word[at + 1], (b->words - at - 1) * sizeof *b->word);
    b->words--;
}

static void letter_moved(struct model *m, struct rng *r)
{
    for (;;) {
        char *word = pick_word(m, r);
        size_t at = rng_below(r, strlen(word) - 1);
        if (word[at] == word[at + 1])
            continue;
        char c = word[at];
        word[at] = word[at + 1];
        word[at + 1] = c;
        return;
    }
}

/* One letter up, one letter down, both to letters the page has anyway: the sum stays. */
static void sum_kept(struct model *m, struct rng *r)
{
    char *word = pick(m, r, 'p')->word[10];
    memcpy(word, "bo", 3); /* prepared as "cn" */
}

static void sum_kept_prepare(struct model *m, struct rng *r)
{
    (void)r;
    for (unsigned i = 0; i < m->blocks; i++)
        if (m->block[i].tag[0] == 'p')
            memcpy(m->block[i].word[10], "cn", 3);
}

static void words_swapped(struct model *m, struct rng *r)
{
    for (;;) {
        struct block *b = pick(m, r, 'p');
        char *x = b->word[10 + rng_below(r, 5)], *y = b->word[15 + rng_below(r, 5)];
        char kept[EDIT_WORD_BYTES];
        if (strcmp(x, y) == 0)
            continue;
        memcpy(kept, x, sizeof kept);
        memcpy(x, y, sizeof kept);
        memcpy(y, kept, sizeof kept);
        return;
    }
}

static void paragraph_moved(struct model *m, struct rng *r)
{
    struct block *a = pick(m, r, 'p'), *b = pick_other(m, r, a), kept = *a;
    *a = *b;
    *b = kept;
}

static void sentence_doubled(struct model *m, struct rng *r)
{
    struct block *b = pick(m, r, 'p');
    memcpy(b->word[b->words], b->word[10], 8 * sizeof *b->word);
    b->words += 8;
}

static void number_changed(struct model *m, struct rng *r)
{
    char *number = pick(m, r, 'p')->word[5];
    char *digit = number + rng_below(r, 3);
    *digit = (char)('0' + (*digit - '0' + 1 + (int)rng_below(r, 8)) % 10);
}

static void digits_swapped(struct model *m, struct rng *r)
{
    char *number = pick(m, r, 'p')->word[5];
    char c = number[0];
    number[0] = number[2];
    number[2] = c;
}

static void digits_swapped_prepare(struct model *m, struct rng *r)
{
    (void)r;
    for (unsigned i = 0; i < m->blocks; i++) {
        char *number = m->block[i].word[5];
        if (m->block[i].tag[0] == 'p' && number[0] == number[2])
            number[2] = number[2] == '9' ? '8' : (char)(number[2] + 1);
    }
}

static void rows_swapped(struct model *m, struct rng *r)
{
    struct block *b = pick(m, r, 't');
    char kept[EDIT_COLUMNS][EDIT_WORD_BYTES];
    memcpy(kept, b->word[0], sizeof kept);
    memmove(b->word[0], b->word[EDIT_COLUMNS], sizeof kept);
    memcpy(b->word[EDIT_COLUMNS], kept, sizeof kept);
}

static void case_changed(struct model *m, struct rng *r)
{
    char *word = pick_word(m, r);
    word[0] = (char)(word[0] - 32);
}

/* Structure. */

static void tag_added(struct model *m, struct rng *r)
{
    pick(m, r, 'p')->mark2 = "s";
}

static void tag_removed(struct model *m, struct rng *r)
{
    pick(m, r, 'p')->mark = NULL;
}

static void tag_renamed(struct model *m, struct rng *r)
{
    pick(m, r, 'p')->tag = "div";
}

static void tag_renamed_alike(struct model *m, struct rng *r)
{
    pick(m, r, 'p')->inner = "cite";
}

static void nesting_changed(struct model *m, struct rng *r)
{
    pick(m, r, 'p')->inner_open = true;
}

static void element_moved(struct model *m, struct rng *r)
{
    struct block *from = pick(m, r, 'p');
    struct block *to = pick_other(m, r, from);
    to->mark2 = from->mark;
    from->mark = NULL;
}

static void siblings_prepare(struct model *m, struct rng *r)
{
    (void)r;
    for (unsigned i = 0; i < m->blocks; i++)
        m->block[i].mark2 = "u";
}

static void siblings_swapped(struct model *m, struct rng *r)
{
    struct block *b = pick(m, r, 'p');
    b->mark = "u";
    b->mark2 = "i";
}

/* Nothing. */

static void nothing(struct model *m, struct rng *r)
{
    (void)m, (void)r;
}

static void attribute_only(struct model *m, struct rng *r)
{
    static const char *const attributes[] = {" class=new", " id='x' data-a=\"<b>\"",
                                             " style=\"x:y\"", " hidden-not"};
    m->attribute = attributes[rng_below(r, 4)];
}

static void comment_added(struct model *m, struct rng *r)
{
    static const char *const comments[] = {"<!-- seen <b>often</b> -->", "<!---->",
                                           "<!-- 2026 -->"};
    m->comment = comments[rng_below(r, 3)];
}

static void source_space(struct model *m, struct rng *r)
{
    static const char *const blanks[] = {"  ", "\n", "\t\n ", " \r\n "};
    m->blank = blanks[rng_below(r, 4)];
}

static void other_blanks(struct model *m, struct rng *r)
{
    static const char *const blanks[] = {"&nbsp;", "\xc2\xa0", "&#8195;", "&emsp; "};
    m->blank = blanks[rng_below(r, 4)];
}

static void other_spelling(struct model *m, struct rng *r)
{
    static const char *const accents[] = {"&eacute;", "&#233;", "&#xe9;"};
    m->accent = accents[rng_below(r, 3)];
    m->ampersand = rng_below(r, 2) ? "&#38;" : "&";
}

/* Image. */

static void pixel_flipped(struct model *m, struct rng *r)
{
    uint8_t *pixel = &m->pixels[rng_below(r, sizeof m->pixels)];
    *pixel = (uint8_t)(255 - *pixel);
}

static void mirrored(struct model *m, struct rng *r)
{
    (void)r;
    for (unsigned y = 0; y < EDIT_SIDE; y++) {
        uint8_t *row = m->pixels + y * EDIT_SIDE;
        for (unsigned x = 0; x < EDIT_SIDE / 2; x++) {
            uint8_t kept = row[x];
            row[x] = row[EDIT_SIDE - 1 - x];
            row[EDIT_SIDE - 1 - x] = kept;
        }
    }
}

static void brighter(struct model *m, struct rng *r)
{
    uint8_t by = (uint8_t)(1 + rng_below(r, 40));
    for (unsigned i = 0; i < sizeof m->pixels; i++)
        m->pixels[i] = (uint8_t)(m->pixels[i] + by);
}

static void inverted(struct model *m, struct rng *r)
{
    (void)r;
    for (unsigned i = 0; i < sizeof m->pixels; i++)
        m->pixels[i] = (uint8_t)(255 - m->pixels[i]);
}

static void groups_swapped(struct model *m, struct rng *r)
{
    enum { GROUP = 16 * EDIT_SIDE };
    uint8_t kept[GROUP], *a = m->pixels + rng_below(r, 2) * GROUP;
    uint8_t *b = m->pixels + (2 + rng_below(r, 2)) * GROUP;
    memcpy(kept, a, GROUP);
    memcpy(a, b, GROUP);
    memcpy(b, kept, GROUP);
}

static void repainted(struct model *m, struct rng *r)
{
    make_picture(r, m->pixels);
}

/* The left half again in the right one: columns of words alike, the determinant is 0. */
static void tile(struct model *m, struct rng *r)
{
    (void)r;
    for (unsigned y = 0; y < EDIT_SIDE; y++)
        memcpy(m->pixels + y * EDIT_SIDE + EDIT_SIDE / 2, m->pixels + y * EDIT_SIDE, EDIT_SIDE / 2);
}

static void repainted_tiled(struct model *m, struct rng *r)
{
    make_picture(r, m->pixels);
    tile(m, r);
}

const struct edit_kind edit_kinds[] = {
    {"nothing", EDITS_NOTHING, NULL, nothing},
    {"attribute only", EDITS_NOTHING, NULL, attribute_only},
    {"comment added", EDITS_NOTHING, NULL, comment_added},
    {"white space in the source", EDITS_NOTHING, NULL, source_space},
    {"entity against letter", EDITS_NOTHING, NULL, other_spelling},
    {"other kinds of blanks", EDITS_NOTHING, NULL, other_blanks},
    {"tag added", EDITS_STRUCTURE, NULL, tag_added},
    {"tag removed", EDITS_STRUCTURE, NULL, tag_removed},
    {"tag renamed", EDITS_STRUCTURE, NULL, tag_renamed},
    {"tag renamed, same first and last letter", EDITS_STRUCTURE, NULL, tag_renamed_alike},
    {"nesting changed, order kept", EDITS_STRUCTURE, NULL, nesting_changed},
    {"element moved within its level", EDITS_STRUCTURE, NULL, element_moved},
    {"siblings swapped", EDITS_STRUCTURE, siblings_prepare, siblings_swapped},
    {"word changed", EDITS_TEXT, NULL, word_changed},
    {"word removed", EDITS_TEXT, NULL, word_removed},
    {"letter moved", EDITS_TEXT, NULL, letter_moved},
    {"letters changed, sum kept", EDITS_TEXT, sum_kept_prepare, sum_kept},
    {"words swapped", EDITS_TEXT, NULL, words_swapped},
    {"paragraph moved", EDITS_TEXT, NULL, paragraph_moved},
    {"sentence doubled", EDITS_TEXT, NULL, sentence_doubled},
    {"digit changed", EDITS_TEXT, NULL, number_changed},
    {"digits swapped", EDITS_TEXT, digits_swapped_prepare, digits_swapped},
    {"rows of a table swapped", EDITS_TEXT, NULL, rows_swapped},
    {"case changed", EDITS_TEXT, NULL, case_changed},
    {"pixel flipped", EDITS_IMAGE, NULL, pixel_flipped},
    {"picture mirrored", EDITS_IMAGE, NULL, mirrored},
    {"picture brighter", EDITS_IMAGE, NULL, brighter},
    {"picture inverted", EDITS_IMAGE, NULL, inverted},
    {"groups of 16 rows swapped", EDITS_IMAGE, NULL, groups_swapped},
    {"picture replaced", EDITS_IMAGE, NULL, repainted},
    {"tiled picture replaced", EDITS_IMAGE, tile, repainted_tiled},
    {NULL, 0, NULL, NULL},
};

const struct edit_kind *edit_find(const char *name)
{
    for (const struct edit_kind *k = edit_kinds; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}
