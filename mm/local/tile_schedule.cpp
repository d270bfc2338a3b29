#include "mm/local/tile_schedule.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cuboid::detail {

namespace {

std::int64_t parts(std::int64_t extent, std::int64_t part) {
  return (extent + part - 1) / part;
}

TileExtent part_of(std::int64_t extent, std::int64_t part, std::int64_t index) {
  const std::int64_t begin = index * part;
  return {begin, std::min(part, extent - begin)};
}

/// The blocks of an operand that are in slots.
class BlockSlots {
 public:
  explicit BlockSlots(int slots) : slots_(static_cast<std::size_t>(std::max(slots, 1))) {}

  struct Place {
    int slot;
    bool comes;
  };
  Place place(std::int64_t row, std::int64_t column) {
    ++now_;
    const auto at = std::ranges::find_if(slots_, [&](const Held& held) {
      return held.used > 0 && held.row == row && held.column == column;
    });
    const bool comes = at == slots_.end();
    Held& held = comes ? *std::ranges::min_element(slots_, {}, &Held::used) : *at;
    held = {row, column, now_};
    return {static_cast<int>(&held - slots_.data()), comes};
  }

 private:
  struct Held {
    std::int64_t row = 0, column = 0;
    std::int64_t used = 0;  ///< time of the last use; 0: never
  };
  std::vector<Held> slots_;
  std::int64_t now_ = 0;
};

/// The length of a part of an extent that is cut into `number` parts, rounded up to a multiple that
/// kernels prefer.
std::int64_t cut(std::int64_t extent, std::int64_t number) {
  constexpr std::int64_t multiple = 64;
  const std::int64_t part = parts(extent, number);
  return std::min(extent, parts(part, multiple) * multiple);
}

/// Divides the memory into slots where they help most. First every operand gets two slots, so that
/// one block arrives while another one is used. Then B gets slots for a column of its blocks, which
/// every tile of that column of C needs. Then A gets slots for all its blocks. Returns false if two
/// slots of each operand do not fit.
bool give_slots(const TileProblem& problem, TileShape& shape, std::size_t bytes) {
  const std::int64_t in_rows = parts(problem.m, shape.rows);
  const std::int64_t in_columns = parts(problem.n, shape.columns);
  const std::int64_t in_inner = parts(problem.k, shape.inner);
  const auto at_most = [](std::int64_t blocks, std::int64_t most) {
    return static_cast<int>(std::min(blocks, most));
  };
  constexpr std::int64_t two = 2, most_slots = 1024;
  shape.a_slots = problem.moves_a ? at_most(in_rows * in_inner, two) : 0;
  shape.b_slots = problem.moves_b ? at_most(in_inner * in_columns, two) : 0;
  shape.c_slots = problem.moves_c ? at_most(in_rows * in_columns, two) : 0;
  const std::size_t least = bytes_of_slots(problem, shape);
  if (least > bytes) return false;
  std::size_t left = bytes - least;
  const auto add = [&](int& slots, std::int64_t wanted, std::int64_t block) {
    const auto block_bytes = static_cast<std::size_t>(block * problem.element_bytes);
    const std::int64_t more = std::min<std::int64_t>(std::max<std::int64_t>(wanted - slots, 0),
                                                     static_cast<std::int64_t>(left / block_bytes));
    slots += static_cast<int>(more);
    left -= static_cast<std::size_t>(more) * block_bytes;
  };
  if (problem.moves_b && in_rows > 1)
    add(shape.b_slots, std::min(in_inner + 1, most_slots), b_block(shape));
  if (problem.moves_a && in_columns > 1)
    add(shape.a_slots, std::min(in_rows * in_inner, most_slots), a_block(shape));
  return true;
}

}  // namespace

std::int64_t block_elements(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t multiple = 64;
  return parts(rows * columns, multiple) * multiple;
}
std::int64_t a_block(const TileShape& shape) {
  return block_elements(shape.rows, shape.inner);
}
std::int64_t b_block(const TileShape& shape) {
  return block_elements(shape.inner, shape.columns);
}
std::int64_t c_block(const TileShape& shape) {
  return block_elements(shape.rows, shape.columns);
}

std::size_t bytes_of_slots(const TileProblem& problem, const TileShape& shape) {
  return static_cast<std::size_t>((shape.a_slots * a_block(shape) + shape.b_slots * b_block(shape) +
                                   shape.c_slots * c_block(shape)) *
                                  problem.element_bytes);
}

std::vector<TileStep> tile_steps(const TileProblem& problem, const TileShape& shape) {
  const std::int64_t in_rows = parts(problem.m, shape.rows);
  const std::int64_t in_columns = parts(problem.n, shape.columns);
  const std::int64_t in_inner = parts(problem.k, shape.inner);
  BlockSlots a(shape.a_slots), b(shape.b_slots);
  std::vector<TileStep> steps;
  steps.reserve(static_cast<std::size_t>(in_rows * in_columns * in_inner));
  for (std::int64_t tile = 0; tile < in_rows * in_columns; ++tile) {
    const std::int64_t column = tile / in_rows, down = tile % in_rows;
    const std::int64_t row = column % 2 == 0 ? down : in_rows - 1 - down;
    for (std::int64_t step = 0; step < in_inner; ++step) {
      const std::int64_t inner = tile % 2 == 0 ? step : in_inner - 1 - step;
      const auto of_a = a.place(row, inner), of_b = b.place(inner, column);
      steps.push_back(
          {part_of(problem.m, shape.rows, row), part_of(problem.n, shape.columns, column),
           part_of(problem.k, shape.inner, inner), of_a.slot, of_b.slot,
           static_cast<int>(tile % std::max(shape.c_slots, 1)), problem.moves_a && of_a.comes,
           problem.moves_b && of_b.comes, step == 0, step == in_inner - 1});
    }
  }
  return steps;
}

double predicted_seconds(const TileProblem& problem, const TileShape& shape,
                         const std::vector<TileStep>& steps, const DeviceRates& rates,
                         HostPages pages) {
  const double up_byte = pages == HostPages::pinned ? rates.up_byte : rates.pageable_up_byte;
  const double down_byte = pages == HostPages::pinned ? rates.down_byte : rates.pageable_down_byte;
  const auto times = [](int slots) {
    return std::vector<double>(static_cast<std::size_t>(std::max(slots, 1)), 0.0);
  };
  // The times at which each slot was last read and written, and at which each of the three streams
  // is free.
  std::vector<double> a_came = times(shape.a_slots), a_used = a_came;
  std::vector<double> b_came = times(shape.b_slots), b_used = b_came;
  std::vector<double> c_left = times(shape.c_slots);
  double up = 0, compute = 0, down = 0;
  const auto bytes = [&](std::int64_t lines, std::int64_t length) {
    return static_cast<double>(lines) * static_cast<double>(length * problem.element_bytes);
  };
  const auto load = [&](double free, double size) {
    return up = std::max(up, free) + rates.copy_call + size * up_byte;
  };
  for (const TileStep& step : steps) {
    const auto a = static_cast<std::size_t>(step.a_slot), b = static_cast<std::size_t>(step.b_slot),
               c = static_cast<std::size_t>(step.c_slot);
    const double tile = bytes(step.rows.extent, step.columns.extent);
    if (step.loads_a) a_came[a] = load(a_used[a], bytes(step.rows.extent, step.inner.extent));
    if (step.loads_b) b_came[b] = load(b_used[b], bytes(step.inner.extent, step.columns.extent));
    double begin = std::max({compute, a_came[a], b_came[b]});
    if (step.first && problem.moves_c)
      begin = std::max(begin, problem.reads_c ? load(c_left[c], tile) : c_left[c]);
    const double work = static_cast<double>(step.rows.extent) *
                        static_cast<double>(step.columns.extent) *
                        static_cast<double>(step.inner.extent);
    compute = begin + rates.call + work * rates.multiplication + 2 * tile * rates.memory_byte;
    a_used[a] = b_used[b] = compute;
    if (step.last && problem.moves_c)
      c_left[c] = down = std::max(down, compute) + rates.copy_call + tile * down_byte;
  }
  return std::max(compute, down);
}

std::optional<TilePlan> plan_tiles(const TileProblem& problem, std::size_t bytes,
                                   const DeviceRates& rates, HostPages pages) {
  constexpr std::array<std::int64_t, 10> numbers{1, 2, 3, 4, 6, 8, 16, 64, 256, 1024};
  constexpr std::array<std::int64_t, 5> chunks{256, 512, 1024, 2048, 8192};
  constexpr std::int64_t least_part = 256, enough_tiles = 16, most_steps = 1 << 16;
  const auto sensible = [&](std::int64_t extent, std::int64_t number) {
    return number == 1 || extent / number >= least_part;
  };
  std::optional<TilePlan> best;
  for (const std::int64_t columns : numbers) {
    for (const std::int64_t rows : numbers) {
      if (!sensible(problem.n, columns) || !sensible(problem.m, rows)) break;
      // Once tiles fit, more tiles only cause more copies.
      if (best && rows * columns > enough_tiles) break;
      for (const std::int64_t chunk : chunks) {
        const TileShape cuts{cut(problem.m, rows), cut(problem.n, columns),
                             std::min(chunk, problem.k)};
        if (rows * columns * parts(problem.k, cuts.inner) > most_steps) continue;
        TileShape shape = cuts;
        if (give_slots(problem, shape, bytes)) {
          std::vector<TileStep> steps = tile_steps(problem, shape);
          const double seconds = predicted_seconds(problem, shape, steps, rates, pages);
          if (!best || seconds < best->seconds) best = {shape, std::move(steps), seconds};
        }
        if (cuts.inner == problem.k) break;
      }
    }
  }
  return best;
}

}  // namespace cuboid::detail
