#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/point_to_point.hpp>

#include "mm/lu/interchange.hpp"

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
  // Copies go column by column, because rows of a matrix lie far apart.
  struct Outgoing {
    std::vector<RowView<const T>> rows;
    std::vector<T> message;
  };
  struct Incoming {
    std::vector<RowView<T>> rows;
    std::vector<T> message;
  };
  struct Staying {
    RowView<const T> from;
    RowView<T> to;
  };
  std::map<int, Outgoing> outgoing;
  std::map<int, Incoming> incoming;
  std::vector<Staying> staying;
  for (const auto& [from, to] : moves) {
    const int sender = owner(from), receiver = owner(to);
    if (sender == here && receiver == here) {
      staying.push_back({source(from), destination(to)});
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
    for (std::int64_t j = 0; j < columns; ++j) {
      for (const RowView<const T>& row : out.rows) *next++ = row.data[j * row.stride];
    }
    requests.push_back(start_send(communicator, out.message, peer));
  }
  std::vector<T> held(staying.size());
  for (std::int64_t j = 0; j < columns; ++j) {
    T* next = held.data();
    for (const auto& [from, to] : staying) *next++ = from.data[j * from.stride];
    const T* value = held.data();
    for (const auto& [from, to] : staying) to.data[j * to.stride] = *value++;
  }
  for (Request& request : requests) request.wait();
  for (const auto& [peer, in] : incoming) {
    const T* value = in.message.data();
    for (std::int64_t j = 0; j < columns; ++j) {
      for (const RowView<T>& row : in.rows) row.data[j * row.stride] = *value++;
    }
  }
}

}  // namespace cuboid::detail
