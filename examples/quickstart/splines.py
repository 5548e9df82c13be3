"""Interpolating cubic splines of a photograph and of a temperature record, by their second
derivatives M at the knots (C. de Boor: A Practical Guide to Splines, Springer, chapter IV):

    h[i-1]/6 M[i-1] + (h[i-1] + h[i])/3 M[i] + h[i]/6 M[i+1] = s[i] - s[i-1]

where h are the distances between knots and s = (y[i+1] - y[i]) / h[i]. The first and the last row
depend on the end conditions. One matrix serves all the splines on the same knots.
"""

from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline, PPoly

from realdata import pacific, photographs


def system(knots, y, ends):
    """dl, d, du and the right-hand side; y has the knots along axis 0. Periodic: the last knot
    repeats the first and has no row."""
    h = np.diff(knots)
    slope = np.diff(y, axis=0) / h[:, None]
    if ends == "periodic":
        before = np.roll(h, 1)
        return before / 6, (before + h) / 3, h / 6, slope - np.roll(slope, 1, axis=0)
    dl = np.concatenate([[0.0], h]) / 6
    du = np.concatenate([h, [0.0]]) / 6
    d = 2.0 * (dl + du)
    if ends == "natural":  # M = 0
        dl[-1] = du[0] = 0.0
        d[0] = d[-1] = 1.0
        rhs = np.zeros_like(y)
        rhs[1:-1] = np.diff(slope, axis=0)
    else:  # clamped: the spline is level there
        rhs = np.diff(slope, axis=0, prepend=0.0, append=0.0)
    return dl, d, du, rhs


def polynomials(knots, y, m):
    """The four coefficients of each piece, the highest first, as scipy's CubicSpline.c."""
    h = np.diff(knots)[:, None]
    slope = np.diff(y, axis=0) / h
    return np.stack([
        np.diff(m, axis=0) / (6 * h),
        m[:-1] / 2,
        slope - h * (2 * m[:-1] + m[1:]) / 6,
        y[:-1],
    ])


def spline(bench, name, knots, y, ends, axis):
    """Solves along `axis` of files that hold y with its knots there; compares every coefficient
    of every piece with SciPy's, and returns them."""
    dl, d, du, rhs = system(knots, y, ends)
    turned = rhs if axis == 0 else np.ascontiguousarray(rhs.T)
    out = bench.solve(
        name,
        (dl, d, du),
        bench.save(f"{name}-rhs", turned),
        axis,
        periodic=ends == "periodic",
        expected=None,
    )
    m = np.load(out) if axis == 0 else np.load(out).T
    if ends == "periodic":
        m = np.concatenate([m, m[:1]])
    ours = polynomials(knots, y, m)
    scipys = CubicSpline(knots, y, axis=0, bc_type=ends).c
    # Each power of x has its own scale.
    scale = np.abs(scipys).max(axis=(1, 2), keepdims=True)
    bench.error_of_last(np.abs((ours - scipys) / scale).max())
    return ours


def draw(path, picture, rows, year, knots, seasons):
    """A part of a row of the picture and of the splines of its rows, and the seasons of regions."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (line, months) = pyplot.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    pixels, fine = np.arange(100, 140), np.linspace(100, 139, 400)
    line.plot(pixels, picture[256, pixels], "o", markersize=3, color="#c2620e")
    line.plot(fine, PPoly(rows[:, :, 256], np.arange(512.0))(fine), color="#1f5fb4")
    line.set(title="a part of a row of a photograph", xlabel="pixel", ylabel="brightness")
    fine = np.linspace(knots[0], knots[-1], 400)
    for region in range(4):
        months.plot(fine, PPoly(seasons[:, :, region], knots)(fine), color="#1f5fb4")
        months.plot(knots[:-1], year[:, region], "o", markersize=3, color="#c2620e")
    months.set(title="seasons of four regions", xlabel="day", ylabel="temperature")
    figure.savefig(path, dpi=80, metadata={"Software": None})


def run(bench, png=None):
    picture = photographs()[0]
    pixels = np.arange(512.0)
    rows = spline(bench, "image rows, natural", pixels, picture.T, "natural", axis=1)
    spline(bench, "image columns, clamped", pixels, picture, "clamped", axis=0)

    # The seasons of four regions, averaged over each of six decades: a year that closes upon
    # itself, with its knots in the middle of the months.
    decades = pacific()[:720].reshape(6, 10, 12, 4).mean(axis=1)
    year = decades.transpose(1, 0, 2).reshape(12, 24)
    months = np.array([31, 28.25, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    knots = np.cumsum(months) - months / 2
    knots = np.append(knots, knots[0] + months.sum())
    closed = np.vstack([year, year[:1]])
    seasons = spline(bench, "seasons, periodic", knots, closed, "periodic", axis=0)
    if png:
        draw(Path(png) / "splines.png", picture, rows, year, knots, seasons)
