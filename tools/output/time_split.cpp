#include "tools/output/time_split.hpp"

#include <algorithm>

namespace cuboid::detail::tools {

TimeSplit split_of(double seconds, double compute, double waited, double exchange_alone) {
  const double shown = std::min(waited, exchange_alone);
  return {.compute = compute,
          .exchange_hidden = std::min(exchange_alone - shown, compute),
          .exchange_shown = shown,
          .idle = std::max(0.0, seconds - compute - shown)};
}

nlohmann::ordered_json to_json(const TimeSplit& split) {
  return {{"compute", split.compute},
          {"exchange_hidden", split.exchange_hidden},
          {"exchange_shown", split.exchange_shown},
          {"idle", split.idle}};
}

}  // namespace cuboid::detail::tools
