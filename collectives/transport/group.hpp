#pragma once

#include "collectives/node/board.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// Context numbers, which separate the messages of communicators. A transport has one set; the
/// ranks of a new communicator agree on a number that is free on all of them.
class ContextNumbers {
 public:
  ContextNumbers();
  /// One bit per number, set if the number is free.
  const std::vector<std::uint64_t>& free_mask();
  void take(std::uint32_t number);
  /// Gives a group's number back.
  /// @param board  the group's board, if it had one: the number is free only when all ranks have
  ///         read the board
  void give_back(std::uint32_t number, std::unique_ptr<Board> board = nullptr);
  /// The generation of the last group with a board that this rank was in (see Board).
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
  /// The name that error texts give a rank, from its number in the world: "rank 5", or "rank 5
  /// (rank 1 of this communicator)" if its number in the group is another. A rank outside of the
  /// group is named by its number in the world only.
  std::string name(int world_rank) const;

  std::uint32_t context() const { return context_; }
  /// The memory that all ranks of the group share for their collectives; nullptr if there is none.
  /// Either all ranks have it or none.
  Board* board() const { return board_.get(); }
  void set_board(std::unique_ptr<Board> board) { board_ = std::move(board); }

  /// Counts the collectives started. The number is the same on every rank, because all ranks start
  /// their collectives in the same order.
  std::uint32_t next_sequence() { return sequence_++; }
  /// The number of collectives started since the collective with this sequence number, which counts
  /// too.
  std::uint32_t started_since(std::uint32_t sequence) const { return sequence_ - sequence; }

  /// Counts the agreements on survivors.
  std::uint32_t next_agreement() { return agreements_++; }

  /// The reason why no further collective can be started; empty if one can.
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
