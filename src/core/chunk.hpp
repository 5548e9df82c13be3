// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/growth.hpp"
#include "core/pivoted_chunk.hpp"
#include "core/plain_chunk.hpp"
#include "core/values.hpp"

// A chunk of consecutive rows is represented by its interface equations, which contain x of the
// rows `before` and `after` it and of its own `first` and `last` row, and nothing else. The steps
// of a solve with chunks are
//
//   reduce   rows -> equations, for each chunk by itself
//   ...      the interface: equations of neighbours -> those of all chunks together
//   close    equations of the whole system -> its interface unknowns, by the boundary
//   ...      ends of all chunks together -> ends of each
//   expand   ends of a chunk -> x of its rows
//
// whether threads, warps, blocks or devices hold the chunks. Equations of several chunks together
// have the form of one chunk's, so that they can be the chunks of the next level. Without pivoting
// the interface is a tridiagonal system for the last x of every chunk, for cyclic reduction in
// parallel (PCR); with pivoting, neighbours are merged two by two.
//
// Rows come as `rows.get(k) -> row<V>`, `rows.rhs(k) -> R`, k from 0 in the chunk, and the same
// object keeps what expand needs: `rows.keep(k, a, b, c)`, `rows.kept(k, a, b, c)`, three words a
// row, or with pivoting `rows.keep_pivot(k, row)`, `rows.kept_pivot(k) -> row`, which may lie where
// the row was; it takes x by `rows.put(k, x)`, last row first. Types that holders pass to each
// other have `map(f)`, which applies f to each of their values.
