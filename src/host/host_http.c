/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_http.h"

#include "net/head.h"

enum { VERSION_NOT_SUPPORTED = 505, UPGRADE_REQUIRED = 426, UPGRADE_ROOM = 256 };

static bool is_http2(struct str protocol)
{
    static const char *const names[] = {"h2", "h2c", "HTTP/2", "HTTP/2.0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_nocase(protocol, str_c(names[i])))
            return true;
    return false;
}

/* Whether the Upgrade fields name HTTP/2, or no protocol at all. */
static bool upgrades_to_http2(struct str head)
{
    char room[UPGRADE_ROOM];
    struct head_field field;
    bool names_any = false;
    while (head_next(&head, &field)) {
        if (!str_eq_nocase(field.name, STR("Upgrade")))
            continue;
        struct buf scratch = buf_on(room, sizeof room);
        struct str list = head_value(&field, &scratch), item;
        names_any |= !list.p; /* too long to be understood */
        while (head_list_next(&list, &item)) {
            if (is_http2(item))
                return true;
            names_any |= item.n > 0;
        }
    }
    return !names_any;
}

static bool is_answered(enum http_outcome outcome)
{
    return outcome <= HTTP_TRUNCATED;
}

bool host_http_is_refusal(const struct http_answer *a)
{
    if (!is_answered(a->outcome))
        return a->outcome == HTTP_NO_TLS && a->no_protocol;
    return a->status == VERSION_NOT_SUPPORTED ||
           (a->status == UPGRADE_REQUIRED && upgrades_to_http2(a->head));
}

struct host_http_end host_http_end(const struct http_answer *a)
{
    return (struct host_http_end){.outcome = a->outcome,
                                  .offer = a->offer,
                                  .is_h2 = a->is_h2,
                                  .is_refusal = host_http_is_refusal(a)};
}

static enum host_http after_trial(const struct host_http_end *end)
{
    if (end->offer != HTTP_OFFER_MADE)
        return HOST_HTTP_TRIAL;
    if (end->is_refusal || end->outcome == HTTP_NOT_HTTP)
        return HOST_HTTP_1_1_ONLY;
    return is_answered(end->outcome) && end->is_h2 ? HOST_HTTP_2 : HOST_HTTP_TRIAL;
}

enum host_http host_http_next(enum host_http before, const struct host_http_end *end)
{
    switch (before) {
    case HOST_HTTP_1_1:
        return end->is_refusal && end->offer == HTTP_OFFER_POSSIBLE ? HOST_HTTP_TRIAL : before;
    case HOST_HTTP_TRIAL:
        return after_trial(end);
    default:
        return before;
    }
}

/* A refusal with h2 offered is the answer that HTTP/1.1 had. */
bool host_http_asks_again(enum host_http before, const struct host_http_end *end)
{
    enum host_http next = host_http_next(before, end);
    return (before == HOST_HTTP_1_1 && next == HOST_HTTP_TRIAL) ||
           (before == HOST_HTTP_TRIAL && next == HOST_HTTP_1_1_ONLY && !end->is_refusal);
}
