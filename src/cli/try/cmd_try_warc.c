/* SPDX-License-Identifier: Apache-2.0 */
/* try warc: reads archives to their end and says where one is not what it should be. Memory does
 * not grow with the archive. */
#include "cli/command.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "warc/order.h"
#include "warc/reader.h"
#include "warc/verify.h"

#include <errno.h>
#include <stdio.h>

enum { CHUNK_BYTES = 64 << 10, OUT_MAX = 16 << 20, OUT_FLUSH = 32 << 10 };

struct settings {
    bool quiet, json, notes, lenient;
};

struct audit {
    const struct settings *settings;
    const char *path;
    struct warc_reader *reader;
    struct warc_verifier *verifier;
    struct warc_order *order;
    struct buf out;
    char *chunk;
    unsigned order_notes; /* of the record being read */
    uint64_t records, faults, notes, digests_right, digests_unchecked;
};

static void put_escaped(struct buf *out, struct str bytes)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < bytes.n; i++) {
        unsigned char c = (unsigned char)bytes.p[i];
        buf_byte(out, '%');
        buf_byte(out, digits[c >> 4]);
        buf_byte(out, digits[c & 15]);
    }
}

/* Text from an archive may hold anything; what would disturb a line or a terminal is escaped:
 * blanks, both sets of control characters, and whatever is not UTF-8. */
static void put_word(struct buf *out, struct str s)
{
    if (s.n == 0)
        buf_byte(out, '-');
    while (s.n) {
        uint32_t code;
        size_t n;
        bool plain = utf8_decode(s, &code, &n) && code > ' ' && (code < 127 || code > 0x9f);
        if (plain)
            buf_add(out, str_first(s, n));
        else
            put_escaped(out, str_first(s, n));
        s = str_from(s, n);
    }
}

static void put_number(struct buf *out, uint64_t value)
{
    if (value)
        buf_u64(out, value);
    else
        buf_byte(out, '-');
}

static void flush(struct audit *a, size_t above)
{
    if (a->out.n > above || buf_rc(&a->out))
        cli_print(&a->out);
}

/* One line on standard error, and in JSON one on standard output. */
static void complain(struct audit *a, const char *kind, struct warc_position at, const char *text)
{
    if (a->settings->json) {
        struct jsonw j = jsonw_to(&a->out);
        jsonw_object(&j);
        jsonw_text_field(&j, "file", str_c(a->path));
        jsonw_u64_field(&j, "offset", at.offset);
        jsonw_u64_field(&j, "in_member", at.in_member);
        jsonw_text_field(&j, kind, str_c(text));
        jsonw_end(&j);
        buf_byte(&a->out, '\n');
    }
    flush(a, 0);
    (void)fflush(stdout);
    if (at.in_member)
        cli_fail(EXIT_OTHER, "%s: %s at offset %llu, byte %llu of that gzip member: %s", a->path,
                 kind, (unsigned long long)at.offset, (unsigned long long)at.in_member, text);
    else
        cli_fail(EXIT_OTHER, "%s: %s at offset %llu: %s", a->path, kind,
                 (unsigned long long)at.offset, text);
}

static void fault(struct audit *a, struct warc_position at, const char *text)
{
    a->faults++;
    complain(a, "error", at, text);
}

static void note(struct audit *a, struct warc_position at, const char *text)
{
    a->notes++;
    if (a->settings->notes)
        complain(a, "note", at, text);
}

static void check_digest(struct audit *a, const struct warc_record *r, const char *field,
                         enum warc_check check, const struct digest *found)
{
    char text[400];
    struct str given = warc_record_get(r, str_c(field));
    struct buf b = buf_on(text, sizeof text - 1);
    a->digests_right += check == WARC_CHECK_OK || check == WARC_CHECK_STORED;
    a->digests_unchecked += check == WARC_CHECK_CUT || check == WARC_CHECK_SKIPPED;
    if (check < WARC_CHECK_WRONG)
        return;
    buf_printf(&b, "expected %s ", field);
    put_word(&b, str_first(given, 100));
    if (check == WARC_CHECK_WRONG) {
        buf_add(&b, STR(", found "));
        warc_digest_print(&b, found);
    } else {
        buf_add(&b, STR(" to be a digest"));
    }
    text[b.n] = '\0';
    fault(a, r->position, text);
}

static void report_faults(struct audit *a, const struct warc_record *r,
                          const struct warc_verdict *v)
{
    for (int i = 0; i < WARC_DEFECTS; i++)
        if (v->defects & 1U << i)
            fault(a, r->position, warc_defect_text((enum warc_defect)(1 << i)));
    check_digest(a, r, "WARC-Block-Digest", v->block, &v->block_digest);
    check_digest(a, r, "WARC-Payload-Digest", v->payload, &v->payload_digest);
}

static void report_notes(struct audit *a, const struct warc_record *r, const struct warc_verdict *v,
                         struct warc_ended ended)
{
    for (int i = 0; i < WARC_NOTES; i++)
        if (ended.notes & 1U << i)
            note(a, r->position, warc_note_text((enum warc_note)(1 << i)));
    for (int i = 0; i < WARC_ORDER_NOTES; i++)
        if (a->order_notes & 1U << i)
            note(a, r->position, warc_order_text((enum warc_order_note)(1 << i)));
    if (!ended.own_member)
        note(a, r->position, "the record shares its gzip member with others");
    if (v->payload == WARC_CHECK_STORED)
        note(a, r->position, "the payload digest is over the body as stored");
    if (v->payload == WARC_CHECK_CUT)
        note(a, r->position, "the payload digest is not that of the truncated payload");
    if (v->facts.is_chunked && v->facts.chunks.end == CHUNKED_BROKEN)
        note(a, r->position, chunked_problem_text(v->facts.chunks.problem));
}

static struct str mime_shown(const struct warc_record *r, const struct warc_verdict *v)
{
    return r->type == WARC_REVISIT ? STR("warc/revisit") : v->mime;
}

static void print_line(struct audit *a, const struct warc_record *r, const struct warc_verdict *v,
                       struct warc_ended ended)
{
    struct buf *out = &a->out;
    struct str type = warc_record_get(r, STR("WARC-Type"));
    buf_u64(out, r->position.offset);
    buf_byte(out, ' ');
    put_number(out, ended.bytes);
    buf_byte(out, ' ');
    put_word(out, type);
    buf_byte(out, ' ');
    put_number(out, v->facts.status);
    buf_byte(out, ' ');
    put_word(out, mime_shown(r, v));
    buf_byte(out, ' ');
    put_word(out, warc_record_target(r));
    buf_byte(out, '\n');
}

static void print_json(struct audit *a, const struct warc_record *r, const struct warc_verdict *v,
                       struct warc_ended ended)
{
    struct jsonw j = jsonw_to(&a->out);
    jsonw_object(&j);
    jsonw_text_field(&j, "file", str_c(a->path));
    jsonw_u64_field(&j, "offset", r->position.offset);
    jsonw_u64_field(&j, "in_member", r->position.in_member);
    jsonw_u64_field(&j, "length", ended.bytes);
    jsonw_text_field(&j, "type", warc_record_get(r, STR("WARC-Type")));
    jsonw_text_field(&j, "id", warc_record_get(r, STR("WARC-Record-ID")));
    jsonw_text_field(&j, "date", warc_record_get(r, STR("WARC-Date")));
    jsonw_u64_field(&j, "status", v->facts.status);
    jsonw_text_field(&j, "mime", mime_shown(r, v));
    jsonw_text_field(&j, "url", warc_record_target(r));
    jsonw_u64_field(&j, "block_bytes", r->block_bytes);
    jsonw_u64_field(&j, "payload_bytes", v->facts.entity_bytes);
    jsonw_text_field(&j, "block_digest", str_c(warc_check_name(v->block)));
    jsonw_text_field(&j, "payload_digest", str_c(warc_check_name(v->payload)));
    jsonw_end(&j);
    buf_byte(&a->out, '\n');
}

static enum rc record_over(struct audit *a)
{
    const struct warc_record *r = warc_reader_record(a->reader);
    struct warc_ended ended = warc_reader_ended(a->reader);
    struct warc_verdict v;
    enum rc rc = warc_verifier_end(a->verifier, &v);
    if (rc)
        return rc;
    a->records++;
    if (a->settings->json)
        print_json(a, r, &v, ended);
    else if (!a->settings->quiet)
        print_line(a, r, &v, ended);
    report_faults(a, r, &v);
    report_notes(a, r, &v, ended);
    flush(a, OUT_FLUSH);
    return RC_OK;
}

static void archive_broken(struct audit *a)
{
    const struct warc_problem *p = warc_reader_problem(a->reader);
    char room[400];
    struct buf text = buf_on(room, sizeof room);
    buf_add(&text, str_c(p->text));
    if (p->in_record)
        buf_printf(&text, " (in the record at offset %llu; whole records end at %llu)",
                   (unsigned long long)p->record.offset,
                   (unsigned long long)warc_reader_whole_bytes(a->reader));
    fault(a, p->at, buf_c(&text));
}

static enum rc read_more(struct audit *a, FILE *f)
{
    size_t n = fread(a->chunk, 1, CHUNK_BYTES, f);
    if (n == 0 && ferror(f)) {
        cli_fail(EXIT_OTHER, "%s: %s", a->path, strerror(errno));
        return RC_IO;
    }
    if (n == 0)
        warc_reader_finish(a->reader);
    else
        warc_reader_feed(a->reader, str_make(a->chunk, n));
    return RC_OK;
}

static enum rc read_archive(struct audit *a, FILE *f)
{
    struct str piece;
    enum rc rc = RC_OK;
    while (rc == RC_OK) {
        switch (warc_reader_next(a->reader, &piece)) {
        case WARC_MORE:
            rc = read_more(a, f);
            break;
        case WARC_RECORD:
            a->order_notes = warc_order_add(a->order, warc_reader_record(a->reader));
            warc_verifier_begin(a->verifier, warc_reader_record(a->reader));
            break;
        case WARC_BLOCK:
            warc_verifier_add(a->verifier, piece);
            break;
        case WARC_RECORD_END:
            rc = record_over(a);
            break;
        case WARC_END:
            return RC_OK;
        case WARC_BROKEN:
            archive_broken(a);
            return RC_OK;
        }
    }
    return rc;
}

static void print_summary(struct audit *a)
{
    struct jsonw j = jsonw_to(&a->out);
    if (a->settings->json) {
        jsonw_object(&j);
        jsonw_text_field(&j, "file", str_c(a->path));
        jsonw_u64_field(&j, "records", a->records);
        jsonw_u64_field(&j, "digests_right", a->digests_right);
        jsonw_u64_field(&j, "digests_unchecked", a->digests_unchecked);
        jsonw_u64_field(&j, "errors", a->faults);
        jsonw_u64_field(&j, "notes", a->notes);
        jsonw_u64_field(&j, "whole_bytes", warc_reader_whole_bytes(a->reader));
        jsonw_end(&j);
        buf_byte(&a->out, '\n');
    } else if (!a->settings->quiet) {
        buf_printf(&a->out,
                   "# %s: %llu records, %llu digests right, %llu not checkable, %llu errors, "
                   "%llu notes\n",
                   a->path, (unsigned long long)a->records, (unsigned long long)a->digests_right,
                   (unsigned long long)a->digests_unchecked, (unsigned long long)a->faults,
                   (unsigned long long)a->notes);
    }
    flush(a, 0);
}

static bool try_file(struct audit *a, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *f = is_stdin ? stdin : fopen(path, "rb");
    if (!f) {
        cli_fail(EXIT_OTHER, "%s: %s", path, strerror(errno));
        return false;
    }
    a->path = path;
    a->records = a->faults = a->notes = a->digests_right = a->digests_unchecked = 0;
    warc_reader_reset(a->reader);
    warc_order_reset(a->order);
    enum rc rc = read_archive(a, f);
    if (!is_stdin)
        (void)fclose(f);
    if (rc == RC_OK)
        print_summary(a);
    else if (rc != RC_IO)
        cli_fail(EXIT_OTHER, "%s: %s", path, rc_text(rc));
    return rc == RC_OK && a->faults == 0;
}

static bool audit_open(struct audit *a, const struct settings *settings)
{
    struct warc_reader_options o = {.lenient = settings->lenient};
    *a = (struct audit){
        .settings = settings,
        .reader = warc_reader_open(&o),
        .verifier = warc_verifier_open(),
        .order = warc_order_open(),
        .chunk = mem_alloc(CHUNK_BYTES),
        .out = {.max = OUT_MAX},
    };
    return a->reader && a->verifier && a->order && a->chunk;
}

static void audit_close(struct audit *a)
{
    warc_reader_close(a->reader);
    warc_verifier_close(a->verifier);
    warc_order_close(a->order);
    mem_free(a->chunk);
    buf_done(&a->out);
}

static int run(struct invocation *in)
{
    struct audit a;
    int code = EXIT_DONE;
    if (in->word_count == 0)
        return cli_fail(EXIT_USAGE, "try warc: expected a FILE, or - for standard input");
    if (!audit_open(&a, in->settings))
        code = cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    bool right = code == EXIT_DONE;
    for (int i = 0; code == EXIT_DONE && i < in->word_count; i++)
        right &= try_file(&a, in->words[i]);
    audit_close(&a);
    return right ? EXIT_DONE : EXIT_OTHER;
}

static const struct option options[] = {
    OPTION_BOOL_ROW(struct settings, quiet, "quiet", "no", "print only what is wrong",
                    .letter = 'q'),
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "one JSON object a line", .letter = 'j'),
    OPTION_BOOL_ROW(struct settings, notes, "notes", "no",
                    "also say what was forgiven or looks unusual"),
    OPTION_BOOL_ROW(struct settings, lenient, "lenient", "no",
                    "forgive missing line ends behind a block"),
    {0},
};

const struct command cmd_try_warc = {
    .name = "try warc",
    .args = "FILE...",
    .summary = "read archives and verify lengths, checksums and digests",
    .details =
        "Reads WARC files, compressed or not (- is standard input), and prints a line a record: "
        "offset, length, type, HTTP status, media type, URI. Lengths, gzip checksums, required "
        "fields, block digests and payload digests are verified; order and references between "
        "records are noted (--notes). The exit code is 1 if anything is wrong; the message names "
        "the file, the offset and what was expected there.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
