/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/try/page_input.h"

#include "html/charset.h"

enum {
    RAW_MAX_BYTES = 256 << 20,
    UTF8_MAX_TOTAL_BYTES = 768 << 20,
    SHOWN_MAX_BYTES = 64 << 10, /* of an anchor's text, a data: URL */
};

static enum page_type type_of(struct str content_type)
{
    struct str s = str_trim(str_first(content_type, str_find(content_type, ';')));
    if (str_find(s, '/') == s.n || str_eq_nocase(s, STR("text/html")))
        return PAGE_TYPE_HTML;
    if (str_eq_nocase(s, STR("text/css")))
        return PAGE_TYPE_CSS;
    if (str_eq_nocase(s, STR("text/xml")) || str_eq_nocase(s, STR("application/xml")) ||
        (s.n > 4 && str_eq_nocase(str_from(s, s.n - 4), STR("+xml"))))
        return PAGE_TYPE_XML;
    return PAGE_TYPE_OTHER;
}

int page_input_read(struct page_input *in, const char *path, struct str content_type)
{
    buf_init(&in->raw, RAW_MAX_BYTES);
    buf_init(&in->utf8, UTF8_MAX_TOTAL_BYTES);
    if (cli_read_file(path, RAW_MAX_BYTES, &in->raw) != RC_OK)
        return EXIT_OTHER;
    in->type = type_of(content_type);
    struct charset_guess guess = charset_guess(buf_str(&in->raw), content_type);
    in->charset = guess.name;
    enum rc rc =
        charset_to_utf8(guess.name, str_from(buf_str(&in->raw), guess.bom_bytes), &in->utf8);
    if (rc != RC_OK)
        return cli_fail(EXIT_OTHER, "%s: cannot convert from %s: %s", path, guess.name,
                        rc_text(rc));
    return EXIT_DONE;
}

void page_input_done(struct page_input *in)
{
    buf_done(&in->raw);
    buf_done(&in->utf8);
}

int page_input_parse(const struct page_input *in, unsigned parts, struct arena *arena,
                     struct page *ret)
{
    struct page_reader *reader;
    struct page_options options = {.parts = parts,
                                   .xml = in->type == PAGE_TYPE_XML,
                                   .agent = STR("orbweaver"),
                                   .max_links = 1 << 20,
                                   .max_text_bytes = UTF8_MAX_TOTAL_BYTES,
                                   .max_anchor_bytes = SHOWN_MAX_BYTES,
                                   .max_data_url_bytes = SHOWN_MAX_BYTES};
    enum rc rc = page_reader_open(&reader);
    if (rc == RC_OK) {
        rc = page_read(reader, &options, buf_str(&in->utf8), arena, ret);
        page_reader_close(reader);
    }
    return rc == RC_OK ? EXIT_DONE : cli_fail(EXIT_OTHER, "%s", rc_text(rc));
}
