/* SPDX-License-Identifier: Apache-2.0 */
/* Input: keywords up to a line end, then a text. Properties: a score is from 0 to below 1, the same
 * each time; a link fits no worse than its own words do, nor than half its page; words are not
 * empty, hold together, and folding what was folded changes nothing. */
#include "fetch/topic.h"
#include "fetch/words.h"
#include "fuzz.h"

static void check_words(struct str text)
{
    struct words w = {.rest = text};
    size_t before = text.n + 1;
    while (words_next(&w)) {
        MUST(w.word.n > 0 && w.word.n <= WORDS_MAX_BYTES && w.letters > 0);
        MUST(w.rest.n < before);
        before = w.rest.n;
        struct words again = {.rest = w.word};
        MUST(words_next(&again) && str_eq(again.word, w.word) && !again.rest.n);
    }
    MUST(w.rest.n == 0);
}

static void check_score(struct topic *t, struct str text)
{
    struct topic_field f[] = {{text, 1, false}, {text, 3, true}};
    double score = topic_score(t, f, 2);
    MUST(score >= 0 && score < 1);
    MUST(topic_score(t, f, 2) == score);
    double page = topic_score(t, f, 1), link = topic_link_score(page, score);
    MUST(link >= page && link >= score / 2 - 1e-9 && link < 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str text = str_make((const char *)data, n);
    struct str keywords = str_take_until(&text, '\n');
    struct buf why = {.max = 1 << 16};
    struct topic *t = NULL;
    if (topic_open(&keywords, 1, &t, &why) == RC_OK)
        check_score(t, text);
    check_words(text);
    topic_close(t);
    buf_done(&why);
    return 0;
}
