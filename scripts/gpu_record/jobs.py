# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Runs commands at the same time, each with a log."""

import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace


@dataclass
class Job:
    step: str  # what it is part of
    label: str
    families: frozenset  # that it asks about
    command: list
    judge: object  # (Finished) -> Results; may add complaints
    environment: dict = field(default_factory=dict)
    seconds: float = 300  # at most


@dataclass
class Finished:
    job: Job
    code: int  # the exit code; None if it was stopped
    output: str
    seconds: float
    results: object = None
    complaints: list = field(default_factory=list)  # beside what tests say
    figures: dict = field(default_factory=dict)  # say, of a sanitizer's summary

    @property
    def good(self):
        return not self.complaints and not self.results.bad


def _rest_of(process):
    """Returns what a killed process had printed; a child of it that lives on may hold the pipe."""
    try:
        return process.communicate(timeout=10)[0]
    except subprocess.TimeoutExpired as late:
        return (late.output or b"").decode(errors="replace")


class Places:
    """Shares out the GPUs: each job sees one of them, which has the fewest jobs."""

    def __init__(self, gpus):
        self._jobs = dict.fromkeys(gpus, 0)
        self._changing = threading.Lock()

    @contextmanager
    def one(self):
        """Yields the environment in which a job sees one GPU."""
        with self._changing:
            gpu = min(self._jobs, key=self._jobs.get)
            self._jobs[gpu] += 1
        try:
            yield {"CUDA_VISIBLE_DEVICES": gpu}
        finally:
            with self._changing:
                self._jobs[gpu] -= 1


class Runner:
    """Runs jobs; stops them if their own time is over, or that of all."""

    def __init__(self, workers, log, deadline=None):
        self.workers = workers
        self._log = log  # an open text file
        self._deadline = deadline  # of time.monotonic()
        self._writing = threading.Lock()

    def run_all(self, jobs, gpus, when_done):
        """Runs jobs at the same time, in the order of the list, each on one of the GPUs."""
        places = Places(gpus)

        def run(job):
            with places.one() as environment:
                return self.run(replace(job, environment={**environment, **job.environment}))

        with ThreadPoolExecutor(self.workers) as pool:
            for future in as_completed([pool.submit(run, job) for job in jobs]):
                when_done(future.result())

    def run(self, job):
        """Runs a job by itself, which sees all GPUs."""
        began = time.monotonic()
        try:
            code, output = self._execute(job, began)
        except OSError as failure:
            code, output = 127, f"{failure}\n"
        done = Finished(job, code, output, time.monotonic() - began)
        if code is None:
            done.complaints.append(f"stopped after {done.seconds:.0f} s")
        done.results = job.judge(done)
        self._write(done)
        return done

    def _execute(self, job, began):
        limit = began + job.seconds
        if self._deadline is not None:
            limit = min(limit, self._deadline)
        if limit <= began:
            return None, "no time was left to start this\n"
        with subprocess.Popen(
            [str(c) for c in job.command],
            env={**os.environ, **job.environment},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=limit - began)
                return process.returncode, output
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return None, _rest_of(process)

    def _write(self, done):
        command = " ".join(str(c) for c in done.job.command)
        set_up = "".join(f"{k}={v} " for k, v in done.job.environment.items())
        with self._writing:
            self._log.write(
                f"\n==== {done.job.step}: {done.job.label}: exit code {done.code}, "
                f"{done.seconds:.1f} s\n{set_up}{command}\n{done.output}"
            )
            self._log.flush()
