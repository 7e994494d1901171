/* SPDX-License-Identifier: Apache-2.0 */
/* page_input: a file of HTML, XHTML or CSS as UTF-8, for the commands that try the page reader on
 * it. */
#ifndef CLI_TRY_PAGE_INPUT_H
#define CLI_TRY_PAGE_INPUT_H

#include "cli/command.h"
#include "html/page.h"

enum page_type {
    PAGE_TYPE_HTML, /* also if the type is unknown */
    PAGE_TYPE_XML,  /* XHTML, or any other XML with elements of it */
    PAGE_TYPE_CSS,
    PAGE_TYPE_OTHER, /* nothing that is read for links: text/plain, image/png, ... */
};

struct page_input {
    struct buf raw, utf8;
    enum page_type type;
    const char *charset; /* the encoding it was in */
};

/* Reads the file ("-" is standard input), finds its type and encoding and converts it. On failure a
 * message was printed and the exit code is returned; page_input_done() is due either way. */
int page_input_read(struct page_input *in, const char *path, struct str content_type);
void page_input_done(struct page_input *in);

/* The page in the arena, whatever type it is of; EXIT_DONE, or an exit code after a message.
 */
int page_input_parse(const struct page_input *in, unsigned parts, struct arena *arena,
                     struct page *ret);

#endif
