#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables and plots of docs/scaling.md from what `tridia bench scaling` measured.

    bench/scaling.py bench/results/nvidia-h200-x2/scaling-DATE.json .../nvidia-h200-x4/scaling-DATE.json

takes one file for each number of ranks, of one kind of machine, and writes docs/scaling.png,
docs/scaling-steps.png, and the part of docs/scaling.md between the two lines that name this script.
Where a case is in several files, the first counts. Needs matplotlib.
"""

import argparse
import json
import math
import re
import sys
from pathlib import Path

from readme import table
from report import load, machine_line, usable

sys.path.append(str(Path(__file__).resolve().with_name("reproduce")))
from cluster import STEPS, directions_split, place, points_of, ranks_of
from measurements import COLOURS, INK

ROOT = Path(__file__).resolve().parent.parent
GAINS, PARTS = Path("docs/scaling.png"), Path("docs/scaling-steps.png")
BEGIN, END = "<!-- begin: bench/scaling.py -->", "<!-- end: bench/scaling.py -->"
WORD = 8
DERIVATIVE = "C6 derivative"
STRATEGIES = ("automatic", "gather", "allgather", "pcr", "all_to_all", "nearest")

PEERS_FILE = ROOT / "bench/peers/own-coefficients.json"


def load_peers():
    """Returns milliseconds for own coefficients by peer, (rows, lines) and ranks: see PEERS_FILE."""
    peers = {}
    for r in json.loads(PEERS_FILE.read_text(encoding="utf-8"))["rows"]:
        peers.setdefault(r["peer"], {}).setdefault((r["n"], r["batch"]), {})[r["ranks"]] = r["ms"]
    return peers


PEERS = load_peers()


# -- the model of docs/scaling.md -----------------------------------------------------------------

MEMORY = 4.2e12                                      # bytes a second of a GPU
ROUND, MESSAGE, NETWORK = 1.5e-5, 1e-6, 2e11         # host_of_gpus in src/distributed/model.hpp
SUMS, POINTS = 2, 39                                 # k and w of C6, a line and border


def derivative_model(row):
    """Returns the milliseconds of a C6 derivative."""
    axis, ranks = place(row)
    points = row["n"] * row["batch"] / math.prod(ranks)
    lines = points / (row["n"] / ranks[axis])
    borders = min(2, ranks[axis] - 1)
    seconds = WORD * (2 * points + (POINTS + 4 * SUMS) * lines * borders) / MEMORY
    if borders:
        seconds += ROUND + 2 * borders * MESSAGE + SUMS * WORD * lines / NETWORK
    return seconds * 1e3


def interface_model(rows, row):
    """Returns the milliseconds of a strategy's interface by the plan's model; None if it gives
    none."""
    said = [r["note"] for r in rows if r["solver"].endswith(" automatic")
            and all(r[k] == row[k] for k in ("case", "n", "batch", "layout")) and r["note"]]
    # The text is "all_to_all: the least time for 2 ranks by the model (microseconds: gather
    # 6.6e+02, pcr ...)".
    times = dict(re.findall(r"(\w+) ([\d.e+-]+)[,)]", said[0].split("microseconds:")[-1])
                 ) if said else {}
    time = times.get(strategy_of(row) if strategy_of(row) != "automatic"
                     else said[0].split(":")[0] if said else None)
    return float(time) / 1e3 if time else None


def solve_model(rows, row):
    """Returns the milliseconds of a solve: nine words a row if lines cross ranks, and the
    interface."""
    axis, ranks = place(row)
    crosses = ranks[axis] > 1
    moved = (9 if crosses else 5) * WORD * row["n"] * row["batch"] / math.prod(ranks) / MEMORY * 1e3
    if not crosses:
        return moved
    between = interface_model(rows, row)
    return moved + between if between is not None else None


# -- what was measured ----------------------------------------------------------------------------

def strategy_of(row):
    return row["solver"].split()[-1]


def solver_alone(row):
    """Returns the milliseconds of one rank in the same run."""
    found = re.search(r"one rank's ([\d.e+-]+) ms", row["parameter"] or "")
    return float(found.group(1)) if found else None


def gain(row):
    one = solver_alone(row)
    return one / row["ms"] if one else None


def gain_model(row):
    """Returns the gain by the model: speed-up, or efficiency."""
    axis, ranks = place(row)
    one = {**row, "layout": "axis 0, ranks (1, 1, 1)"}
    if row["case"].startswith("weak"):
        one |= {"n": row["n"] // ranks[axis],
                "batch": row["batch"] * ranks[axis] // math.prod(ranks)}
    return derivative_model(one) / derivative_model(row)


def whole_rows(files, what):
    """Returns the rows of whole executions in all files, weak and strong: each case once."""
    cases = [f"{kind}, {what}" for kind in ("weak", "strong")]
    found = {}
    for r in (r for results in files for r in results["rows"]):
        if usable(r) and r["case"] in cases:
            found.setdefault((r["case"], r["solver"], r["n"], r["batch"], r["layout"]), r)
    return list(found.values())


def step_of(files, row, step):
    """Returns the milliseconds of a step, in the file that has the row."""
    for results in files:
        if any(r is row for r in results["rows"]):
            return next((r["ms"] for r in results["rows"] if r["case"] == f"{row['case']}, {step}"
                         and all(r[k] == row[k] for k in ("solver", "n", "batch", "layout"))), None)
    return None


def number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


# -- tables ---------------------------------------------------------------------------------------

def derivative_tables(files, which, dates):
    """Makes a run's table: cases by splits, milliseconds, and the gain, measured and modelled, beside one
    GPU of that run."""
    rows = [r for r in whole_rows([files[which]], DERIVATIVE) if ranks_of(r) > 1]
    if not rows:
        return []
    notes = [note for r in rows for note in baseline_note(files, which, dates, r)]
    return [*derivative_table(rows), "", *([" ".join(notes), ""] if notes else [])]


def baseline_note(files, which, dates, row):
    """Yields a sentence where a gain is more than the number of GPUs: then one GPU alone was slow in this
    run, if it was faster in another one."""
    if not gain(row) or row["case"].startswith("weak") or gain(row) <= 1.02 * ranks_of(row):
        return
    others = {}
    for k, results in enumerate(files):
        for r in whole_rows([results], DERIVATIVE):
            if k != which and r["case"] == row["case"] and points_of(r) == points_of(row) \
                    and place(r)[0] == place(row)[0] and solver_alone(r):
                others[solver_alone(r)] = k
    here = solver_alone(row)
    axis, ranks = place(row)
    case = f"{points_of(row)}^3 along axis {axis}, {ranks}: {gain(row):.2f}"
    if not others or min(others) >= here:
        yield f"{case} is more than {ranks_of(row)}, and no other run has its one GPU."
        return
    best = min(others)
    yield (f"{case} is no gain of scaling: one GPU took {here:.2f} ms in this run and {best:.2f} in that of "
           f"{dates[others[best]]}, against which it is {best / row['ms']:.2f}.")


def derivative_table(rows):
    splits = sorted({place(r)[1] for r in rows}, key=lambda s: (sum(r > 1 for r in s), s[::-1]))
    cases = sorted({(r["case"].split(",")[0], points_of(r), place(r)[0]) for r in rows},
                   key=lambda c: (c[0] != "weak", c[1:]))
    lines = []
    for kind, n, axis in cases:
        cells, one = [], None
        for split in splits:
            at = [r for r in rows if r["case"].startswith(kind) and points_of(r) == n
                  and place(r) == (axis, split)]
            cells.append(f"{number(at[0]['ms'])} ({number(gain(at[0]), 2)}; "
                         f"{number(gain_model(at[0]), 2)})" if at else "-")
            one = one or (solver_alone(at[0]) if at else None)
        lines.append([f"{kind}, {n}^3{' a GPU' if kind == 'weak' else ''}, axis {axis}", number(one),
                      *cells])
    return table(["case", "one GPU", *map(str, splits)], lines)


def solve_cases(files):
    """Returns (rows of the case, GPUs, rows by strategy), each case once."""
    rows = whole_rows(files, "solve")
    keys = dict.fromkeys((r["case"], r["n"], r["batch"], place(r)) for r in rows)
    for key in sorted(keys, key=lambda k: (k[0], -k[1], -k[2], k[3])):
        same = [r for r in rows if (r["case"], r["n"], r["batch"], place(r)) == key]
        yield key, {strategy_of(r): r for r in same}


def name_of(key):
    kind, n, batch, (axis, ranks) = key
    order = "" if axis != 2 else ", lines in memory order"
    kind = "" if kind.startswith("strong") else "weak, "
    return f"{kind}{n} rows, {batch} lines{order}, {ranks}"


def solve_table(files):
    """Makes the table of milliseconds of every strategy, of the chosen one by the model, and of
    peers."""
    rows, lines = whole_rows(files, "solve"), []
    strategies = [s for s in STRATEGIES if any(strategy_of(r) == s for r in rows)]
    for key, found in solve_cases(files):
        some = found.get("automatic") or next(iter(found.values()))
        peers = [times.get(key[1:3], {}).get(ranks_of(some)) for times in PEERS.values()]
        lines.append([name_of(key), number(solver_alone(some)),
                      *(number(found[s]["ms"]) if s in found else "-" for s in strategies),
                      number(solve_model(rows, some)),
                      *("-" if p is None or not key[0].startswith("strong") else str(p)
                        for p in peers)])
    return table(["case", "one GPU", *strategies, "model", *PEERS], lines)


def interface_table(files):
    """Makes the table of the step that strategies differ in: milliseconds, and in brackets the
    model's."""
    rows, lines = whole_rows(files, "solve"), []
    strategies = [s for s in STRATEGIES[1:] if any(strategy_of(r) == s for r in rows)]
    for key, found in solve_cases(files):
        if key[3][1][key[3][0]] == 1:
            continue
        cells = [f"{number(step_of(files, found[s], 'interface'))} "
                 f"({number(interface_model(rows, found[s]))})" if s in found else "-"
                 for s in strategies]
        lines.append([name_of(key), *cells])
    return table(["case", *strategies], lines)


def targets(files):
    """Returns (what, bound, worst on two GPUs); a bound is a minimum for gains, a maximum for
    ms."""
    two = [r for r in whole_rows(files, DERIVATIVE) if ranks_of(r) == 2]
    solves = [r for r in whole_rows(files, "solve") if ranks_of(r) == 2
              and r["case"].startswith("strong") and strategy_of(r) == "automatic"]

    def gains(kind, n, crossing=True):
        return [gain(r) for r in two if r["case"].startswith(kind) and points_of(r) == n and gain(r)
                and (place(r)[1][place(r)[0]] > 1) == crossing]

    def times(n, batch, of=lambda r: r["ms"]):
        return [of(r) for r in solves if (r["n"], r["batch"]) == (n, batch) and of(r)
                and place(r)[1][place(r)[0]] > 1]

    own = "own coefficients, 4096 rows, {} lines, {}, ms"
    for what, bound, found in (
            ("C6 along the split axis, 512^3 a GPU: efficiency", 0.95, gains("weak", 512)),
            ("the same, 512^3 in all: times as fast as one GPU", 1.85, gains("strong", 512)),
            ("the same, 256^3 in all", 1.5, gains("strong", 256)),
            ("along an axis that is not split, 512^3 a GPU: efficiency", 0.99,
             gains("weak", 512, crossing=False))):
        yield what, f">= {bound}", min(found, default=None), bool(found) and min(found) >= bound
    for what, bound, found in (
            (own.format(65536, "two GPUs"), 2.2, times(4096, 65536)),
            (own.format(16384, "one GPU"), 1.1, times(4096, 16384, solver_alone)),
            (own.format(16384, "two GPUs"), 0.7, times(4096, 16384)),
            ("own coefficients, 512^3, two GPUs, ms", 1.0, times(512, 262144))):
        yield what, f"<= {bound}", max(found, default=None), bool(found) and max(found) <= bound


def targets_table(files, dates):
    """Makes the table of targets on two GPUs: the worst of each run, the newest first."""
    runs = [k for k, f in enumerate(files) if {ranks_of(r) for r in whole_rows([f], DERIVATIVE)} == {2}]
    found = {k: list(targets([files[k]])) for k in runs}
    lines = []
    for k, (what, bound, *_) in enumerate(found[runs[0]] if runs else []):
        values = [found[run][k][2:] for run in runs]
        first = next((v for v in values if v[0] is not None), (None, False))
        lines.append([what, bound, *(number(value) for value, _ in values),
                      "-" if first[0] is None else "yes" if first[1] else "**no**"])
    return table(["on two GPUs", "target", *(f"worst, {dates[k].partition(', ')[2]}" for k in runs), "met"], lines)


def ranks_in(results):
    return max(map(ranks_of, whole_rows([results], DERIVATIVE) + whole_rows([results], "solve")),
               default=1)


def title_of(results, source):
    """Returns how a run is called: its GPUs, its day and time, and the suite that its file is named
    after."""
    suite = re.match(r"scaling-([a-z]+)", Path(source).name)
    when = results["date"][:16].replace("T", " ").strip()
    return f"{ranks_in(results)} GPUs, {when}" + (f", {suite[1]}" if suite else "")


def run_text(files, sources, which, dates):
    """Returns the part of one run, under a heading of its own."""
    results, solves = files[which], whole_rows([files[which]], "solve")
    parts = [f"### {dates[which]}", "",
             f"{machine_line(results)} ([results]({sources[which]})).", "",
             *derivative_tables(files, which, dates)]
    if solves:
        parts += ["Own coefficients, without pivoting, milliseconds:", "", *solve_table([results]), ""]
    if any(strategy_of(r) in STRATEGIES[1:] for r in solves):
        parts += ["Of which the interface, milliseconds, in brackets by the model:", "",
                  *interface_table([results]), ""]
    return parts


def text(files, sources):
    dates = [title_of(f, s) for f, s in zip(files, sources)]
    parts = [BEGIN,
             "Each run has a part of its own, with one GPU of the same run beside it. The C6 derivative, f64: "
             "milliseconds, and in brackets the efficiency (weak) or speed-up (strong) against that one GPU, "
             "as measured and by the model. Columns are the ranks along each axis; axis 2 is contiguous. "
             "Times of peers are of the cards and sources that "
             f"[their file](../{PEERS_FILE.relative_to(ROOT)}) names.", "",
             *targets_table(files, dates), "",
             f"![efficiency and speed-up against the number of GPUs]({GAINS.name})", ""]
    for which in range(len(files)):
        parts += run_text(files, sources, which, dates)
    return "\n".join([*parts, f"![steps, and strategies beside peers]({PARTS.name})", END])


# -- plots ----------------------------------------------------------------------------------------

def draw_gains(files, path):
    from matplotlib import pyplot, ticker
    rows = whole_rows(files, DERIVATIVE)
    kinds = sorted({(r["case"].split(",")[0], points_of(r)) for r in rows},
                   key=lambda c: (c[0] != "weak", c[1]))
    figure, panels = pyplot.subplots(1, max(1, len(kinds)), squeeze=False, layout="constrained",
                                     figsize=(3.2 * max(1, len(kinds)), 3.6))
    for panel, (kind, n) in zip(panels[0], kinds):
        found = [r for r in rows if r["case"].startswith(kind) and points_of(r) == n]
        counts = sorted({1, *map(ranks_of, found)})
        panel.plot(counts, [1 if kind == "weak" else p for p in counts], color=INK, linewidth=0.8)
        for axis, colour in zip(range(3), COLOURS):
            for directions, style in ((1, "-o"), (2, "--s"), (3, "-.^")):
                draw_line(panel, [r for r in found if place(r)[0] == axis
                                  and directions_split(r) == directions], colour, style,
                          f"axis {axis}, {directions}")
        panel.set(xlabel="GPUs", title=f"{kind}, {n}^3" + (" a GPU" if kind == "weak" else ""))
        panel.set_xscale("log", base=2)
        panel.set_xticks(counts, map(str, counts))
        panel.xaxis.set_minor_locator(ticker.NullLocator())
        panel.set_ylim(bottom=0)
    panels[0][0].set_ylabel("efficiency, speed-up (dotted: the model)")
    panels[0][0].legend(fontsize=6, title="directions split", title_fontsize=6)
    save(figure, path)


def draw_line(panel, rows, colour, style, label):
    """Draws lines that cross ranks, by the number of GPUs; for each number, the best of its
    splits."""
    best = {}
    for r in rows:
        axis, ranks = place(r)
        if ranks[axis] > 1 and gain(r) and gain(r) > best.get(ranks_of(r), (0,))[0]:
            best[ranks_of(r)] = gain(r), gain_model(r)
    if not best:
        return
    counts = sorted(best)
    panel.plot([1, *counts], [1, *(best[p][0] for p in counts)], style, color=colour, label=label,
               markersize=3)
    panel.plot([1, *counts], [1, *(best[p][1] for p in counts)], ":", color=colour, linewidth=1)


def draw_parts(files, path):
    from matplotlib import pyplot
    derivatives = [r for r in whole_rows(files, DERIVATIVE) if place(r)[1][place(r)[0]] > 1]
    most = max(map(ranks_of, derivatives), default=1)
    chosen = sorted([r for r in derivatives if ranks_of(r) == most],
                    key=lambda r: (r["case"], points_of(r), place(r)))
    cases = [c for c in solve_cases(files) if c[0][1:3] in PEERS["OP-DSL"]]
    figure, panels = pyplot.subplots(1, 2, layout="constrained",
                                     figsize=(12, max(5, 0.2 * len(chosen), 0.9 * len(cases))))
    names = [f"{r['case'].split(',')[0]} {points_of(r)}^3, axis {place(r)[0]}, {place(r)[1]}"
             for r in chosen]
    left = [0.0] * len(chosen)
    for colour, step in zip(COLOURS, STEPS):
        widths = [step_of(files, r, step) or 0 for r in chosen]
        panels[0].barh(names, widths, left=left, color=colour, label=step)
        left = [a + b for a, b in zip(left, widths)]
    panels[0].plot([r["ms"] for r in chosen], names, "|", color=INK, markersize=8, label="whole")
    panels[0].set(xlabel="ms", title=f"steps of a C6 derivative, {most} GPUs")
    draw_strategies(panels[1], whole_rows(files, "solve"), cases)
    for panel in panels:
        panel.invert_yaxis()
        panel.tick_params(axis="y", labelsize=6)
        if panel.get_legend_handles_labels()[0]:
            panel.legend(fontsize=7)
    save(figure, path)


def draw_strategies(panel, rows, cases):
    for k, (colour, strategy) in enumerate(zip(COLOURS, STRATEGIES)):
        here = [(y + 0.13 * (k - 2.5), found[strategy]["ms"]) for y, (_, found) in enumerate(cases)
                if strategy in found]
        if here:
            panel.barh(*zip(*here), height=0.12, color=colour, label=strategy)
    models = [(y, solve_model(rows, found["automatic"])) for y, (_, found) in enumerate(cases)
              if "automatic" in found]
    for marker, (name, points) in zip("|xD", [
            ("model", [(y, t) for y, t in models if t]),
            *((peer, [(y, times[key[1:3]][math.prod(key[3][1])]) for y, (key, _) in enumerate(cases)
                      if math.prod(key[3][1]) in times.get(key[1:3], {})])
              for peer, times in PEERS.items())]):
        if points:
            panel.plot([t for _, t in points], [y for y, _ in points], marker, color=INK, label=name)
    panel.set_yticks(range(len(cases)), [name_of(key) for key, _ in cases])
    panel.set(xlabel="ms", title="own coefficients: strategies, and peers")


def save(figure, path):
    from matplotlib import pyplot
    figure.savefig(path, dpi=130, metadata={"Software": None})
    pyplot.close(figure)


# -------------------------------------------------------------------------------------------------

def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="+", help="what tridia bench scaling --json wrote")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder that has docs (the tree)")
    a = parser.parse_args()
    root, page = a.root.resolve(), a.root / "docs" / "scaling.md"
    old = page.read_text(encoding="utf-8")
    if old.count(BEGIN) != 1 or old.count(END) != 1:
        print(f"scaling.py: {page} does not have one line {BEGIN} and one {END}", file=sys.stderr)
        return 2
    paths = [Path(f).resolve() for f in a.files]
    files = [load(p) for p in paths]
    sources = [f"../{p.relative_to(root)}" if p.is_relative_to(root) else p.name for p in paths]
    import matplotlib
    matplotlib.use("Agg")
    draw_gains(files, root / GAINS)
    draw_parts(files, root / PARTS)
    before, after = old.split(BEGIN)[0], old.split(END)[1]
    page.write_text(before + text(files, sources) + after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
