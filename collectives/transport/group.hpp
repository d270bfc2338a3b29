#pragma once

#include "collectives/node/board.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// Context numbers, which separate the messages of communicators. One set per transport; ranks
/// agree on a number that is free on all of them.
class ContextNumbers {
 public:
  ContextNumbers();
  /// One bit per number, set where it is free.
  const std::vector<std::uint64_t>& free_mask();
  void take(std::uint32_t number);
  /// @param board  of the group that had it, if any: the number is free when that has been read.
  void give_back(std::uint32_t number, std::unique_ptr<Board> board = nullptr);
  /// Of the groups with boards that this rank was in, the last one's generation (see Board).
  std::uint64_t generation() const { return generation_; }
  void set_generation(std::uint64_t generation) { generation_ = generation; }
  /// The lowest number set in a mask. Throws Error(unsupported) if there is none.
  static std::uint32_t lowest(const std::vector<std::uint64_t>& mask);

 private:
  struct Returned {
    std::uint32_t number;
    std::unique_ptr<Board> board;
  };
  std::vector<std::uint64_t> free_;
  std::vector<Returned> returned_;
  std::uint64_t generation_ = 0;
};

/// The ranks of a communicator and the context that separates their messages from all others.
class Group {
 public:
  Group(std::shared_ptr<ContextNumbers> numbers, std::uint32_t context,
        std::vector<int> world_ranks, int rank);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(world_ranks_.size()); }
  /// The transport's number of a rank of the group.
  int world_rank(int rank) const { return world_ranks_[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& world_ranks() const { return world_ranks_; }
  /// How messages name a rank, given the world's number: "rank 5", and where it has another number
  /// here "rank 5 (rank 1 of this communicator)". Ranks outside of the group have the world's.
  std::string name(int world_rank) const;

  std::uint32_t context() const { return context_; }
  /// Memory that all its ranks share, for its collectives; nullptr if there is none. That all have
  /// it is known to all of them.
  Board* board() const { return board_.get(); }
  void set_board(std::unique_ptr<Board> board) { board_ = std::move(board); }

  /// Counts the collectives started; the same on every rank, as all start them in the same order.
  std::uint32_t next_sequence() { return sequence_++; }
  /// Number of collectives started since the one with this sequence number, inclusive.
  std::uint32_t started_since(std::uint32_t sequence) const { return sequence_ - sequence; }

  /// Counts the agreements on survivors.
  std::uint32_t next_agreement() { return agreements_++; }

  /// Why no further collective can be started; empty while one can.
  const std::string& broken() const { return broken_; }
  void break_off(const std::string& reason) {
    if (broken_.empty()) broken_ = reason;
  }

 private:
  std::shared_ptr<ContextNumbers> numbers_;
  std::uint32_t context_;
  std::vector<int> world_ranks_;
  int rank_;
  std::uint32_t sequence_ = 0;
  std::uint32_t agreements_ = 0;
  std::string broken_;
  std::unique_ptr<Board> board_;
};

}  // namespace cuboid::detail
