#pragma once

#include "models/messages/hockney.hpp"

#include <cstddef>

namespace cuboid::detail {

/// What predictions take a machine to be where its parameters do not tell. Elsewhere predictions
/// have parameters of the machine, laws with their source, and counts; and choices have tolerances
/// and limits of effort, which are not seconds. Each number names its source and the command that
/// derives it again.

/// 1. Messages within a node: the order of magnitude of shared memory, 10 GB/s.
/// `cuboid bench --calibrate`: within_node.
inline constexpr Hockney usual_message_in_node{.alpha = 0.3e-6, .beta = 1 / 1e10};

/// 2. Messages between nodes: the order of magnitude of TCP over a cable of 1 Gbit/s.
/// `cuboid bench --calibrate`: between_nodes.
inline constexpr Hockney usual_message_between_nodes{.alpha = 30e-6, .beta = 1 / 1e8};

/// 3. Work of a core, in seconds, within a node and with TCP between nodes. `cuboid bench
/// --calibrate`: message_overhead_seconds, context_switch_seconds, combine_seconds_per_byte,
/// copy_sizes, send_overhead_seconds and receive_overhead_seconds of between_nodes. How long a
/// cache line that another core has just written is under way is not calibrated: the half of
/// `bench_ping_pong` between two ranks.
struct UsualCoreWork {
  double message = 0.15e-6;
  double context_switch = 1.2e-6;
  double combined_byte = 0.1e-9;
  double copied_byte = 0.05e-9;
  double cache_line = 0.1e-6;
  double message_between_nodes = 3e-6;  ///< both ends
};
inline constexpr UsualCoreWork usual_core_work;

/// 4. The same with TCP where ranks share cores: messages of 0 bytes and of 64 KiB, both ends; the
/// waking of a rank; a message's latency while all others sleep; and the messages of a pipeline
/// that a rank finds when it wakes, on emulated networks of 9 to 16 nodes on two cores.
/// `cuboid bench --calibrate` with more ranks than cores: crowded_network and
/// network_context_switch_seconds. For the messages of a pipeline: `sudo bench/lab/measure`.
struct UsualCrowdedNetwork {
  double short_message = 7e-6;
  std::size_t long_bytes = 64 << 10;
  double long_message = 25e-6;
  double context_switch = 8e-6;
  double latency = 22e-6;
  double messages_per_waking = 4;
};
inline constexpr UsualCrowdedNetwork usual_crowded_network;

/// 5. Bytes that a connection can send in all before it fills the queues along its route: of a
/// cable's sender on Linux and of a switch's port, by order of magnitude. `cuboid bench
/// --calibrate`: incast_loss_fraction depends on it.
inline constexpr double usual_queue_bytes = 64 << 10;

/// 6. What one rank's memory delivers to all who read it, and what a node's memory lets all copy,
/// in shares of what one reader alone gets: 16 cores of a Sapphire Rapids got 8.7 and 32 GB/s so,
/// one of them 11.4. `cuboid bench --calibrate`: source_bytes_per_second, within_crowded_node.
struct UsualReaders {
  double of_one_source = 1;
  double of_a_node = 3;
};
inline constexpr UsualReaders usual_readers;

/// 7. Share of a transfer between nodes that hides behind a gemm: most does, but no plan should
/// depend on that all of it does. `cuboid bench --calibrate`: overlap_fraction.
inline constexpr double usual_overlap = 0.9;

/// 8. Seconds that a link with one-sided gets takes, times its bound: flows share links with flows
/// that wait elsewhere, so links are not always full. 1.25 to 2.0 on tori and meshes of 15 to 64
/// nodes. `bench/smpi/validate --multiply --algorithms srumma`.
inline constexpr double usual_unfilled_links = 1.5;

/// 9. A core's gemm of real elements of double precision, bytes that it moves in memory, and the
/// planning of a collective, whose lengths differ in each step of a factorisation. Measured speeds
/// differ from run to run: a plan should not. `bench_kernels`, and `cuboid bench plan`.
struct UsualCore {
  double multiplications_per_second = 16e9;
  double seconds_per_byte_moved = 0.25e-9;
  double seconds_per_plan = 30e-6;
};
inline constexpr UsualCore usual_core;

/// 10. What is not a product, at its share of a large gemm's rate; and the inner indices by which
/// narrow products seem deeper, as they spend their time on C. `bench_kernels`.
struct UsualKernels {
  double lu_panel = 0.3;
  double triangular_solve = 0.25;
  double qr_panel = 0.3;
  double further_depth = 8;
};
inline constexpr UsualKernels usual_kernels;

}  // namespace cuboid::detail
