/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include "cli/commands.h"

#include <stdio.h>

enum { WIDTH = 78 }; /* of paragraphs on a terminal */

/* Commands that share a line: the list is to fit a screen. */
static const struct family {
    struct str first; /* word of their names, with the blank behind it */
    const char *what;
} families[] = {
    {{"simulate ", sizeof "simulate " - 1}, "shares and protocols on imagined time:"},
    {{"member ", sizeof "member " - 1}, "keys of the members of a pool:"},
    {{"sink ", sizeof "sink " - 1}, "archive files go to an archive machine:"},
    {{"try ", sizeof "try " - 1}, "one library on local input:"},
};

static const struct family *family_of(const struct command *c)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (str_starts(str_c(c->name), families[i].first))
            return &families[i];
    return NULL;
}

static void family_line(struct buf *out, const struct family *f)
{
    buf_printf(out, "  %-18.*s %s", (int)f->first.n - 1, f->first.p, f->what);
    for (const struct command *const *c = cli_commands; *c; c++)
        if (family_of(*c) == f)
            buf_printf(out, " %s", (*c)->name + f->first.n);
    buf_byte(out, '\n');
}

void help_all(struct buf *out)
{
    const struct family *last = NULL;
    buf_add(out, STR("orbweaver: a distributed web crawler that writes standard WARC\n"
                     "usage: orbweaver COMMAND [OPTION...] [ARGUMENT...]\n\n"));
    for (const struct command *const *c = cli_commands; *c; c++) {
        const struct family *f = family_of(*c);
        if (!f)
            buf_printf(out, "  %-18s %s\n", (*c)->name, (*c)->summary);
        else if (f != last)
            family_line(out, f);
        last = f;
    }
    buf_add(out, STR("  --help             this text; behind a command, about that command\n"
                     "  --version          the version; the manual: man orbweaver\n"));
}

static void option_flags(struct buf *out, const struct option *o)
{
    if (o->letter)
        buf_printf(out, "-%c, ", o->letter);
    buf_printf(out, "--%s", o->key);
    if (option_arg(o))
        buf_printf(out, "=%s", option_arg(o));
}

/* A paragraph, broken between words. */
static void fill(struct buf *out, struct str line)
{
    while (line.n > WIDTH) {
        size_t at = WIDTH;
        while (at && line.p[at] != ' ')
            at--;
        at = at ? at : str_find(line, ' ');
        buf_add(out, str_first(line, at));
        buf_byte(out, '\n');
        line = str_from(line, at + 1);
    }
    buf_add(out, line);
    buf_byte(out, '\n');
}

/* Lines of a text are broken where the source is: a paragraph ends where a sentence does and one
 * more word would have fit. */
static bool ends_paragraph(struct str line, struct str rest)
{
    struct str next = str_take_until(&rest, '\n');
    size_t with_word = line.n + 1 + str_find(next, ' ');
    return !line.n || !next.n || (line.p[line.n - 1] == '.' && with_word <= WIDTH);
}

static void wrapped(struct buf *out, struct str text)
{
    struct buf paragraph = {.max = 1 << 16};
    while (text.p) {
        struct str line = str_take_until(&text, '\n');
        if (paragraph.n)
            buf_byte(&paragraph, ' ');
        buf_add(&paragraph, line);
        if (text.p && !ends_paragraph(line, text))
            continue;
        fill(out, buf_str(&paragraph));
        buf_clear(&paragraph);
    }
    buf_done(&paragraph);
}

void help_command(struct buf *out, const struct command *c)
{
    buf_printf(out, "usage: orbweaver %s%s%s%s\n%s\n", c->name, c->options ? " [OPTION...]" : "",
               c->args && *c->args ? " " : "", c->args ? c->args : "", c->summary);
    if (c->details) {
        buf_byte(out, '\n');
        wrapped(out, str_c(c->details));
    }
    if (c->options)
        buf_byte(out, '\n');
    for (const struct option *o = c->options; o && o->key; o++) {
        char room[128];
        struct buf flags = buf_on(room, sizeof room);
        option_flags(&flags, o);
        buf_printf(out, "  %-28.*s %s", STR_ARG(buf_str(&flags)), o->help);
        if (o->def && *o->def && o->type != OPTION_BOOL)
            buf_printf(out, " (%s)", o->def);
        buf_byte(out, '\n');
    }
}

/* Text as troff takes it: a line may not begin with a dot, and minus signs are real. */
static void troff(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        bool line_start = i == 0 || s.p[i - 1] == '\n';
        if (line_start && (s.p[i] == '.' || s.p[i] == '\''))
            buf_add(out, STR("\\&"));
        if (s.p[i] == '\\')
            buf_add(out, STR("\\e"));
        else if (s.p[i] == '-')
            buf_add(out, STR("\\-"));
        else
            buf_byte(out, s.p[i]);
    }
}

static void manual_command(struct buf *out, const struct command *c)
{
    buf_printf(out, ".SS %s", c->name);
    if (c->args && *c->args) {
        buf_byte(out, ' ');
        troff(out, str_c(c->args));
    }
    buf_byte(out, '\n');
    troff(out, str_c(c->summary));
    buf_add(out, STR(".\n"));
    if (c->details) {
        struct buf lines = {.max = 1 << 16};
        wrapped(&lines, str_c(c->details));
        buf_add(out, STR(".PP\n.nf\n"));
        troff(out, buf_str(&lines));
        buf_add(out, STR(".fi\n"));
        buf_done(&lines);
    }
    for (const struct option *o = c->options; o && o->key; o++) {
        char room[128];
        struct buf flags = buf_on(room, sizeof room);
        option_flags(&flags, o);
        buf_add(out, STR(".TP\n.B "));
        troff(out, buf_str(&flags));
        buf_byte(out, '\n');
        troff(out, str_c(o->help));
        if (o->def && *o->def) {
            buf_add(out, STR(". Default: "));
            troff(out, str_c(o->def));
        }
        buf_add(out, STR(".\n"));
    }
}

void help_manual(struct buf *out, const char *version)
{
    buf_printf(out, ".TH ORBWEAVER 1 \"\" \"orbweaver %s\"\n", version);
    buf_add(out, STR(".SH NAME\norbweaver \\- distributed web crawler that writes standard WARC\n"
                     ".SH SYNOPSIS\n.B orbweaver\n.I COMMAND\n[OPTION...] [ARGUMENT...]\n"
                     ".SH COMMANDS\n"));
    for (const struct command *const *c = cli_commands; *c; c++)
        manual_command(out, *c);
    buf_add(out,
            STR(".SH EXIT STATUS\n"
                "0 finished or a limit was reached; 1 other; 2 usage or configuration; 3 disk; "
                "4 no seed reachable; 5 cluster unreachable or its log contradicts ours; "
                "130 or 143 interrupted after a clean checkpoint.\n"
                ".SH ENVIRONMENT\n"
                ".TP\n.B NO_COLOR\nno colour in what a person reads.\n"));
}

static struct str first_word(const char *name)
{
    struct str rest = str_c(name);
    return str_take_until(&rest, ' ');
}

static void completion_words(struct buf *out)
{
    struct str last = STR_NONE;
    for (const struct command *const *c = cli_commands; *c; c++) {
        struct str word = first_word((*c)->name);
        if (!str_eq(word, last))
            buf_printf(out, STR_FMT " ", STR_ARG(word));
        last = word;
    }
}

/* The commands of two words that begin alike stand together in the list. */
static bool is_first_of_group(const struct command *const *c)
{
    struct str word = first_word((*c)->name);
    return word.n < strlen((*c)->name) &&
           (c == cli_commands || !str_eq(word, first_word(c[-1]->name)));
}

static void completion_group(struct buf *out, struct str word)
{
    buf_printf(out, "    \"" STR_FMT " \") words=\"", STR_ARG(word));
    for (const struct command *const *c = cli_commands; *c; c++)
        if (str_eq(first_word((*c)->name), word))
            buf_printf(out, "%s ", (*c)->name + word.n + 1);
    buf_add(out, STR("\" ;;\n"));
}

void help_completion(struct buf *out)
{
    buf_add(out, STR("_orbweaver() {\n    local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
                     "    case \"${COMP_WORDS[*]:1:COMP_CWORD-1} \" in\n"));
    for (const struct command *const *c = cli_commands; *c; c++) {
        buf_printf(out, "    \"%s \"*) words=\"", (*c)->name);
        for (const struct option *o = (*c)->options; o && o->key; o++)
            buf_printf(out, "--%s ", o->key);
        buf_add(out, STR("--help\" ;;\n"));
    }
    for (const struct command *const *c = cli_commands; *c; c++)
        if (is_first_of_group(c))
            completion_group(out, first_word((*c)->name));
    buf_add(out, STR("    ' ') words=\""));
    completion_words(out);
    buf_add(out, STR("--help --version\" ;;\n    esac\n"
                     "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                     "    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                     "}\ncomplete -o filenames -F _orbweaver orbweaver\n"));
}
