/* SPDX-License-Identifier: Apache-2.0 */
#include "url/machine.h"

#include <assert.h>

enum rc url_parse(struct url_parser *parser, struct str input, const struct url *base,
                  struct url_room room, struct url *ret)
{
    assert(!base || base->p + base->n < room.p || base->p >= room.p + room.n);
    struct str s = url_trim(input);
    if (url_fast_parse(s, base, room, ret)) {
        parser->reason = URL_REASON_NONE;
        return RC_OK;
    }
    return url_machine_parse(parser, s, base, room, ret);
}

enum rc url_copy(const struct url *u, struct url_room room, struct url *ret)
{
    if (room.n < u->n + 1u)
        return RC_LIMIT;
    memcpy(room.p, u->p, u->n + 1u);
    *ret = *u;
    ret->p = room.p;
    return RC_OK;
}

const char *url_reason_text(enum url_reason reason)
{
    static const char *const texts[URL_REASON_COUNT_] = {
        [URL_REASON_NONE] = "no reason",
        [URL_REASON_NO_BASE] = "relative, and no base was given",
        [URL_REASON_BASE_OPAQUE] = "relative, and the base has no path to resolve against",
        [URL_REASON_HOST_MISSING] = "the host is missing",
        [URL_REASON_HOST_CHARACTER] = "the host has a character that no host may have",
        [URL_REASON_HOST_IDN] = "the host is not a valid international name",
        [URL_REASON_IPV4] = "the host ends in a number and is not an IPv4 address",
        [URL_REASON_IPV6] = "the host is not an IPv6 address",
        [URL_REASON_PORT] = "the port is not a number up to 65535",
        [URL_REASON_LENGTH] = "too long (docs/url.md, limits)",
    };
    return (unsigned)reason < URL_REASON_COUNT_ ? texts[reason] : "unknown reason";
}
