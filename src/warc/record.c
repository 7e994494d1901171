/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/record.h"

static const char *const type_names[WARC_TYPES] = {
    "other",    "warcinfo", "response",   "resource",     "request",
    "metadata", "revisit",  "conversion", "continuation",
};

const char *warc_type_name(enum warc_type type)
{
    return type_names[type];
}

enum warc_type warc_type_of(struct str name)
{
    for (int i = 1; i < WARC_TYPES; i++)
        if (str_eq_nocase(name, str_c(type_names[i])))
            return (enum warc_type)i;
    return WARC_OTHER;
}

const char *warc_note_text(enum warc_note note)
{
    switch (note) {
    case WARC_NOTE_LF:
        return "lines ended by LF alone";
    case WARC_NOTE_FOLDED:
        return "a field folded over several lines";
    case WARC_NOTE_BLANK_LINES:
        return "more than two line ends between records";
    case WARC_NOTE_NO_END:
        return "no line ends after the block";
    case WARC_NOTE_SAME_LENGTH:
        return "Content-Length given more than once";
    }
    return "";
}

struct str warc_record_each(const struct warc_record *r, struct str name, size_t *cursor)
{
    while (*cursor < r->field_count) {
        const struct warc_field *f = &r->fields[(*cursor)++];
        if (str_eq_nocase(f->name, name))
            return f->value;
    }
    return STR_NONE;
}

struct str warc_record_get(const struct warc_record *r, struct str name)
{
    size_t cursor = 0;
    return warc_record_each(r, name, &cursor);
}

struct str warc_record_target(const struct warc_record *r)
{
    struct str uri = warc_record_get(r, STR("WARC-Target-URI"));
    if (uri.n >= 2 && uri.p[0] == '<' && uri.p[uri.n - 1] == '>')
        return str_make(uri.p + 1, uri.n - 2);
    return uri;
}

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (ascii_is_digit(c))
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

/* `text` without padding, of the length that `n` bytes need. */
static enum rc base64_decode(struct str text, uint8_t *to, size_t n)
{
    uint32_t held = 0;
    unsigned bits = 0;
    for (size_t i = 0, made = 0; i < text.n; i++) {
        int value = base64_value(text.p[i]);
        if (value < 0)
            return RC_INVALID;
        held = held << 6 | (uint32_t)value;
        bits += 6;
        if (bits >= 8 && made < n) {
            bits -= 8;
            to[made++] = (uint8_t)(held >> bits);
        }
    }
    return RC_OK;
}

/* The three spellings have different lengths. */
static enum rc value_decode(struct str value, uint8_t *to, size_t n)
{
    struct str bare = value;
    while (bare.n && bare.p[bare.n - 1] == '=')
        bare.n--;
    if (value.n == 2 * n)
        return hex_decode(value, to, n);
    if (bare.n == (n * 4 + 2) / 3)
        return base64_decode(bare, to, n);
    return base32_decode(value, to, n);
}

enum rc warc_digest_parse(struct str text, struct digest *ret)
{
    struct digest d = {0};
    struct str algorithm = str_first(text, str_find(text, ':'));
    if (algorithm.n == 0 || algorithm.n == text.n)
        return RC_INVALID;
    struct str value = str_trim(str_from(text, algorithm.n + 1));
    if (str_eq_nocase(algorithm, STR("sha1")) || str_eq_nocase(algorithm, STR("sha-1")))
        d.kind = DIGEST_SHA1;
    else if (str_eq_nocase(algorithm, STR("sha256")) || str_eq_nocase(algorithm, STR("sha-256")))
        d.kind = DIGEST_SHA256;
    else
        return RC_UNSUPPORTED;
    enum rc rc = value_decode(value, d.bytes, digest_bytes(d.kind));
    if (rc == RC_OK)
        *ret = d;
    return rc;
}

void warc_digest_print(struct buf *out, const struct digest *d)
{
    buf_add(out, d->kind == DIGEST_SHA1 ? STR("sha1:") : STR("sha256:"));
    buf_base32(out, d->bytes, digest_bytes(d->kind));
}
