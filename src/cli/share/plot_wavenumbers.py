#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Draws the modified wavenumbers of schemes, as `tridia scheme --plot FILE.png` does.

Reads what `tridia scheme --json` prints from standard input. Says on standard output what went
wrong, in a sentence, and exits with 2.
"""

import json
import os
import sys

EXACT = {
    "first_derivative": ("modified wavenumber $w'$", lambda w: w),
    "second_derivative": ("modified wavenumber $w''$", lambda w: w * w),
    "interpolation": ("transfer function", lambda w: 1.0),
    "filter": ("transfer function", lambda w: 1.0),
}


def fail(sentence):
    print(sentence)
    sys.exit(2)


def draw(schemes, path):
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        fail("matplotlib, which draws the plot, is missing: install python3-matplotlib")
    # To points and to midpoints a scheme has one curve.
    schemes = [s for s in schemes if s["staggering"] != "to_points"]
    quantities = list(dict.fromkeys(s["quantity"] for s in schemes))
    figure, axes = pyplot.subplots(
        1, len(quantities), figsize=(5.5 * len(quantities), 4.5), squeeze=False
    )
    for ax, quantity in zip(axes[0], quantities):
        label, exact = EXACT[quantity]
        curves = [s for s in schemes if s["quantity"] == quantity]
        w = [point[0] for point in curves[0]["modified_wavenumber"]]
        ax.plot(w, [exact(x) for x in w], "k--", label="exact")
        for s in curves:
            staggered = "" if s["staggering"] == "none" else " staggered"
            ax.plot(w, [point[1] for point in s["modified_wavenumber"]], label=s["name"] + staggered)
        ax.set_xlabel("wavenumber $w$, radians a cell")
        ax.set_ylabel(label)
        ax.set_title(quantity.replace("_", " "))
        ax.grid(alpha=0.3)
        ax.legend()
    figure.tight_layout()
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        figure.savefig(temporary, format="png", dpi=120)
        os.replace(temporary, path)
    except OSError as error:
        if os.path.exists(temporary):
            os.remove(temporary)
        fail(f"'{path}' cannot be written: {error.strerror}")


if __name__ == "__main__":
    draw(json.load(sys.stdin)["schemes"], sys.argv[1])
