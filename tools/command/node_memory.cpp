#include "tools/command/node_memory.hpp"

#include <cuboid/error.hpp>

#include "tools/command/memory.hpp"
#include "tools/output/number.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

void require_node_memory(const Communicator& communicator,
                         const std::function<double(int rank)>& bytes_of, const std::string& what,
                         const std::string& remedy) {
  const auto available = available_memory();
  if (!available) return;
  double needed = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (communicator.same_node(rank)) needed += bytes_of(rank);
  }
  if (needed <= static_cast<double>(*available)) return;
  throw Error(ErrorCode::out_of_memory,
              fmt::format("not enough memory: {} needs {} on {}, {} are available: {}", what,
                          bytes_to_string(needed), communicator.host(communicator.rank()),
                          bytes_to_string(static_cast<double>(*available)), remedy));
}

}  // namespace cuboid::detail::tools
