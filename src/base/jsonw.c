/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonw.h"

#include "base/utf8.h"

#include <assert.h>
#include <math.h>

static void before_value(struct jsonw *j)
{
    uint64_t level = UINT64_C(1) << j->depth;
    if (j->after_key)
        j->after_key = false;
    else if (j->has_value & level)
        buf_byte(j->out, ',');
    j->has_value |= level;
}

static void open_level(struct jsonw *j, char bracket, bool is_array)
{
    assert(j->depth < JSONW_MAX_DEPTH);
    before_value(j);
    buf_byte(j->out, bracket);
    j->depth++;
    uint64_t level = UINT64_C(1) << j->depth;
    j->has_value &= ~level;
    j->is_array = is_array ? j->is_array | level : j->is_array & ~level;
}

void jsonw_object(struct jsonw *j)
{
    open_level(j, '{', false);
}

void jsonw_array(struct jsonw *j)
{
    open_level(j, '[', true);
}

void jsonw_end(struct jsonw *j)
{
    assert(j->depth > 0 && !j->after_key);
    buf_byte(j->out, j->is_array >> j->depth & 1 ? ']' : '}');
    j->depth--;
}

void jsonw_key_(struct jsonw *j, struct str key)
{
    assert(!j->after_key);
    before_value(j);
    buf_byte(j->out, '"');
    buf_add(j->out, key);
    buf_add(j->out, STR("\":"));
    j->after_key = true;
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void escape_one(struct buf *b, unsigned char c)
{
    switch (c) {
    case '"':
        buf_add(b, STR("\\\""));
        break;
    case '\\':
        buf_add(b, STR("\\\\"));
        break;
    case '\n':
        buf_add(b, STR("\\n"));
        break;
    case '\r':
        buf_add(b, STR("\\r"));
        break;
    case '\t':
        buf_add(b, STR("\\t"));
        break;
    default:
        buf_printf(b, "\\u%04x", c);
    }
}

void buf_json_escaped(struct buf *b, struct str s)
{
    while (s.n) {
        size_t plain = 0;
        while (plain < s.n && is_plain((unsigned char)s.p[plain]))
            plain++;
        buf_add(b, str_first(s, plain));
        s = str_from(s, plain);
        if (s.n == 0)
            break;
        size_t bytes = 1;
        if ((unsigned char)s.p[0] < 0x80) {
            escape_one(b, (unsigned char)s.p[0]);
        } else {
            uint32_t code;
            utf8_decode(s, &code, &bytes);
            if (utf8_is_steering(code))
                buf_printf(b, "\\u%04x", code);
            else
                buf_utf8(b, code);
        }
        s = str_from(s, bytes);
    }
}

void jsonw_text(struct jsonw *j, struct str s)
{
    before_value(j);
    buf_byte(j->out, '"');
    buf_json_escaped(j->out, s);
    buf_byte(j->out, '"');
}

void jsonw_u64(struct jsonw *j, uint64_t v)
{
    before_value(j);
    buf_u64(j->out, v);
}

void jsonw_i64(struct jsonw *j, int64_t v)
{
    before_value(j);
    if (v < 0)
        buf_byte(j->out, '-');
    buf_u64(j->out, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void jsonw_real(struct jsonw *j, double v)
{
    if (!isfinite(v)) {
        jsonw_null(j);
        return;
    }
    before_value(j);
    buf_printf(j->out, "%.17g", v);
}

void jsonw_bool(struct jsonw *j, bool v)
{
    before_value(j);
    buf_add(j->out, v ? STR("true") : STR("false"));
}

void jsonw_null(struct jsonw *j)
{
    before_value(j);
    buf_add(j->out, STR("null"));
}

void jsonw_raw(struct jsonw *j, struct str json)
{
    before_value(j);
    buf_add(j->out, json);
}
