# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes clean systems by debootstrap, and runs commands in copies of them. What a command needs to be
mounted is so in a mount namespace of its own, and gone with it."""

import os
import shutil
import subprocess
import time
from pathlib import Path

_NAMES = ("http_proxy", "https_proxy", "no_proxy")
# Where what is downloaded is signed anew on its way to this machine, PIP_CERT names its certificates.
_CERTIFICATES = "/etc/ssl/certificates-of-the-host.crt"
# Services of packages do not start; dpkg need not wait for the disk, as a chroot is thrown away.
_FILES = {"usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n",
          "etc/dpkg/dpkg.cfg.d/unsafe-io": "force-unsafe-io\n"}
_ENTER = """
root=$1 cache=$2 script=$3
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
if [ -n "$cache" ]; then mkdir -p "$root/ccache"; mount --bind "$cache" "$root/ccache"; fi
exec chroot "$root" /bin/sh -ec "$script"
"""


def bootstrap(release, folder):
    """Makes the clean system of a release, unless it is there; returns why it could not, or None."""
    if (folder / "etc/debian_version").exists():
        return None
    if shutil.which("debootstrap") is None:
        return "debootstrap is not installed"
    if not Path(release.keyring).exists():
        return f"{release.keyring}, the keys of its archive, is not installed"
    half = folder.with_name(folder.name + ".half")
    shutil.rmtree(half, ignore_errors=True)
    half.parent.mkdir(parents=True, exist_ok=True)
    scripts = Path("/usr/share/debootstrap/scripts")
    # An older debootstrap does not know the names of newer releases; they are made as these.
    script = [] if (scripts / release.suite).exists() else [str(scripts / "sid")]
    if "ubuntu" in release.name and script:
        script = [str(scripts / "gutsy")]
    run = subprocess.run(["debootstrap", "--variant=minbase", f"--keyring={release.keyring}",
                          f"--components={release.components}", release.suite, str(half),
                          release.mirror, *script],
                         capture_output=True, text=True, errors="replace")
    if run.returncode != 0:
        return f"debootstrap: {(run.stdout + run.stderr).strip().splitlines()[-1]}"
    for name, text in _FILES.items():
        (half / name).write_text(text, encoding="utf-8")
    (half / "usr/sbin/policy-rc.d").chmod(0o755)
    half.rename(folder)
    return None


class Chroot:
    """Holds a copy of a clean system."""

    def __init__(self, base, folder, cache=None):
        self.folder, self.cache, self.environment = folder, cache, {}
        subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], check=True)
        subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(folder)], check=True)
        for name in ("resolv.conf", "hosts"):
            shutil.copyfile(f"/etc/{name}", folder / "etc" / name)
        if os.environ.get("PIP_CERT"):
            self.path(_CERTIFICATES).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(os.environ["PIP_CERT"], self.path(_CERTIFICATES))
            self.environment["PIP_CERT"] = _CERTIFICATES

    def path(self, inside):
        return self.folder / inside.lstrip("/")

    def put(self, source, inside):
        """Copies a file or a folder."""
        to = self.path(inside)
        to.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", str(source), str(to)], check=True)

    def run(self, script, log, seconds):
        """Runs a script of sh; returns (exit code, or None if it was stopped; output; seconds)."""
        environment = {name: os.environ[name] for name in _NAMES if name in os.environ}
        environment.update(self.environment)
        environment.update(PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                           HOME="/root", LC_ALL="C.UTF-8", DEBIAN_FRONTEND="noninteractive",
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1",
                           PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")
        if self.cache:
            environment.update(CCACHE="ccache", CCACHE_DIR="/ccache", CCACHE_BASEDIR="/tmp",
                               CCACHE_NOHASHDIR="1", CCACHE_SLOPPINESS="locale")
        began = time.monotonic()
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation",
                   "private", "sh", "-ec", _ENTER, "sh", str(self.folder), str(self.cache or ""),
                   script]
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as file:
            try:
                code = subprocess.run(command, env=environment, stdout=file, stdin=subprocess.DEVNULL,
                                      stderr=subprocess.STDOUT, timeout=seconds).returncode
            except subprocess.TimeoutExpired:
                code = None
        return code, log.read_text(encoding="utf-8", errors="replace"), time.monotonic() - began
