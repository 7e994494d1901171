/* SPDX-License-Identifier: Apache-2.0 */
/* Input: what a name server sent, asked for A and for AAAA of "a.test". Properties: addresses only
 * with FOUND, of the family that was asked for, each once, and bytes of the message; no TTL beyond
 * 2^31; a message that ends earlier never says more. */
#include "net/dns_answer.h"

#include "fuzz.h"

static void check(const struct dns_answer *a, struct str message, bool is_v6)
{
    MUST(a->kind <= DNS_ANSWER_NONSENSE && a->count <= DNS_MAX_ADDRESSES && a->ttl_s <= INT32_MAX);
    MUST((a->count > 0) == (a->kind == DNS_ANSWER_FOUND));
    for (uint32_t i = 0; i < a->count; i++) {
        const struct address *one = &a->addresses[i];
        struct str bytes = str_make((const char *)one->bytes, is_v6 ? 16 : 4);
        MUST(one->is_v6 == is_v6 && str_find_str(message, bytes) < message.n);
        for (uint32_t k = 0; k < i; k++)
            MUST(!address_eq(one, &a->addresses[k]));
    }
}

static void check_cut(const struct dns_answer *whole, struct str message,
                      const struct dns_name *name, bool is_v6)
{
    struct dns_answer cut;
    dns_answer_read(str_first(message, message.n - 1), name, is_v6, &cut);
    check(&cut, message, is_v6);
    MUST(whole->kind != DNS_ANSWER_NONSENSE || cut.kind == DNS_ANSWER_NONSENSE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str message = str_make((const char *)data, n);
    struct dns_name name;
    MUST(dns_name_read(STR("a.test"), &name) == RC_OK);
    for (int is_v6 = 0; is_v6 <= 1; is_v6++) {
        struct dns_answer a;
        dns_answer_read(message, &name, is_v6, &a);
        check(&a, message, is_v6);
        if (n)
            check_cut(&a, message, &name, is_v6);
    }
    return 0;
}
