/* SPDX-License-Identifier: Apache-2.0 */
/* The upper half of the reader: records out of plain bytes, one step a state. The version line is
 * checked byte by byte, so that garbage is refused at its first byte and not after a megabyte. */
#include "warc/reader.h"

#include "base/mem.h"
#include "warc/fields.h"
#include "warc/source.h"

enum {
    HEADER_BYTES = 1 << 20,
    LINE_BYTES = 256 << 10,
    FIELDS = 4096,
    LEAST_BYTES = 64,
    RATIO = 1000,
    ANY_RATIO_BYTES = 1 << 30,
};

enum state {
    BEFORE,  /* line ends are passed over until a record begins */
    MAGIC,   /* in the five bytes "WARC/" */
    HEADER,  /* in the version line or the fields */
    BLOCK,   /* in the block */
    TRAILER, /* in the two line ends behind it */
    AFTER,   /* whole, but its gzip member may not be over */
    DONE,
    FAILED,
};

/* A step returns this when it has no event yet. */
enum { GO_ON = -1 };

struct warc_reader {
    struct warc_reader_options o;
    struct source source;
    enum state state;
    struct warc_record record;
    struct fields fields;
    struct buf line;              /* a line that came in pieces */
    struct warc_position line_at; /* its first byte */
    size_t header_bytes;          /* of the lines before it */
    bool version_read, blank_before;
    uint64_t left;         /* of the block */
    unsigned line_ends;    /* seen behind the block */
    bool after_cr;         /* a CR of such a line end was the last byte */
    bool cr_lf;            /* the first of them was CR LF */
    uint64_t record_count; /* begun so far */
    uint64_t whole_bytes;
    struct warc_ended ended;
    struct warc_problem problem;
};

/* Below LEAST_BYTES not even a version line would fit. */
static size_t or_default(size_t asked, size_t normal)
{
    if (asked == 0)
        return normal;
    return asked < LEAST_BYTES ? LEAST_BYTES : asked;
}

struct warc_reader *warc_reader_open(const struct warc_reader_options *options)
{
    struct warc_reader *r = mem_zero(1, sizeof *r);
    if (!r)
        return NULL;
    if (options)
        r->o = *options;
    struct warc_reader_limits *l = &r->o.limits;
    l->header_bytes = or_default(l->header_bytes, HEADER_BYTES);
    l->line_bytes = or_default(l->line_bytes, LINE_BYTES);
    l->fields = l->fields ? l->fields : FIELDS;
    l->ratio = l->ratio ? l->ratio : RATIO;
    buf_init(&r->line, l->line_bytes);
    fields_init(&r->fields, l->header_bytes, l->fields);
    r->source.max_ratio = l->ratio;
    r->source.any_ratio_bytes = l->any_ratio_bytes ? l->any_ratio_bytes : ANY_RATIO_BYTES;
    return r;
}

void warc_reader_close(struct warc_reader *r)
{
    if (!r)
        return;
    source_done(&r->source);
    fields_done(&r->fields);
    buf_done(&r->line);
    mem_free(r);
}

void warc_reader_reset(struct warc_reader *r)
{
    source_reset(&r->source);
    buf_clear(&r->line);
    fields_clear(&r->fields);
    struct warc_reader kept = {
        .o = r->o, .source = r->source, .fields = r->fields, .line = r->line};
    *r = kept;
}

void warc_reader_feed(struct warc_reader *r, struct str bytes)
{
    source_feed(&r->source, bytes);
}

void warc_reader_finish(struct warc_reader *r)
{
    source_finish(&r->source);
}

const struct warc_record *warc_reader_record(const struct warc_reader *r)
{
    return &r->record;
}

struct warc_ended warc_reader_ended(const struct warc_reader *r)
{
    return r->ended;
}

const struct warc_problem *warc_reader_problem(const struct warc_reader *r)
{
    return &r->problem;
}

uint64_t warc_reader_whole_bytes(const struct warc_reader *r)
{
    return r->whole_bytes;
}

bool warc_reader_is_gzip(const struct warc_reader *r)
{
    return r->source.form == SOURCE_GZIP;
}

static void set_record(struct warc_reader *r)
{
    r->problem.in_record = r->state != BEFORE;
    r->problem.record = r->problem.in_record ? r->record.position : r->source.at;
    r->state = FAILED;
}

static int fail(struct warc_reader *r, enum rc rc, struct warc_position at, const char *format, ...)
    PRINTF_LIKE(4, 5);
static int fail(struct warc_reader *r, enum rc rc, struct warc_position at, const char *format, ...)
{
    r->problem = (struct warc_problem){.rc = rc, .at = at};
    struct buf text = buf_on(r->problem.text, sizeof r->problem.text - 1);
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    set_record(r);
    return WARC_BROKEN;
}

static int fail_torn(struct warc_reader *r, const char *expected)
{
    int event = fail(r, RC_INVALID, source_end_position(&r->source),
                     "expected %s, the archive ends", expected);
    r->problem.torn = true;
    return event;
}

/* One byte for a message. */
struct shown {
    char text[12];
};
static struct shown shown(char byte)
{
    struct shown s = {{0}};
    struct buf text = buf_on(s.text, sizeof s.text - 1);
    bool printable = byte >= ' ' && byte <= '~';
    buf_printf(&text, printable ? "\"%c\"" : "byte 0x%02x", (unsigned char)byte);
    return s;
}

/* Makes the window non-empty. False: *ret_event is to be returned (GO_ON at a member's end, of
 * which most steps take no notice). */
static bool ready(struct warc_reader *r, const char *expected, int *ret_event)
{
    switch (source_fill(&r->source)) {
    case SOURCE_READY:
        return true;
    case SOURCE_MORE:
        *ret_event = WARC_MORE;
        break;
    case SOURCE_BOUNDARY:
        *ret_event = GO_ON;
        break;
    case SOURCE_END:
        *ret_event = fail_torn(r, expected);
        break;
    case SOURCE_BROKEN:
        r->problem = r->source.problem;
        set_record(r);
        *ret_event = WARC_BROKEN;
        break;
    }
    return false;
}

static bool is_line_end(char c)
{
    return c == '\r' || c == '\n';
}

static void begin_record(struct warc_reader *r)
{
    r->record = (struct warc_record){.position = r->source.at, .number = r->record_count++};
    if (r->blank_before)
        r->record.notes |= WARC_NOTE_BLANK_LINES;
    r->blank_before = false;
    r->version_read = false;
    r->header_bytes = 0;
    r->line_at = r->source.at;
    fields_clear(&r->fields);
    buf_clear(&r->line);
    r->state = MAGIC;
}

static int end_archive(struct warc_reader *r)
{
    if (r->record_count == 0)
        return fail_torn(r, "a record");
    r->whole_bytes = source_end_position(&r->source).offset;
    r->state = DONE;
    return WARC_END;
}

static int step_before(struct warc_reader *r)
{
    struct source *s = &r->source;
    enum source_state state = source_fill(s);
    if (state == SOURCE_END)
        return end_archive(r);
    if (state == SOURCE_BOUNDARY)
        r->whole_bytes = r->record_count ? s->member_end : r->whole_bytes;
    int event = GO_ON;
    if (state == SOURCE_BOUNDARY || !ready(r, "", &event))
        return event;
    size_t n = 0;
    while (n < s->window.n && is_line_end(s->window.p[n]))
        n++;
    r->blank_before |= n > 0;
    source_take(s, n);
    if (s->window.n)
        begin_record(r);
    return GO_ON;
}

static bool begins_like(struct str seen, struct str whole)
{
    return str_starts(whole, seen);
}

/* Whether what was seen of the first line still may be another format that we know by name. */
static const char *foreign_format(struct str seen, bool *ret_maybe)
{
    static const struct {
        struct str magic;
        const char *name;
    } formats[] = {
        {{"filedesc://", 11}, "an ARC file"},
        {{"\x28\xb5\x2f\xfd", 4}, "zstd"},
        {{"\x5d\x2a\x4d\x18", 4}, "zstd with a dictionary"},
    };
    *ret_maybe = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (str_eq(seen, formats[i].magic))
            return formats[i].name;
        *ret_maybe |= begins_like(seen, formats[i].magic);
    }
    return NULL;
}

static int step_magic(struct warc_reader *r)
{
    int event;
    if (!ready(r, "\"WARC/\" and a version", &event))
        return event;
    struct warc_position at = r->source.at;
    char byte = r->source.window.p[0];
    buf_byte(&r->line, byte);
    if (buf_rc(&r->line))
        return fail(r, buf_rc(&r->line), at, "%s", rc_text(buf_rc(&r->line)));
    source_take(&r->source, 1);
    struct str seen = buf_str(&r->line);
    if (begins_like(seen, STR("WARC/"))) {
        r->state = seen.n == 5 ? HEADER : MAGIC;
        return GO_ON;
    }
    bool maybe = false;
    const char *foreign = r->record.number ? NULL : foreign_format(seen, &maybe);
    if (foreign)
        return fail(r, RC_UNSUPPORTED, r->record.position, "expected a WARC file, found %s",
                    foreign);
    if (maybe)
        return GO_ON;
    return fail(r, RC_INVALID, at,
                "expected \"WARC/\" and a version at the start of a record, found %s",
                shown(byte).text);
}

/* Room for the line that is being read: what both limits leave. */
static size_t line_room(const struct warc_reader *r)
{
    size_t header = r->o.limits.header_bytes - r->header_bytes;
    return header < r->o.limits.line_bytes ? header : r->o.limits.line_bytes;
}

static int fail_line_limit(struct warc_reader *r)
{
    if (line_room(r) < r->o.limits.line_bytes)
        return fail(r, RC_LIMIT, r->line_at, "expected a record's header of at most %zu bytes",
                    r->o.limits.header_bytes);
    return fail(r, RC_LIMIT, r->line_at, "expected a header line of at most %zu bytes",
                r->o.limits.line_bytes);
}

/* Takes bytes up to and including an LF. GO_ON with *ret_line set when a line is whole, with
 * *ret_line absent when it goes on. */
static int take_line(struct warc_reader *r, struct str *ret_line)
{
    struct source *s = &r->source;
    int event;
    *ret_line = STR_NONE;
    if (!ready(r, "the end of a record's header", &event))
        return event;
    if (r->line.n == 0)
        r->line_at = s->at;
    size_t lf = str_find(s->window, '\n');
    bool whole = lf < s->window.n;
    struct str part = str_first(s->window, lf + whole);
    if (part.n > line_room(r) - r->line.n)
        return fail_line_limit(r);
    source_take(s, part.n);
    if (whole && r->line.n == 0) {
        *ret_line = part;
        return GO_ON;
    }
    buf_add(&r->line, part);
    if (buf_rc(&r->line))
        return fail(r, buf_rc(&r->line), r->line_at, "%s", rc_text(buf_rc(&r->line)));
    if (whole)
        *ret_line = buf_str(&r->line);
    return GO_ON;
}

/* Without leading zeros: 1.01 is not 1.1. */
static bool take_version_number(struct str *s, unsigned *ret)
{
    size_t n = 0;
    unsigned value = 0;
    while (n < s->n && n < 4 && ascii_is_digit(s->p[n]))
        value = value * 10 + (unsigned)(s->p[n++] - '0');
    bool right = n == 1 || (n > 1 && s->p[0] != '0');
    *s = str_from(*s, n);
    *ret = value;
    return right;
}

static bool version_known(unsigned major, unsigned minor)
{
    return (major == 1 && minor <= 1) || (major == 0 && (minor == 17 || minor == 18));
}

static int read_version(struct warc_reader *r, struct str line)
{
    struct warc_record *record = &r->record;
    struct str rest = str_from(line, 5);
    bool number = take_version_number(&rest, &record->version_major) && rest.n && rest.p[0] == '.';
    rest = str_from(rest, 1);
    number = number && take_version_number(&rest, &record->version_minor) && str_trim(rest).n == 0;
    if (!number)
        return fail(r, RC_INVALID, r->line_at, "expected a version such as WARC/1.1");
    if (!version_known(record->version_major, record->version_minor))
        return fail(r, RC_VERSION, r->line_at,
                    "expected WARC/0.17, 0.18, 1.0 or 1.1, found WARC/%u.%u", record->version_major,
                    record->version_minor);
    r->version_read = true;
    return GO_ON;
}

static int read_length(struct warc_reader *r)
{
    static const struct str name = {"Content-Length", 14};
    struct warc_record *record = &r->record;
    size_t cursor = 0, count = 0;
    struct str value;
    while ((value = warc_record_each(record, name, &cursor)).p) {
        struct warc_position at = r->fields.spans[cursor - 1].at;
        uint64_t bytes;
        if (str_to_u64(value, &bytes) != RC_OK || bytes > INT64_MAX)
            return fail(r, RC_INVALID, at, "expected a number of bytes in Content-Length");
        if (count && bytes != record->block_bytes)
            return fail(r, RC_INVALID, at,
                        "expected one Content-Length, found another that disagrees");
        record->block_bytes = bytes;
        record->notes |= count++ ? WARC_NOTE_SAME_LENGTH : 0;
    }
    if (count == 0)
        return fail(r, RC_INVALID, record->position,
                    "expected Content-Length in a record's header");
    return GO_ON;
}

static int header_over(struct warc_reader *r)
{
    r->record.fields = fields_resolve(&r->fields);
    r->record.field_count = r->fields.count;
    int event = read_length(r);
    if (event != GO_ON)
        return event;
    r->record.type = warc_type_of(warc_record_get(&r->record, STR("WARC-Type")));
    r->left = r->record.block_bytes;
    r->line_ends = 0;
    r->after_cr = false;
    r->state = BLOCK;
    return WARC_RECORD;
}

/* `line` without its line end; lines of LF alone are noted. */
static struct str strip_end(struct warc_reader *r, struct str line)
{
    line.n--;
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    else
        r->record.notes |= WARC_NOTE_LF;
    return line;
}

static int read_field(struct warc_reader *r, struct str line)
{
    size_t problem_at = 0;
    const char *expected = NULL;
    if (line.p[0] == ' ' || line.p[0] == '\t')
        r->record.notes |= WARC_NOTE_FOLDED;
    enum rc rc = fields_line(&r->fields, line, r->line_at, &problem_at, &expected);
    if (rc)
        return fail(r, rc, source_position_after(&r->source, r->line_at, problem_at), "%s",
                    expected ? expected : rc_text(rc));
    return GO_ON;
}

static int step_header(struct warc_reader *r)
{
    struct str whole;
    int event = take_line(r, &whole);
    if (!whole.p)
        return event;
    r->header_bytes += whole.n;
    struct str line = strip_end(r, whole);
    if (!r->version_read)
        event = read_version(r, line);
    else
        event = line.n ? read_field(r, line) : header_over(r);
    buf_clear(&r->line);
    return event;
}

static int step_block(struct warc_reader *r, struct str *ret_piece)
{
    int event;
    if (r->left == 0) {
        r->state = TRAILER;
        return GO_ON;
    }
    if (!ready(r, "more of a record's block", &event))
        return event;
    struct source *s = &r->source;
    *ret_piece = str_first(s->window, r->left < s->window.n ? (size_t)r->left : s->window.n);
    r->left -= ret_piece->n;
    source_take(s, ret_piece->n);
    return WARC_BLOCK;
}

/* `end_offset` 0: in the middle of a gzip member, whose length is not known yet. */
static int end_record(struct warc_reader *r, uint64_t end_offset, bool own)
{
    r->ended = (struct warc_ended){
        .bytes = end_offset ? end_offset - r->record.position.offset : 0,
        .own_member = own && r->record.position.in_member == 0,
        .notes = r->record.notes,
    };
    r->state = BEFORE;
    return WARC_RECORD_END;
}

/* A record ends here although its line ends are missing. */
static int end_without_trailer(struct warc_reader *r)
{
    struct source *s = &r->source;
    r->record.notes |= WARC_NOTE_NO_END;
    if (s->at.in_member)
        return end_record(r, 0, false);
    r->whole_bytes = s->form == SOURCE_PLAIN ? s->at.offset : s->member_end;
    return end_record(r, r->whole_bytes, true);
}

/* Whether an LF now ends a line behind the block. Both lines end alike: a mixture comes from a
 * Content-Length that is wrong by one, which takes the CR for the block's last byte. */
static bool is_trailer_lf(const struct warc_reader *r, char c)
{
    return c == '\n' && (r->line_ends == 0 || r->cr_lf == r->after_cr);
}

static int step_trailer(struct warc_reader *r)
{
    struct source *s = &r->source;
    int event;
    if (r->o.lenient && source_fill(s) == SOURCE_END)
        return end_without_trailer(r);
    if (!ready(r, "CR LF CR LF behind a record's block", &event))
        return event;
    char c = s->window.p[0];
    if (c == '\r' && !r->after_cr) {
        r->after_cr = true;
    } else if (is_trailer_lf(r, c)) {
        r->record.notes |= r->after_cr ? 0 : WARC_NOTE_LF;
        r->cr_lf = r->after_cr;
        r->after_cr = false;
        r->state = ++r->line_ends == 2 ? AFTER : TRAILER;
    } else if (r->o.lenient && c == 'W' && !r->after_cr) {
        return end_without_trailer(r);
    } else {
        return fail(r, RC_INVALID, s->at,
                    "expected CR LF CR LF behind the block of %llu bytes, found %s",
                    (unsigned long long)r->record.block_bytes, shown(c).text);
    }
    source_take(s, 1);
    return GO_ON;
}

static int step_after(struct warc_reader *r)
{
    struct source *s = &r->source;
    if (s->form == SOURCE_PLAIN) {
        r->whole_bytes = s->at.offset;
        return end_record(r, s->at.offset, true);
    }
    if (source_fill(s) == SOURCE_BOUNDARY) {
        r->whole_bytes = s->member_end;
        return end_record(r, s->member_end, true);
    }
    int event;
    if (!ready(r, "the end of a gzip member", &event))
        return event;
    if (!is_line_end(s->window.p[0]))
        return end_record(r, 0, false);
    r->record.notes |= WARC_NOTE_BLANK_LINES;
    source_take(s, 1);
    return GO_ON;
}

enum warc_event warc_reader_next(struct warc_reader *r, struct str *ret_piece)
{
    for (;;) {
        int event = GO_ON;
        switch (r->state) {
        case BEFORE:
            event = step_before(r);
            break;
        case MAGIC:
            event = step_magic(r);
            break;
        case HEADER:
            event = step_header(r);
            break;
        case BLOCK:
            event = step_block(r, ret_piece);
            break;
        case TRAILER:
            event = step_trailer(r);
            break;
        case AFTER:
            event = step_after(r);
            break;
        case DONE:
            return WARC_END;
        case FAILED:
            return WARC_BROKEN;
        }
        if (event != GO_ON)
            return (enum warc_event)event;
    }
}
