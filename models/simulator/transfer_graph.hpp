#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A message from one rank to another, or, if both are equal, work of one rank.
struct Transfer {
  int from = 0;
  int to = 0;
  double bytes = 0;
  /// Seconds of the receiver's processor after the message arrived, for combining.
  double work_seconds = 0;
};

/// Transfers and their dependencies: the models' view of a collective, or of several in sequence.
/// Acyclic, because a transfer depends only on transfers that were added before it.
class TransferGraph {
 public:
  using Id = std::uint32_t;

  explicit TransferGraph(int ranks) : ranks_(ranks) {}

  /// Adds a transfer that begins when all of `after` are received and worked upon, and returns its
  /// number (0, 1, 2, …). Throws Error(invalid_argument) for unknown ranks, negative bytes or
  /// seconds, and unknown numbers in `after`.
  Id add(const Transfer& transfer, std::span<const Id> after);
  Id add(const Transfer& transfer, std::initializer_list<Id> after) {
    return add(transfer, std::span(after.begin(), after.size()));
  }

  int ranks() const { return ranks_; }
  std::size_t size() const { return transfers_.size(); }
  const Transfer& operator[](Id id) const { return transfers_[id]; }
  std::span<const Transfer> transfers() const { return transfers_; }
  /// The transfers that a transfer depends on.
  std::span<const Id> after(Id id) const {
    return std::span(after_).subspan(first_after_[id], first_after_[id + 1] - first_after_[id]);
  }

 private:
  int ranks_;
  std::vector<Transfer> transfers_;
  std::vector<std::size_t> first_after_ = {0};
  std::vector<Id> after_;
};

}  // namespace cuboid::detail
