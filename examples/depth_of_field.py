#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Depth of field by the diffusion of heat, on a photograph (Debian's python3-pywt has it).

What is out of focus is blurred as if the picture's light were heat that flows the farther, the
wider the circle of confusion is (M. Kass, A. Lefohn, J. Owens: Interactive depth of field using
simulated diffusion on a GPU, Pixar, 2006): one implicit step of diffusion along the rows, one along
the columns, each a tridiagonal system a line. No light may flow into what is in focus, so the
conductivity between two pixels is the smaller one of theirs.

Checked: no light is lost, what is in focus stays as it is, and where the blur is the same everywhere
a wave is damped as the implicit step's formula says.

    examples/depth_of_field.py [--tridia build/bin/tridia] [--png depth_of_field.png]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "quickstart"))
from realdata import photographs  # noqa: E402


def diffuse(tridia, light, conductivity, axis):
    """(I - A) v = light, with A the insulated diffusion along an axis; unit cells."""
    inner = [slice(None), slice(None)]
    inner[axis] = slice(1, None)
    outer = [slice(None), slice(None)]
    outer[axis] = slice(None, -1)
    face = np.minimum(conductivity[tuple(inner)], conductivity[tuple(outer)])
    dl, du = np.zeros_like(light), np.zeros_like(light)
    dl[tuple(inner)] = du[tuple(outer)] = -face
    with tempfile.TemporaryDirectory() as folder:
        command = [tridia, "solve", "--axis", str(axis), "--pivoting", "none", "--quiet"]
        for name, array in (("dl", dl), ("d", 1 - dl - du), ("du", du), ("rhs", light)):
            np.save(Path(folder) / f"{name}.npy", array)
            command += [f"--{name}", f"{folder}/{name}.npy"]
        subprocess.run(command + ["--out", f"{folder}/v.npy"], check=True)
        return np.load(Path(folder) / "v.npy")


def blur(tridia, light, conductivity):
    for axis in (0, 1):
        light = diffuse(tridia, light, conductivity, axis)
    return light


def wave_error(tridia):
    """How far the damping of a wave between insulated walls is from the formula."""
    n, conductivity = 64, 3.0
    w = np.array([5, 9]) * np.pi / n
    k = np.arange(n) + 0.5
    wave = np.cos(w[0] * k)[:, None] * np.cos(w[1] * k)
    damping = np.prod(1 / (1 + 2 * conductivity * (1 - np.cos(w))))
    blurred = blur(tridia, wave, np.full((n, n), conductivity))
    return np.abs(blurred - damping * wave).max()


def draw(path, sharp, blurred):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(10, 5.4))
    for ax, picture, title in ((axes[0], sharp, "sharp"), (axes[1], blurred, "focus in the middle")):
        ax.imshow(picture, cmap="gray", vmin=0, vmax=255)
        ax.set_title(title)
        ax.axis("off")
    figure.tight_layout()
    figure.savefig(path, dpi=60)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tridia", default="build/bin/tridia")
    parser.add_argument("--png")
    arguments = parser.parse_args()
    try:
        photograph = photographs()[1]
    except ImportError as missing:
        print(f"skipped: {missing}")
        sys.exit(77)
    # The distance grows from the foot of the picture to its head; a band of it is in focus.
    distance = np.linspace(1, -1, len(photograph))[:, None] * np.ones(photograph.shape)
    confusion = 12 * np.maximum(np.abs(distance) - 0.2, 0)
    blurred = blur(arguments.tridia, photograph, confusion**2)

    lost = abs(blurred.mean() / photograph.mean() - 1)
    # Along a row in focus nothing flows; along a column, nothing into it.
    kept = np.abs((blurred - photograph)[confusion == 0]).max()
    damped = wave_error(arguments.tridia)
    print(f"light lost {lost:.0e}, change in focus {kept:.0e}, a wave's damping off by {damped:.0e}")
    if arguments.png:
        draw(arguments.png, photograph, blurred)
    good = lost < 1e-12 and kept < 1e-10 and damped < 1e-12
    sys.exit(0 if good else "the diffusion is not what it should be")


if __name__ == "__main__":
    main()
