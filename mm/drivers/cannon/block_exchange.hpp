#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>
#include <cuboid/window.hpp>

#include "mm/matrix/aligned_memory.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A block in flight, from the view of one end.
struct BlockMessage {
  int peer = 0;
  int number = 0;         ///< distinguishes the messages between two ranks in one stage
  std::size_t here = 0;   ///< place in this rank's memory, in bytes
  std::size_t there = 0;  ///< place in the peer's memory, in bytes
  std::size_t bytes = 0;
};

/// The blocks that a rank sends and receives in one stage.
struct BlockStage {
  std::vector<BlockMessage> sends, receives;
};

/// Moves blocks between the ranks of a communicator, stage by stage, any number of times. Memory
/// and plans are made once.
class BlockExchange {
 public:
  virtual ~BlockExchange() = default;

  virtual std::byte* memory() const = 0;
  /// Call it before the first stage of a run, when this rank's memory holds the blocks of the first
  /// stages. Collective.
  virtual void open() = 0;
  /// Begins a stage. The stage before must be finished.
  virtual void start(std::size_t stage) = 0;
  /// Progresses the stage in flight; returns false if there is none.
  virtual bool progress() = 0;
  /// Waits until this rank has received the stage's blocks and the memory of the blocks that it
  /// sent may be used again.
  virtual void finish() = 0;
};

/// An exchange by messages: every block that is sent is received by its peer.
class SentBlocks : public BlockExchange {
 public:
  /// @param bytes   bytes of memory.
  /// @param stages  the blocks of each stage; messages of a rank to itself are sends only.
  /// Does not communicate. Throws Error(out_of_memory).
  SentBlocks(const Communicator& communicator, std::size_t bytes,
             const std::vector<BlockStage>& stages);

  std::byte* memory() const override { return memory_.data(); }
  void open() override {}
  void start(std::size_t stage) override;
  bool progress() override;
  void finish() override;

 private:
  struct Stage {
    std::vector<BlockMessage> copies;  // blocks for this rank itself
    std::vector<CollectivePlan> plans;
  };

  AlignedArray<std::byte> memory_;
  std::vector<Stage> stages_;
  std::vector<Request> requests_;
};

/// An exchange by puts into the peers' memory (Solomonik and Demmel 2012, §4). At the end of a
/// stage a rank exchanges empty messages with its peers of this stage and of the next stage. After
/// that, the peers' puts are complete, and this rank's next puts overwrite nothing that the peers
/// still need.
class PutBlocks : public BlockExchange {
 public:
  /// Collective. Throws Error(out_of_memory).
  PutBlocks(const Communicator& communicator, std::size_t bytes, std::vector<BlockStage> stages);

  std::byte* memory() const override { return window_.local().data(); }
  void open() override { meet(0); }
  void start(std::size_t stage) override;
  bool progress() override;
  void finish() override;

 private:
  void meet(std::size_t meeting);

  Window window_;
  std::vector<BlockStage> stages_;
  // The meeting before each stage, and the last one.
  std::vector<std::vector<CollectivePlan>> meetings_;
  std::vector<Request> requests_;
  std::size_t stage_ = 0;
  bool in_flight_ = false;  // blocks are in flight
};

}  // namespace cuboid::detail
