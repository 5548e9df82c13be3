#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""What an interrupted `tridia` leaves behind: nothing."""

import re
import signal
import subprocess
import time
import unittest

from support import Case


class Signals(Case):
    def interrupt(self, number):
        self.systems((200000, 3))
        before = self.names()
        with subprocess.Popen(
            self.arguments("--memory", 1), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            deadline = time.monotonic() + 60
            while self.names() == before and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.001)
            self.assertTrue(any(re.match(r"\.tridia-.*\.tmp$", n) for n in self.names()))
            process.send_signal(number)
            self.assertEqual(process.wait(60), -number)
        self.assertEqual(self.names(), before)

    def test_interrupt_and_termination_leave_nothing(self):
        self.interrupt(signal.SIGINT)
        self.interrupt(signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
