/* SPDX-License-Identifier: Apache-2.0 */
#include "html/names.h"

#include "base/bytes.h"

struct name {
    char text[19];
    uint8_t n;
};

#include "html/attributes.inc"
#include "html/elements.inc"

/* Lower-cases letters; bytes that are no letters stay different from every letter and digit. */
static uint64_t fold(uint64_t eight)
{
    return eight | (eight & 0x4040404040404040u) >> 1;
}

/* The first eight bytes, little endian, zeros behind a shorter name. */
static uint64_t name_load(struct str s)
{
    char eight[8] = {0};
    memcpy(eight, s.p, s.n < 8 ? s.n : 8);
    return get_le64(eight);
}

static unsigned slot_of(struct str s, uint64_t multiplier, unsigned bits)
{
    uint64_t key = fold(name_load(s)) + s.n * 0x0101010101010101u;
    return (unsigned)(key * multiplier >> (64 - bits));
}

static bool name_is(const struct name *name, struct str s)
{
    return name->n == s.n && str_eq_nocase(s, str_make(name->text, name->n));
}

enum element element_find(struct str name)
{
    if (name.n == 0)
        return ELEMENT_OTHER;
    unsigned at = element_slots[slot_of(name, ELEMENT_HASH_MULTIPLIER, ELEMENT_HASH_BITS)];
    return name_is(&element_names[at], name) ? (enum element)at : ELEMENT_OTHER;
}

enum attribute attribute_find(struct str name)
{
    if (name.n == 0)
        return ATTR_OTHER;
    unsigned at = attribute_slots[slot_of(name, ATTRIBUTE_HASH_MULTIPLIER, ATTRIBUTE_HASH_BITS)];
    return name_is(&attribute_names[at], name) ? (enum attribute)at : ATTR_OTHER;
}

struct str element_name(enum element e)
{
    return str_make(element_names[e].text, element_names[e].n);
}

struct str attribute_name(enum attribute a)
{
    return str_make(attribute_names[a].text, attribute_names[a].n);
}

enum {
    VOID = ELEMENT_VOID,
    BLOCK = ELEMENT_BLOCK,
    OUT = ELEMENT_BREAKOUT,
    LINKS = ELEMENT_LINKS,
    HIDDEN = ELEMENT_HIDDEN,
};

static const uint16_t traits[ELEMENT_COUNT] = {
    [ELEMENT_A] = LINKS,
    [ELEMENT_ADDRESS] = BLOCK | OUT,
    [ELEMENT_ANNOTATION_XML] = ELEMENT_INTEGRATION,
    [ELEMENT_APPLET] = LINKS,
    [ELEMENT_AREA] = VOID | LINKS,
    [ELEMENT_ARTICLE] = BLOCK,
    [ELEMENT_ASIDE] = BLOCK,
    [ELEMENT_AUDIO] = LINKS,
    [ELEMENT_B] = OUT,
    [ELEMENT_BASE] = VOID | LINKS,
    [ELEMENT_BASEFONT] = VOID,
    [ELEMENT_BGSOUND] = VOID | LINKS,
    [ELEMENT_BIG] = OUT,
    [ELEMENT_BLOCKQUOTE] = BLOCK | OUT | LINKS,
    [ELEMENT_BODY] = BLOCK | OUT | LINKS,
    [ELEMENT_BR] = VOID | BLOCK | OUT,
    [ELEMENT_BUTTON] = BLOCK | LINKS,
    [ELEMENT_CAPTION] = BLOCK,
    [ELEMENT_CENTER] = BLOCK | OUT,
    [ELEMENT_CODE] = OUT,
    [ELEMENT_COL] = VOID,
    [ELEMENT_COMMAND] = VOID | LINKS,
    [ELEMENT_DATALIST] = HIDDEN,
    [ELEMENT_DD] = BLOCK | OUT,
    [ELEMENT_DEL] = LINKS,
    [ELEMENT_DESC] = ELEMENT_INTEGRATION,
    [ELEMENT_DETAILS] = BLOCK,
    [ELEMENT_DIALOG] = BLOCK,
    [ELEMENT_DIR] = BLOCK,
    [ELEMENT_DIV] = BLOCK | OUT,
    [ELEMENT_DL] = BLOCK | OUT,
    [ELEMENT_DT] = BLOCK | OUT,
    [ELEMENT_EM] = OUT,
    [ELEMENT_EMBED] = VOID | OUT | LINKS,
    [ELEMENT_FIELDSET] = BLOCK,
    [ELEMENT_FIGCAPTION] = BLOCK,
    [ELEMENT_FIGURE] = BLOCK,
    [ELEMENT_FOOTER] = BLOCK,
    [ELEMENT_FOREIGNOBJECT] = ELEMENT_INTEGRATION,
    [ELEMENT_FORM] = BLOCK | LINKS,
    [ELEMENT_FRAME] = VOID | LINKS,
    [ELEMENT_FRAMESET] = BLOCK,
    [ELEMENT_H1] = BLOCK | OUT,
    [ELEMENT_H2] = BLOCK | OUT,
    [ELEMENT_H3] = BLOCK | OUT,
    [ELEMENT_H4] = BLOCK | OUT,
    [ELEMENT_H5] = BLOCK | OUT,
    [ELEMENT_H6] = BLOCK | OUT,
    [ELEMENT_HEAD] = BLOCK | OUT | LINKS,
    [ELEMENT_HEADER] = BLOCK,
    [ELEMENT_HGROUP] = BLOCK,
    [ELEMENT_HR] = VOID | BLOCK | OUT,
    [ELEMENT_HTML] = BLOCK | LINKS,
    [ELEMENT_I] = OUT,
    [ELEMENT_IFRAME] = ELEMENT_RAWTEXT | HIDDEN | LINKS,
    [ELEMENT_IMAGE] = LINKS,
    [ELEMENT_IMG] = VOID | OUT | LINKS,
    [ELEMENT_INPUT] = VOID | LINKS,
    [ELEMENT_INS] = LINKS,
    [ELEMENT_ISINDEX] = VOID,
    [ELEMENT_KEYGEN] = VOID,
    [ELEMENT_LEGEND] = BLOCK,
    [ELEMENT_LI] = BLOCK | OUT,
    [ELEMENT_LINK] = VOID | LINKS,
    [ELEMENT_LISTING] = BLOCK | OUT,
    [ELEMENT_MAIN] = BLOCK,
    [ELEMENT_MATH] = ELEMENT_FOREIGN,
    [ELEMENT_MENU] = BLOCK | OUT,
    [ELEMENT_META] = VOID | OUT | LINKS,
    [ELEMENT_MI] = ELEMENT_INTEGRATION,
    [ELEMENT_MN] = ELEMENT_INTEGRATION,
    [ELEMENT_MO] = ELEMENT_INTEGRATION,
    [ELEMENT_MS] = ELEMENT_INTEGRATION,
    [ELEMENT_MTEXT] = ELEMENT_INTEGRATION,
    [ELEMENT_NAV] = BLOCK,
    [ELEMENT_NOBR] = OUT,
    [ELEMENT_NOEMBED] = ELEMENT_RAWTEXT | HIDDEN,
    [ELEMENT_NOFRAMES] = ELEMENT_RAWTEXT | HIDDEN,
    [ELEMENT_OBJECT] = LINKS,
    [ELEMENT_OL] = BLOCK | OUT,
    [ELEMENT_OPTGROUP] = BLOCK,
    [ELEMENT_OPTION] = BLOCK,
    [ELEMENT_P] = BLOCK | OUT,
    [ELEMENT_PARAM] = VOID,
    [ELEMENT_PLAINTEXT] = ELEMENT_PLAIN | BLOCK,
    [ELEMENT_PORTAL] = LINKS,
    [ELEMENT_PRE] = BLOCK | OUT,
    [ELEMENT_Q] = LINKS,
    [ELEMENT_RUBY] = OUT,
    [ELEMENT_S] = OUT,
    [ELEMENT_SCRIPT] = ELEMENT_SCRIPT_TEXT | HIDDEN | LINKS,
    [ELEMENT_SEARCH] = BLOCK,
    [ELEMENT_SECTION] = BLOCK,
    [ELEMENT_SELECT] = BLOCK,
    [ELEMENT_SMALL] = OUT,
    [ELEMENT_SOURCE] = VOID | LINKS,
    [ELEMENT_SPAN] = OUT,
    [ELEMENT_STRIKE] = OUT,
    [ELEMENT_STRONG] = OUT,
    [ELEMENT_STYLE] = ELEMENT_RAWTEXT | HIDDEN,
    [ELEMENT_SUB] = OUT,
    [ELEMENT_SUMMARY] = BLOCK,
    [ELEMENT_SUP] = OUT,
    [ELEMENT_SVG] = ELEMENT_FOREIGN,
    [ELEMENT_TABLE] = BLOCK | OUT | LINKS,
    [ELEMENT_TBODY] = BLOCK | LINKS,
    [ELEMENT_TD] = BLOCK | LINKS,
    [ELEMENT_TEMPLATE] = HIDDEN,
    [ELEMENT_TEXTAREA] = ELEMENT_RCDATA | BLOCK,
    [ELEMENT_TFOOT] = BLOCK | LINKS,
    [ELEMENT_TH] = BLOCK | LINKS,
    [ELEMENT_THEAD] = BLOCK | LINKS,
    [ELEMENT_TITLE] = ELEMENT_RCDATA | ELEMENT_INTEGRATION | HIDDEN | BLOCK,
    [ELEMENT_TR] = BLOCK | LINKS,
    [ELEMENT_TRACK] = VOID | LINKS,
    [ELEMENT_TT] = OUT,
    [ELEMENT_U] = OUT,
    [ELEMENT_UL] = BLOCK | OUT,
    [ELEMENT_USE] = LINKS,
    [ELEMENT_VAR] = OUT,
    [ELEMENT_VIDEO] = LINKS,
    [ELEMENT_WBR] = VOID,
    [ELEMENT_XMP] = ELEMENT_RAWTEXT | BLOCK,
};

unsigned element_traits(enum element e)
{
    return traits[e];
}
