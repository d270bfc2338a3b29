#pragma once

#include <cuboid/communicator.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include <mpi.h>

namespace cuboid::detail::tools {

using Bytes = std::span<const std::byte>;
using Memory = std::span<std::byte>;

/// Messages and memory between ranks, over Cuboid or over MPI. Measurements use this interface, so
/// that both libraries run the same loop.
class Channel {
 public:
  Channel() = default;
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Synchronises all ranks.
  virtual void meet() = 0;

  virtual void send(Bytes message, int peer) = 0;
  virtual void receive(Memory message, int peer) = 0;
  virtual void start_send(Bytes message, int peer) = 0;
  virtual void start_receive(Memory message, int peer) = 0;
  /// Makes progress; returns true if all messages from `peer` have arrived.
  virtual bool received_from(int peer) = 0;
  /// Waits for all operations that were started.
  virtual void wait_all() = 0;

  /// This rank's memory that other ranks read and write; empty if the channel has none.
  virtual Memory window() = 0;
  /// A peer's window, for direct loads; empty if this rank cannot load from it.
  virtual Bytes direct(int peer) = 0;
  virtual void put(Bytes mine, int peer, std::size_t offset) = 0;
  virtual void get(Memory mine, int peer, std::size_t offset) = 0;
  /// Waits for the completion of this rank's puts and gets.
  virtual void flush() = 0;
};

/// A channel over Cuboid. Collective.
/// @param window_bytes  the size of each rank's window; 0: messages only.
std::unique_ptr<Channel> cuboid_channel(const Communicator& world, std::size_t window_bytes);

/// A channel over MPI between the same ranks. Collective.
/// @param shared  true if the ranks share a node, so that direct() works.
/// @param limit   the time limit of each call; a call that takes longer ends the process.
std::unique_ptr<Channel> mpi_channel(MPI_Comm group, std::size_t window_bytes, bool shared,
                                     std::chrono::duration<double> limit);

/// The features of a channel that a measurement needs.
struct ChannelNeeds {
  std::size_t window_bytes = 0;
  bool against_mpi = false;
  bool direct = false;  ///< direct loads from a peer's memory
};

/// Cuboid's channel and, if the measurement compares with MPI, MPI's. Collective.
struct ChannelPair {
  ChannelPair(const Communicator& world, const ChannelNeeds& needs);

  std::unique_ptr<Channel> cuboid;
  std::unique_ptr<Channel> mpi;  ///< nullptr if MPI is not measured
};

}  // namespace cuboid::detail::tools
