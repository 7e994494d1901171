/* SPDX-License-Identifier: Apache-2.0 */
#include "url/idn.h"

#include "base/mem.h"

#include <unicode/uidna.h>

/* The standard's ToASCII has CheckHyphens and VerifyDnsLength off; ICU always checks, so what it
 * reports of those is passed over. */
enum {
    IGNORED_ERRORS = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                     UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                     UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4,
    OPTIONS = UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII |
              UIDNA_NONTRANSITIONAL_TO_UNICODE,
};

struct url_idn {
    UIDNA *icu;
};

enum rc url_idn_open(struct url_idn **ret)
{
    struct url_idn *idn = mem_zero(1, sizeof *idn);
    if (!idn)
        return RC_NOMEM;
    UErrorCode error = U_ZERO_ERROR;
    idn->icu = uidna_openUTS46(OPTIONS, &error);
    if (U_FAILURE(error)) {
        url_idn_close(idn);
        return error == U_MEMORY_ALLOCATION_ERROR ? RC_NOMEM : RC_UNSUPPORTED;
    }
    *ret = idn;
    return RC_OK;
}

void url_idn_close(struct url_idn *idn)
{
    if (!idn)
        return;
    uidna_close(idn->icu);
    mem_free(idn);
}

enum rc url_idn_to_ascii(const struct url_idn *idn, struct str name, char *room, size_t *ret_n)
{
    if (name.n > URL_IDN_MAX_BYTES)
        return RC_LIMIT;
    UErrorCode error = U_ZERO_ERROR;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    int32_t n = uidna_nameToASCII_UTF8(idn->icu, name.p, (int32_t)name.n, room, URL_IDN_ROOM_BYTES,
                                       &info, &error);
    if (error == U_BUFFER_OVERFLOW_ERROR)
        return RC_LIMIT;
    if (error == U_MEMORY_ALLOCATION_ERROR)
        return RC_NOMEM;
    if (U_FAILURE(error) || n < 0 || (info.errors & ~(uint32_t)IGNORED_ERRORS))
        return RC_INVALID;
    *ret_n = (size_t)n;
    return RC_OK;
}
