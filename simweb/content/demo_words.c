/* SPDX-License-Identifier: Apache-2.0 */
/* What the demo's sites and pages are called: a few words for each theme, put together so that no
 * two pages of a host have the same title before it has 192 of them. */
#include "content/image_scene.h"
#include "content/looks.h"

enum {
    CHANCE_TITLE = 0x4c30,
    CHANCE_LEAD = 0x4c31,
    SUBJECTS = 16,
    TURNS = 12,
    STRIDE = 55,
    PAIRS = 192
};

struct site_words {
    const char *name, *line;
    const char *subjects[SUBJECTS]; /* plural, lower case */
};

static const struct site_words sites[THEME_COUNT_] = {
    [THEME_WEBS] = {"The Orb Web",
                    "How webs are made, by spiders and by people.",
                    {"orb webs", "morning threads", "anchor lines", "spiral paths",
                     "garden spiders", "knots", "dew drops", "silk samples", "loose ends",
                     "small crawlers", "corner webs", "frames", "hubs and spokes", "weavers",
                     "night repairs", "empty webs"}},
    [THEME_GARDEN] = {"Long Border",
                      "A garden diary: what grows, what does not, and when.",
                      {"foxgloves", "tulips", "climbing roses", "bean rows", "compost heaps",
                       "late asters", "seed trays", "lavender hedges", "dahlias", "garden walls",
                       "hollyhocks", "cold frames", "herb beds", "old apple trees", "poppies",
                       "watering cans"}},
    [THEME_BIRDS] = {"Feather and Field",
                     "Birds seen from one kitchen window.",
                     {"wrens", "robins", "kingfishers", "starlings", "nest boxes", "swifts",
                      "bullfinches", "barn owls", "feeders", "migrants", "goldcrests",
                      "dawn choruses", "jays", "herons", "field notes", "swallows"}},
    [THEME_BAKERY] = {"Crumb Street Bakery",
                      "Bread, buns and the people who get up early for them.",
                      {"rye loaves", "cinnamon buns", "sourdough starters", "cherry cakes",
                       "early ovens", "milk rolls", "plaited loaves", "oat biscuits",
                       "wedding cakes", "flour mills", "plum tarts", "crackers", "baguettes",
                       "proving baskets", "honey cakes", "pretzels"}},
    [THEME_MAPS] = {"Atlas of Small Places",
                    "Maps of islands that nobody has to visit.",
                    {"tidal islands", "footpaths", "contour lines", "old surveys", "river mouths",
                     "causeways", "legends", "harbour charts", "grid squares", "ferry routes",
                     "hill forts", "boundaries", "milestones", "sand banks", "lost villages",
                     "compass roses"}},
    [THEME_COAST] = {"Harbour Light",
                     "News from the quay: boats, tides and weather.",
                     {"lighthouses", "fishing boats", "spring tides", "mooring ropes", "sea fogs",
                      "lifeboats", "herring seasons", "signal flags", "sail lofts",
                      "storm warnings", "harbour walls", "slipways", "buoys", "dinghies", "pilots",
                      "winter swells"}},
    [THEME_LIBRARY] = {"The Reading Room",
                       "Notes from a small library with tall shelves.",
                       {"bindings", "card catalogues", "marginal notes", "first editions",
                        "reading lamps", "lending rules", "lost books", "travel books", "atlases",
                        "ladders", "book plates", "dictionaries", "night shelves", "paper mills",
                        "silent readers", "returns"}},
    [THEME_NIGHT] = {"Clear Night",
                     "What is in the sky this month, without a telescope.",
                     {"meteor showers", "moon phases", "winter stars", "eclipses", "satellites",
                      "planets", "dark places", "star maps", "summer nights", "comets",
                      "constellations", "auroras", "lunar seas", "double stars", "cold evenings",
                      "galaxies"}},
    [THEME_SHAPES] = {"Form Workshop",
                      "Patterns, tools and things made by hand.",
                      {"circles", "grids", "hand planes", "stencils", "colour wheels",
                       "paper models", "tiles", "wooden joints", "screen prints", "brackets",
                       "folding rules", "stamps", "curves", "workbenches", "spare parts",
                       "prototypes"}},
    [THEME_TRAINS] = {"Branch Line",
                      "Slow trains, small stations, long views.",
                      {"viaducts", "signal boxes", "morning trains", "timetables", "dining cars",
                       "steam engines", "level crossings", "mail vans", "waiting rooms", "tunnels",
                       "narrow gauges", "turntables", "station clocks", "night trains",
                       "ticket halls", "sidings"}},
    [THEME_MOUNTAINS] = {"Above the Trees",
                         "Walks in the hills, with the weather as it was.",
                         {"ridges", "mountain huts", "glaciers", "high passes", "cairns",
                          "snow fields", "goats", "via ferratas", "summits", "alpine meadows",
                          "rope teams", "scree slopes", "lakes", "weather signs", "winter routes",
                          "echoes"}},
    [THEME_TEA] = {"Second Pot",
                   "Tea, cups, and what to do while it draws.",
                   {"green teas", "teapots", "first flushes", "tea gardens", "blue cups", "kettles",
                    "strainers", "smoked teas", "saucers", "tea chests", "caravans", "water tests",
                    "infusions", "cosies", "afternoon tables", "leaf grades"}},
    [THEME_CITY] = {"Skyline",
                    "A city, window by window.",
                    {"rooftops", "trams", "corner shops", "courtyards", "bridges", "night windows",
                     "squares", "water towers", "stairways", "markets", "lifts", "street lamps",
                     "arcades", "chimneys", "bus stops", "cranes"}},
    [THEME_FRUIT] = {"The Bowl",
                     "Fruit of the week, and what became of it.",
                     {"plums", "russet apples", "pears", "apricots", "quinces", "jams", "orchards",
                      "cherries", "figs", "late grapes", "cider presses", "medlars", "windfalls",
                      "peaches", "gooseberries", "crates"}},
    [THEME_FOREST] = {"Under Firs",
                      "A year in a wood of no importance.",
                      {"spruces", "clearings", "mushrooms", "deer tracks", "log piles", "ferns",
                       "forest roads", "beech trees", "wood ants", "mosses", "seedlings",
                       "storm gaps", "owls", "brooks", "charcoal pits", "year rings"}},
    [THEME_BALLOONS] = {"Light Wind",
                        "Ballooning for people who like to land.",
                        {"balloons", "burners", "wicker baskets", "landings", "thermals",
                         "launch fields", "clouds", "ground crews", "altimeters", "evening flights",
                         "valley fogs", "envelopes", "log books", "wind maps", "crossings",
                         "ballast bags"}},
};

static const char *const turns[TURNS] = {
    "A short history of %s",  "Notes on %s",       "How to look at %s",   "%s in winter",
    "Ten questions about %s", "What %s taught us", "%s for beginners",    "In praise of %s",
    "A morning with %s",      "%s, then and now",  "The trouble with %s", "Where to find %s",
};

static const char *const leads[] = {
    "It began with a wet afternoon and a notebook: everything we know about %s, and a little more.",
    "Nobody plans to write about %s. Then one day there is no way around it.",
    "Readers keep asking about %s. Here is the long answer, with pictures.",
    "Three of us set out to count %s, and came back with a different question.",
    "There are quicker ways to learn about %s, but none that are as quiet.",
    "We thought we were done with %s. This page grew out of the corrections.",
};
enum { LEADS = sizeof leads / sizeof *leads };

static const struct site_words *site_of(const struct world *w, uint32_t host)
{
    return &sites[theme_of(w, host)];
}

void demo_site_name(const struct world *w, uint32_t host, struct buf *out)
{
    buf_add(out, str_c(site_of(w, host)->name));
}

void demo_site_line(const struct world *w, uint32_t host, struct buf *out)
{
    buf_add(out, str_c(site_of(w, host)->line));
}

/* Which of all pairs of subject and turn a page has. */
static uint32_t pair_of(const struct world *w, uint32_t host, uint32_t page)
{
    uint64_t first = world_chance(w, CHANCE_TITLE, host, 0) % PAIRS;
    return (uint32_t)((first + (uint64_t)page * STRIDE) % PAIRS);
}

static const char *subject_of(const struct world *w, uint32_t host, uint32_t page)
{
    return site_of(w, host)->subjects[pair_of(w, host, page) % SUBJECTS];
}

/* Appends `pattern` with the words in place of its %s. */
static void words_put(const char *pattern, const char *words, struct buf *out)
{
    struct str p = str_c(pattern);
    size_t at = str_find_str(p, STR("%s"));
    buf_add(out, str_first(p, at));
    buf_add(out, str_c(words));
    buf_add(out, str_from(p, at + 2));
}

void demo_page_title(const struct world *w, uint32_t host, uint32_t page, struct buf *out)
{
    if (page == 0) {
        buf_add(out, STR("Welcome to "));
        demo_site_name(w, host, out);
        return;
    }
    size_t at = out->n;
    words_put(turns[pair_of(w, host, page) / SUBJECTS], subject_of(w, host, page), out);
    if (buf_rc(out) == RC_OK)
        out->p[at] = ascii_upper(out->p[at]);
}

void demo_page_lead(const struct world *w, uint32_t host, uint32_t page, struct buf *out)
{
    if (page == 0) {
        demo_site_line(w, host, out);
        return;
    }
    uint64_t chance = world_chance(w, CHANCE_LEAD, host, page);
    words_put(leads[chance % LEADS], subject_of(w, host, page), out);
}
