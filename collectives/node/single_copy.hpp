#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace cuboid::detail {

struct PendingTransfer;

/// With this another rank on the node finds out if it can read this process's memory.
struct MemoryProbe {
  std::int64_t process = 0;
  std::uint64_t address = 0;  ///< where `secret` lies in that process
  std::uint64_t secret = 0;
};

/// A secret word in this process that other ranks try to read.
class MemoryBeacon {
 public:
  MemoryBeacon();
  MemoryProbe probe() const;

 private:
  std::unique_ptr<std::uint64_t> secret_;
};

/// True if the memory behind a probe can be read from here (process_vm_readv). Containers and
/// hardened kernels may refuse it.
bool can_read(const MemoryProbe& probe);

/// What the receiver of a long message on its own node gets in place of the data: where to read it.
/// The sender leaves the data alone until the acknowledgement comes or it gives up, and it gives up
/// no sooner than after request_stands. So only a reader that is later than that has to check that
/// the request still stands.
struct RequestToSend {
  std::uint64_t data = 0;  ///< address in the sender
  std::uint64_t bytes = 0;
  /// Where `ticket` lies in the sender for as long as the request stands.
  std::uint64_t ticket_address = 0;
  std::uint64_t ticket = 0;
  std::uint64_t slot = 0;
  /// The bytes of the pieces to be claimed (CopyClaims); 0: the reader reads the whole message.
  std::uint64_t piece_bytes = 0;
  Clock::time_point made;

  /// The address of the data, for use in the sender itself.
  const std::byte* start() const;
};

inline constexpr std::chrono::milliseconds request_stands{500};

enum class ReadResult {
  complete,
  withdrawn,  ///< the sender gave up meanwhile; what was read is worth nothing
  failed,     ///< errno says why
};

/// Copies a part of the data of a request straight from the sender's memory. Returns false if that
/// fails; errno says why.
bool read_part(std::int64_t process, const RequestToSend& request, std::size_t offset,
               std::size_t bytes, void* destination);
/// Says if the data that was read was the sender's message all the time.
ReadResult confirm_read(std::int64_t process, const RequestToSend& request);
/// Copies the whole data of a request and confirms it.
ReadResult read_requested(std::int64_t process, const RequestToSend& request, void* destination);

/// The requests of one sender that are not acknowledged yet.
class SendRequests {
 public:
  /// Has memory for more requests than usually stand at once; it grows if necessary.
  SendRequests();

  /// Makes a request to send `bytes` bytes at `data`. The data must stay until the request is
  /// acknowledged or withdrawn.
  RequestToSend open(PendingTransfer& transfer, const void* data, std::size_t bytes);
  /// Ends a request that was served. Returns its transfer; nullptr if the request had been
  /// withdrawn before.
  PendingTransfer* acknowledge(std::uint64_t slot, std::uint64_t ticket);
  /// Ends a request that nobody shall serve any more. Not allowed before request_stands has passed.
  void withdraw(std::uint64_t slot);
  /// The transfers whose requests stand.
  std::vector<PendingTransfer*> standing() const;

 private:
  // The ticket of a slot changes when its request ends. A reader that then finds another ticket
  // than it was given has read memory that belonged to the caller again.
  struct Slot {
    std::uint64_t ticket;
    PendingTransfer* transfer;
  };
  void add_slot();

  std::uint64_t first_ticket_;  // random, so no other object has had it: another process may have
                                // used the memory before
  // Slots never move, because readers in other processes look at their tickets.
  std::deque<Slot> slots_;
  std::vector<std::uint64_t> free_;
};

}  // namespace cuboid::detail
