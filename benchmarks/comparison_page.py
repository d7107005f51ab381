"""The page of the comparison, written from its records: of a CPU, and of a GPU where there is one.

The rule: every figure, and every sentence about what was found, comes from a record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Record = dict[str, Any]
_REASON = 110
_NUMBERS = {2: "Two", 3: "Three", 4: "Four"}
_HEAD = """# A comparison, from candidates to a report

{generators} generators that need no network, on {tasks} native tasks, judged and scored by the
commands of Assay. `benchmarks/comparison.py` writes this page from
`benchmarks/results/comparison_cpu.json`; no figure is typed.{gpu}

| generator | what it hands in |
|---|---|
{handed}

**The machine** is a small one: {device_name}, {cores} cores, no GPU; {threads} threads,
torch {torch}, {compiler}. What is faster here says little about a large CPU and nothing about a
GPU. {timed}

```sh
assay run native --candidates candidates.jsonl --out RUN {how}
assay score RUN --attempted-only
assay analyse RUN
assay compare RUN --generator eager --generator inductor-cpp
assay leaderboard RUN --attempted-only
assay report RUN -o report.html
```
"""
_HANDED = {
    "eager": "the reference's own torch calls",
    "inductor-cpp": "C++ that torch.compile wrote, as text; it runs without torch.compile",
    "inductor-triton": "Triton that torch.compile wrote, as plain kernels; needs a GPU to be made",
    "hand": "kernels of `examples` and honest ones of `tests/corpus`",
}
_NO_GPU = """
No record of a GPU is here yet: `python benchmarks/comparison.py --device cuda` makes one."""
_GPU = """
[The same on a GPU](#on-a-gpu) is at the end of the page."""
_ON_A_GPU = """## On a GPU

`benchmarks/results/comparison_h200.json`, {date}: {device_name}, torch {torch}, Python {python},
level `{level}`. {timed}{left}

| generator | what it hands in |
|---|---|
{handed}
"""
_TIMED = """The timed judgements took {seconds} s together; the load average was {before:.1f} when
they began and {after:.1f} when they ended."""
_ENDED = """The timed run was ended from outside, so how long it took and how busy the machine was
is not recorded."""
_BUSY = """**The machine was busy with other work.** Candidate and baseline are timed in turns, so a
ratio holds, but its interval is wide. Repeat it on a quiet machine before you quote a figure."""
_NOT_TIMED = """**Nothing is timed here**: no quiet machine was at hand when the record was made, so
every figure about speed is missing. `python benchmarks/comparison.py judge` times the same
candidates."""
_REPORT = """## The report

The pictures show the timed run on the track `open`.

![The overview](comparison_overview.png)

The overview in the dark, and on a phone:

![The overview in the dark](comparison_dark.png)
![The leaderboard on a phone](comparison_phone.png)
![Cheats on a phone](comparison_phone_cheats.png)

`python benchmarks/report_screenshots.py REPORT.html` takes these pictures.

## Cheats

The overview begins with those who cheated: who, how, and the line of source that shows it. Here is
a sample of the adversarial corpus, judged by `benchmarks/cheat_report.py`. A link opens the source
at that line.

![Cheats in the overview](comparison_cheats.png)
"""


def page(record: Record, gpu: Record | None = None) -> str:
    """The whole page in Markdown."""
    environment = record["environment"]
    head = _HEAD.format(
        generators=_NUMBERS.get(len(record["generators"]), len(record["generators"])),
        tasks=len(record["tasks"]),
        gpu=_NO_GPU if gpu is None else _GPU,
        handed=_handed(record),
        device_name=environment["device"]["name"],
        cores=environment["device"]["cores"],
        threads=environment["threads"],
        torch=environment["torch"],
        compiler=environment["compiler"],
        timed=_timed_words(record),
        how=_how_judged(record),
    )
    parts = [head, *_sections(record), _analysis(record), _REPORT]
    return "\n".join(part.strip("\n") + "\n" for part in [*parts, *_gpu_sections(gpu)])


def _sections(record: Record) -> list[str]:
    judged = [] if record["timed"] is None else [_judged(record)]
    kernels = [_kernels(record)] if record["kernel_verdicts"] else []
    parts = [_made(record), *judged, *kernels, _scores(record)]
    return [*parts, _leaderboard(record), _compared(record)]


def _gpu_sections(record: Record | None) -> list[str]:
    """The same sections, one level down."""
    if record is None:
        return []
    environment, left = record["environment"], record["not_reached"]
    head = _ON_A_GPU.format(
        date=record["date"],
        device_name=environment["device"]["name"],
        torch=environment["torch"],
        python=environment["python"],
        level=record["level"],
        timed=_timed_words(record),
        left=f"\nNot reached in the time: {len(left)} tasks ({', '.join(left)})." if left else "",
        handed=_handed(record),
    )
    return [head, *(part.replace("## ", "### ", 1) for part in _sections(record))]


def _handed(record: Record) -> str:
    return "\n".join(f"| `{name}` | {_HANDED[name]} |" for name in record["generators"])


def _timed_words(record: Record) -> str:
    if record["timed"] is None:
        return _NOT_TIMED
    if record["timed"]["load"] is None:
        return _ENDED
    before, after = record["timed"]["load"]
    said = _TIMED.format(seconds=record["timed"]["seconds"], before=before, after=after)
    busy = max(before, after) > record["environment"]["device"]["cores"] + 1
    return f"{said}\n{_BUSY}" if busy else said


def _how_judged(record: Record) -> str:
    if record["timed"] is None:
        return "--level quick --no-timing"
    shapes = " --time-shapes" if record["timed"]["shapes"] else ""
    return f"--track open --level quick{shapes}"


def _made(record: Record) -> str:
    rows = []
    for name in record["generators"]:
        own = [one for one in record["candidates"] if one["generator"] == name]
        seconds = [one["seconds"] for one in own if one.get("seconds") is not None]
        spent = f"{sum(seconds) / len(seconds):.2f}" if seconds else "-"
        rows.append([f"`{name}`", len(own), len({one["task"] for one in own}), spent])
    table = _table(["generator", "candidates", "tasks", "seconds for each"], rows)
    missing = [f"* `{m['task']}` by `{m['generator']}`: {m['reason']}." for m in record["missing"]]
    none = ["No candidate was made of:", "", *missing, ""] if missing else []
    left = [f"`{name}`" for name in record.get("unjudged", [])]
    unjudged = [f"Made, but not judged in time: {', '.join(left)}."] if left else []
    return "\n".join(["## Candidates", "", table, "", *none, *unjudged])


def _judged(record: Record) -> str:
    """Task by generator: status, coverage, speedup."""
    text = [
        "## Verdicts",
        "",
        f"Level `{record.get('level', 'quick')}`, track `open`: anything correct may be accepted.",
        "In each cell: the status unless accepted, the share of workloads answered, and the",
        "speedup over the baseline eager torch with its 95 % interval.",
        "",
        _grid(record, record["verdicts"], _timed_cell),
    ]
    refused = _not_accepted(record["verdicts"])
    return "\n".join([*text, "", *refused, *_accepted_since(record)])


def _accepted_since(record: Record) -> list[str]:
    """Candidates that were refused when they were timed, and accepted on the stricter track."""
    later = {one["candidate"]: one["status"] for one in record["kernel_verdicts"]}
    refused = [one["candidate"] for one in record["verdicts"] if one["status"] != "accepted"]
    names = [f"`{name}`" for name in refused if later.get(name) == "accepted"]
    if not names:
        return []
    said = (
        f"Of these, accepted when judged again, untimed, on the track `kernel`: {', '.join(names)}."
    )
    return ["", said, "Times and scores of this page are of the first verdict."]


def _kernels(record: Record) -> str:
    text = [
        "## Whose kernels are they?",
        "",
        "Judged on the track `kernel`, where the computation must be in kernels of",
        f"the candidate's own ([policies](honesty.md#policies)){_when_judged(record)}.",
        "",
        *_whose(record),
        "",
        _grid(record, record["kernel_verdicts"], lambda one: one["status"]),
        "",
        *_not_accepted(record["kernel_verdicts"]),
    ]
    return "\n".join(text)


def _when_judged(record: Record) -> str:
    return f"; judged on {record['kernels_judged']}" if "kernels_judged" in record else ""


def _whose(record: Record) -> list[str]:
    """A sentence for each generator: how many are its own kernels, and what the others are."""
    owner = {one["name"]: one["generator"] for one in record["candidates"]}
    lines = []
    for name in record["generators"]:
        own = [one for one in record["kernel_verdicts"] if owner[one["candidate"]] == name]
        by_status: dict[str, list[str]] = {}
        for one in own:
            by_status.setdefault(one["status"], []).append(f"`{one['task']}`")
        accepted = len(by_status.pop("accepted", ()))
        rest = [f"{status}: {', '.join(tasks)}" for status, tasks in sorted(by_status.items())]
        lines.append("; ".join([f"* `{name}`: {accepted} of {len(own)} accepted", *rest]) + ".")
    return lines


def _grid(record: Record, verdicts: list[Record], cell: Any) -> str:
    owner = {one["name"]: one for one in record["candidates"]}
    names = record["generators"]
    rows = []
    for task in record["tasks"]:
        cells: dict[str, list[str]] = {name: [] for name in names}
        for one in verdicts:
            if one["task"] == task:
                cells[owner[one["candidate"]]["generator"]].append(cell(one))
        rows.append([f"`{task}`", *("<br>".join(cells[name]) or "none" for name in names)])
    return _table(["task", *(f"`{name}`" for name in names)], rows)


def _timed_cell(one: Record) -> str:
    status = "" if one["status"] == "accepted" else f"**{one['status']}**, "
    covered = f"{100 * one['coverage']['share']:.0f} %" if one["coverage"] else "-"
    if not one["timing"]:
        return f"{status}{covered}, not timed"
    first = one["timing"][0]
    low, high = first["speedup_low"], first["speedup_high"]
    return f"{status}{covered}, {first['speedup']:.2f}x [{low:.2f} {high:.2f}]"


def _not_accepted(verdicts: list[Record]) -> list[str]:
    refused = [one for one in verdicts if one["status"] != "accepted"]
    if not refused:
        return ["Every candidate is accepted."]
    lines = [f"* `{one['candidate']}`: {one['status']}. {_short(one['reason'])}" for one in refused]
    return [f"Not accepted, {len(refused)} of {len(verdicts)}:", "", *lines]


def _scores(record: Record) -> str:
    """Every score, one column a generator."""
    sheets = record["sheets"]
    values: dict[tuple[str, str], dict[str, Record]] = {}
    for sheet in sheets:
        for score in sheet["scores"]:
            key = (score["name"], score["weighting"])
            values.setdefault(key, {})[sheet["generator"]] = score
    names = [sheet["generator"] for sheet in sheets]
    rows, without = [], {}
    for (metric, weighting), found in values.items():
        if all(score["value"] is None for score in found.values()):
            without[metric] = next(iter(found.values()))["reason"]
            continue
        label = f"`{metric}`" + (" by coverage" if weighting == "coverage" else "")
        rows.append([label, *(_score(found.get(name)) for name in names)])
    left = sorted({f"{k}: {v}" for s in sheets for k, v in s["left_out"].items()})
    text = [
        "## Scores",
        "",
        f"`assay score --attempted-only`: {sheets[0]['tasks']} tasks count"
        f"{'; left out: ' + ', '.join(left) if left else ', none is left out'}.",
        "In brackets is the 95 % interval by bootstrap over tasks; a dash has a reason in",
        "`--json`.",
        "[Scores](scores.md) has the formulas.",
        "",
        _table(["score", *(f"`{name}`" for name in names)], rows),
        "",
        *(["Without a value for every generator:", ""] if without else []),
        *(f"* `{metric}`: {reason}" for metric, reason in without.items()),
    ]
    return "\n".join(text)


def _score(score: Record | None) -> str:
    if score is None or score["value"] is None:
        return "-"
    if score["low"] is None or score["high"] is None:
        return f"{score['value']:.3g}"
    return f"{score['value']:.3g} [{score['low']:.3g} {score['high']:.3g}]"


def _leaderboard(record: Record) -> str:
    rows = []
    for row in record["leaderboard"]:
        solved = f"{row['tasks'] - row['not_attempted']} of {row['tasks']}"
        scores = [_score(one) for one in row["scores"]]
        rows.append([row["place"], f"`{row['generator']}`", solved, *scores])
    names = [
        one["name"] + (" by coverage" if one["weighting"] == "coverage" else "")
        for one in record["leaderboard"][0]["scores"]
    ]
    head = ["place", "generator", "tasks tried", *names]
    return "\n".join(["## Leaderboard", "", _table(head, rows)])


def _compared(record: Record) -> str:
    lines = [f"* {one['sentence']}" for one in record["comparisons"]]
    return "\n".join(
        ["## Generators in pairs", "", "`assay compare` says of each pair:", "", *lines]
    )


def _analysis(record: Record) -> str:
    found = record["analysis"]
    attribution = found["attribution"]
    lines = [
        f"* {found['accepted']} of {found['candidates']} candidates are accepted, "
        f"{found['timed']} of them timed, {found['slower']} of those with a speedup below 1."
    ]
    if attribution["reason"]:
        lines.append(f"* What explains acceptance: no model, {attribution['reason']}.")
    for factor in attribution["factors"]:
        lines.append(
            f"* {factor['name']} alone explains {_share(factor['alone'])} of the deviance of "
            f"acceptance, {_share(factor['by_chance'])} by chance (p = {factor['p']:.2g})."
        )
    front = [f"`{one['generator']}`" for one in found["pareto"] if one["on_front"]]
    lines.append(
        f"* On the front of cost and solved tasks: {', '.join(front) or 'nobody: no costs'}."
    )
    return "\n".join(["## What explains the figures", "", "`assay analyse`:", "", *lines])


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def _short(text: str) -> str:
    first = " ".join(text.split()).replace("|", "\\|")
    return first if len(first) <= _REASON else first[: _REASON - 3].rstrip() + "..."


def _table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    lines = [list(map(str, head))]
    lines += [["---"] * len(lines[0]), *(list(map(str, row)) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
