/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/topic.h"

#include "base/arena.h"
#include "base/mem.h"
#include "fetch/words.h"

#include <stdlib.h>

enum {
    USUAL_WORDS = 500,
    LONG_WORD = 4, /* letters from which on an ending may have three */
    ANY_ENDING = 1000,
    ARENA_BYTES = 16 << 20,
    URL_BYTES = 2048, /* of a reference, looked at */
};

struct stem {
    struct str text; /* folded */
    unsigned ending; /* most letters behind it */
};

struct keyword {
    struct stem *stems;
    size_t stem_count;
    double weight;
    double hits; /* in the text that is being scored */
};

struct topic {
    struct arena *arena;
    struct keyword *list; /* by the first byte of their first stem */
    size_t count, room;
    size_t first[257]; /* those that begin with byte b: first[b] .. first[b + 1] */
};

/* Keywords as written -------------------------------------------------------------------------- */

static enum rc refuse(struct buf *why, struct str text, const char *what)
{
    buf_printf(why, "keywords: \"" STR_FMT "\": %s", STR_ARG(text), what);
    return RC_INVALID;
}

/* Takes "^2" from the end. */
static enum rc take_weight(struct str whole, struct str *words, double *ret, struct buf *why)
{
    size_t at = str_find(*words, '^');
    char digits[32] = {0};
    char *end = digits;
    *ret = 1;
    if (at == words->n)
        return RC_OK;
    struct str number = str_trim(str_from(*words, at + 1));
    *words = str_first(*words, at);
    if (number.n && number.n < sizeof digits) {
        memcpy(digits, number.p, number.n);
        *ret = strtod(digits, &end);
    }
    bool is_number = end != digits && *end == '\0';
    if (is_number && *ret >= -TOPIC_MAX_WEIGHT && *ret <= TOPIC_MAX_WEIGHT && *ret != 0)
        return RC_OK;
    return refuse(why, whole, "behind ^ stands a weight from -1000 to 1000, not 0");
}

static unsigned ending_of(unsigned letters, bool is_star)
{
    return is_star ? ANY_ENDING : letters < LONG_WORD ? 1 : 3;
}

static enum rc add_stems(struct topic *t, struct str whole, struct str text, struct keyword *k,
                         struct buf *why)
{
    struct stem found[TOPIC_MAX_PHRASE];
    struct words w = {.rest = text};
    while (words_next(&w)) {
        if (k->stem_count == TOPIC_MAX_PHRASE)
            return refuse(why, whole, "it has more than 16 words");
        struct stem *s = &found[k->stem_count++];
        s->text = arena_dup(t->arena, w.word);
        s->ending = ending_of(w.letters, w.rest.n && w.rest.p[0] == '*');
        if (!s->text.p)
            return RC_NOMEM;
    }
    if (!k->stem_count)
        return refuse(why, whole, "it has no letter and no digit");
    k->stems = arena_alloc(t->arena, k->stem_count * sizeof *k->stems);
    if (!k->stems)
        return RC_NOMEM;
    memcpy(k->stems, found, k->stem_count * sizeof *found);
    return RC_OK;
}

static enum rc add_keyword(struct topic *t, struct str whole, struct buf *why)
{
    struct keyword k = {0};
    struct str words = whole;
    if (t->count == TOPIC_MAX_KEYWORDS) {
        buf_printf(why, "keywords: there are more than %d", TOPIC_MAX_KEYWORDS);
        return RC_LIMIT;
    }
    enum rc rc = take_weight(whole, &words, &k.weight, why);
    rc = rc ? rc : add_stems(t, whole, words, &k, why);
    if (rc)
        return rc;
    struct keyword *list = mem_grow(t->list, t->count, &t->room, sizeof *list);
    if (!list)
        return RC_NOMEM;
    t->list = list;
    t->list[t->count++] = k;
    return RC_OK;
}

static unsigned char first_byte(const struct keyword *k)
{
    return (unsigned char)k->stems[0].text.p[0];
}

static int by_first_byte(const void *a, const void *b)
{
    return (int)first_byte(a) - (int)first_byte(b);
}

static void index_keywords(struct topic *t)
{
    if (t->count)
        qsort(t->list, t->count, sizeof *t->list, by_first_byte);
    for (size_t b = 0, i = 0; b < 257; b++) {
        while (i < t->count && first_byte(&t->list[i]) < b)
            i++;
        t->first[b] = i;
    }
}

enum rc topic_open(const struct str *texts, size_t count, struct topic **ret, struct buf *why)
{
    struct topic *t = mem_zero(1, sizeof *t);
    if (!t)
        return RC_NOMEM;
    t->arena = arena_open(4096, ARENA_BYTES);
    enum rc rc = t->arena ? RC_OK : RC_NOMEM;
    for (size_t i = 0; i < count && rc == RC_OK; i++) {
        struct str rest = texts[i];
        while (rest.p && rc == RC_OK) {
            struct str one = str_trim(str_take_until(&rest, ','));
            if (one.n)
                rc = add_keyword(t, one, why);
        }
    }
    if (rc) {
        topic_close(t);
        return rc;
    }
    index_keywords(t);
    *ret = t;
    return RC_OK;
}

void topic_close(struct topic *t)
{
    if (!t)
        return;
    arena_close(t->arena);
    mem_free(t->list);
    mem_free(t);
}

size_t topic_keywords(const struct topic *t)
{
    return t->count;
}

/* Looking -------------------------------------------------------------------------------------- */

static bool fits(const struct stem *s, const struct words *w)
{
    if (!str_starts(w->word, s->text))
        return false;
    unsigned letters = 0;
    for (size_t i = s->text.n; i < w->word.n; i++)
        letters += (w->word.p[i] & 0xc0) != 0x80;
    return letters <= s->ending;
}

/* The rest of a phrase: looks ahead, on a copy. */
static bool goes_on(const struct keyword *k, const struct words *at)
{
    struct words w = {.rest = at->rest};
    for (size_t i = 1; i < k->stem_count; i++)
        if (!words_next(&w) || !fits(&k->stems[i], &w))
            return false;
    return true;
}

/* Returns how many words there were. */
static size_t count_keywords(struct topic *t, struct str text, double times)
{
    struct words w = {.rest = text};
    size_t words = 0;
    while (words_next(&w)) {
        unsigned char b = (unsigned char)w.word.p[0];
        words++;
        for (size_t i = t->first[b]; i < t->first[b + 1]; i++) {
            struct keyword *k = &t->list[i];
            if (fits(&k->stems[0], &w) && (k->stem_count == 1 || goes_on(k, &w)))
                k->hits += times;
        }
    }
    return words;
}

static size_t look_at_url(struct topic *t, struct str url, double times)
{
    char room[URL_BYTES];
    size_t n = 0;
    url = str_first(url, sizeof room);
    for (size_t i = 0; i < url.n; i++) {
        int high = i + 2 < url.n && url.p[i] == '%' ? ascii_hex(url.p[i + 1]) : -1;
        int low = high >= 0 ? ascii_hex(url.p[i + 2]) : -1;
        room[n] = url.p[i];
        if (low >= 0) {
            room[n] = (char)(high * 16 + low);
            i += 2;
        }
        n++;
    }
    return count_keywords(t, str_make(room, n), times);
}

double topic_score(struct topic *t, const struct topic_field *fields, size_t count)
{
    size_t words = 0;
    double sum = 0;
    for (size_t i = 0; i < t->count; i++)
        t->list[i].hits = 0;
    for (size_t i = 0; i < count; i++)
        words += fields[i].is_url ? look_at_url(t, fields[i].text, fields[i].times)
                                  : count_keywords(t, fields[i].text, fields[i].times);
    double length = 0.25 + 0.75 * (double)words / USUAL_WORDS;
    for (size_t i = 0; i < t->count; i++) {
        double often = t->list[i].hits / length;
        sum += t->list[i].weight * often / (often + 1.2);
    }
    return sum > 0 ? sum / (sum + 1) : 0;
}

double topic_page_score(struct topic *t, struct str title, struct str visible)
{
    enum { TITLE_TIMES = 3 };
    struct topic_field fields[] = {{title, TITLE_TIMES, false}, {visible, 1, false}};
    return topic_score(t, fields, 2);
}

double topic_link_score(double own, double page)
{
    return own + (1 - own) * (page > 0 ? page / 2 : 0);
}
