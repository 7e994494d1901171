/* SPDX-License-Identifier: Apache-2.0 */
/* change: what holds for any two pages.
 *
 * The input is two pages, each "tags NUL text NUL pixels", and between them the byte 0x1e; a tag is
 * a word ("p", "/p", "br/"), a picture is 3 pixels wide. Properties:
 *     a page compared with itself has not changed;
 *     old to new changes the same kinds, seen by the same tests, as new to old;
 *     pages and their stored codes agree on what changed; similarity is in 0..1, 1 if unchanged;
 *     decoding what was encoded gives it back, and any bytes that decode encode to themselves;
 *     vector code equals plain code, and normalising twice equals once. */
#include "base/mem.h"
#include "change/simhash.h"
#include "change/verdict.h"
#include "fuzz.h"

enum { MAX_TAGS = 4096 };

struct input {
    struct change_tag tags[MAX_TAGS];
    struct change_image image;
    struct change_page page;
};

static void read_tags(struct str words, struct input *in)
{
    size_t count = 0;
    while (words.p && count < MAX_TAGS) {
        struct str word = str_take_until(&words, ' ');
        struct change_tag tag = {word, CHANGE_TAG_START};
        if (word.n && word.p[0] == '/')
            tag = (struct change_tag){str_from(word, 1), CHANGE_TAG_END};
        else if (word.n && word.p[word.n - 1] == '/')
            tag = (struct change_tag){str_first(word, word.n - 1), CHANGE_TAG_VOID};
        in->tags[count++] = tag;
    }
    in->page.tags = in->tags;
    in->page.tag_count = count;
}

static void read_page(struct str bytes, struct input *in)
{
    in->page = (struct change_page){.images = &in->image};
    read_tags(str_take_until(&bytes, 0), in);
    in->page.text = str_take_until(&bytes, 0);
    in->image = (struct change_image){(const uint8_t *)bytes.p, 3, (uint32_t)(bytes.n / 3)};
    in->page.image_count = bytes.n / 3 > 0;
}

static void check_text(struct str text, struct arena *arena)
{
    struct str fast, plain, twice;
    MUST(change_text_normalise(text, arena, &fast) == RC_OK);
    MUST(change_text_normalise_plain(text, arena, &plain) == RC_OK);
    MUST(change_text_normalise(fast, arena, &twice) == RC_OK);
    MUST(str_eq(fast, plain) && str_eq(fast, twice));
    MUST(change_simhash(fast) == change_simhash_plain(fast));
}

static void check_codes(const struct change_codes *codes)
{
    char bytes[CHANGE_CODES_MAX_BYTES], again[CHANGE_CODES_MAX_BYTES];
    struct buf b = buf_on(bytes, sizeof bytes), a = buf_on(again, sizeof again);
    struct change_codes back;
    struct change_verdict v;
    change_codes_encode(codes, &b);
    MUST(change_codes_decode(buf_str(&b), &back) == RC_OK);
    change_codes_encode(&back, &a);
    MUST(buf_rc(&a) == RC_OK && str_eq(buf_str(&a), buf_str(&b)));
    change_compare_codes(codes, &back, CHANGE_EVERYTHING, &v);
    MUST(!v.changed);
}

static void check_bytes(struct str bytes)
{
    struct change_codes codes;
    if (change_codes_decode(bytes, &codes) != RC_OK)
        return;
    char again[CHANGE_CODES_MAX_BYTES];
    struct buf b = buf_on(again, sizeof again);
    change_codes_encode(&codes, &b);
    MUST(str_eq(buf_str(&b), bytes));
}

static void check_findings(const struct change_verdict *v, const struct change_verdict *kept,
                           unsigned kinds)
{
    for (unsigned k = 0; k < kinds; k++) {
        const struct change_finding *f = &v->of[k], *g = &kept->of[k];
        MUST(f->changed == g->changed && f->saw == g->saw);
        MUST(f->similarity >= 0 && (f->similarity < 1) == f->changed);
        MUST(g->similarity >= 0 && (g->similarity < 1) == g->changed);
    }
    MUST(v->levels == kept->levels);
}

/* The other way round, against itself and in steps; without pictures, which cost the most and go
 * the same way. */
static void check_again(struct change_page old, struct change_page new,
                        const struct change_verdict *v, struct arena *arena)
{
    struct change_verdict back, same, steps;
    old.image_count = new.image_count = 0;
    MUST(change_compare_pages(&new, &old, CHANGE_EVERYTHING, arena, &back, NULL) == RC_OK);
    check_findings(&back, v, CHANGE_IMAGE);
    MUST(back.of[CHANGE_TEXT].similarity == v->of[CHANGE_TEXT].similarity);
    MUST(change_compare_pages(&old, &old, CHANGE_EVERYTHING, arena, &same, NULL) == RC_OK);
    MUST(!same.changed && same.differences.all == 0);
    MUST(change_compare_pages(&old, &new, CHANGE_STEPS, arena, &steps, NULL) == RC_OK);
    MUST(steps.first == (v->first == CHANGE_IMAGE ? CHANGE_KIND_COUNT : v->first));
}

static void check_pages(const struct change_page *old, const struct change_page *new,
                        struct arena *arena)
{
    struct change_verdict v, kept, back;
    struct change_codes codes[2];
    MUST(change_compare_pages(old, new, CHANGE_EVERYTHING, arena, &v, codes) == RC_OK);
    change_compare_codes(&codes[0], &codes[1], CHANGE_EVERYTHING, &kept);
    change_compare_codes(&codes[1], &codes[0], CHANGE_EVERYTHING, &back);
    check_findings(&v, &kept, CHANGE_KIND_COUNT);
    check_findings(&back, &kept, CHANGE_KIND_COUNT);
    MUST(v.first == kept.first && v.changed == (v.first != CHANGE_KIND_COUNT));
    MUST((v.differences.all > 0) == v.of[CHANGE_STRUCTURE].changed);
    check_again(*old, *new, &v, arena);
    check_codes(&codes[0]);
    check_codes(&codes[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct arena *arena = arena_open(1 << 16, 256 << 20);
    struct input *in = mem_zero(2, sizeof *in);
    MUST(arena && in);
    struct str all = str_make((const char *)data, n);
    check_bytes(all);
    read_page(str_take_until(&all, 0x1e), &in[0]);
    read_page(all.p ? all : STR(""), &in[1]);
    check_text(in[0].page.text.p ? in[0].page.text : STR(""), arena);
    check_pages(&in[0].page, &in[1].page, arena);
    mem_free(in);
    arena_close(arena);
    return 0;
}
