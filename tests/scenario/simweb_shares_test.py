# SPDX-License-Identifier: Apache-2.0
"""Whether simulated pages are made like real ones: the shares that tools/html-shares counts, beside
those of the python documentation."""
import functools
import json
import os
import subprocess
import sys

from scenario import PROGRAM, ROOT, case, main, skip

PAGES = 60
ALIKE = 10  # of the same order: no more than so many times apart


@functools.cache
def shares() -> dict:
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "html-shares"), "--json",
                           PROGRAM, str(PAGES)], capture_output=True, text=True, timeout=240,
                          check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(what: str) -> None:
    both = shares()
    if not both["docs"]:
        skip("corpus/python3.11-doc (absent)")
    far = {key: (both["simweb"][what].get(key, 0), share)
           for key, share in both["docs"][what].items()
           if share > 0.01 and not share / ALIKE <= both["simweb"][what].get(key, 0) <= share * ALIKE}
    assert not far, f"{what} too far apart (simweb, docs): {far}"
    assert sum(share > 0.01 for share in both["docs"][what].values()) >= 4


@case("the pages asked for are there")
def _(tmp):
    assert shares()["simweb"]["pages"] == PAGES
    assert shares()["simweb"]["bytes"] > PAGES * 5000


@case("tags that are common in the python documentation are as common here")
def _(tmp):
    check("tags")


@case("forms of links that are common in the python documentation are as common here")
def _(tmp):
    check("forms")


@case("every form and quirk of a link is met")
def _(tmp):
    forms = shares()["simweb"]["forms"]
    wanted = ["absolute", "root", "relative", "protocol-relative", "fragment only", "with fragment",
              "with query", "entities", "unquoted", "single quotes", "upper case", "white space",
              "dots", "raw letters", "srcset"]
    missing = [form for form in wanted if not forms.get(form)]
    assert not missing, missing


main()
