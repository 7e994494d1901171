/* SPDX-License-Identifier: Apache-2.0 */
#include "url/domain.h"

#include "url/host.h"

#include <libpsl.h>

bool url_domain_has_list(void)
{
    return psl_builtin() != NULL;
}

static bool is_address(struct str host)
{
    return host.p[0] == '[' || url_ends_in_number(host);
}

struct str url_domain(struct str host)
{
    char name[URL_DOMAIN_MAX_BYTES + 1];
    if (host.n > 1 && host.p[host.n - 1] == '.')
        host.n--;
    if (host.n == 0 || host.n > URL_DOMAIN_MAX_BYTES || host.p[0] == '.' || is_address(host) ||
        memchr(host.p, '\0', host.n) || !url_domain_has_list())
        return STR_NONE;
    for (size_t i = 0; i < host.n; i++)
        name[i] = ascii_lower(host.p[i]);
    name[host.n] = '\0';
    const char *domain = psl_registrable_domain(psl_builtin(), name);
    return domain ? str_from(host, (size_t)(domain - name)) : STR_NONE;
}
