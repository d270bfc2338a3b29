#include "models/multiplication/multiplication_costs.hpp"

#include "models/messages/tree_steps.hpp"
#include "models/multiplication/overlap.hpp"
#include "models/multiplication/product_extents.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace cuboid::detail {

namespace {

/// A rank's shares of the three matrices on a rows × columns grid.
double shares(const ProductExtents& product, double rows, double columns) {
  const auto [m, n, k] = product;
  return part(m, rows) * part(k, columns) + part(k, rows) * part(n, columns) +
         part(m, rows) * part(n, columns);
}

double steps_of(double extent, double width) {
  return std::max(1.0, part(extent, width));
}

/// The words on a grid where a rank receives all of its rows of A and columns of B.
MultiplicationCost on_grid(const ProductExtents& product, double rows, double columns) {
  const auto [m, n, k] = product;
  const double height = part(m, rows), breadth = part(n, columns);
  return {.work = height * breadth * k,
          .a_words = height * lacking(k, columns),
          .b_words = breadth * lacking(k, rows),
          .memory = shares(product, rows, columns),
          .result = height * breadth,
          .operands = (height + breadth) * k};
}

/// How many more times C is read and written because operands arrive in narrow panels.
double further_passes(const MultiplicationCost& cost) {
  constexpr double gemm_depth = 256;
  if (cost.result == 0 || cost.slabs) return 0;
  const double anyway = steps_of(cost.work / cost.result, gemm_depth);
  return std::max(0.0, cost.rounds - anyway);
}

/// Words that a gemm packs beyond the words that it packs for blocks of the size at which its rate
/// was measured.
double further_operands(const MultiplicationCost& cost) {
  constexpr double gemm_block = 256;
  return cost.operands > 0 ? cost.operands - 2 * cost.work / gemm_block : 0;
}

double compute_seconds(const MultiplicationCost& cost, const RankRates& rates) {
  const double at_rate = cost.work / rates.multiplications_per_second;
  const double copies = further_passes(cost) * cost.result + cost.copied + further_operands(cost);
  // Even with wide operands, a gemm spends most of its time multiplying.
  return std::max(at_rate / 2, at_rate + copies * rates.seconds_per_copy);
}

/// Seconds of a multiplication in slabs: each slab arrives and is multiplied, and the border of C
/// that it completes for other layers is summed, one after the other.
double seconds_in_slabs(const SlabCut& cut, double operands, double sums, double compute) {
  double multiplied = 0, summed = 0, given = 0, kept = 0;
  const auto border = [&](const SlabShares& come) {
    const double more_given = cut.complete(come) - given;
    const double more_kept = come.kept > 0 ? cut.rows(come) * cut.kept_columns(come) - kept : 0;
    multiplied =
        std::max(multiplied, operands * cut.arrival(come)) + compute * cut.given * more_given;
    summed = std::max(summed, multiplied) + sums * more_given;
    multiplied += compute * more_kept;
    given += more_given;
    kept += more_kept;
  };
  for (const SlabShares& come : cut.steps) border(come);
  return std::max(multiplied, summed);
}

/// The rows and columns of C, as shares of all, for which the gemms of all borders read operands.
/// Two gemms add a border: the new rows with all columns that have arrived, and the earlier rows
/// with the new columns.
struct SlabReads {
  double rows = 0;
  double columns = 0;
  double largest = 0;  ///< share of C that is multiplied at once

  /// @param rows_before  the rows that were multiplied with all earlier columns.
  void add_border(double rows_before, double rows_now, double columns_before, double columns_now) {
    const double new_rows = rows_now - rows_before, new_columns = columns_now - columns_before;
    if (new_rows > 0 && columns_now > 0) {
      rows += new_rows;
      columns += columns_now;
    }
    if (new_columns > 0 && rows_before > 0) {
      rows += rows_before;
      columns += new_columns;
    }
    largest = std::max({largest, new_rows * columns_now, rows_before * new_columns});
  }
};

SlabReads slab_reads(const SlabCut& cut) {
  SlabReads reads;
  double rows_before = 0, given_before = 0, kept_before = 0;
  for (const SlabShares& come : cut.steps) {
    const double rows = cut.rows(come), given = cut.given_columns(come);
    reads.add_border(rows_before, rows, given_before, given);
    if (come.kept > 0) {
      const double kept = cut.kept_columns(come);
      reads.add_border(kept_before > 0 ? rows_before : 0, rows, kept_before, kept);
      kept_before = kept;
    }
    rows_before = rows;
    given_before = given;
  }
  return reads;
}

/// Messages of the all-gathers of each slab, and of the sums that it completes.
double slab_messages(const SlabCut& cut, double rows, double columns, double layers) {
  double messages = 0, complete = 0;
  SlabShares before;
  for (const SlabShares& come : cut.steps) {
    if (come.rows > before.rows) messages += steps_of_tree(columns);
    if (come.given > before.given) messages += steps_of_tree(rows);
    if (come.kept > before.kept) messages += steps_of_tree(rows);
    if (cut.complete(come) > complete) messages += layers - 1;
    before = come;
    complete = cut.complete(come);
  }
  return messages;
}

/// `words`, or 0 on a line of one rank, where nothing moves.
double of_moving(double line, double words) {
  return line > 1 ? words : 0;
}

/// The words of A and B that a rank exposes to the other ranks of its lines.
double shown(const ProductExtents& product, double rows, double columns) {
  const auto [m, n, k] = product;
  return of_moving(columns, part(m, rows) * part(k, columns)) +
         of_moving(rows, part(k, rows) * part(n, columns));
}

}  // namespace

MultiplicationCost summa_cost(const ProductExtents& product, double rows, double columns,
                              const PanelWidths& panels) {
  MultiplicationCost cost = on_grid(product, rows, columns);
  const double along_rows = panels.groups_along_rows, along_columns = panels.groups_along_columns;
  const bool grouped = along_rows * along_columns > 1;
  cost.rounds = steps_of(product.k, panels.inner);
  cost.under_way = panels.held;
  const auto steps = [&](double ranks) {
    return panels.broadcast ? broadcast_factors(*panels.broadcast, ranks).latency
                            : steps_of_tree(ranks);
  };
  cost.messages = cost.rounds * (steps(columns / along_rows) + steps(rows / along_columns));
  if (grouped) {
    cost.messages += steps_of(product.k, panels.outer) * (steps(along_rows) + steps(along_columns));
  }
  // Operands that do not move are multiplied in place; only groups pack all panels.
  const auto held = [&](double line) {
    return grouped || line > 1 ? panels.held : rows * columns > 1 ? panels.put_together : 0;
  };
  const double a = part(product.m, rows), b = part(product.n, columns);
  cost.memory += (held(columns) * a + held(rows) * b) *
                 std::min(product.k, panels.inner + (grouped ? panels.outer : 0));
  return cost;
}

double broadcast_factor(const BroadcastModel& broadcast, double line, double groups) {
  if (line <= 1) return 1;
  const double times = broadcast_factors(broadcast, line / groups).bandwidth +
                       broadcast_factors(broadcast, groups).bandwidth;
  return times * line / (line - 1);
}

double crossing_factor(double line, double groups, bool ring) {
  if (groups == 1) return 1;
  const double size = line / groups;
  // The number of blocks that cross a link of the line from one side.
  const double between = size * (groups - 1), inside = (size - 1) * groups;
  return (between + inside * (ring ? 2 : 1)) / (line - 1);
}

namespace {

/// The number of tasks: the inner dimension is cut where a block of A ends in a row of the grid, or
/// a block of B in a column.
double tasks_of(double rows, double columns) {
  const auto whole = [](double count) { return static_cast<std::int64_t>(count); };
  return rows + columns - static_cast<double>(std::gcd(whole(rows), whole(columns)));
}

}  // namespace

MultiplicationCost srumma_cost(const ProductExtents& product, double rows, double columns,
                               double widest_task, double buffers) {
  const auto [m, n, k] = product;
  MultiplicationCost cost = on_grid(product, rows, columns);
  cost.rounds = std::max({rows, columns, steps_of(k, widest_task)});
  cost.messages = std::max(tasks_of(rows, columns), cost.rounds) * (2 - 1 / rows - 1 / columns);
  // Other ranks read a copy of the rank's blocks.
  const double buffered = std::min(buffers, cost.rounds) * part(k, cost.rounds);
  cost.memory += shown(product, rows, columns) + (part(m, rows) + part(n, columns)) * buffered;
  return cost;
}

MultiplicationCost srumma_cost_on_node(const ProductExtents& product, double rows, double columns,
                                       bool shared) {
  MultiplicationCost cost = on_grid(product, rows, columns);
  cost.a_words = cost.b_words = 0;
  cost.rounds = std::max(rows, columns);
  cost.copied = shared ? 0 : shown(product, rows, columns);
  cost.memory += cost.copied;
  return cost;
}

MultiplicationCost rotation_cost(const ProductExtents& product, double rows, double columns,
                                 double steps, double colours) {
  const auto [m, n, k] = product;
  const double a_share = part(m, rows) * part(k, columns);
  const double b_share = part(k, rows) * part(n, columns);
  // The inner indices of a rank's slots. The slots are equal, and there are as many as the rank has
  // blocks of the inner dimension.
  const double slots = colours * part(k, steps * colours) * steps;
  const double a_slots = part(m, rows) * slots / columns;
  const double b_slots = part(n, columns) * slots / rows;
  return {.work = part(m, rows) * part(n, columns) * k,
          .a_words = of_moving(columns, a_share * columns),
          .b_words = of_moving(rows, b_share * rows),
          .messages = ((rows > 1 ? 1 : 0) + (columns > 1 ? 1 : 0)) * steps * colours,
          .memory = shares(product, rows, columns) + 2 * (a_slots + b_slots),
          .rounds = steps,
          .result = part(m, rows) * part(n, columns),
          .operands = (part(m, rows) + part(n, columns)) * k};
}

double stagger_factor(double line, bool ring, double at_once, double piece) {
  if (line <= 1) return 1;
  const double furthest = ring ? std::max(1.0, std::ceil(piece / 2) - 1) : std::floor(piece / 2);
  return (line - 1 + at_once * furthest) / line;
}

MultiplicationCost layered_cost(const ProductExtents& product, double rows, double columns,
                                double layers, const LayerSteps& inside) {
  const auto [m, n, k] = product;
  const double layer = part(k, layers);
  const double height = part(m, rows), breadth = part(n, columns);
  const ProductExtents slice{m, n, layer};
  if (inside.slabs) {
    MultiplicationCost cost = on_grid(slice, rows, columns);
    cost.c_words = summed(height, breadth, layers);
    cost.slabs = inside.slabs;
    cost.rounds = cost.slabs->count();
    cost.messages = slab_messages(*cost.slabs, rows, columns, layers);
    const SlabReads reads = slab_reads(*cost.slabs);
    cost.operands = (reads.rows * height + reads.columns * breadth) * layer;
    // Operands count twice, because all-gathers may need a copy of operands that are not
    // contiguous. Of C only these count, because its layers share it: a rank's own piece, its sums,
    // what arrives to be added, and a tile of C while it is loaded.
    cost.memory += 2 * (height + breadth) * layer +
                   (layers > 1 ? 2 * part(height * breadth, layers) + cost.c_words : 0) +
                   std::ceil(reads.largest * height * breadth);
    return cost;
  }
  MultiplicationCost cost =
      inside.shifts
          ? rotation_cost(slice, rows, columns, inside.steps, inside.colours)
          : summa_cost(
                slice, rows, columns,
                {.inner = inside.width, .held = inside.held, .put_together = inside.put_together});
  if (layers > 1 && inside.replicated) {
    // Most columns and rows of a layer own nothing of its slice. Memory: a layer's copies of A and
    // B, its C and the sum of all.
    const double copies = height * part(k, columns) + part(k, rows) * breadth;
    if (columns > 1) cost.a_words = height * layer;
    if (rows > 1) cost.b_words = layer * breadth;
    cost.c_words = copies + height * breadth;
    cost.messages += 3 * steps_of_tree(layers);
    cost.memory += 2 * copies + 2 * height * breadth;
  } else if (layers > 1) {
    // Memory: a layer's own C, a rank's piece of the sum, and what arrives to be added to it.
    cost.c_words = summed(height, breadth, layers);
    cost.messages += layers - 1;
    cost.memory += part(height * breadth, layers) * 2 + cost.c_words;
  }
  return cost;
}

MultiplicationSeconds multiplication_seconds(const MultiplicationCost& cost, const RankRates& rates,
                                             const LinksOfLines& links) {
  const double a = cost.a_words / links.a, b = cost.b_words / links.b, c = cost.c_words / links.c;
  const double operand_words = links.apart ? std::max(a, b) : a + b;
  const double words = operand_words + c;
  MultiplicationSeconds seconds{
      .compute = compute_seconds(cost, rates),
      .communicate = rates.per_element.alpha * cost.messages + rates.per_element.beta * words};
  const double sums = words > 0 ? seconds.communicate * c / words : 0;
  const double operands = seconds.communicate - sums;
  const double receive = (cost.a_words + cost.b_words) * rates.core_seconds;
  const double apart = std::max(operands, receive) + seconds.compute;
  if (cost.slabs) {
    const double of_sums = cost.c_words * rates.core_seconds;
    const double hidden =
        seconds_in_slabs(*cost.slabs, operands, sums, seconds.compute + receive + of_sums);
    seconds.total = partly_overlapped({apart + sums, hidden}, rates.overlap);
    return seconds;
  }
  seconds.total = apart + sums;
  if (cost.under_way < cost.rounds) {
    const double first_and_last = apart / cost.rounds;
    const double hidden = std::max(operands, seconds.compute + receive);
    const double between =
        partly_overlapped({apart, hidden}, rates.overlap) * (cost.rounds - 1) / cost.rounds;
    seconds.total = first_and_last + between + sums;
  }
  // Links of operands and links of sums rest once each.
  const bool own = links.sums == LinksOfLines::Sums::own;
  const double with_sums = (links.sums == LinksOfLines::Sums::of_a ? a : b) + c;
  const double of_sums = own || words == 0 ? sums : seconds.communicate * with_sums / words;
  const double least = std::max({operands, of_sums, seconds.compute + receive});
  const double credit = rates.burst_credit_seconds * (own && sums > 0 ? 2 : 1);
  seconds.total -= std::clamp(seconds.total - least, 0.0, credit);
  return seconds;
}

}  // namespace cuboid::detail
