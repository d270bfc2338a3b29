#include "tools/command/variables.hpp"

#include <cuboid/error.hpp>
#include <cuboid/local_gemm.hpp>

#include "base/text_file.hpp"
#include "collectives/selection/algorithm_rules.hpp"
#include "models/messages/parameters_file.hpp"
#include "topology/discovery/discover_from.hpp"

#include <string>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// Adds the variable's name to errors about a file, which do not contain it.
template <class Read>
void naming(const char* variable, const std::string& value, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}={}: {}", variable, in_quotes(value), error.what()));
  }
}

}  // namespace

void check_named_by_variables(const Environment& environment, bool first) {
  check_variables(environment);
  if (environment.algorithm) AlgorithmRules::parse(*environment.algorithm, "CUBOID_ALGORITHM");
  if (environment.blas) {
    naming("CUBOID_BLAS", *environment.blas, [&] { LocalGemm::open(environment, 1); });
  }
  if (first && environment.parameters && *environment.parameters != "none") {
    naming("CUBOID_PARAMETERS", *environment.parameters,
           [&] { parse_parameters(read_text_file(*environment.parameters)); });
  }
}

}  // namespace cuboid::detail::tools
