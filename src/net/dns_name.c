/* SPDX-License-Identifier: Apache-2.0 */
#include "net/dns_name.h"

static bool label_is_good(struct str label)
{
    if (label.n < 1 || label.n > DNS_LABEL_BYTES)
        return false;
    for (size_t i = 0; i < label.n; i++) {
        char c = label.p[i];
        if (!ascii_is_alnum(c) && c != '-' && c != '_')
            return false;
    }
    return true;
}

/* As the URL standard tells an IPv4 address from a name: digits, or 0x with hexadecimal digits. */
static bool label_is_number(struct str label)
{
    bool is_hex = label.n >= 2 && label.p[0] == '0' && (label.p[1] | 32) == 'x';
    for (size_t i = is_hex ? 2 : 0; i < label.n; i++) {
        if (is_hex ? ascii_hex(label.p[i]) < 0 : !ascii_is_digit(label.p[i]))
            return false;
    }
    return true;
}

enum rc dns_name_read(struct str text, struct dns_name *ret)
{
    if (str_ends(text, STR(".")))
        text.n--;
    if (text.n < 1 || text.n > DNS_NAME_BYTES)
        return RC_INVALID;
    struct str rest = text, label = STR_NONE;
    while (rest.p) {
        label = str_take_until(&rest, '.');
        if (!label_is_good(label))
            return RC_INVALID;
    }
    if (label_is_number(label))
        return RC_INVALID;
    ret->n = text.n;
    for (size_t i = 0; i < text.n; i++)
        ret->text[i] = ascii_lower(text.p[i]);
    ret->text[text.n] = 0;
    return RC_OK;
}
