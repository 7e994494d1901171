/* SPDX-License-Identifier: Apache-2.0 */
/* Text for the demo: clauses that fit together in any order and fit any theme. */
#include "content/looks.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *const openings[] = {
    "In the first year",
    "On most mornings",
    "By the end of the week",
    "After the second rain",
    "Without much hope",
    "To our own surprise",
    "Late in the season",
    "With a borrowed ladder",
    "On a day with no wind",
    "Between two meetings",
    "Long before breakfast",
    "As far as anyone remembers",
    "In a good year",
    "Against all advice",
    "With the window open",
    "For the third time",
    "On the way back",
    "Somewhere around noon",
    "When the post had come",
    "In the quiet part of May",
    "Once the paint was dry",
    "According to the old diary",
    "For want of a better plan",
    "At the very last moment",
};

static const char *const clauses[] = {
    "we found that the old method still worked",
    "nobody could say who had asked first",
    "the notes filled three small books",
    "the light was better than the pictures show",
    "we counted everything twice and got two answers",
    "the visitors stayed longer than the weather",
    "a small mistake turned out to be the interesting part",
    "the whole thing fitted into one drawer",
    "most of the work was waiting",
    "we learned to ask the people next door",
    "the map was right and we were wrong",
    "half of the list could be crossed out",
    "the simplest tool was the one that lasted",
    "somebody had already written it down",
    "the colours changed within an hour",
    "we kept the door open and the kettle on",
    "the second attempt took half as long",
    "only the patient ones saw it happen",
    "the records go back further than expected",
    "a letter arrived with the missing page",
    "the best specimen stood right behind us",
    "we agreed to measure before we argued",
    "the children noticed it before we did",
    "the path had moved since the last survey",
    "nothing was lost except a pencil",
    "the first sketch was the most honest",
    "it was quieter than any of us had thought",
    "the question came back in another form",
    "we made a table and then a smaller table",
    "the numbers were dull and the stories were not",
    "a stranger explained it in one sentence",
    "there was enough for everybody who came",
    "the repair held through the winter",
    "the old name made sense at last",
    "we took the long way round on purpose",
    "the difference was plain once it had been shown",
};

static const char *const endings[] = {
    ", and that was the easy part",
    ", which is rarely said",
    ", as the neighbours had told us",
    ", though not by much",
    ", and we would do it again",
    ", at least on paper",
    ", and nobody minded",
    ", so we started over",
    ", and the rest followed from that",
    ", if the date on the back is right",
    ", whatever the handbook says",
    ", until the bell rang",
    ", and somebody laughed",
    ", as it so often does",
    ", but the photograph is blurred",
    ", and there is a picture to prove it",
};

static const char *const alone[] = {
    "There is no hurry.",
    "It pays to go back and look again.",
    "This is the part that people skip, and should not.",
    "Bring a coat.",
    "The short answer is yes.",
    "We have tried to leave nothing out.",
    "Corrections are welcome, and so is cake.",
    "A full account would need another page, and there is one.",
    "Few things are as useful as a sharp pencil.",
    "None of this is new, but all of it was seen with our own eyes.",
};

static const char *const headings[] = {
    "What we tried first",    "A second opinion",      "Numbers, for once",  "Where it went wrong",
    "A short walk",           "The view from here",    "Tools and habits",   "Before you start",
    "Questions from readers", "The long version",      "A small experiment", "In the archive",
    "Things to bring",        "How it looks up close", "The other side",     "What remains",
    "A note on dates",        "From the diary",        "Close to the edge",  "Three good examples",
    "One bad example",        "The usual way",         "The quiet season",   "People who helped",
    "Odds and ends",          "Looking back",          "What comes next",    "Before and after",
    "On the shelf",           "A closer look",
};

static struct str pick(struct rng *r, const char *const *list, size_t count)
{
    return str_c(list[rng_below(r, count)]);
}

void demo_sentence(struct rng *r, struct buf *out)
{
    uint64_t kind = rng_below(r, 10);
    if (kind == 0) {
        buf_add(out, pick(r, alone, COUNT(alone)));
        return;
    }
    size_t at = out->n;
    if (kind < 6) {
        buf_add(out, pick(r, openings, COUNT(openings)));
        buf_add(out, STR(", "));
    }
    buf_add(out, pick(r, clauses, COUNT(clauses)));
    if (kind > 3)
        buf_add(out, pick(r, endings, COUNT(endings)));
    buf_byte(out, '.');
    if (buf_rc(out) == RC_OK)
        out->p[at] = ascii_upper(out->p[at]);
}

void demo_heading(struct rng *r, struct buf *out)
{
    buf_add(out, pick(r, headings, COUNT(headings)));
}
