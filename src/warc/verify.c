/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/verify.h"

#include "base/mem.h"
#include "warc/date.h"

struct warc_verifier {
    struct warc_payload *payload;
    struct digester *block[2]; /* by kind, opened when first needed */
    const struct warc_record *record;
    struct digest block_given, payload_given;
    struct warc_verdict verdict;
    enum rc rc;
};

const char *warc_check_name(enum warc_check check)
{
    static const char *const names[] = {"none",    "ok",    "stored",  "cut",
                                        "skipped", "wrong", "nonsense"};
    return names[check];
}

const char *warc_defect_text(enum warc_defect defect)
{
    switch (defect) {
    case WARC_NO_TYPE:
        return "expected WARC-Type";
    case WARC_NO_ID:
        return "expected WARC-Record-ID with a URI";
    case WARC_NO_DATE:
        return "expected WARC-Date such as 2024-05-06T07:08:09Z";
    case WARC_NO_TARGET:
        return "expected WARC-Target-URI with a URI";
    case WARC_NO_PROFILE:
        return "expected WARC-Profile in a revisit";
    case WARC_NO_SEGMENT:
        return "expected WARC-Segment-Origin-ID and a WARC-Segment-Number from 2 in a continuation";
    case WARC_TWICE:
        return "expected each field once";
    case WARC_TARGET_GIVEN:
        return "expected no WARC-Target-URI in a warcinfo";
    }
    return "";
}

bool warc_verdict_is_fault(const struct warc_verdict *v)
{
    return v->defects || v->block >= WARC_CHECK_WRONG || v->payload >= WARC_CHECK_WRONG;
}

struct warc_verifier *warc_verifier_open(void)
{
    struct warc_verifier *v = mem_zero(1, sizeof *v);
    if (!v)
        return NULL;
    v->payload = warc_payload_open();
    if (!v->payload) {
        mem_free(v);
        return NULL;
    }
    return v;
}

void warc_verifier_close(struct warc_verifier *v)
{
    if (!v)
        return;
    warc_payload_close(v->payload);
    digester_close(v->block[0]);
    digester_close(v->block[1]);
    mem_free(v);
}

static bool has_uri(struct str value)
{
    if (value.n >= 2 && value.p[0] == '<' && value.p[value.n - 1] == '>')
        value = str_make(value.p + 1, value.n - 2);
    size_t colon = str_find(value, ':');
    return colon > 0 && colon < value.n && ascii_is_alpha(value.p[0]) &&
           str_find(value, ' ') == value.n;
}

/* A target may hold what browsers let pass in a URI; a record's name is made by a program and holds
 * only what RFC 3986 allows. */
static bool has_strict_uri(struct str value)
{
    size_t first = value.n && value.p[0] == '<', last = value.n - first;
    for (size_t i = first; i < last; i++) {
        char c = value.p[i];
        if (c <= ' ' || c > '~' || strchr("<>\"\\^`{|}", c))
            return false;
    }
    return has_uri(value);
}

/* The fields that may come more than once are WARC-Concurrent-To and all that the standard does not
 * name, such as WARC-Protocol; Content-Length is the reader's. */
static bool any_twice(const struct warc_record *r)
{
    static const char *const alone[] = {
        "WARC-Type",
        "WARC-Record-ID",
        "WARC-Date",
        "Content-Type",
        "WARC-Target-URI",
        "WARC-Block-Digest",
        "WARC-Payload-Digest",
        "WARC-IP-Address",
        "WARC-Refers-To",
        "WARC-Refers-To-Target-URI",
        "WARC-Refers-To-Date",
        "WARC-Truncated",
        "WARC-Warcinfo-ID",
        "WARC-Filename",
        "WARC-Profile",
        "WARC-Identified-Payload-Type",
        "WARC-Segment-Origin-ID",
        "WARC-Segment-Number",
        "WARC-Segment-Total-Length",
    };
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        size_t cursor = 0;
        struct str name = str_c(alone[i]);
        if (warc_record_each(r, name, &cursor).p && warc_record_each(r, name, &cursor).p)
            return true;
    }
    return false;
}

static bool is_continuation_whole(const struct warc_record *r)
{
    uint64_t number;
    return has_uri(warc_record_get(r, STR("WARC-Segment-Origin-ID"))) &&
           str_to_u64(warc_record_get(r, STR("WARC-Segment-Number")), &number) == RC_OK &&
           number >= 2;
}

static bool needs_target(enum warc_type type)
{
    return type == WARC_RESPONSE || type == WARC_RESOURCE || type == WARC_REQUEST ||
           type == WARC_REVISIT || type == WARC_CONVERSION || type == WARC_CONTINUATION;
}

static unsigned find_defects(const struct warc_record *r)
{
    int64_t ms;
    unsigned found = 0;
    if (!warc_record_get(r, STR("WARC-Type")).n)
        found |= WARC_NO_TYPE;
    if (!has_strict_uri(warc_record_get(r, STR("WARC-Record-ID"))))
        found |= WARC_NO_ID;
    if (warc_date_parse(warc_record_get(r, STR("WARC-Date")), &ms) != RC_OK)
        found |= WARC_NO_DATE;
    if (needs_target(r->type) && !has_uri(warc_record_target(r)))
        found |= WARC_NO_TARGET;
    if (r->type == WARC_WARCINFO && warc_record_get(r, STR("WARC-Target-URI")).p)
        found |= WARC_TARGET_GIVEN;
    if (r->type == WARC_REVISIT && !warc_record_get(r, STR("WARC-Profile")).n)
        found |= WARC_NO_PROFILE;
    if (r->type == WARC_CONTINUATION && !is_continuation_whole(r))
        found |= WARC_NO_SEGMENT;
    return found | (any_twice(r) ? WARC_TWICE : 0);
}

/* Judges a digest field before the block is read. WARC_CHECK_OK means: compare the digests. */
static enum warc_check plan_check(struct str text, struct digest *ret_given)
{
    if (!text.p)
        return WARC_CHECK_NONE;
    switch (warc_digest_parse(text, ret_given)) {
    case RC_OK:
        return WARC_CHECK_OK;
    case RC_UNSUPPORTED:
        return WARC_CHECK_SKIPPED;
    default:
        return WARC_CHECK_NONSENSE;
    }
}

static bool payload_is_elsewhere(const struct warc_record *r)
{
    return r->type == WARC_REVISIT || r->type == WARC_CONTINUATION ||
           warc_record_get(r, STR("WARC-Segment-Number")).p;
}

/* Content-Type without its parameters. */
static struct str media_type(const struct warc_record *r)
{
    struct str type = warc_record_get(r, STR("Content-Type"));
    return str_trim(str_first(type, str_find(type, ';')));
}

static void start_block(struct warc_verifier *v)
{
    struct digester **d = &v->block[v->block_given.kind];
    struct digest dropped;
    if (*d && digester_finish(*d, &dropped) != RC_OK)
        v->rc = RC_NOMEM;
    if (!*d && !(*d = digester_open(v->block_given.kind)))
        v->rc = RC_NOMEM;
}

void warc_verifier_begin(struct warc_verifier *v, const struct warc_record *record)
{
    struct warc_verdict *verdict = &v->verdict;
    *verdict = (struct warc_verdict){.defects = find_defects(record)};
    v->record = record;
    v->rc = RC_OK;
    verdict->is_http = str_eq_nocase(media_type(record), STR("application/http"));
    verdict->block = plan_check(warc_record_get(record, STR("WARC-Block-Digest")), &v->block_given);
    verdict->payload =
        plan_check(warc_record_get(record, STR("WARC-Payload-Digest")), &v->payload_given);
    if (verdict->payload == WARC_CHECK_OK && payload_is_elsewhere(record))
        verdict->payload = WARC_CHECK_SKIPPED;
    if (verdict->block == WARC_CHECK_OK)
        start_block(v);
    struct warc_payload_plan plan = {
        .is_http = verdict->is_http,
        .digest = verdict->payload == WARC_CHECK_OK,
        .kind = v->payload_given.kind,
        .stored_too = true,
    };
    warc_payload_begin(v->payload, plan);
}

void warc_verifier_add(struct warc_verifier *v, struct str piece)
{
    if (v->rc)
        return;
    if (v->verdict.block == WARC_CHECK_OK)
        digester_add(v->block[v->block_given.kind], piece);
    warc_payload_add(v->payload, piece);
}

static bool is_truncated(const struct warc_record *r)
{
    return warc_record_get(r, STR("WARC-Truncated")).n > 0;
}

static enum rc judge_block(struct warc_verifier *v)
{
    struct warc_verdict *verdict = &v->verdict;
    if (verdict->block != WARC_CHECK_OK)
        return RC_OK;
    enum rc rc = digester_finish(v->block[v->block_given.kind], &verdict->block_digest);
    if (rc || digest_eq(&verdict->block_digest, &v->block_given))
        return rc;
    struct digest nothing = {0};
    rc = digest_of(v->block_given.kind, STR(""), &nothing);
    bool wget = v->record->type == WARC_REVISIT && digest_eq(&v->block_given, &nothing);
    verdict->block = wget ? WARC_CHECK_SKIPPED : WARC_CHECK_WRONG;
    return rc;
}

/* A digest that fits neither the entity nor the stored body. */
static enum warc_check judge_other(const struct warc_verifier *v)
{
    if (is_truncated(v->record))
        return WARC_CHECK_CUT;
    bool bare = v->verdict.is_http && v->verdict.facts.status == 0;
    return bare && v->record->type == WARC_RESPONSE ? WARC_CHECK_SKIPPED : WARC_CHECK_WRONG;
}

static void judge_payload(struct warc_verifier *v)
{
    struct warc_verdict *verdict = &v->verdict;
    if (verdict->payload != WARC_CHECK_OK)
        return;
    verdict->payload_digest = verdict->facts.entity;
    if (digest_eq(&verdict->facts.entity, &v->payload_given))
        return;
    if (digest_eq(&verdict->facts.stored, &v->payload_given))
        verdict->payload = WARC_CHECK_STORED;
    else
        verdict->payload = judge_other(v);
}

enum rc warc_verifier_end(struct warc_verifier *v, struct warc_verdict *ret)
{
    struct warc_verdict *verdict = &v->verdict;
    if (v->rc == RC_OK)
        v->rc = judge_block(v);
    if (v->rc == RC_OK)
        v->rc = warc_payload_end(v->payload, &verdict->facts);
    if (v->rc)
        return v->rc;
    judge_payload(v);
    verdict->mime = verdict->is_http ? verdict->facts.mime : media_type(v->record);
    *ret = *verdict;
    return RC_OK;
}
