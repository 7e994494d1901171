# SPDX-License-Identifier: Apache-2.0
"""What one run of tools/bench-table has measured, and the table made of it: text, Markdown and a TSV of raw values.

A part measures values by key, once a round. A row of the table shows the median of a key, beside another key
or beside a goal. What was not measured, and what was measured of a crawl that did not do all its work, is said in
the row."""
import dataclasses
import statistics

BEGIN, END = "<!-- bench-table: begin -->", "<!-- bench-table: end -->"
HEAD = ["row", "value", "unit", "of", "ratio", "goal", ""]
RIGHT = {"value", "ratio", "goal"}


@dataclasses.dataclass(frozen=True)
class Goal:
    """Of the ratio where the row has one, else of the value."""
    most: float = None
    least: float = None

    def text(self) -> str:
        return f"≤ {self.most:g}" if self.least is None else f"≥ {self.least:g}"

    def is_reached(self, number: float) -> bool:
        return (self.most is None or number <= self.most) and (self.least is None or number >= self.least)


@dataclasses.dataclass(frozen=True)
class Row:
    key: str
    name: str
    unit: str
    of: str = ""  # the key whose value divides this one's
    of_name: str = ""
    goal: Goal = None
    look: str = "ours"  # in the drawing: ours, floor or peer
    is_optional: bool = False  # left out of the table where nothing was asked of it


@dataclasses.dataclass(frozen=True)
class Section:
    title: str
    rows: list


@dataclasses.dataclass
class Results:
    facts: dict = dataclasses.field(default_factory=dict)  # of the machine and the run
    values: dict = dataclasses.field(default_factory=dict)  # key: a number a round
    notes: dict = dataclasses.field(default_factory=dict)  # key: why its values do not count
    missing: dict = dataclasses.field(default_factory=dict)  # key, or part: why there is none
    loads: list = dataclasses.field(default_factory=list)  # (part, round, before, after)

    def put(self, key: str, value: float, note: str = "") -> None:
        self.values.setdefault(key, []).append(float(value))
        if note and note not in self.notes.setdefault(key, []):
            self.notes[key].append(note)

    def miss(self, name: str, why: str) -> None:
        self.missing.setdefault(name, why)

    def median(self, key: str):
        return statistics.median(self.values[key]) if self.values.get(key) else None

    def ratio(self, row: Row):
        value, other = self.median(row.key), self.median(row.of)
        return value / other if value is not None and other else None


def number(value) -> str:
    if value is None:
        return "–"
    digits = 0 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}"


def times(value) -> str:
    return "" if value is None else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def verdict(results: Results, row: Row) -> str:
    """`reached` or `missed`, or why neither can be said."""
    if results.median(row.key) is None:
        return f"not measured: {results.missing.get(row.key, 'its part did not run')}"
    notes = [note for key in (row.key, row.of) for note in results.notes.get(key, [])]
    if notes:
        return ("does not count: " if row.goal else "") + "; ".join(dict.fromkeys(notes))
    if row.goal is None:
        return ""
    measured = results.ratio(row) if row.of else results.median(row.key)
    if measured is None:
        return f"not measured: no {row.of_name}"
    return "reached" if row.goal.is_reached(measured) else "missed"


def shown(results: Results, section: Section) -> list:
    def was_asked(row: Row) -> bool:
        return all(key in results.values or key in results.missing for key in (row.key, row.of) if key)
    return [row for row in section.rows if not row.is_optional or was_asked(row)]


def cells(results: Results, row: Row) -> list:
    return [row.name, number(results.median(row.key)), row.unit, row.of_name, times(results.ratio(row)),
            row.goal.text() if row.goal else "", verdict(results, row)]


def described(results: Results) -> list:
    """Sentences that belong to every table of this run."""
    f = results.facts
    lines = [f"{f.get('date', '?')}, {f.get('cpu', '?')}, {f.get('cores', '?')} cores, {f.get('sha', '?')}; "
             f"{f.get('sizes', '?')}; orbweaver {f.get('commit', '?')}. Load at the start {f.get('load', '?')}, "
             f"before and after the parts, their own included, {spread(results.loads)}."]
    if f.get("quick"):
        lines.append("A try with small sizes (--quick), not a measurement.")
    if float(f.get("load", 0)) > 1:
        lines.append("Other programs took part in the load at the start: only the ratios mean something.")
    return lines + [f"{name}: {why}." for name, why in results.missing.items()]


def spread(loads: list) -> str:
    seen = [load for _, _, before, after in loads for load in (before, after)]
    return f"{min(seen):.1f} to {max(seen):.1f}" if seen else "not read"


def text(results: Results, sections: list) -> str:
    lines = [HEAD]
    for section in sections:
        lines += [[section.title], *(cells(results, row) for row in shown(results, section))]
    widths = [max(len(line[n]) for line in lines if len(line) > 1) for n in range(len(HEAD))]
    out = []
    for line in lines:
        padded = [c.rjust(w) if h in RIGHT else c.ljust(w) for c, w, h in zip(line, widths, HEAD)]
        out.append("  ".join(padded).rstrip() if len(line) > 1 else f"\n{line[0]}")
    return "\n".join(out + [""] + described(results))


def markdown(results: Results, sections: list) -> str:
    rule = ["---:" if h in RIGHT else "---" for h in HEAD]
    lines = [" ".join(described(results)), ""]
    lines += ["| " + " | ".join(row) + " |" for row in (HEAD, rule)]
    for section in sections:
        lines.append(f"| **{section.title}** |" + " |" * (len(HEAD) - 1))
        for row in shown(results, section):
            line = cells(results, row)
            line[-1] = "**missed**" if line[-1] == "missed" else line[-1]
            lines.append("| " + " | ".join(c.replace("|", "\\|") for c in line) + " |")
    return "\n".join(lines)


def parts_of(document: str) -> tuple:
    """What stands before and behind the table; ValueError where the two marks are not there once, in order."""
    if document.count(BEGIN) != 1 or document.count(END) != 1 or document.index(BEGIN) > document.index(END):
        raise ValueError(f"wants one line {BEGIN} and behind it one line {END}")
    return document[:document.index(BEGIN) + len(BEGIN)], document[document.index(END):]


def replaced(document: str, table: str) -> str:
    before, behind = parts_of(document)
    return f"{before}\n{table}\n{behind}"


def write(results: Results, path: str) -> None:
    """A line a value: what it is, name, round (or nothing), value; a load has two lines."""
    lines = [("fact", name, "", value) for name, value in results.facts.items()]
    lines += [("missing", name, "", why) for name, why in results.missing.items()]
    for part, turn, before, after in results.loads:
        lines += [("load before", part, turn, f"{before:.2f}"), ("load after", part, turn, f"{after:.2f}")]
    lines += [("value", key, n, f"{value:.6g}") for key, values in results.values.items() for n, value in enumerate(values, 1)]
    lines += [("note", key, "", note) for key, notes in results.notes.items() for note in notes]
    with open(path, "w", encoding="utf-8") as f:
        f.write("what\tname\tround\tvalue\n")
        f.writelines("\t".join(" ".join(str(c).split()) for c in line) + "\n" for line in lines)


def read(path: str) -> Results:
    results, before = Results(), 0.0
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f][1:]
    for what, name, turn, value in lines:
        if what == "fact":
            results.facts[name] = value
        elif what == "missing":
            results.miss(name, value)
        elif what == "load before":
            before = float(value)
        elif what == "load after":
            results.loads.append((name, int(turn), before, float(value)))
        elif what == "value":
            results.put(name, float(value))
        elif what == "note":
            results.notes.setdefault(name, []).append(value)
    return results
