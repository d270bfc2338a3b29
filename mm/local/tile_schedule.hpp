#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// The rates of a device, and of copies to and from it, for one rank, in seconds. They are measured
/// when the device is opened. Ranks that share a device share its rates.
struct DeviceRates {
  double call = 0;                    ///< launch of an empty multiplication
  double multiplication = 0;          ///< a multiplication of two elements, with its addition
  double memory_byte = 0;             ///< a byte of the device's memory, read or written
  double copy_call = 0;               ///< an empty copy
  double up_byte = 0, down_byte = 0;  ///< between pinned memory and the device
  double pageable_up_byte = 0, pageable_down_byte = 0;
  double pin_byte = 0;  ///< a byte to pin and to unpin
};

/// C ← α·A·B + β·C on a device, and which operands must be copied to the device and back.
struct TileProblem {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t element_bytes = 8;
  bool moves_a = true, moves_b = true, moves_c = true;  ///< the operand is not on the device yet
  bool reads_c = true;                                  ///< β ≠ 0

  bool operator==(const TileProblem&) const = default;
};

/// The cut of a product: C is cut into tiles, the inner dimension into chunks. Also the number of
/// blocks of each matrix that the device's memory holds (slots). An operand that does not move has
/// no slots.
struct TileShape {
  std::int64_t rows = 0, columns = 0, inner = 0;
  int a_slots = 0, b_slots = 0, c_slots = 0;

  bool operator==(const TileShape&) const = default;
};

/// The elements of a block in a device's memory, where every block begins at an alignment that
/// kernels prefer.
std::int64_t block_elements(std::int64_t rows, std::int64_t columns);
/// The number of elements of each slot of A, of B and of C.
std::int64_t a_block(const TileShape& shape);
std::int64_t b_block(const TileShape& shape);
std::int64_t c_block(const TileShape& shape);
/// The bytes of all slots.
std::size_t bytes_of_slots(const TileProblem& problem, const TileShape& shape);

/// A range of rows, columns or inner indices.
struct TileExtent {
  std::int64_t begin = 0, extent = 0;
};

/// One product of a block of A and a block of B, which is added to a tile of C, and the copies
/// before and after it. A tile of C stays in its slot from its first step to its last. A block of A
/// or B stays until its slot is needed: the block that was used longest ago is replaced.
struct TileStep {
  TileExtent rows, columns, inner;
  int a_slot = 0, b_slot = 0, c_slot = 0;  ///< meaningless for operands that do not move
  bool loads_a = false, loads_b = false;   ///< the block comes into its slot
  /// First and last step of a tile: C arrives (if it is read) before the first, and goes back after
  /// the last.
  bool first = false, last = false;
};

/// All steps of a product, in order. Tiles go down one column of C and up the next, so that blocks
/// that were used last are used first.
std::vector<TileStep> tile_steps(const TileProblem& problem, const TileShape& shape);

/// The way in which a device reads and writes the host's memory: directly if the pages are pinned,
/// else through a copy.
enum class HostPages { pinned, pageable };

/// The predicted seconds of the steps. Copies to the device, copies from it and multiplications run
/// at the same time, each of these kinds in order. A slot is written again as soon as it has been
/// read for the last time.
/// @param pages  the kind of pages of the host's matrices
double predicted_seconds(const TileProblem& problem, const TileShape& shape,
                         const std::vector<TileStep>& steps, const DeviceRates& rates,
                         HostPages pages);

/// A shape, its steps and their predicted seconds. plan_tiles() finds the fastest plan that needs
/// at most `bytes` of device memory; nullopt if no useful plan fits.
struct TilePlan {
  TileShape shape;
  std::vector<TileStep> steps;
  double seconds = 0;
};
std::optional<TilePlan> plan_tiles(const TileProblem& problem, std::size_t bytes,
                                   const DeviceRates& rates, HostPages pages);

}  // namespace cuboid::detail
