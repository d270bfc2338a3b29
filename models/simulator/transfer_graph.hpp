#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace cuboid::detail {

/// One message from a rank to another, or, where both are one, work of that rank alone.
struct Transfer {
  int from = 0;
  int to = 0;
  double bytes = 0;
  double work_seconds = 0;  ///< of the receiver's processor once the message is there: combining
};

/// What is sent, and what must have happened before: all that the models know of a collective or of
/// a sequence of them. Without circles, as a transfer waits only for those added before it.
class TransferGraph {
 public:
  using Id = std::uint32_t;

  explicit TransferGraph(int ranks) : ranks_(ranks) {}

  /// Adds a transfer that begins when all of `after` have been received, and worked upon, and
  /// returns its number (0, 1, 2, …). Throws Error(invalid_argument) for ranks that are not there,
  /// negative bytes or seconds, and numbers in `after` not given out yet.
  Id add(const Transfer& transfer, std::span<const Id> after);
  Id add(const Transfer& transfer, std::initializer_list<Id> after) {
    return add(transfer, std::span(after.begin(), after.size()));
  }

  int ranks() const { return ranks_; }
  std::size_t size() const { return transfers_.size(); }
  const Transfer& operator[](Id id) const { return transfers_[id]; }
  std::span<const Transfer> transfers() const { return transfers_; }
  /// What a transfer waits for.
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
