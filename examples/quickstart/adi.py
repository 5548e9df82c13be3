"""One time step of diffusion on a 3-D field, as tridiagonal systems along each axis in turn.

u_t = div(k grad u) in a box with insulated walls, unit cells, by the method of Douglas and Gunn
(J. Douglas, J. E. Gunn: A general formulation of alternating direction methods, Numerische
Mathematik 6, 1964, 428-453) in its increment form. With A_a the second difference along axis a,

    (I - dt/2 A_0) v_0 = dt (A_0 + A_1 + A_2) u      the explicit part
    (I - dt/2 A_1) v_1 = v_0
    (I - dt/2 A_2) v_2 = v_1,                        u(t + dt) = u + v_2:

second order in time, and stable for any dt. The output of each solve is the next one's rhs.
"""

from pathlib import Path

import numpy as np
from scipy.linalg import solve_banded

from realdata import photographs

DT = 10.0  # an explicit step would have to be 60 times shorter

SHAPE = (256, 192, 160)


def fields(shape):
    """A temperature and a conductivity: two photographs, blended from the one to the other and
    back along the last axis."""
    first, second = (p[: shape[0], : shape[1], None] / 255.0 for p in photographs())
    blend = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, shape[2]))
    temperature = first * (1.0 - blend) + second * blend
    conductivity = 0.05 + 0.95 * (second * (1.0 - blend) + first * blend)
    return temperature, conductivity


def along(axis, part):
    """The index that takes `part` along `axis` and everything along the others."""
    return (slice(None),) * axis + (part,)


def faces(conductivity, axis):
    """Conductivities between neighbours along an axis: harmonic means, as series resistors."""
    low = conductivity[along(axis, slice(None, -1))]
    high = conductivity[along(axis, slice(1, None))]
    return 2.0 * low * high / (low + high)


def diagonals(face, axis):
    """dl, d, du of I - dt/2 A: `face` has one entry fewer than rows along its axis."""
    shape = list(face.shape)
    shape[axis] += 1
    dl, du = np.zeros(shape), np.zeros(shape)
    np.multiply(face, -DT / 2, out=dl[along(axis, slice(1, None))])
    np.multiply(face, -DT / 2, out=du[along(axis, slice(None, -1))])
    return dl, 1.0 - dl - du, du


def explicit_part(u, faces_of):
    """dt (A_0 + A_1 + A_2) u."""
    total = np.zeros_like(u)
    for axis in range(3):
        flux = DT * faces_of(axis) * np.diff(u, axis=axis)
        total[along(axis, slice(None, -1))] += flux
        total[along(axis, slice(1, None))] -= flux
    return total


def scipy_solve(dl, d, du, rhs, axis):
    """The same solve by scipy.linalg.solve_banded."""
    columns = np.moveaxis(rhs, axis, -1)
    if d.ndim == 1:  # one matrix, many right-hand sides
        bands, b = (du, d, dl), columns.reshape(-1, d.size).T
    else:  # many matrices: the blocks of one long tridiagonal matrix, not coupled
        bands = [np.moveaxis(a, axis, -1).reshape(-1) for a in (du, d, dl)]
        b = columns.reshape(-1)
    # solve_banded stores the entries of one column, not of one row, together.
    packed = np.stack([np.roll(bands[0], 1), bands[1], np.roll(bands[2], -1)])
    x = solve_banded((1, 1), packed, b, check_finite=False)
    return np.moveaxis(x.T.reshape(columns.shape), -1, axis)


def step(bench, name, shape, conductivity=None, pivoting="none"):
    """One step: three calls of `tridia solve`, each checked against SciPy's own chain of three.
    Without a conductivity it is 1 everywhere, and one matrix serves every line of an axis. Returns
    the temperature after it."""
    u = fields(shape)[0]
    varying = conductivity is not None

    def faces_of(axis):
        if varying:
            return faces(conductivity, axis)
        return np.ones(shape[axis] - 1).reshape(tuple(-1 if a == axis else 1 for a in range(3)))

    expected = explicit_part(u, faces_of)
    rhs = bench.save(f"{name}-rhs", expected)
    for axis in range(3):
        face = faces_of(axis)
        dl, d, du = diagonals(face, axis) if varying else diagonals(face.ravel(), 0)
        expected = scipy_solve(dl, d, du, expected, axis)
        rhs = bench.solve(
            f"{name}, axis {axis}",
            (dl, d, du),
            rhs,
            axis,
            pivoting=pivoting,
            expected=expected,
        )
        del dl, d, du
    # Insulated walls: the step moves heat about and must lose none.
    after = u + np.load(rhs, mmap_mode="r")
    bench.check(f"{name}: heat lost", abs(after.sum() - u.sum()) / u.sum(), 1e-12)
    return after


def draw(path, pictures):
    """The same plane of fields by their titles."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(pictures), figsize=(10, 2.8), layout="constrained")
    for ax, (title, field) in zip(axes, pictures.items()):
        image = ax.imshow(field[:, :, field.shape[2] // 4].T, cmap="inferno", vmin=0, vmax=1)
        ax.set(title=title, xlabel="axis 0", ylabel="axis 1")
    figure.colorbar(image, ax=axes, label="temperature")
    figure.savefig(path, dpi=80, metadata={"Software": None})


def run(bench, shape=SHAPE, png=None):
    temperature, conductivity = fields(shape)
    constant = step(bench, "constant k", shape)
    varying = step(bench, "varying k", shape, conductivity=conductivity)
    if png:
        draw(Path(png) / "adi.png", {"before": temperature, "after a step, constant k": constant,
                                     "after a step, varying k": varying})
