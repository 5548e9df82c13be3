# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the part of cuthomas: Valero-Lara et al., 2018."""

import cuthomas
from readme import table
from report import select, usable

from .claims import KINDS, NO, PART, UNKNOWN, both, claims, measured, spread, verdict


def uniform_times(rows, kind, n, batch):
    found = {}
    for name, fields in cuthomas.columns_of(rows):
        here = select(cuthomas.uniform(rows), type=kind, n=n, batch=batch, **fields)
        if here:
            found[name] = here[0]["ms"]
    return found


def sizes(rows, kind):
    return sorted({(r["n"], r["batch"]) for r in cuthomas.uniform(rows) if r["type"] == kind})


def all_times(rows, kind):
    return {size: uniform_times(rows, kind, *size) for size in sizes(rows, kind)}


def first_win(times, fast, slow):
    """Returns, for each length, the batch from which on `fast` stays ahead of `slow`."""
    wins = {}
    for (n, batch), t in sorted(times.items()):
        if fast in t and slow in t:
            wins[n] = None if t[fast] > t[slow] else wins.get(n) or batch
    return wins


def behind(times):
    """Returns what is ahead of `automatic` by more than 2 %: (size, name, ratio)."""
    for size, t in times.items():
        for layout, names in (("automatic", ("thomas as it is", "full", "blocks",
                                             "gtsv2StridedBatch")),
                              ("automatic interleaved", ("thomas interleaved",
                                                         "gtsvInterleavedBatch 0"))):
            for name in names:
                if name in t and t[layout] / t[name] > 1.02:
                    yield size, name, t[layout] / t[name]


LARGE = ((512, 1 << 10), (512, 1 << 14), (512, 1 << 17), (512, 1 << 18), (1024, 1 << 17))


def variable_input_claim(rows, ragged):
    """Compares a variable batch that is interleaved already with one that has to be transformed."""
    claim = "a variable batch that is interleaved already needs no transformation"
    told, ahead = [], []
    for kind, t in zip(KINDS, ragged):
        for layout in cuthomas.INPUTS:
            found = [r for r in select(rows, solver=cuthomas.THOMAS, type=kind, batch=1 << 17, layout=layout)
                     if "ragged" in r["case"]]
            if found:
                ratio = t["transformation packed"] / found[0]["ms"]
                ahead.append(ratio > 1)
                told.append(f"{layout}, {kind}: {ratio:.2f} times as fast as with transformation packed")
    if not ahead:
        return claim, UNKNOWN, "padded and packed input have no times"
    return claim, verdict(ahead), "2^17 systems of 64 to 1024 rows: " + "; ".join(told)


def text(files, sources):
    rows = files[0]["rows"]
    times = {kind: all_times(rows, kind) for kind in KINDS}
    names = [name for name, _ in cuthomas.columns_of(rows)]
    lines = [[f"{n} x {batch}", *(f"{times['f64'][n, batch].get(name, 0):.3f}".replace("0.000", "-")
                                  for name in names)] for n, batch in LARGE]
    peer, thomas = "gtsv2StridedBatch", "thomas interleaved"
    best = [max(t[peer] / t[thomas] for t in times[kind].values() if peer in t) for kind in KINDS]
    wins = {kind: first_win(times[kind], thomas, peer) for kind in KINDS}
    scattered = {kind: first_win(times[kind], "full", "thomas as it is") for kind in KINDS}
    most = max(batch for _, batch in times["f64"])
    share = [t["of which moving"] / t["full"] for kind in KINDS
             for (_, batch), t in times[kind].items() if batch >= most // 2]
    blocks = [t["blocks"] / t["full"] for kind in KINDS for (_, batch), t in times[kind].items()
              if batch >= most // 2]
    whole = [t[peer] / t["full"] for kind in KINDS for (_, batch), t in times[kind].items()
             if batch >= most // 2 and peer in t]
    saturated = [times[kind][512, 1 << 17][peer] / times[kind][512, 1 << 13][peer] for kind in KINDS]
    ragged = [{r["parameter"] or "as it lies": r["ms"] for r in rows if usable(r) and "ragged" in r["case"]
               and r["type"] == kind and r["batch"] == 1 << 17 and r["solver"] == cuthomas.THOMAS
               and r["layout"] not in cuthomas.INPUTS} for kind in KINDS]
    packed = [min(v for k, v in t.items() if "packed" not in k) / t["transformation packed"]
              for t in ragged]
    paper = (6, 5)  # f32, f64
    lost = [(kind, *what) for kind in KINDS for what in behind(times[kind])]
    ahead = "; ".join(f"{name}, {kind}, {n} rows x {batch}: {ratio:.2f}"
                      for kind, (n, batch), name, ratio in lost) or "nowhere"

    def starts(wins_of):
        return "; ".join(f"{kind}: " + ", ".join(f"{n} rows {wins_of[kind][n] or 'never'}"
                                                 for n in sorted(wins_of[kind])) for kind in KINDS)

    lines_of_claims = [
        ("a thread a system on interleaved data beats gtsvStridedBatch on many systems",
         verdict([w is not None for kind in KINDS for w in wins[kind].values()]),
         f"from so many systems on: {starts(wins)}"),
        ("by up to 6 (f32) and 5 times (f64)", verdict([b >= p for b, p in zip(best, paper)])
         if any(b >= p for b, p in zip(best, paper)) else PART if min(best) > 1 else NO,
         "up to " + both(best, "{:.1f}")),
        ("gtsvStridedBatch is saturated by few systems: 16 times as many take 16 times as long",
         verdict([s > 14 for s in saturated]),
         "512 rows, 2^13 to 2^17 systems: " + both(saturated, "{:.1f} times")),
        ("data that does not lie interleaved has to be transformed",
         PART if any(scattered[k][n] for k in KINDS for n in scattered[k]) else NO,
         f"it pays from so many systems on: {starts(scattered)}"),
        ("so transformed, it beats gtsvStridedBatch",
         verdict([w > 1 for w in whole]),
         f"from 2^17 systems on {spread(whole)} times as fast; moving takes {100 * min(share):.0f} to "
         f"{100 * max(share):.0f} % of the time; by blocks of 32 systems it takes {spread(blocks)} times "
         "as long"),
        ("variable batch: packing beats padding", verdict([p > 1 for p in packed]),
         "2^17 systems of 64 to 1024 rows: " + both(packed, "{:.2f} times") + " as fast as the better "
         "of padding and data as it lies"),
        variable_input_claim(rows, ragged),
    ]
    return [f"{measured(files[0], sources[0])} Milliseconds, f64, rows x systems; the whole table is what "
            "`tridia reproduce cuthomas --from` prints.", "",
            *table(["", *names], lines), "", *claims(lines_of_claims), "",
            f"What is ahead of `automatic` by more than 2 %, of all {sum(map(len, times.values()))} sizes: "
            f"{ahead}."]
