#pragma once

#include <cuboid/communicator.hpp>

#include <cstddef>
#include <memory>
#include <span>

#include <mpi.h>

namespace cuboid::detail::tools {

using Bytes = std::span<const std::byte>;
using Memory = std::span<std::byte>;

/// Messages and memory between ranks, over Cuboid or over MPI: what measurements are written
/// against, so that both run the same loop.
class Channel {
 public:
  Channel() = default;
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Waits for all ranks.
  virtual void meet() = 0;

  virtual void send(Bytes message, int peer) = 0;
  virtual void receive(Memory message, int peer) = 0;
  virtual void start_send(Bytes message, int peer) = 0;
  virtual void start_receive(Memory message, int peer) = 0;
  /// Makes progress and returns whether all that is to be received from a peer is there.
  virtual bool received_from(int peer) = 0;
  /// Waits for all that was started.
  virtual void wait_all() = 0;

  /// This rank's memory that others read and write; empty if the channel was made without.
  virtual Memory window() = 0;
  /// A peer's window for loads; empty if this rank cannot reach it so.
  virtual Bytes direct(int peer) = 0;
  virtual void put(Bytes mine, int peer, std::size_t offset) = 0;
  virtual void get(Memory mine, int peer, std::size_t offset) = 0;
  /// Waits for this rank's puts and gets.
  virtual void flush() = 0;
};

/// Collective. @param window_bytes  0: messages only.
std::unique_ptr<Channel> cuboid_channel(const Communicator& world, std::size_t window_bytes);

/// Between the same ranks. Collective. @param shared  within a node, so that direct() works.
std::unique_ptr<Channel> mpi_channel(MPI_Comm group, std::size_t window_bytes, bool shared);

}  // namespace cuboid::detail::tools
