# SPDX-License-Identifier: Apache-2.0
"""report: what is counted of a crawl's directory, in files, for a person and as JSON."""
import json
import os

from scenario import case, main, run
from small_crawl import SmallCrawl, usual

A, B = "http://www.a.example", "https://b.example"


def rows(folder, name):
    with open(os.path.join(folder, "reports", name + "-report.txt"), encoding="utf-8") as f:
        head, *rest = f.read().splitlines()
    return head, rest


@case("the four files have Heritrix's columns and count what the log says")
def _(tmp):
    folder = usual(tmp).close()
    done = run(["report", folder])
    assert done.code == 0 and not done.err, done
    head, lines = rows(folder, "hosts")
    assert head == ("[#urls] [#bytes] [host] [#robots] [#remaining] [#novel-urls] [#novel-bytes] "
                    "[#dup-by-hash-urls] [#dup-by-hash-bytes] [#not-modified-urls] [#not-modified-bytes]")
    home = len("<p>home & <away>")
    a_bytes, b_bytes = 2 + 16 + 18 + 7, 5 + 8 + 2 * home
    assert lines == [f"4 {b_bytes} b.example 1 0 3 {b_bytes - home} 1 {home} 0 0",
                     f"4 {a_bytes} www.a.example 0 1 4 {a_bytes} 0 0 0 0"], lines
    assert rows(folder, "mimetype") == ("[#urls] [#bytes] [mime-types]", [
        f"6 {16 + 18 + 5 + 8 + 2 * home} text/html", "1 7 image/png", "1 2 text/plain"])
    assert rows(folder, "responsecode") == ("[#urls] [rescode]", ["5 200", "2 404", "1 -9998", "1 301"])
    assert rows(folder, "seeds") == ("[code] [status] [seed] [redirect]", [
        f"200 CRAWLED {A}/", f"301 CRAWLED {B}/ {B}/home"])
    assert sorted(os.listdir(os.path.join(folder, "reports"))) == [
        "hosts-report.txt", "mimetype-report.txt", "responsecode-report.txt", "seeds-report.txt"]


@case("the summary has pages, kinds, hosts and the structure of links, also as JSON")
def _(tmp):
    folder = usual(tmp).close()
    text = run(["report", folder]).out
    for line in ("8 answers", "5 200", "1 images (7 B)", "4 www.a.example", "Links on a page: 2.5 on average",
                 "2 http://www.a.example/", "1 of them not asked for yet"):
        assert line in text, (line, text)
    got = json.loads(run(["report", "--json", folder]).out)
    assert (got["answers"], got["failures"], got["robots"], got["duplicates"]) == (8, 1, 1, 1), got
    assert got["first"] == "2024-05-06T07:00:01.123Z" and got["last"] == "2024-05-06T07:00:09.123Z"
    assert {k["name"]: k["urls"] for k in got["kinds"] if k["urls"]} == {"HTML": 6, "other text": 1, "images": 1}
    assert got["statuses"][0] == {"code": 200, "urls": 5} and got["hosts"] == 2
    links = got["links"]
    assert (links["known"], links["remaining"]) == (9, 1), links
    assert links["outDegrees"] == {"count": 4, "sum": 10, "most": 5, "from": [
        {"degree": 1, "count": 2}, {"degree": 2, "count": 1}, {"degree": 4, "count": 1}]}, links
    assert links["inDegrees"]["count"] == 7 and links["inDegrees"]["most"] == 2, links
    assert {t["url"] for t in links["mostLinked"] if t["pages"] == 2} == {A + "/", B + "/"}
    assert None in [t["url"] for t in links["mostLinked"]]  # one outside the crawl


@case("a seed that was not asked for says so, and one that failed has its code")
def _(tmp):
    c = SmallCrawl(os.path.join(tmp, "crawl"))
    c.page("http://dead.example/", -1, seed=True)
    c.seeds.append("http://later.example/")
    folder = c.close()
    assert run(["report", folder]).code == 0
    assert rows(folder, "seeds")[1] == ["-1 NOTCRAWLED http://dead.example/", "0 NOTCRAWLED http://later.example/"]
    assert rows(folder, "hosts")[1] == ["0 0 dead.example 0 0 0 0 0 0 0 0"]


@case("not modified and asked twice: counted as such, and remaining stays exact")
def _(tmp):
    c = SmallCrawl(os.path.join(tmp, "crawl"))
    for status in (200, 304, 304):
        c.page("http://[2001:db8::1]:8080/x", status, body=b"12345")
    c.page("http://[2001:db8::1]:8080/y", annotations="2t,warcRevisit:digest", links=["http://[2001:db8::1]:8080/z"])
    folder = c.close()
    got = json.loads(run(["report", "--json", folder]).out)
    assert (got["answers"], got["notModified"], got["duplicates"]) == (4, 2, 1), got
    assert (got["links"]["known"], got["links"]["remaining"]) == (3, 1)
    assert rows(folder, "hosts")[1] == ["4 31 [2001:db8::1] 0 1 1 5 1 16 2 10"], rows(folder, "hosts")


@case("media types that servers made up cannot fill memory, forge lines or drive a terminal")
def _(tmp):
    c = SmallCrawl(os.path.join(tmp, "crawl"))
    c.page("http://a.example/", seed=True)
    line = c.log[0]
    for i in range(12000):
        c.log.append(line.replace("text/html", f"x/{i}"))
    c.log += [line.replace("text/html", "TEXT/HTML;x"), line.replace("text/html", "a\x1b[31m"),
              line.replace("text/html", "y" * 5000), "nonsense", "", "-", line.replace(" 200 ", " 2x0 ")]
    folder = c.close()
    done = run(["report", folder])
    assert done.code == 0 and "\x1b" not in done.out and "4 lines of the crawl's files" in done.out, done
    lines = rows(folder, "mimetype")[1]
    assert len(lines) == 10001 and any(line.endswith(" (others)") for line in lines)
    assert all(len(line.split()) == 3 and len(line) < 200 for line in lines)
    assert "2 32 text/html" in lines


@case("what is not a crawl is refused with exit 2")
def _(tmp):
    done = run(["report", tmp])
    assert done.code == 2 and "not a crawl" in done.err, done
    assert os.listdir(tmp) == []
    assert run(["report"]).code == 2


@case("a report while lines are written, and again: the files are replaced")
def _(tmp):
    c = usual(tmp)
    folder = c.close()
    assert run(["report", folder]).code == 0
    c.page(A + "/later")
    c.close()
    assert run(["report", folder]).code == 0
    assert rows(folder, "responsecode")[1][0] == "6 200"
    assert json.loads(run(["report", "-j", folder]).out)["links"]["remaining"] == 0


main()
