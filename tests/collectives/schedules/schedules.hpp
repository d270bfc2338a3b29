#pragma once

#include "collectives/forests/forests.hpp"
#include "collectives/forests/trees.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/schedules/rounds.hpp"

#include <cstddef>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

namespace cuboid::detail {

struct NamedShape {
  const char* name;
  TreeShape shape;
  friend void PrintTo(const NamedShape& shape, std::ostream* out) { *out << shape.name; }
};
inline constexpr NamedShape tree_shapes[] = {
    {"flat", flat_tree},     {"binomial", binomial_tree},
    {"chain", chain},        {"downward_chain", downward_chain},
    {"binary", binary_tree}, {"in_order", in_order_tree}};

/// A forest or rounds together with what it has to achieve.
struct NamedSchedule {
  std::string name;
  Conditions conditions;
  std::variant<Forest, Rounds> how;
  bool keeps_rank_order = false;  ///< combines in rank order
};

/// Block lengths that differ from rank to rank, some of them 0: about `elements` each.
std::vector<std::size_t> uneven_blocks(int ranks, std::size_t elements, std::size_t element_bytes);

/// Every way there is to move blocks of about `elements` elements between `ranks` ranks, with
/// `root` as the root of the collectives that have one.
std::vector<NamedSchedule> moving_schedules(int ranks, int root, std::size_t elements,
                                            std::size_t element_bytes);

/// The same for collectives that combine.
std::vector<NamedSchedule> combining_schedules(int ranks, int root, std::size_t elements,
                                               std::size_t element_bytes);

}  // namespace cuboid::detail
