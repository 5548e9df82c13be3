#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Draws the modified wavenumbers of schemes, as `tridia scheme --plot FILE.png` does.

Reads what `tridia scheme --json` prints from standard input, and writes the PNG file to standard
output; or, if matplotlib is missing, a sentence, and exits with 2.
"""

import json
import sys

EXACT = {
    "first_derivative": ("modified wavenumber $w'$", lambda w: w),
    "second_derivative": ("modified wavenumber $w''$", lambda w: w * w),
    "third_derivative": ("modified wavenumber $w'''$", lambda w: w**3),
    "fourth_derivative": ("modified wavenumber $w^{(4)}$", lambda w: w**4),
    "interpolation": ("transfer function", lambda w: 1.0),
    "filter": ("transfer function", lambda w: 1.0),
}


def draw(schemes, explicit, out):
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ModuleNotFoundError:  # Other ImportErrors are of libraries that find no memory.
        print("matplotlib, which draws the plot, is missing: install python3-matplotlib")
        sys.exit(2)
    # A scheme has one curve for both to points and to midpoints.
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
        for s in explicit:
            if s["quantity"] == quantity:
                ax.plot(w, [point[1] for point in s["modified_wavenumber"]], ":",
                        label=f"{s['name']}, explicit")
        ax.set_xlabel("wavenumber $w$, radians a cell")
        ax.set_ylabel(label)
        ax.set_title(quantity.replace("_", " "))
        ax.grid(alpha=0.3)
        ax.legend()
    figure.tight_layout()
    figure.savefig(out, format="png", dpi=120)


if __name__ == "__main__":
    report = json.load(sys.stdin)
    draw(report["schemes"], report.get("explicit", ()), sys.stdout.buffer)
