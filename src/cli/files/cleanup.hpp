// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tridia::cli {

/// Prepares the process for the signals that may end it while a file is being written. SIGBUS,
/// which a map raises when its file shrinks or its disk fails, gets a sentence and exit code 1; a
/// limit on the size of files (SIGXFSZ) becomes an error code of the system call that meets it.
void handle_signals();

/// Names the one file that is removed if a signal that can be caught, or a call of `exit`, ends the
/// process. Calls `handle_signals`. Returns false if the path is too long to be kept.
bool remove_when_ended(const std::string& path);

/// Says that the file has its final name, or is gone already.
void keep_when_ended();

/// Makes std::terminate end the process with a sentence and exit code 1 where memory ran out:
/// std::bad_alloc left a thread or a destructor, or there was no memory for an exception.
void handle_exhausted_memory();

}  // namespace tridia::cli
