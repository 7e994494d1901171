/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a text. Properties: what is read as an address is printed in one way, which is read as the
 * same address and printed the same again, with and without brackets; the system reads the print as
 * that address too; whatever is not public is refused by a guard that allows nothing, and an
 * address allowed by name is let through. */
#include "net/address.h"

#include "fuzz.h"

#include <arpa/inet.h>

static bool is_let_through(const struct address *a, struct str allowed, size_t count)
{
    struct buf why = {.max = 1000};
    struct option_list allow = {&allowed, count};
    struct guard *g = NULL;
    MUST(guard_open(&allow, &g, &why) == RC_OK);
    bool does = guard_allows(g, a);
    guard_close(g);
    buf_done(&why);
    return does;
}

static void check_guard(const struct address *a, struct str text)
{
    MUST((unsigned)address_kind(a) < ADDRESS_KINDS_);
    MUST(is_let_through(a, text, 0) == (address_kind(a) == ADDRESS_PUBLIC));
    MUST(is_let_through(a, text, 1));
}

static void check_again(const struct address *a, struct str text)
{
    char room[ADDRESS_TEXT_BYTES];
    struct buf out = buf_on(room, sizeof room);
    struct address again;
    MUST(address_read(text, &again) == RC_OK && address_eq(a, &again));
    address_print(&again, &out);
    MUST(buf_rc(&out) == RC_OK);
    if (text.p[0] != '[')
        MUST(str_eq(buf_str(&out), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct address a, system;
    if (address_read(str_make((const char *)data, n), &a))
        return 0;
    char room[ADDRESS_TEXT_BYTES + 2];
    struct buf out = buf_on(room, sizeof room);
    address_print(&a, &out);
    check_again(&a, buf_str(&out));
    system = (struct address){.is_v6 = a.is_v6};
    MUST(inet_pton(a.is_v6 ? AF_INET6 : AF_INET, buf_c(&out), system.bytes) == 1);
    MUST(address_eq(&a, &system));
    check_guard(&a, buf_str(&out));
    if (a.is_v6) {
        char brackets[ADDRESS_TEXT_BYTES + 2];
        struct buf in = buf_on(brackets, sizeof brackets);
        buf_printf(&in, "[" STR_FMT "]", STR_ARG(buf_str(&out)));
        check_again(&a, buf_str(&in));
    }
    return 0;
}
