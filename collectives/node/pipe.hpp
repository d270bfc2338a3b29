#pragma once

#include "collectives/node/pending_transfer.hpp"
#include "collectives/node/single_copy.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace cuboid::detail {

/// Memory between two processes through which long messages go one way, in pieces.
struct PipeMemory {
  static constexpr std::size_t pieces = 16;
  static constexpr std::size_t piece_bytes = 16 << 10;

  struct alignas(64) Piece {
    std::atomic<std::uint64_t> number = 0;  ///< of pieces in this place; written last
    std::uint64_t slot = 0;                 ///< of the request to send
    std::uint64_t ticket = 0;
    std::uint32_t bytes = 0;
    bool withdrawn = false;  ///< instead of the rest of its message
    alignas(64) std::array<std::byte, piece_bytes> data;
  };

  std::array<Piece, pieces> ring;
  alignas(64) std::atomic<std::uint64_t> taken = 0;
};

/// Long messages between two processes with a core each: one copies into memory that they share
/// while the other copies out of it, which together takes less time than one copy by one of them.
/// Carries messages whose request to send was answered, in any order. Belongs to one thread.
class Pipe {
 public:
  Pipe(PipeMemory& outgoing, PipeMemory& incoming) : outgoing_(outgoing), incoming_(incoming) {}

  /// Starts to send what `transfer.send_request` is about, or to receive it.
  void send(PendingTransfer& transfer);
  void receive(void* destination, PendingTransfer& transfer);
  /// Tells the receiver that what it has asked for will not come.
  void withdraw(std::uint64_t slot, std::uint64_t ticket);

  /// Calls `ended` of what has completed. Returns whether anything happened.
  bool progress();

  /// Asks for a transfer in flight to end; its `ended` follows from progress().
  void cancel(PendingTransfer& transfer);

  bool sending() const { return !sends_.empty(); }
  /// Whether progress() would do something.
  bool busy() const;

 private:
  struct Send {
    std::uint64_t slot;
    std::uint64_t ticket;
    const std::byte* data;
    std::size_t left;
    PendingTransfer* transfer;  // nullptr where it was withdrawn
  };
  struct Receive {
    std::uint64_t slot;
    std::uint64_t ticket;
    std::byte* data;
    std::size_t left;
    PendingTransfer* transfer;
  };

  bool room();
  void put(Send& send);
  void take(const PipeMemory::Piece& piece);
  void end_cancelled();

  PipeMemory& outgoing_;
  PipeMemory& incoming_;
  std::uint64_t put_ = 0;
  std::uint64_t seen_taken_ = 0;
  std::uint64_t taken_ = 0;
  std::deque<Send> sends_;
  std::vector<Receive> receives_;
  bool any_cancelled_ = false;
};

}  // namespace cuboid::detail
