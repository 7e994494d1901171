/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_wait.h"

#include "base/buf.h"
#include "host/pace.h"

static const struct {
    const char *key, *text;
} waits[] = {
    [HOST_WAIT_UNKNOWN] = {"unknown", ""},
    [HOST_WAIT_DELAY] = {"delay", "the delay between two requests, --delay"},
    [HOST_WAIT_CRAWL_DELAY] = {"crawl-delay",
                               "the Crawl-delay of its robots.txt, at most pace.delay-most"},
    [HOST_WAIT_BACKOFF] = {"back-off", "back-off after "},
    [HOST_WAIT_RETRY_AFTER] = {"retry-after",
                               "the Retry-After, at most pace.retry-after-most, of "},
    [HOST_WAIT_ORIGIN] = {"origin", "one of its ports does not answer, and nothing else waits"},
    [HOST_WAIT_ADDRESS] = {"address", "its address is busy or was just asked (--ip-delay)"},
    [HOST_WAIT_BUDGET] = {"limit", "a limit of the crawl is used up, or is about to be"},
    [HOST_WAIT_GUEST] = {"redirect",
                         "its robots.txt redirects to another host, whose turn has not come"},
    [HOST_WAIT_CLUSTER] =
        {"cluster", "its former owner has not handed it over, or this agent may not ask now"},
    [HOST_WAIT_MEMBER] = {"member",
                          "the member of the pool that is to ask it has no room, or is away"},
};

const char *host_wait_key(enum host_wait why)
{
    return waits[why].key;
}

void host_wait_print(enum host_wait why, int32_t code, struct buf *out)
{
    buf_add(out, str_c(waits[why].text));
    if (why == HOST_WAIT_BACKOFF || why == HOST_WAIT_RETRY_AFTER)
        buf_add(out, str_c(fetch_code_text(code)));
}
