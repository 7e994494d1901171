/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever the bytes, they have an encoding, and converting them from it gives valid
 * UTF-8 that a second conversion leaves as it is; labels are found whatever their case. The first
 * byte chooses an encoding to convert from as well. */
#include "html/charset.h"

#include "base/utf8.h"
#include "fuzz.h"

static const char *const labels[] = {"big5",   "euc-jp",  "euc-kr",         "gbk",
                                     "sjis",   "gb18030", "iso-2022-jp",    "utf-8",
                                     "utf-16", "koi8-u",  "x-user-defined", "windows-874"};

static void convert(const char *name, struct str body)
{
    struct buf once, twice;
    buf_init(&once, 1 << 24);
    buf_init(&twice, 1 << 24);
    MUST(charset_to_utf8(name, body, &once) == RC_OK);
    MUST(utf8_valid(buf_str(&once)) == once.n);
    MUST(charset_to_utf8("UTF-8", buf_str(&once), &twice) == RC_OK);
    MUST(str_eq(buf_str(&once), buf_str(&twice)));
    buf_done(&once);
    buf_done(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 1 << 16)
        return 0;
    struct str body = str_make((const char *)data + 1, size - 1);
    struct charset_guess g = charset_guess(body, str_first(body, 40));
    MUST(g.name && g.bom_bytes <= body.n);
    MUST(charset_name(str_c(g.name)) && strcmp(charset_name(str_c(g.name)), g.name) == 0);
    convert(g.name, str_from(body, g.bom_bytes));
    convert(charset_name(str_c(labels[data[0] % (sizeof labels / sizeof labels[0])])), body);
    return 0;
}
