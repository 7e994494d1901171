/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/scope_regex.h"

#include "base/mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
    MATCH_LIMIT = 1000000, /* at one place; the steps end a match earlier */
    DEPTH_LIMIT = 10000,
    HEAP_KIB = 8192, /* of the interpreter's frames */
};

struct regex_list {
    pcre2_general_context *memory;
    size_t count;
    pcre2_code *codes[];
};

static void *pcre_alloc(size_t bytes, void *ctx)
{
    (void)ctx;
    return mem_alloc(bytes);
}

static void pcre_free(void *p, void *ctx)
{
    (void)ctx;
    mem_free(p);
}

static void tell(struct buf *why, const char *what, struct str pattern, size_t at, int code)
{
    char text[256];
    if (pcre2_get_error_message(code, (PCRE2_UCHAR *)text, sizeof text) < 0)
        text[0] = '\0';
    buf_printf(why, "%s: '" STR_FMT "': at byte %zu: %s", what, STR_ARG(pattern), at + 1, text);
}

static enum rc compile(struct regex_list *l, struct str pattern, const char *what, struct buf *why)
{
    const uint32_t options =
        PCRE2_AUTO_CALLOUT | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_DOLLAR_ENDONLY;
    int code = 0;
    size_t at = 0;
    pcre2_compile_context *context = pcre2_compile_context_create(l->memory);
    if (!context)
        return RC_NOMEM;
    pcre2_set_max_pattern_length(context, REGEX_MAX_PATTERN_BYTES);
    pcre2_code *c = pcre2_compile((PCRE2_SPTR)(pattern.p ? pattern.p : ""), pattern.n, options,
                                  &code, &at, context);
    pcre2_compile_context_free(context);
    if (!c) {
        if (code == PCRE2_ERROR_HEAP_FAILED)
            return RC_NOMEM;
        tell(why, what, pattern, at, code);
        return RC_INVALID;
    }
    /* Without machine code the interpreter does the same. */
    (void)pcre2_jit_compile(c, PCRE2_JIT_COMPLETE);
    l->codes[l->count++] = c;
    return RC_OK;
}

enum rc regex_list_open(const struct option_list *patterns, const char *what,
                        struct regex_list **ret, struct buf *why)
{
    struct regex_list *l = mem_zero(1, sizeof *l + patterns->count * sizeof(pcre2_code *));
    if (!l)
        return RC_NOMEM;
    l->memory = pcre2_general_context_create(pcre_alloc, pcre_free, NULL);
    enum rc rc = l->memory ? RC_OK : RC_NOMEM;
    for (size_t i = 0; i < patterns->count && rc == RC_OK; i++)
        rc = compile(l, patterns->items[i], what, why);
    if (rc)
        regex_list_close(l);
    else
        *ret = l;
    return rc;
}

void regex_list_close(struct regex_list *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->count; i++)
        pcre2_code_free(l->codes[i]);
    pcre2_general_context_free(l->memory);
    mem_free(l);
}

bool regex_list_is_empty(const struct regex_list *l)
{
    return l->count == 0;
}

static int count_step(pcre2_callout_block *block, void *ctx)
{
    (void)block;
    unsigned *left = ctx;
    if (*left == 0)
        return PCRE2_ERROR_CALLOUT;
    --*left;
    return 0;
}

/* Machine code has 32 KB of the thread's stack; a pattern that needs more is interpreted, with the
 * steps that are left. */
static int match(const pcre2_code *code, struct str subject, pcre2_match_data *data,
                 pcre2_match_context *context)
{
    PCRE2_SPTR p = (PCRE2_SPTR)(subject.p ? subject.p : "");
    unsigned left = REGEX_MAX_STEPS;
    pcre2_set_callout(context, count_step, &left);
    int got = pcre2_match(code, p, subject.n, 0, 0, data, context);
    if (got == PCRE2_ERROR_JIT_STACKLIMIT)
        got = pcre2_match(code, p, subject.n, 0, PCRE2_NO_JIT, data, context);
    return got;
}

static enum regex_answer ask_each(const struct regex_list *l, struct str subject,
                                  pcre2_match_data *data, pcre2_match_context *context)
{
    enum regex_answer answer = REGEX_NONE;
    for (size_t i = 0; i < l->count; i++) {
        int got = match(l->codes[i], subject, data, context);
        if (got >= 0)
            return REGEX_SOME;
        if (got != PCRE2_ERROR_NOMATCH)
            answer = REGEX_GAVE_UP;
    }
    return answer;
}

enum regex_answer regex_list_ask(const struct regex_list *l, struct str subject)
{
    if (l->count == 0)
        return REGEX_NONE;
    pcre2_match_context *context = pcre2_match_context_create(l->memory);
    pcre2_match_data *data = pcre2_match_data_create(1, l->memory);
    enum regex_answer answer = REGEX_GAVE_UP;
    if (context && data) {
        pcre2_set_match_limit(context, MATCH_LIMIT);
        pcre2_set_depth_limit(context, DEPTH_LIMIT);
        pcre2_set_heap_limit(context, HEAP_KIB);
        answer = ask_each(l, subject, data, context);
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    return answer;
}
