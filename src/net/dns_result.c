/* SPDX-License-Identifier: Apache-2.0 */
#include "net/dns_result.h"

enum { NEGATIVE_MOST_MS = 3 * 3600 * 1000 }; /* RFC 2308, 5 */

static bool is_either(const struct dns_heard *h, enum dns_word word)
{
    return h->word[DNS_V4] == word || h->word[DNS_V6] == word;
}

static bool is_clear(enum dns_word word)
{
    return word == DNS_WORD_FOUND || word == DNS_WORD_NO_DATA || word == DNS_WORD_NO_NAME;
}

static bool is_certain(const struct dns_heard *h)
{
    return is_clear(h->word[DNS_V4]) && is_clear(h->word[DNS_V6]);
}

static enum dns_outcome outcome_of(const struct dns_heard *h)
{
    if (is_either(h, DNS_WORD_FOUND))
        return DNS_FOUND;
    if (is_either(h, DNS_WORD_NO_NAME) || is_certain(h))
        return DNS_NO_NAME;
    bool is_bad = is_either(h, DNS_WORD_FAILED) || is_either(h, DNS_WORD_NOMEM);
    return is_bad ? DNS_FAILED : DNS_TIMEOUT;
}

/* Takes as many addresses as there is room for. Each family may have half of the room, and more if
 * the other needs less. */
static void fill_result(struct dns_result *r, const struct dns_answer answer[DNS_FAMILIES])
{
    uint32_t half = DNS_MAX_ADDRESSES / 2, v4 = answer[DNS_V4].count, v6 = answer[DNS_V6].count;
    uint32_t room = v6 < half ? DNS_MAX_ADDRESSES - v6 : half;
    v4 = v4 < room ? v4 : room;
    v6 = v6 < DNS_MAX_ADDRESSES - v4 ? v6 : DNS_MAX_ADDRESSES - v4;
    memcpy(r->addresses, answer[DNS_V4].addresses, v4 * sizeof *r->addresses);
    memcpy(r->addresses + v4, answer[DNS_V6].addresses, v6 * sizeof *r->addresses);
    r->count = v4 + v6;
}

static uint64_t clamped(const struct dns_settings *s, uint64_t ms)
{
    ms = ms < s->ttl_most_ms ? ms : s->ttl_most_ms;
    return ms > s->ttl_least_ms ? ms : s->ttl_least_ms;
}

static uint64_t found_ms(const struct dns_heard *h, const struct dns_settings *s)
{
    uint64_t least_s = UINT32_MAX;
    for (int f = DNS_V4; f < DNS_FAMILIES; f++) {
        if (h->word[f] == DNS_WORD_FOUND && h->answer[f].ttl_s < least_s)
            least_s = h->answer[f].ttl_s;
    }
    return clamped(s, is_certain(h) ? least_s * 1000 : 0);
}

/* How long a negative result is kept: the least TTL of the answers. An answer without SOA has
 * TTL 0 and is ignored. */
static uint64_t negative_ms(const struct dns_heard *h, const struct dns_settings *s)
{
    uint64_t least_s = NEGATIVE_MOST_MS / 1000;
    bool is_said = false;
    for (int f = DNS_V4; f < DNS_FAMILIES; f++) {
        uint32_t ttl_s = is_clear(h->word[f]) ? h->answer[f].ttl_s : 0;
        is_said |= ttl_s > 0;
        if (ttl_s > 0 && ttl_s < least_s)
            least_s = ttl_s;
    }
    return clamped(s, is_said ? least_s * 1000 : 0);
}

void dns_result_make(const struct dns_heard *heard, const struct dns_settings *s, uint64_t now_ms,
                     struct dns_result *ret)
{
    *ret = (struct dns_result){.outcome = outcome_of(heard), .until_ms = now_ms};
    if (ret->outcome == DNS_FOUND) {
        fill_result(ret, heard->answer);
        ret->until_ms += found_ms(heard, s);
    } else if (ret->outcome == DNS_NO_NAME) {
        ret->until_ms += negative_ms(heard, s);
    } else if (!is_either(heard, DNS_WORD_NOMEM)) {
        ret->until_ms += s->failed_ms;
    }
}

void dns_result_order(struct dns_result *r, bool v6_first)
{
    struct dns_result by_turns = *r;
    uint32_t at[DNS_FAMILIES] = {0, 0};
    bool is_v6 = v6_first;
    for (uint32_t i = 0; i < r->count; is_v6 = !is_v6) {
        uint32_t *from = &at[is_v6 ? DNS_V6 : DNS_V4];
        while (*from < r->count && r->addresses[*from].is_v6 != is_v6)
            ++*from;
        if (*from < r->count)
            by_turns.addresses[i++] = r->addresses[(*from)++];
    }
    *r = by_turns;
}
