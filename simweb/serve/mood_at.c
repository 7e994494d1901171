/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/mood_at.h"

static const struct fault_host *row_at(const struct fault *f, uint32_t address)
{
    for (const struct fault_host *h = f->hosts; h && h->label; h++) {
        uint32_t usual = fault_address(f, str_c(h->label));
        if (h->mood.tls != TLS_GOOD && mood_address(h->mood, usual) == address)
            return h;
    }
    return NULL;
}

struct mood mood_at(const struct world *w, uint32_t address)
{
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++) {
        const struct fault_host *h = fault_enabled(w, all[i]) ? row_at(all[i], address) : NULL;
        if (h)
            return h->mood;
    }
    return (struct mood){0};
}
