// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/interface.hpp"

namespace tridia::distributed {

/// What is found of each line on any of its ranks becomes known to all of them.
class verdicts {
 public:
  /// A rank's first row of its lines, and the rows of whole lines.
  struct place {
    index_t first_row, rows;
  };
  /// All ranks of a communicator make theirs together.
  verdicts(const line_of_ranks& line, index_t lines, const place& at, transport& by);

  /// What an expansion enters: an entry for each line.
  [[nodiscard]] index_t* found() { return found_.data(); }
  /// The statuses of all lines, of which every rank has entered what it found. All of them call it.
  const std::vector<index_t>& statuses();
  [[nodiscard]] std::size_t bytes() const {
    return (found_.size() + heard_.size()) * sizeof(index_t);
  }

 private:
  [[nodiscard]] index_t of_whole_line(index_t found) const;
  void share();

  line_of_ranks line_;
  parcels cut_;  // a parcel for each rank, which puts together what is found of its lines
  place at_;
  transport& by_;
  std::vector<index_t> found_, heard_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> there_, back_;
};

/// Which of two reasons is a line's status: the first row that is not finite, or else the first
/// zero pivot.
index_t stronger(index_t a, index_t b);

}  // namespace tridia::distributed
