# SPDX-License-Identifier: Apache-2.0
"""The demo in a browser: five pages, every picture and style sheet of which works."""
import browser
from scenario import case, main, skip
from simweb import Simweb

LOOK = """(async () => {
  const images = [...document.images];
  await Promise.all(images.map(i => i.decode().catch(() => 0)));
  const style = getComputedStyle(document.body);
  const behind = style.backgroundImage.match(/url\\("(.*)"\\)/);
  const tile = new Image();
  if (behind) {
    tile.src = behind[1];
    await tile.decode().catch(() => 0);
  }
  const icon = new Image();
  icon.src = document.querySelector('link[rel~=icon]').href;
  await icon.decode().catch(() => 0);
  return {
    title: document.title,
    images: images.length,
    broken: images.filter(i => !(i.naturalWidth > 0)).map(i => i.currentSrc || i.outerHTML),
    flat: images.filter(i => i.naturalWidth > 0 && i.getBoundingClientRect().width < 16).length,
    rules: [...document.styleSheets].filter(s => s.href).map(s => s.cssRules.length),
    margin: style.marginTop,
    tile: tile.naturalWidth,
    icon: icon.naturalWidth,
    script: document.documentElement.dataset.script,
    too_wide: document.documentElement.scrollWidth - innerWidth,
    links: [...document.querySelectorAll('main a[href]')].map(a => a.href.split('#')[0]),
  };
})()"""


def five_pages(web, chromium):
    """The index, two home pages and two pages below them, by the links a person would follow."""
    index = f"http://index.localhost:{web.http_port}/"
    yield index, open_page(chromium, index)
    homes = [u for u in chromium.ask(LOOK)["links"] if u.endswith("/") and u.count("/") == 3]
    homes = [u for u in dict.fromkeys(homes) if u != index]
    assert len(homes) >= 11, f"the index links to {len(homes)} sites"
    for home in (homes[1], homes[6]):
        seen = open_page(chromium, home)
        yield home, seen
        below = [u for u in seen["links"] if u.startswith(home) and u != home
                 and "/private/" not in u]
        assert below, f"{home} links to no page of its own"
        yield below[0], open_page(chromium, below[0])


def open_page(chromium, url):
    chromium.open(url)
    seen = chromium.ask(LOOK)
    seen["failures"] = chromium.failures()
    return seen


@case("five pages of the demo have no broken picture and are styled")
def _(tmp):
    if not browser.find():
        skip("chromium is not installed")
    with Simweb("--demo") as web, browser.Browser() as chromium:
        pages = dict(five_pages(web, chromium))
        assert len(pages) == 5, list(pages)
        for url, seen in pages.items():
            assert seen["images"] > 0, f"{url} has no picture"
            assert not seen["broken"], f"{url}: broken {seen['broken']}"
            assert seen["flat"] == 0, f"{url}: {seen['flat']} pictures are not to be seen"
            assert not seen["failures"], f"{url}: not loaded {seen['failures']}"
            assert len(seen["rules"]) == 1 and seen["rules"][0] > 30, f"{url}: {seen['rules']}"
            assert seen["margin"] == "0px", f"{url}: the style sheet does not apply"
            assert seen["tile"] > 0, f"{url}: no picture behind the page"
            assert seen["icon"] > 0, f"{url}: no icon"
            assert seen["script"] == "ran", f"{url}: its script did not run"
            assert seen["title"], f"{url} has no title"


@case("no page of the demo is wider than the window, on a desk or on a telephone")
def _(tmp):
    if not browser.find():
        skip("chromium is not installed")
    with Simweb("--demo") as web, browser.Browser() as chromium:
        for width in (1280, 390):
            chromium.resize(width, 900)
            for url, seen in five_pages(web, chromium):
                assert seen["too_wide"] <= 0, f"{url}: {seen['too_wide']} pixels over {width}"


main()
