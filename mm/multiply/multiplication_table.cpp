#include "mm/multiply/multiplication_table.hpp"

#include <cuboid/error.hpp>

#include "mm/multiply/multiplication_entries.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

std::vector<AlgorithmOption> given(const MultiplyOptions& options) {
  using enum AlgorithmOption;
  const GroupChoice& choice = options.groups;
  std::vector<AlgorithmOption> all;
  const auto add = [&](AlgorithmOption option, bool is_given) {
    if (is_given) all.push_back(option);
  };
  add(grid, options.grid.has_value());
  add(bricks, options.bricks.has_value());
  add(idle_fraction, options.idle_fraction.has_value());
  add(groups, choice.shape || choice.count || choice.sample);
  add(outer_width, options.outer_width.has_value());
  add(panel_width, options.panel_width.has_value());
  add(layers, options.layers.has_value());
  add(inside, options.inside.has_value());
  add(replicated_operands, options.replicated_operands);
  add(rounds, options.rounds.has_value());
  add(one_sided, options.sides == Sidedness::one_sided);
  add(copied_blocks, options.copied_blocks);
  add(blocking_gets, options.blocking_gets);
  add(blocks_by_arrival, options.blocks_by_arrival);
  add(one_direction, options.one_direction);
  add(binary_tree, options.binary_tree);
  return all;
}

}  // namespace

std::span<const MultiplicationEntry> multiplication_table() {
  static const std::vector<MultiplicationEntry> table{
      summa_entry(),        hsumma_entry(),           cannon_entry(), sd_cannon_entry(),
      srumma_entry(),       two_and_a_half_d_entry(), carma_entry(),  cosma_entry(),
      stationary_a_entry(), stationary_b_entry(),
  };
  return table;
}

const MultiplicationEntry& entry_of(MultiplicationAlgorithm algorithm) {
  const auto table = multiplication_table();
  const auto found = std::ranges::find(table, algorithm, &MultiplicationEntry::algorithm);
  if (found == table.end()) throw Error(ErrorCode::internal, "a plan of no algorithm");
  return *found;
}

bool MultiplicationEntry::accepts_option(AlgorithmOption option) const {
  return std::ranges::find(accepts, option) != accepts.end();
}

bool MultiplicationEntry::accepts_all(const MultiplyOptions& options) const {
  return std::ranges::all_of(given(options),
                             [&](AlgorithmOption one) { return accepts_option(one); });
}

}  // namespace cuboid::detail
