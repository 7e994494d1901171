/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/x_robots.h"

#include "html/page.h"
#include "net/head.h"

/* Words that take a value behind a colon, and so look like an agent. */
static bool takes_value(struct str word)
{
    static const struct str words[] = {
        STR("unavailable_after"),
        STR("max-snippet"),
        STR("max-image-preview"),
        STR("max-video-preview"),
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq_nocase(word, words[i]))
            return true;
    return false;
}

/* A name without blanks that begins with a letter: "Mon, 1 Jan 2030 00:00:00" has colons too. */
static bool is_agent(struct str word)
{
    if (word.n == 0 || (!ascii_is_alpha(word.p[0]) && word.p[0] != '*'))
        return false;
    for (size_t i = 0; i < word.n; i++)
        if (ascii_is_space(word.p[i]))
            return false;
    return !takes_value(word);
}

static unsigned value_read(struct str value, struct str agent)
{
    unsigned bits = 0;
    bool is_ours = true; /* until an agent is named */
    struct str item;
    while (head_list_next(&value, &item)) {
        size_t colon = str_find(item, ':');
        struct str word = str_trim(str_first(item, colon));
        if (colon < item.n && is_agent(word)) {
            is_ours = str_eq_nocase(word, agent) || str_eq(word, STR("*"));
            item = str_from(item, colon + 1);
        } else if (colon < item.n) {
            continue;
        }
        if (is_ours)
            bits |= page_robots_read(item);
    }
    return bits;
}

unsigned x_robots_read(struct str head, struct str agent, struct buf *scratch)
{
    unsigned bits = 0;
    struct head_field f;
    while (head_next(&head, &f))
        if (str_eq_nocase(f.name, STR("X-Robots-Tag")))
            bits |= value_read(head_value(&f, scratch), agent);
    return bits;
}
