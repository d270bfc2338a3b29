#include "tools/command/node_memory.hpp"

#include <cuboid/error.hpp>
#include <cuboid/mpi.hpp>

#include "base/process_limits.hpp"
#include "mm/local/blas_library.hpp"
#include "tools/command/memory.hpp"
#include "tools/output/number.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

void require_node_memory(const Communicator& communicator,
                         const std::function<double(int rank)>& bytes_of, const std::string& what,
                         const std::string& remedy) {
  const auto require = [&](double needed, std::optional<std::uint64_t> available,
                           const std::string& where) {
    if (!available || needed <= static_cast<double>(*available)) return;
    throw Error(ErrorCode::out_of_memory,
                fmt::format("not enough memory: {} needs {} {}, {} are available: {}", what,
                            bytes_to_string(needed), where,
                            bytes_to_string(static_cast<double>(*available)), remedy));
  };
  double needed = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (communicator.same_node(rank)) needed += bytes_of(rank);
  }
  require(needed, available_memory(), "on " + communicator.host(communicator.rank()));
  const double own = MpiSession::launched() ? bytes_of(communicator.rank()) : needed;
  require(own + bytes_mapped_by_blas, mappable_bytes(), "in a process that is limited (ulimit -v)");
}

}  // namespace cuboid::detail::tools
