#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""A call option in Heston's model by ADI in PyTorch, with all Greeks from one backward pass.

The price u(x, v) of log-moneyness x and variance v obeys a diffusion equation with a mixed
derivative. Douglas' ADI takes a tridiagonal solve along x and one along v in each step; autograd goes
through all of them. S. L. Heston, Rev. Financial Studies 6 (1993) 327; K. J. in 't Hout, S. Foulon,
Int. J. Numer. Anal. Model. 7 (2010) 303.

    heston_adi.py [--png FILE]      # exits with 77 where PyTorch is not there
"""

# %% The market
import argparse
import sys

import numpy as np

try:
    import torch
except ImportError:
    sys.exit(77)

import tridia

MARKET = {"spot": 100.0, "v0": 0.06, "kappa": 1.5, "theta": 0.06, "sigma": 0.4, "rho": -0.6,
          "r": 0.03}
STRIKE, YEARS = 100.0, 1.0


# %% One direction: three diagonals, applied or solved with along an axis
def apply(rows, u, axis):
    lo, di, up = rows
    zero = torch.zeros_like(u.narrow(axis, 0, 1))
    n = u.shape[axis]
    below = torch.cat([zero, u.narrow(axis, 0, n - 1)], axis)
    above = torch.cat([u.narrow(axis, 1, n - 1), zero], axis)
    return lo * below + di * u + up * above


def implicit(rows, right, axis, dt):
    lo, di, up = (t.expand(right.shape) for t in rows)
    return tridia.solve(-dt * lo, 1 - dt * di, -dt * up, right, axis=axis, pivoting=False)


# %% The equation on a grid of v (first axis) and x
def along_x(m, v, inner, dx):
    drift, spread = (m["r"] - 0.5 * v) / (2 * dx), 0.5 * v / dx**2
    return [inner * t for t in (spread - drift, -2 * spread - 0.5 * m["r"], spread + drift)]


def along_v(m, v, dv):
    drift, spread = m["kappa"] * (m["theta"] - v) / (2 * dv), 0.5 * m["sigma"]**2 * v / dv**2
    lo, di, up = spread - drift, -2 * spread - 0.5 * m["r"], spread + drift
    # v = 0: no diffusion, drift by a one-sided difference. Largest v: the price is flat.
    inflow = m["kappa"] * m["theta"] / dv
    first, last = torch.zeros_like(v), torch.zeros_like(v)
    first[0], last[-1] = 1, 1
    within = 1 - first - last
    return (within * lo + last * 2 * spread,
            within * di + first * (-inflow - 0.5 * m["r"]) + last * di,
            within * up + first * inflow)


def mixed(m, v, inner, u, dx, dv):
    cross = torch.zeros_like(u)
    cross[1:-1, 1:-1] = (u[2:, 2:] - u[2:, :-2] - u[:-2, 2:] + u[:-2, :-2]) / (4 * dx * dv)
    return inner * m["rho"] * m["sigma"] * v * cross


def prices(m, nx=161, nv=61, steps=60):
    x = torch.linspace(-2.5, 2.5, nx, dtype=torch.float64)
    v = torch.linspace(0, 0.9, nv, dtype=torch.float64)
    dx, dv, dt = x[1] - x[0], v[1] - v[0], YEARS / steps
    inner = torch.ones_like(x)
    inner[0] = inner[-1] = 0  # prescribed there
    column = v[:, None]
    ax, av = along_x(m, column, inner, dx), [inner * t for t in along_v(m, column, dv)]
    payoff = torch.clamp(torch.exp(x) - 1, min=0)
    payoff[nx // 2] = dx / 8  # the mean over the cell that has the kink
    u = STRIKE * payoff.expand(nv, nx)
    for step in range(steps):
        top = STRIKE * (torch.exp(x[-1]) - torch.exp(-m["r"] * dt * (step + 1)))
        ends = torch.zeros_like(inner)
        ends[-1] = 1
        u_x, u_v = apply(ax, u, 1), apply(av, u, 0)
        y = u + dt * (mixed(m, column, inner, u, dx, dv) + u_x + u_v)
        y = inner * (y - 0.5 * dt * u_x) + ends * top
        y = implicit(ax, y, 1, 0.5 * dt) - 0.5 * dt * u_v
        u = implicit(av, y, 0, 0.5 * dt)
    return x, v, u


def price(m):
    x, v, u = prices(m)
    along = tridia.CubicSpline(v, u)(m["v0"])
    return tridia.CubicSpline(x, along)(torch.log(m["spot"] / STRIKE))


# %% What Heston's formula says
def formula(spot, v0, kappa, theta, sigma, rho, r):
    w = np.linspace(1e-6, 200, 20001)

    def characteristic(w):
        b = kappa - 1j * rho * sigma * w
        d = np.sqrt(b**2 + sigma**2 * (1j * w + w**2))
        g = (b - d) / (b + d)
        e = np.exp(-d * YEARS)
        c = kappa * theta / sigma**2 * ((b - d) * YEARS - 2 * np.log((1 - g * e) / (1 - g)))
        return np.exp(1j * w * (np.log(spot) + r * YEARS) + c
                      + v0 / sigma**2 * (b - d) * (1 - e) / (1 - g * e))

    phase = np.exp(-1j * w * np.log(STRIKE)) / (1j * w)
    forward = spot * np.exp(r * YEARS)
    p1, p2 = (0.5 + tridia.CubicSpline(w, f.real).integrate(w[0], w[-1]) / np.pi for f in
              (phase * characteristic(w - 1j) / forward, phase * characteristic(w)))
    return spot * p1 - STRIKE * np.exp(-r * YEARS) * p2


def bumped(name, h=1e-4):
    up, down = ({**MARKET, name: MARKET[name] + s * h} for s in (1, -1))
    return (formula(**up) - formula(**down)) / (2 * h)


# %% The picture
def plot(path, names, ours, theirs):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    with torch.no_grad():
        x, v, u = prices({k: torch.tensor(s, dtype=torch.float64) for k, s in MARKET.items()})
    inside = (x > -0.7) & (x < 0.7)
    image = left.pcolormesh(STRIKE * torch.exp(x[inside]), v, u[:, inside], shading="auto")
    left.set(xlabel="spot", ylabel="variance", title="price of the call")
    figure.colorbar(image, ax=left)
    at = np.arange(len(names))
    right.bar(at - 0.2, ours, 0.4, label="autograd through ADI")
    right.bar(at + 0.2, theirs, 0.4, label="Heston's formula, bumped")
    right.set_xticks(at, names)
    right.set(title="sensitivities", yscale="symlog")
    right.legend()
    figure.savefig(path, dpi=110)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--png")
    png = arguments.parse_args().png
    market = {k: torch.tensor(v, dtype=torch.float64, requires_grad=True)
              for k, v in MARKET.items()}
    value = price(market)
    greeks = torch.autograd.grad(value, list(market.values()))
    exact = formula(**MARKET)
    print(f"price {value.item():.4f}, by formula {exact:.4f}", flush=True)
    assert abs(value.item() - exact) < 2e-3 * exact
    reference = [bumped(name) for name in MARKET]
    for name, ours, theirs in zip(MARKET, greeks, reference):
        print(f"d price / d {name:5s} {ours.item():9.4f}, by formula {theirs:9.4f}")
        assert abs(ours.item() - theirs) < 0.05 * abs(theirs) + 0.02
    if png:
        plot(png, list(MARKET), [g.item() for g in greeks], reference)


if __name__ == "__main__":
    main()
