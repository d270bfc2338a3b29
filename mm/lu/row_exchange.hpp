#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/point_to_point.hpp>

#include "mm/lu/interchange.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace cuboid::detail {

/// One row in this rank's memory: element j at data[j · stride].
template <class T>
struct RowView {
  T* data = nullptr;
  std::int64_t stride = 1;
};

/// The elements of a row that are copied before the next row's. In memory they may lie a column
/// apart, each on a cache line of its own: several lines are fetched at once.
constexpr std::int64_t row_run = 8;

/// Copies a run of each row, from column `begin` on, one row after the other, to `to`, and has the
/// next run fetched. Returns the end of what it wrote.
template <class T>
T* gather_run(std::span<const RowView<const T>> rows, std::int64_t begin, std::int64_t columns,
              T* to) {
  const std::int64_t length = std::min(row_run, columns - begin);
  const bool next_is_whole = begin + 2 * row_run <= columns;
  for (const RowView<const T>& row : rows) {
    const T* const from = row.data + begin * row.stride;
    for (std::int64_t j = 0; j < length; ++j) to[j] = from[j * row.stride];
    to += length;
  }
  if (!next_is_whole) return to;
  constexpr int to_be_written = 1;
  for (const RowView<const T>& row : rows) {
    const T* const next = row.data + (begin + row_run) * row.stride;
    for (std::int64_t j = 0; j < row_run; ++j)
      __builtin_prefetch(next + j * row.stride, to_be_written);
  }
  return to;
}

/// The reverse of gather_run(). Returns the end of what it read.
template <class T>
const T* scatter_run(const T* from, std::span<const RowView<T>> rows, std::int64_t begin,
                     std::int64_t columns) {
  const std::int64_t length = std::min(row_run, columns - begin);
  for (const RowView<T>& row : rows) {
    T* const to = row.data + begin * row.stride;
    for (std::int64_t j = 0; j < length; ++j) to[j * row.stride] = from[j];
    from += length;
  }
  return from;
}

/// Moves rows between the ranks of a communicator, packed: one message for each pair of ranks that
/// exchange rows. Sources are read before destinations are written, so both may be the same memory.
/// Collective: all ranks give the same moves.
/// @param columns      the elements of each row.
/// @param owner        the rank that owns a row.
/// @param source       a RowView<const T> of a row that this rank owns, before the moves.
/// @param destination  a RowView<T> of a row that this rank owns, after the moves.
template <MatrixElement T, class Owner, class Source, class Destination>
void exchange_rows(const Communicator& communicator, std::span<const RowMove> moves,
                   std::int64_t columns, const Owner& owner, const Source& source,
                   const Destination& destination) {
  if (columns == 0) return;
  const int here = communicator.rank();
  struct Outgoing {
    std::vector<RowView<const T>> rows;
    std::vector<T> message;
  };
  struct Incoming {
    std::vector<RowView<T>> rows;
    std::vector<T> message;
  };
  std::map<int, Outgoing> outgoing;
  std::map<int, Incoming> incoming;
  std::vector<RowView<const T>> staying;
  std::vector<RowView<T>> their_places;
  for (const auto& [from, to] : moves) {
    const int sender = owner(from), receiver = owner(to);
    if (sender == here && receiver == here) {
      staying.push_back(source(from));
      their_places.push_back(destination(to));
    } else if (sender == here) {
      outgoing[receiver].rows.push_back(source(from));
    } else if (receiver == here) {
      incoming[sender].rows.push_back(destination(to));
    }
  }
  const auto size = [columns](std::size_t rows) {
    return rows * static_cast<std::size_t>(columns);
  };
  std::vector<Request> requests;
  for (auto& [peer, in] : incoming) {
    in.message.resize(size(in.rows.size()));
    requests.push_back(start_receive(communicator, in.message, peer));
  }
  for (auto& [peer, out] : outgoing) {
    out.message.resize(size(out.rows.size()));
    T* next = out.message.data();
    for (std::int64_t j = 0; j < columns; j += row_run)
      next = gather_run<T>(out.rows, j, columns, next);
    requests.push_back(start_send(communicator, out.message, peer));
  }
  std::vector<T> held(staying.size() * static_cast<std::size_t>(std::min(row_run, columns)));
  for (std::int64_t j = 0; j < columns; j += row_run) {
    gather_run<T>(staying, j, columns, held.data());
    scatter_run<T>(held.data(), their_places, j, columns);
  }
  for (Request& request : requests) request.wait();
  for (const auto& [peer, in] : incoming) {
    const T* next = in.message.data();
    for (std::int64_t j = 0; j < columns; j += row_run)
      next = scatter_run<T>(next, in.rows, j, columns);
  }
}

}  // namespace cuboid::detail
