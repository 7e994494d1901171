/* SPDX-License-Identifier: Apache-2.0 */
#include "content/prose.h"

#include "content/looks.h"
#include "world/put.h"

#include <assert.h>

/* Patterns: %n a noun, %a an adjective, %v a verb, %d an adverb, %p a preposition, %f a ready
 * phrase, %c something that joins two thoughts, %x a noun of another tongue, %y a year. */
struct grammar {
    const char *const *verbs, *const *adverbs, *const *prepositions, *const *joints;
    const char *const *sentences, *const *phrases, *const *headings;
};

#define COUNTED_END NULL

static const char *const english_verbs[] = {
    "is",       "has",       "keeps",     "shows",     "follows",   "holds",    "meets",
    "finds",    "brings",    "leaves",    "carries",   "reaches",   "needs",    "covers",
    "crosses",  "opens",     "joins",     "changes",   "explains",  "supports", "remembers",
    "replaces", "describes", "contains",  "surrounds", "repairs",   "borrows",  "measures",
    "connects", "protects",  "resembles", "welcomes",  "collects",  "improves", "outlasts",
    "divides",  "feeds",     "warms",     "awaits",    "overlooks", "marks",    COUNTED_END,
};
static const char *const english_adverbs[] = {
    "often",     "slowly",  "usually",  "already", "rarely",          "quietly",   "once again",
    "almost",    "still",   "mostly",   "gladly",  "together",        "at last",   "every year",
    "in summer", "by hand", "at night", "in turn", "sooner or later", COUNTED_END,
};
static const char *const english_prepositions[] = {
    "of",     "in",      "near",   "with",  "behind", "under",   "beside", "for",
    "across", "without", "beyond", "along", "inside", "against", "after",  COUNTED_END,
};
static const char *const english_joints[] = {
    "and",     "but",        "because", "while", "so that", "although",
    "whereas", "as long as", "until",   "since", "as if",   COUNTED_END,
};
static const char *const english_sentences[] = {
    "the %n %v the %a %n %p the %n.",
    "%f %v the %n, %c the %n %d %v the %n.",
    "a %a %n %v %f.",
    "in %y the %n %v %f, %c the %a %n %v the %n.",
    "most of the %n %p the %a %n %v %f.",
    "it %d %v the %n %p a %n.",
    "there is a %a %n %p the %n, next to %f.",
    "nobody knows why the %n %v the %a %n.",
    "the %n \xe2\x80\x94 a %a %n, like %f \xe2\x80\x94 %v the %n.",
    "%f; the %x %v the rest.",
    "the \xe2\x80\x9c%a %n\xe2\x80\x9d %v %f %p the %n.",
    "since %y the %n %v the %n\xe2\x80\x99s %n.",
    COUNTED_END,
};
static const char *const english_plain[] = {
    "the %n %v the %a %n %p the %n.",
    "%f %v the %n, %c the %n %d %v the %n.",
    "a %a %n %v %f.",
    "in %y the %n %v %f, %c the %a %n %v the %n.",
    "most of the %n %p the %a %n %v %f.",
    "it %d %v the %n %p a %n.",
    "there is a %a %n %p the %n, next to %f.",
    "nobody knows why the %n %v the %a %n.",
    COUNTED_END,
};
static const char *const english_phrases[] = {
    "the %a %n %p the %n",  "a %n %p the %a %n", "the %n that %d %v the %a %n",
    "the %n and its %a %n", COUNTED_END,
};
static const char *const english_headings[] = {
    "the %a %n",         "%a %n and %n", "%n %p the %n", "how the %n %v",
    "more about the %n", "%n in %y",     COUNTED_END,
};
static const struct grammar english = {
    english_verbs,     english_adverbs, english_prepositions, english_joints,
    english_sentences, english_phrases, english_headings,
};

static const char *const latin_verbs[] = {
    "trägt", "führt", "öffnet", "wählt", "préfère", "mène", "reçoit", "enseña", "soñó", COUNTED_END,
};
static const char *const latin_adverbs[] = {"später", "déjà", "también", "là-bas", COUNTED_END};
static const char *const latin_prepositions[] = {"für", "über", "à", "après", "según", COUNTED_END};
static const char *const latin_joints[] = {"où", "oder", "così", "así", "während", COUNTED_END};
static const char *const latin_sentences[] = {
    "%n %v %a %n %p %n.",        "%f, %c %n %d %v %n.",          "%a %n %v %f.",
    "in %y %v %n %f, %c %n %v.", "\xc2\xab%a %n\xc2\xbb %v %f.", COUNTED_END,
};
static const char *const latin_phrases[] = {"%a %n %p %n", "%n %d %v %a %n", COUNTED_END};
static const char *const latin_headings[] = {"%a %n", "%n %p %n", "%n %y", COUNTED_END};
static const struct grammar latin = {
    latin_verbs,     latin_adverbs, latin_prepositions, latin_joints,
    latin_sentences, latin_phrases, latin_headings,
};

static const char *const russian_verbs[] = {
    "видит", "любит", "ведёт", "хранит", "строит", "помнит", "встречает", "ждёт", COUNTED_END,
};
static const char *const russian_adverbs[] = {"часто", "всегда", "редко", "снова", COUNTED_END};
static const char *const russian_prepositions[] = {"за", "через", "про", "под", COUNTED_END};
static const char *const russian_joints[] = {"и", "но", "потому что", "пока", COUNTED_END};
static const char *const russian_sentences[] = {
    "%a %n %v %n.", "%f, %c %n %d %v %n.", "%n %v %n %p %n.", "в %y году %n %v %f.", COUNTED_END,
};
static const char *const russian_phrases[] = {"%a %n %p %n", "%n %d %v %n", COUNTED_END};
static const char *const russian_headings[] = {"%a %n", "%n и %n", "%n %p %n", COUNTED_END};
static const struct grammar russian = {
    russian_verbs,     russian_adverbs, russian_prepositions, russian_joints,
    russian_sentences, russian_phrases, russian_headings,
};

static const char *const japanese_verbs[] = {
    "見る", "歩く", "読む", "書く", "作る", "聞く", "守る", "開く", "つづく", COUNTED_END,
};
static const char *const japanese_adverbs[] = {"よく", "また", "いつも", "ゆっくり", COUNTED_END};
static const char *const japanese_prepositions[] = {"の", "と", "から", COUNTED_END};
static const char *const japanese_joints[] = {"そして", "しかし", "だから", COUNTED_END};
static const char *const japanese_sentences[] = {
    "%a%nは%nを%v。", "%f、%c%nは%d%nを%v。", "%yの%nは%f。", "%n%p%nは「%a%n」を%v。", COUNTED_END,
};
static const char *const japanese_phrases[] = {"%a%n%p%n", "%nは%d%v", "%n%p%nで", COUNTED_END};
static const char *const japanese_headings[] = {"%a%n", "%n%p%n", "%nと%n", COUNTED_END};
static const struct grammar japanese = {
    japanese_verbs,     japanese_adverbs, japanese_prepositions, japanese_joints,
    japanese_sentences, japanese_phrases, japanese_headings,
};

static const struct grammar *const grammars[TONGUE_COUNT_] = {
    [TONGUE_ENGLISH] = &english,
    [TONGUE_LATIN] = &latin,
    [TONGUE_RUSSIAN] = &russian,
    [TONGUE_JAPANESE] = &japanese,
};

/* Log-uniform: how many bits first, then those bits. Whole numbers alone, so that it is the same on
 * every machine. */
uint32_t prose_zipf(struct rng *r, uint32_t count)
{
    assert(count > 0);
    unsigned bits = 32U - (unsigned)__builtin_clz(count);
    uint64_t chance = rng_next(r);
    unsigned k = (unsigned)((chance >> 32) * bits >> 32);
    uint32_t v = (1U << k) - 1 + ((uint32_t)chance & ((1U << k) - 1));
    return v % count;
}

static struct str list_pick(struct rng *r, const char *const *list)
{
    uint32_t count = 0;
    while (list[count])
        count++;
    return str_c(list[prose_zipf(r, count)]);
}

/* The lists are in the order of the alphabet; which words are common is another order. */
static struct str word_of(struct prose *p, enum tongue t, enum word_kind kind)
{
    enum { STEP = 1009 }; /* a prime above every count */
    uint32_t count = words_count(t, kind);
    uint32_t rank = prose_zipf(&p->rng, count);
    return word_at(t, kind, (uint32_t)((p->shift + (uint64_t)rank * STEP) % count));
}

static bool ends_with_article(struct str s)
{
    return str_ends(s, STR("a ")) && (s.n == 2 || !ascii_is_alnum(s.p[s.n - 3]));
}

/* Writes a word, and makes the "a" before it "an" where English does. */
static void word_write(struct prose *p, struct str word, struct buf *out)
{
    bool vowel = p->tongue == TONGUE_ENGLISH && word.n && strchr("aeiou", word.p[0]);
    if (vowel && ends_with_article(buf_str(out))) {
        out->n--;
        PUT(out, "n ");
    }
    put(out, word);
}

static void phrase_write(struct prose *p, struct buf *out)
{
    uint32_t nth = prose_zipf(&p->rng, PROSE_PHRASES);
    put(out, str_make(p->phrases[nth].text, p->phrases[nth].n));
}

static void slot_write(struct prose *p, char slot, struct buf *out)
{
    const struct grammar *g = grammars[p->tongue];
    switch (slot) {
    case 'n':
        word_write(p, word_of(p, p->tongue, WORD_NOUN), out);
        break;
    case 'a':
        word_write(p, word_of(p, p->tongue, WORD_ADJECTIVE), out);
        break;
    case 'x':
        put(out, word_of(p, TONGUE_LATIN, WORD_NOUN));
        break;
    case 'v':
        put(out, list_pick(&p->rng, g->verbs));
        break;
    case 'd':
        put(out, list_pick(&p->rng, g->adverbs));
        break;
    case 'p':
        put(out, list_pick(&p->rng, g->prepositions));
        break;
    case 'c':
        put(out, list_pick(&p->rng, g->joints));
        break;
    case 'y':
        buf_u64(out, 1850 + rng_below(&p->rng, 170));
        break;
    default:
        phrase_write(p, out);
        break;
    }
}

static void pattern_write(struct prose *p, const char *const *patterns, struct buf *out)
{
    struct str pattern = list_pick(&p->rng, patterns);
    while (pattern.n) {
        size_t plain = str_find(pattern, '%');
        put(out, str_first(pattern, plain));
        pattern = str_from(pattern, plain);
        if (pattern.n < 2)
            break;
        slot_write(p, pattern.p[1], out);
        pattern = str_from(pattern, 2);
    }
}

/* The first letter of what stands from `at` on, made large in place: ASCII, Latin-1 and Cyrillic
 * letters keep their length. */
static void capital_at(struct buf *out, size_t at)
{
    if (out->rc != RC_OK || at >= out->n)
        return;
    unsigned char *p = (unsigned char *)out->p + at;
    p[0] = (unsigned char)ascii_upper((char)p[0]);
    if (out->n - at < 2)
        return;
    bool western = p[0] == 0xc3 && p[1] >= 0xa0 && p[1] != 0xb7 && p[1] != 0xbf;
    if (western || (p[0] == 0xd0 && p[1] >= 0xb0)) {
        p[1] = (unsigned char)(p[1] - 0x20);
    } else if (p[0] == 0xd1 && p[1] < 0x90) {
        p[0] = 0xd0;
        p[1] = (unsigned char)(p[1] + 0x20);
    }
}

void word_write_capital(struct str word, struct buf *out)
{
    size_t at = out->n;
    put(out, word);
    capital_at(out, at);
}

void prose_init(struct prose *p, enum tongue tongue, bool is_plain, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    rng_init(&p->rng, seed);
    p->tongue = tongue;
    p->is_plain = is_plain;
    p->shift = (uint32_t)rng_next(&p->rng);
    for (uint32_t i = 0; i < PROSE_PHRASES; i++) {
        struct buf phrase = buf_on(p->phrases[i].text, sizeof p->phrases[i].text);
        pattern_write(p, grammars[tongue]->phrases, &phrase);
        p->phrases[i].n = (uint32_t)phrase.n;
    }
}

void prose_sentence(struct prose *p, struct buf *out)
{
    if (p->is_demo) {
        demo_sentence(&p->rng, out);
        return;
    }
    size_t at = out->n;
    bool plain = p->is_plain && p->tongue == TONGUE_ENGLISH;
    pattern_write(p, plain ? english_plain : grammars[p->tongue]->sentences, out);
    capital_at(out, at);
}

void prose_heading(struct prose *p, struct buf *out)
{
    if (p->is_demo) {
        demo_heading(&p->rng, out);
        return;
    }
    size_t at = out->n;
    pattern_write(p, grammars[p->tongue]->headings, out);
    capital_at(out, at);
}

void prose_noun(struct prose *p, struct buf *out)
{
    put(out, word_of(p, p->tongue, WORD_NOUN));
}

void prose_name(struct prose *p, struct buf *out)
{
    put(out, word_of(p, TONGUE_ENGLISH, WORD_NOUN));
    if (rng_next(&p->rng) & 1) {
        put_byte(out, '_');
        put(out, word_of(p, TONGUE_ENGLISH, WORD_NOUN));
    }
}
