/* SPDX-License-Identifier: Apache-2.0 */
#include "world/words.h"

#include "world/tongue.h"

#define W(word)                \
    {                          \
        word, sizeof(word) - 1 \
    }

static const struct word english_adjectives[] = {
    W("amber"),  W("ancient"), W("autumn"),   W("blue"),     W("bold"),    W("brave"),
    W("bright"), W("brisk"),   W("broad"),    W("bronze"),   W("calm"),    W("careful"),
    W("cheap"),  W("clean"),   W("clear"),    W("clever"),   W("cloudy"),  W("cold"),
    W("common"), W("cool"),    W("copper"),   W("crisp"),    W("curious"), W("daily"),
    W("dark"),   W("deep"),    W("early"),    W("eastern"),  W("easy"),    W("empty"),
    W("even"),   W("fair"),    W("famous"),   W("fast"),     W("fine"),    W("first"),
    W("flat"),   W("foggy"),   W("fresh"),    W("friendly"), W("full"),    W("gentle"),
    W("giant"),  W("gold"),    W("good"),     W("grand"),    W("great"),   W("green"),
    W("grey"),   W("happy"),   W("heavy"),    W("hidden"),   W("high"),    W("hollow"),
    W("honest"), W("hot"),     W("huge"),     W("humble"),   W("hungry"),  W("icy"),
    W("idle"),   W("keen"),    W("kind"),     W("large"),    W("late"),    W("lazy"),
    W("light"),  W("little"),  W("lively"),   W("local"),    W("lone"),    W("long"),
    W("loud"),   W("low"),     W("lucky"),    W("main"),     W("mellow"),  W("merry"),
    W("mild"),   W("misty"),   W("modern"),   W("modest"),   W("narrow"),  W("neat"),
    W("new"),    W("nimble"),  W("noble"),    W("northern"), W("old"),     W("open"),
    W("orange"), W("pale"),    W("patient"),  W("plain"),    W("polite"),  W("practical"),
    W("pretty"), W("proud"),   W("purple"),   W("quick"),    W("quiet"),   W("rainy"),
    W("rapid"),  W("rare"),    W("ready"),    W("red"),      W("rich"),    W("rough"),
    W("round"),  W("rusty"),   W("salty"),    W("sandy"),    W("secret"),  W("shallow"),
    W("sharp"),  W("shiny"),   W("short"),    W("shy"),      W("silent"),  W("silver"),
    W("simple"), W("single"),  W("sleepy"),   W("slow"),     W("small"),   W("smooth"),
    W("soft"),   W("solid"),   W("southern"), W("spare"),    W("spring"),  W("square"),
    W("steady"), W("steep"),   W("still"),    W("stormy"),   W("strange"), W("strong"),
    W("summer"), W("sunny"),   W("sweet"),    W("swift"),    W("tall"),    W("tame"),
    W("tender"), W("thin"),    W("tidy"),     W("tiny"),     W("usual"),   W("vast"),
    W("violet"), W("warm"),    W("weekly"),   W("western"),  W("wet"),     W("white"),
    W("wide"),   W("wild"),    W("windy"),    W("winter"),   W("wise"),    W("wooden"),
    W("yellow"), W("young"),
};

static const struct word english_nouns[] = {
    W("acorn"),    W("almond"),  W("anchor"),  W("apple"),   W("apron"),    W("arch"),
    W("attic"),    W("autumn"),  W("badger"),  W("bakery"),  W("barley"),   W("barn"),
    W("basket"),   W("bay"),     W("beach"),   W("beacon"),  W("bean"),     W("bear"),
    W("beaver"),   W("bell"),    W("bench"),   W("berry"),   W("birch"),    W("bird"),
    W("boat"),     W("bottle"),  W("branch"),  W("bread"),   W("brick"),    W("bridge"),
    W("brook"),    W("broom"),   W("bucket"),  W("butter"),  W("button"),   W("cabin"),
    W("camera"),   W("candle"),  W("canoe"),   W("canyon"),  W("carpet"),   W("castle"),
    W("cedar"),    W("cellar"),  W("chair"),   W("cherry"),  W("chimney"),  W("cinder"),
    W("clay"),     W("cliff"),   W("clock"),   W("cloud"),   W("clover"),   W("coast"),
    W("comet"),    W("compass"), W("copper"),  W("corner"),  W("cottage"),  W("cotton"),
    W("crane"),    W("creek"),   W("cricket"), W("crow"),    W("cup"),      W("curtain"),
    W("daisy"),    W("dawn"),    W("deer"),    W("desert"),  W("desk"),     W("dolphin"),
    W("door"),     W("dove"),    W("dragon"),  W("drum"),    W("dune"),     W("eagle"),
    W("echo"),     W("elm"),     W("ember"),   W("engine"),  W("falcon"),   W("farm"),
    W("feather"),  W("fern"),    W("ferry"),   W("fiddle"),  W("field"),    W("finch"),
    W("flint"),    W("flower"),  W("flute"),   W("forest"),  W("fountain"), W("fox"),
    W("frost"),    W("garden"),  W("gate"),    W("glacier"), W("glove"),    W("goose"),
    W("grain"),    W("granite"), W("grape"),   W("grove"),   W("gull"),     W("hammer"),
    W("harbour"),  W("hare"),    W("harvest"), W("hawk"),    W("hazel"),    W("heath"),
    W("hedge"),    W("heron"),   W("hill"),    W("hollow"),  W("honey"),    W("horizon"),
    W("horse"),    W("island"),  W("ivy"),     W("jacket"),  W("juniper"),  W("kettle"),
    W("kitchen"),  W("kite"),    W("ladder"),  W("lagoon"),  W("lake"),     W("lamp"),
    W("lantern"),  W("lark"),    W("leaf"),    W("lemon"),   W("letter"),   W("library"),
    W("lichen"),   W("lily"),    W("linen"),   W("lion"),    W("lobster"),  W("loom"),
    W("magnet"),   W("map"),     W("maple"),   W("market"),  W("marsh"),    W("meadow"),
    W("melon"),    W("mill"),    W("mirror"),  W("mitten"),  W("moon"),     W("moss"),
    W("mountain"), W("museum"),  W("needle"),  W("nest"),    W("nettle"),   W("notebook"),
    W("oak"),      W("oar"),     W("oat"),     W("ocean"),   W("olive"),    W("onion"),
    W("orchard"),  W("otter"),   W("oven"),    W("owl"),     W("paper"),    W("parrot"),
    W("path"),     W("pear"),    W("pebble"),  W("pelican"), W("pencil"),   W("pepper"),
    W("piano"),    W("pigeon"),  W("pillow"),  W("pine"),    W("planet"),   W("plum"),
    W("pocket"),   W("pond"),    W("poplar"),  W("potato"),  W("puddle"),   W("quarry"),
    W("quilt"),    W("rabbit"),  W("radio"),   W("rain"),    W("raven"),    W("reed"),
    W("ridge"),    W("river"),   W("road"),    W("robin"),   W("rocket"),   W("roof"),
    W("rope"),     W("rose"),    W("saddle"),  W("sail"),    W("salmon"),   W("salt"),
    W("sand"),     W("school"),  W("seal"),    W("shadow"),  W("shed"),     W("shell"),
    W("ship"),     W("shore"),   W("sky"),     W("sparrow"), W("spoon"),    W("spruce"),
    W("squirrel"), W("stable"),  W("star"),    W("station"), W("stone"),    W("storm"),
    W("stream"),   W("street"),  W("summit"),  W("swallow"), W("swan"),     W("table"),
    W("tailor"),   W("tea"),     W("tent"),    W("thistle"), W("thunder"),  W("tide"),
    W("tiger"),    W("timber"),  W("tower"),   W("train"),   W("tulip"),    W("tunnel"),
    W("turtle"),   W("valley"),  W("velvet"),  W("village"), W("violin"),   W("wagon"),
    W("walnut"),   W("water"),   W("wave"),    W("well"),    W("whale"),    W("wheat"),
    W("wheel"),    W("whistle"), W("willow"),  W("window"),  W("wolf"),     W("wood"),
    W("workshop"), W("wren"),    W("yard"),    W("zephyr"),
};

static const struct word english_sections[] = {
    W("about"),   W("archive"), W("articles"), W("books"),    W("cooking"), W("culture"),
    W("essays"),  W("events"),  W("gallery"),  W("garden"),   W("guides"),  W("history"),
    W("home"),    W("ideas"),   W("letters"),  W("music"),    W("nature"),  W("news"),
    W("notes"),   W("people"),  W("places"),   W("projects"), W("reports"), W("reviews"),
    W("science"), W("shop"),    W("sport"),    W("stories"),  W("travel"),  W("weather"),
};

static const struct word latin_adjectives[] = {
    W("grün"),   W("schön"),   W("süß"),    W("müde"),    W("kühl"),   W("früh"),
    W("größer"), W("weiß"),    W("vieux"),  W("léger"),   W("doré"),   W("fraîche"),
    W("pâle"),   W("célèbre"), W("añejo"),  W("pequeño"), W("último"), W("fácil"),
    W("mäktig"), W("åldrig"),  W("søvnig"), W("órfão"),   W("tímido"), W("øde"),
};
static const struct word latin_nouns[] = {
    W("gärten"),  W("flüsse"),  W("brücke"),  W("straße"),    W("mühle"),   W("käse"),
    W("bücher"),  W("höhle"),   W("vögel"),   W("schlüssel"), W("forêt"),   W("café"),
    W("rivière"), W("château"), W("crêpe"),   W("île"),       W("fenêtre"), W("étoile"),
    W("niño"),    W("montaña"), W("corazón"), W("canción"),   W("jardín"),  W("año"),
    W("mañana"),  W("coração"), W("maçã"),    W("limão"),     W("fjäll"),   W("smørrebrød"),
    W("ås"),      W("blåbär"),
};
static const struct word latin_sections[] = {
    W("bücher"), W("küche"),   W("café"),      W("actualités"),
    W("música"), W("señales"), W("natürlich"), W("åsikter"),
};

static const struct word russian_adjectives[] = {
    W("тихий"),   W("новый"),  W("старый"),   W("зелёный"), W("синий"),  W("тёплый"),
    W("быстрый"), W("малый"),  W("белый"),    W("ранний"),  W("лесной"), W("морской"),
    W("добрый"),  W("зимний"), W("весенний"), W("дальний"),
};
static const struct word russian_nouns[] = {
    W("река"),   W("берег"),  W("сад"),    W("мост"),    W("город"),  W("книга"),
    W("яблоко"), W("птица"),  W("дорога"), W("остров"),  W("письмо"), W("море"),
    W("облако"), W("берёза"), W("музей"),  W("окно"),    W("лампа"),  W("поезд"),
    W("чай"),    W("зима"),   W("весна"),  W("медведь"), W("лодка"),  W("звезда"),
};
static const struct word russian_sections[] = {
    W("новости"), W("книги"), W("история"), W("природа"), W("музыка"), W("заметки"),
};

static const struct word japanese_adjectives[] = {
    W("青い"),   W("白い"),   W("静かな"), W("古い"), W("新しい"),
    W("小さな"), W("大きな"), W("赤い"),   W("早い"), W("遠い"),
};
static const struct word japanese_nouns[] = {
    W("庭"),   W("川"),   W("山"),     W("森"), W("海"),     W("空"),     W("春"),     W("夏"),
    W("秋"),   W("冬"),   W("桜"),     W("鳥"), W("猫"),     W("犬"),     W("本"),     W("手紙"),
    W("列車"), W("時計"), W("図書館"), W("茶"), W("石"),     W("橋"),     W("星"),     W("月"),
    W("花火"), W("雪"),   W("雨"),     W("風"), W("りんご"), W("さかな"), W("カメラ"), W("ピアノ"),
};
static const struct word japanese_sections[] = {
    W("ニュース"), W("料理"), W("旅行"), W("写真"), W("日記"), W("音楽"),
};

#define LIST(array)                                 \
    {                                               \
        (array), sizeof(array) / sizeof((array)[0]) \
    }

const struct word_list word_lists[TONGUE_COUNT_][WORD_KINDS_] = {
    {LIST(english_adjectives), LIST(english_nouns), LIST(english_sections)},
    {LIST(latin_adjectives), LIST(latin_nouns), LIST(latin_sections)},
    {LIST(russian_adjectives), LIST(russian_nouns), LIST(russian_sections)},
    {LIST(japanese_adjectives), LIST(japanese_nouns), LIST(japanese_sections)},
};

/* Short and plain, for people; the first is where a demo begins. */
static const char *const demo_labels[] = {
    "index",   "garden",   "birds",    "bakery", "atlas",    "harbour",
    "library", "nightsky", "workshop", "trains", "mountain", "tea",
};

enum tongue host_tongue(const struct world *w, uint32_t host)
{
    return tongue_by(w, host, chance_of(w, CHANCE_TONGUE, host, 0));
}

struct page_words page_words(const struct world *w, uint32_t host, uint32_t page)
{
    return page_words_by(w, host, chance_at(page_key(w, host, page), CHANCE_WORDS));
}

struct str demo_label(uint32_t host)
{
    return host < sizeof demo_labels / sizeof *demo_labels ? str_c(demo_labels[host]) : STR_NONE;
}
