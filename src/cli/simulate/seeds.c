/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/simulate/seeds.h"

bool seeds_read(struct str text, uint64_t *ret_first, uint64_t *ret_last)
{
    size_t at = str_find_str(text, STR(".."));
    if (at == text.n) {
        bool ok = str_to_u64(text, ret_first) == RC_OK;
        *ret_last = *ret_first;
        return ok;
    }
    return str_to_u64(str_first(text, at), ret_first) == RC_OK &&
           str_to_u64(str_from(text, at + 2), ret_last) == RC_OK && *ret_first <= *ret_last;
}
