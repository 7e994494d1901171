/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/names.h"

bool cluster_name_ok(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!ascii_is_alnum(name.p[i]) && name.p[i] != '-' && name.p[i] != '_')
            return false;
    return name.n > 0 && name.n <= CLUSTER_MAX_NAME_BYTES;
}
