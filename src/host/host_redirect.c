/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_redirect.h"

#include "base/mem.h"

const struct host_redirect *host_redirect_of(const struct host_record *c, bool is_https,
                                             uint16_t port)
{
    const struct host_redirect *r = c->redirect;
    return r && r->is_https == is_https && r->port == port ? r : NULL;
}

void host_redirect_forget(struct host_record *c)
{
    mem_free(c->redirect);
    c->redirect = NULL;
}

void host_redirect_set(struct host_record *c, bool is_https, uint16_t port, struct str url,
                       unsigned count)
{
    struct host_redirect *r = mem_alloc(sizeof *r + url.n);
    host_redirect_forget(c);
    if (!r)
        return;
    *r = (struct host_redirect){
        .port = port, .is_https = is_https, .count = (uint8_t)count, .url_bytes = (uint32_t)url.n};
    memcpy(r->url, url.p, url.n);
    c->redirect = r;
}
