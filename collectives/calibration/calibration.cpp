#include "collectives/calibration/calibration.hpp"

#include <cuboid/error.hpp>

#include "collectives/calibration/calibration_fit.hpp"
#include "collectives/calibration/probe_places.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/communicator/measured_parameters.hpp"
#include "collectives/operations/vectors.hpp"
#include "models/messages/parameters_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr int most_pairs = 3;

/// The places at which calibrate() measures.
struct Places {
  std::vector<ProbePlace> between_nodes;
  std::optional<DistantPair> distant;
  std::optional<ProbePlace> hub;
  std::vector<ProbePlace> within_nodes;
  std::optional<ProbePlace> source;
  bool many_nodes = false;        ///< there are several nodes in a known network
  bool cores_are_shared = false;  ///< the ranks of a node share cores
  /// Nodes share the cores that carry the network, as emulated nodes do.
  bool network_is_of_cores = false;

  explicit Places(const GroupCostModel& cost_model)
      : between_nodes(pairs_between_nodes(cost_model.nodes, most_pairs)),
        distant(distant_pair(cost_model.nodes)),
        hub(detail::hub(cost_model.nodes)),
        within_nodes(pairs_within_nodes(cost_model.nodes, most_pairs)),
        source(source_within_a_node(cost_model.nodes)),
        many_nodes(cost_model.nodes.network && cost_model.nodes.nodes() > 3),
        cores_are_shared(!within_nodes.empty() && cost_model.ranks_per_core > 1),
        network_is_of_cores(!between_nodes.empty() && cost_model.ranks_per_core > 1) {}

  int steps() const {
    const int crowds = (network_is_of_cores ? 1 : 0) + (many_nodes ? 1 : 0);
    return static_cast<int>(between_nodes.size()) * (1 + crowds) +
           static_cast<int>(within_nodes.size()) + (hub ? 1 : 0) + (distant ? 1 : 0) +
           (source ? 1 : 0) + (within_nodes.empty() ? 0 : 1) + (cores_are_shared ? 1 : 0);
  }
};

}  // namespace

bool cores_were_taken(const Parameters& parameters) {
  // Any memory is far faster than a scheduler's time slice. A message that takes as long as a time
  // slice has waited for a core.
  constexpr double turn_of_a_scheduler = 50e-6;
  return parameters.within_node && parameters.within_node->alpha.value > turn_of_a_scheduler;
}

int calibration_steps(const Communicator& world) {
  return Places(world.state().cost_model).steps();
}

Parameters calibrate(const Communicator& world,
                     const std::function<void(const std::string&)>& report) {
  if (world.size() < 2) {
    throw Error(ErrorCode::invalid_argument,
                "calibration: one rank sends no messages; start at least two");
  }
  // The measurements have a communicator of their own, so their messages meet no other messages.
  const Communicator own = world.duplicate();
  const GroupCostModel& cost_model = own.state().cost_model;
  const Places places(cost_model);
  const auto step = [&](const std::string& name) {
    if (report) report(name);
  };
  Samples samples;
  const auto measure = [&](const ProbePlace& pair, Where where) {
    const bool between = where == Where::between_nodes;
    step(fmt::format("messages {}, ranks {} and {}", between ? "between nodes" : "within a node",
                     pair.asking, pair.answering[0]));
    (between ? samples.between_nodes : samples.within_nodes).add(samples_of(own, pair, where));
  };
  std::optional<std::size_t> block_bytes;
  const auto measure_crowds = [&] {
    if (places.many_nodes) {
      step("all to all between nodes");
      if (!block_bytes)
        block_bytes = crowding_block_bytes(beta_of(samples.between_nodes.streamed).value);
      samples.everyone.add(everyone_to_everyone(own, *block_bytes));
    }
    if (places.network_is_of_cores) {
      step("all ranks at once between nodes");
      samples.crowded_network.add(crowded_network(own));
    }
  };

  // Contention is sampled after each pair, so that a slow moment of the machine affects only some
  // of the samples.
  for (const ProbePlace& pair : places.between_nodes) {
    measure(pair, Where::between_nodes);
    measure_crowds();
  }
  if (places.distant) {
    const auto& [place, cables] = *places.distant;
    step(fmt::format("messages over {} cables, ranks {} and {}", cables, place.asking,
                     place.answering[0]));
    samples.distant = one_way_seconds(own, place);
    samples.cables = cables;
  }
  if (places.hub) {
    step(fmt::format("rank {} over all cables of its node", places.hub->asking));
    samples.injection = rates_to_all(own, *places.hub);
  }
  for (const ProbePlace& pair : places.within_nodes) measure(pair, Where::within_a_node);
  if (places.source) {
    step(fmt::format("all who read rank {} on its node", places.source->asking));
    samples.source = rates_to_all(own, *places.source);
  }
  if (!places.within_nodes.empty()) {
    step("all ranks of a node at once");
    samples.crowded = crowded_rounds(own, Sent::old);
    samples.fresh = crowded_rounds(own, Sent::fresh);
    samples.combining = rounds_of(combining);
    samples.copying = rounds_of(copying);
  }
  if (places.cores_are_shared) {
    step("ranks that share cores");
    samples.hops = token_hops(own);
  }
  // One rank does the arithmetic. If all ranks did it, ranks of one machine would compete for its
  // cores.
  std::vector<char> text;
  if (own.rank() == 0) {
    Parameters parameters = fit_parameters(samples, cost_model);
    parameters.key = parameters_key(world);
    if (cores_were_taken(parameters)) {
      world.logger().warn(
          "other programs used the cores during the measurement within a node, so its numbers are "
          "unusable; calibrate again when the machine is quiet");
    }
    const std::string json = to_json(parameters);
    text.assign(json.begin(), json.end());
  }
  broadcast_vector(own, text, 0);
  return parse_parameters({"parameters of rank 0", {text.begin(), text.end()}});
}

}  // namespace cuboid::detail
