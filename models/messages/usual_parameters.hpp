#pragma once

#include "models/messages/log_gp.hpp"

#include <cstddef>

namespace cuboid::detail {

/// The numbers that predictions assume of a machine whose parameters are not known. Other numbers
/// in predictions are parameters of the machine, laws with their source, and counts; choices have
/// tolerances and limits of effort, which are not seconds. Each number names its source and the
/// command that derives it again.

/// 1. Messages within a node: the order of magnitude of shared memory, 10 GB/s.
/// `cuboid bench --calibrate`: within_node.
inline constexpr Hockney usual_message_in_node{.alpha = 0.3e-6, .beta = 1 / 1e10};

/// 2. Messages between nodes: the order of magnitude of TCP over a cable of 1 Gbit/s.
/// `cuboid bench --calibrate`: between_nodes.
inline constexpr Hockney usual_message_between_nodes{.alpha = 30e-6, .beta = 1 / 1e8};

/// 3. Work of a core, in seconds, within a node and with TCP between nodes. `cuboid bench
///    --calibrate`: message_overhead_seconds, context_switch_seconds, combine_seconds_per_byte,
///    copy_sizes, send_overhead_seconds and receive_overhead_seconds of between_nodes. The seconds
///    until a core has a cache line that another core has just written are not calibrated: half of
///    `bench_ping_pong` between two ranks.
struct UsualCoreWork {
  double message = 0.15e-6;
  double context_switch = 1.2e-6;
  double combined_byte = 0.1e-9;
  double copied_byte = 0.05e-9;
  double cache_line = 0.1e-6;
  double message_between_nodes = 3e-6;  ///< both ends
};
inline constexpr UsualCoreWork usual_core_work;

/// 4. Work of a core with TCP where ranks share cores: messages of 0 bytes and of 64 KiB, both
///    ends; the waking of a rank; a message's latency while all others sleep; and the number of
///    messages of a pipeline that a rank finds when it wakes, on emulated networks of 9 to 16 nodes
///    on two cores. `cuboid bench --calibrate` with more ranks than cores: crowded_network and
///    network_context_switch_seconds. For the messages of a pipeline: `sudo bench/lab/measure`.
struct UsualCrowdedNetwork {
  double short_message = 7e-6;
  std::size_t long_bytes = 64 << 10;
  double long_message = 25e-6;
  double context_switch = 8e-6;
  double latency = 22e-6;
  double messages_per_waking = 4;
};
inline constexpr UsualCrowdedNetwork usual_crowded_network;

/// 5. Bytes that a connection can send before it fills the queues along its route: the queue of a
///    cable's sender on Linux and of a switch's port, by order of magnitude. `cuboid bench
///    --calibrate`: incast_loss_fraction depends on it.
inline constexpr double usual_queue_bytes = 64 << 10;

/// 6. Bandwidth of one rank's memory for all its readers, and of a node's memory for all copies, as
///    multiples of what one reader alone gets. On a Sapphire Rapids 16 cores got 8.7 and 32 GB/s,
///    one core 11.4. `cuboid bench --calibrate`: source_bytes_per_second, within_crowded_node.
struct UsualReaders {
  double of_one_source = 1;
  double of_a_node = 3;
};
inline constexpr UsualReaders usual_readers;

/// 7. Share of a transfer between nodes that overlaps with a gemm: most does, but no plan should
///    depend on all of it doing so. `cuboid bench --calibrate`: overlap_fraction.
inline constexpr double usual_overlap = 0.9;

/// 8. Seconds that links take for one-sided gets over the bound: some flows wait elsewhere, so
///    links are not always full. 1.25 to 2.0 on tori and meshes of 15 to 64 nodes.
///    `bench/smpi/validate --multiply --algorithms srumma`.
inline constexpr double usual_unfilled_links = 1.5;

/// 9. A core's gemm in real double precision, its rate of moving bytes in memory, and its time to
///    plan a collective. Each step of a factorisation plans collectives of new lengths. Measured
///    speeds differ from run to run, but a plan should not. `bench_kernels`, and `cuboid bench
///    plan`.
struct UsualCore {
  double multiplications_per_second = 16e9;
  double seconds_per_byte_moved = 0.25e-9;
  double seconds_per_plan = 30e-6;
};
inline constexpr UsualCore usual_core;

/// 10. The rates of kernels that are no products, as shares of a large gemm's rate.
///    `further_depth`: narrow products spend their time on C, as if they had more inner indices by
///    this number. `bench_kernels`.
struct UsualKernels {
  double lu_panel = 0.3;
  double triangular_solve = 0.25;
  double qr_panel = 0.3;
  double further_depth = 8;
};
inline constexpr UsualKernels usual_kernels;

}  // namespace cuboid::detail
