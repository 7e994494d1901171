/* SPDX-License-Identifier: Apache-2.0 */
#include "content/looks.h"
#include "content/purpose.h"
#include "content/sheet.h"
#include "world/put.h"

#include "world/words.h"

void page_title_write(const struct world *w, uint32_t host, uint32_t page, struct buf *out)
{
    if (world_settings(w)->demo) {
        demo_page_title(w, host, page, out);
        return;
    }
    struct page_words words = page_words(w, host, page);
    word_write_capital(word_str(words.adjective), out);
    if (words.tongue != TONGUE_JAPANESE)
        put_byte(out, ' ');
    put(out, word_str(words.noun));
    if (page % 7 == 3) {
        PUT(out, " & ");
        put(out, word_str(words.section));
    }
}

void site_name_write(const struct world *w, uint32_t host, struct buf *out)
{
    static const char *const kinds[] = {"Journal", "Notes", "Review", "Club", "House", "Times"};
    if (world_settings(w)->demo) {
        demo_site_name(w, host, out);
        return;
    }
    uint64_t chance = world_chance(w, PURPOSE_SITE_NAME, host, 0);
    word_write_capital(word_pick(host_tongue(w, host), WORD_NOUN, chance), out);
    put_byte(out, ' ');
    put(out, str_c(kinds[(chance >> 20) % (sizeof kinds / sizeof *kinds)]));
}
