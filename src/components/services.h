/* SPDX-License-Identifier: Apache-2.0 */
/* services: what the crawl's providers offer to its components.
 *
 *   role        interface                  what it knows                               how many
 *   ledger      struct ledger_service      what is known and done, durably; counts     one
 *   scope       struct scope_service {
    struct scope *scope;
    const struct url_idn *idn;
};

/* Settings that may change while the crawl runs: pace_now() once a use. */
struct pace_service {
    struct pace_settings (*now)(struct pace_service *s);
};

static inline void count_add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

#endif
