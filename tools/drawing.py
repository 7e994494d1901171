# SPDX-License-Identifier: Apache-2.0
"""The drawing of tools/bench-table: a bar a row, all on one scale of CPU time, with a mark where its goal is.

Plain SVG for light and dark, without fonts of its own. A peer that is beyond the scale has a bar that is cut, and its
number. Rows that are no time stand in a line below their section."""
import html

from results import Results, Row, Section, described, number, shown, times, verdict

STYLE = """text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 } .section { font-weight: 600 } .soft { fill: #59636e } .small { font-size: 12px }
.paper { fill: #fff; stroke: #d1d9e0 } .tick { stroke: #d1d9e0 }
.cut { stroke: #fff; stroke-width: 3 } .edge { stroke: #fff; stroke-width: 7 }
.ours { fill: #bc4c00 } .floor { fill: #818b98 } .peer { fill: #54aeff } .goal { stroke: #1a7f37; stroke-width: 3 }
.missed { fill: #cf222e } .reached { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .soft { fill: #9198a1 } .paper { fill: #0d1117; stroke: #3d444d } .tick { stroke: #3d444d }
  .cut, .edge { stroke: #0d1117 } .ours { fill: #f0883e } .floor { fill: #656c76 } .peer { fill: #1f6feb }
  .goal { stroke: #3fb950 }
  .missed { fill: #ff7b72 } .reached { fill: #3fb950 }
}"""
WIDTH, LEFT, BARS, STEP, BAR = 900, 216, 380, 25, 16
TIME = "µs"


def is_time(row: Row) -> bool:
    return row.unit.startswith(TIME)


def drawn(results: Results, section: Section) -> list:
    """Not what only the table has: the crawl beside a peer, whose bar stands below it."""
    return [row for row in shown(results, section) if row.look == "peer" or not row.is_optional]


def limit_of(results: Results, row: Row):
    """Where on the scale its goal is, or None."""
    base = results.median(row.of) if row.of else 1
    return row.goal.most * base if row.goal and row.goal.most is not None and base is not None else None


def top_of(results: Results, sections: list) -> float:
    """The end of the scale: what is not a peer has room, goals too."""
    seen = [100.0]
    for row in (r for s in sections for r in drawn(results, s) if is_time(r) and r.look != "peer"):
        seen += [v for v in (results.median(row.key), limit_of(results, row)) if v is not None]
    return 50 * -(-max(seen) // 50)


def words(line: str, most: int) -> list:
    """The sentence in lines of at most so many characters."""
    out = [""]
    for word in line.split():
        if len(out[-1]) + len(word) >= most:
            out.append("")
        out[-1] = f"{out[-1]} {word}".strip()
    return out


class Drawing:
    def __init__(self, results: Results, sections: list):
        self.results, self.top, self.y, self.out = results, top_of(results, sections), 0, []

    def x(self, value: float) -> float:
        return LEFT + BARS * min(max(value / self.top, 0), 1)

    def say(self, x: float, line: str, look: str, anchor: str = "start") -> None:
        self.out.append(f'<text x="{x:.0f}" y="{self.y}" text-anchor="{anchor}" class="{look}">{line}</text>')

    def paragraph(self, line: str) -> None:
        for piece in filter(None, words(line, 130)):
            self.y += 17
            self.say(20, html.escape(piece), "soft small")

    def head(self) -> None:
        self.y = 32
        self.say(20, "CPU time a page, in microseconds: less is better", "title")
        for line in described(self.results):
            self.paragraph(line)
        self.y += 22
        self.out.append(f'<path class="goal" d="M{LEFT + 2} {self.y - 13}v{BAR + 2}"/>')
        self.say(LEFT + 10, "the goal: the bar ends to the left of it", "soft small")
        self.y += 6

    def bar(self, row: Row, goals: list) -> None:
        """A bar for all rows of this key; `goals` are those rows."""
        value, y = self.results.median(row.key), self.y + 5
        end = self.x(value)
        self.out.append(f'<path class="{row.look}" d="M{LEFT} {y}H{end - 3:.0f}q3 0 3 3V{y + BAR - 3}q0 3 -3 3H{LEFT}z"/>')
        if value > self.top:
            self.out.append(f'<path class="cut" d="M{end - 18:.0f} {y + BAR + 3}l6 -{BAR + 6}m5 0l-6 {BAR + 6}"/>')
        for limit in {limit_of(self.results, r) for r in goals} - {None}:
            mark = f"M{self.x(limit):.0f} {y - 3}v{BAR + 6}"
            self.out.append(f'<path class="edge" d="{mark}"/><path class="goal" d="{mark}"/>')
            end = max(end, self.x(limit))
        self.y += STEP - 7  # the line on which text stands
        self.say(LEFT - 10, html.escape(row.name), "", "end")
        self.say(end + 8, f"{number(value)} {self.beside(goals)}", "")
        self.y += 7

    def beside(self, rows: list) -> str:
        """What the value is of others, and what became of its goals; of a row without a goal a note is said once."""
        out = []
        for row in rows:
            ratio, said = times(self.results.ratio(row)), verdict(self.results, row).split(":")[0]
            goal = f"goal {row.goal.text()}" if row.goal and row.goal.most is not None else ""
            line = ", ".join(filter(None, [f"{ratio} of {row.of_name}" if ratio else "", goal]))
            if said and goal:
                look = said if said in ("reached", "missed") else "soft"
                line = f'{html.escape(line)} <tspan class="{look}">{html.escape(said)}</tspan>'
            else:
                note = said if row is rows[0] and not row.goal else ""
                line = html.escape(", ".join(filter(None, [line, note])))
            out.append(line)
        return '<tspan class="soft small" dx="4">' + "; ".join(filter(None, out)) + "</tspan>"

    def section(self, section: Section) -> None:
        rows, bars = drawn(self.results, section), {}
        self.y += 24
        self.say(20, html.escape(section.title), "section")
        begun = self.y
        for row in filter(is_time, rows):
            bars.setdefault(row.key, []).append(row)
        there = [same for key, same in bars.items() if self.results.median(key) is not None]
        self.y += 4
        for same in there:
            self.bar(same[0], same)
        self.out.append(f'<path class="tick" d="M{LEFT} {begun + 6}V{self.y}"/>' if there else "")
        for same in bars.values():
            if same not in there:
                self.paragraph(f"{same[0].name}: {verdict(self.results, same[0])}")
        self.others([r for r in rows if not is_time(r) and self.results.median(r.key) is not None])

    def others(self, rows: list) -> None:
        goals = {r: f" (goal {r.goal.text()}: {verdict(self.results, r)})" if r.goal else "" for r in rows}
        self.paragraph("; ".join(f"{r.name}: {number(self.results.median(r.key))} {r.unit}{goals[r]}" for r in rows))

    def whole(self) -> str:
        height = self.y + 20
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            "<title>CPU time a page on the plain web, on the encoded web, over TLS and with several agents</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>', *self.out, "</svg>\n"])


def draw(results: Results, sections: list, path: str) -> None:
    drawing = Drawing(results, sections)
    drawing.head()
    for section in sections:
        drawing.section(section)
    with open(path, "w", encoding="utf-8") as f:
        f.write(drawing.whole())
