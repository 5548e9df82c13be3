"""The real data of the quickstart: what PyWavelets (Debian's python3-pywt) ships as examples.

The files are read where they lie: PyWavelets itself is not needed, only its data.
"""

import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np


def read(name):
    package = find_spec("pywt")
    if package is None:
        raise ImportError("no module pywt")
    folder = Path(package.submodule_search_locations[0]) / "data"
    with warnings.catch_warnings(), np.load(folder / f"{name}.npz") as archive:
        warnings.simplefilter("ignore")  # the files were made by an old NumPy
        return archive[archive.files[0]].astype(float)


def photographs():
    """Two photographs, 512 x 512, values from 0 to 255: an airfield from above; a staircase."""
    return read("aero"), read("ascent")


def pacific():
    """The monthly sea surface temperature of four regions of the Pacific from 1950 to 2016 (NOAA,
    the index of El Nino): 800 x 4, degrees Celsius."""
    return read("sst_nino3")[:, 2::2]
