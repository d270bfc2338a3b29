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

/// Moves rows between the ranks of a communicator, packed: one message for each pair of ranks that
/// exchange rows. Sources are read before destinations are written, so both may be the same memory.
/// Collective: all ranks give the same moves.
/// @param run          the elements that are copied of one row after the other: 1 where rows lie
///                     far apart and the elements of a column side by side; more where the elements
///                     of a row do.
/// @param columns      the elements of each row.
/// @param owner        the rank that owns a row.
/// @param source       a RowView<const T> of a row that this rank owns, before the moves.
/// @param destination  a RowView<T> of a row that this rank owns, after the moves.
template <MatrixElement T, std::int64_t run = 1, class Owner, class Source, class Destination>
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
  const auto for_run = [columns](const auto& rows, std::int64_t begin, const auto& visit) {
    const std::int64_t end = std::min(begin + run, columns);
    for (const auto& row : rows) {
      for (std::int64_t j = begin; j < end; ++j) visit(row.data[j * row.stride]);
    }
  };
  std::vector<Request> requests;
  for (auto& [peer, in] : incoming) {
    in.message.resize(size(in.rows.size()));
    requests.push_back(start_receive(communicator, in.message, peer));
  }
  for (auto& [peer, out] : outgoing) {
    out.message.resize(size(out.rows.size()));
    T* next = out.message.data();
    for (std::int64_t j = 0; j < columns; j += run)
      for_run(out.rows, j, [&](const T& element) { *next++ = element; });
    requests.push_back(start_send(communicator, out.message, peer));
  }
  std::vector<T> held(staying.size() * static_cast<std::size_t>(std::min(run, columns)));
  for (std::int64_t j = 0; j < columns; j += run) {
    T* next = held.data();
    for_run(staying, j, [&](const T& element) { *next++ = element; });
    const T* value = held.data();
    for_run(their_places, j, [&](T& element) { element = *value++; });
  }
  for (Request& request : requests) request.wait();
  for (const auto& [peer, in] : incoming) {
    const T* value = in.message.data();
    for (std::int64_t j = 0; j < columns; j += run)
      for_run(in.rows, j, [&](T& element) { element = *value++; });
  }
}

}  // namespace cuboid::detail
