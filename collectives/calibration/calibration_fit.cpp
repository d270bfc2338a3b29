#include "collectives/calibration/calibration_fit.hpp"

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/selection/candidates.hpp"
#include "collectives/selection/simulated_seconds.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace cuboid::detail {

namespace {

/// One sample for each size: the median. With all samples, one slow pair could be mistaken for a
/// change of protocol.
std::vector<MessageSample> one_by_size(const std::vector<MessageSample>& samples) {
  std::map<std::size_t, std::vector<double>> by_size;
  for (const MessageSample& sample : samples) by_size[sample.bytes].push_back(sample.seconds);
  std::vector<MessageSample> found;
  for (const auto& [bytes, seconds] : by_size) found.push_back({bytes, median_of(seconds).value});
  return found;
}

MeasuredMessages messages_of(const PairSamples& samples) {
  const std::vector<MessageSample> single = one_by_size(samples.single);
  MeasuredMessages messages;
  messages.alpha = median_of(samples.one_way);
  messages.beta = beta_of(samples.streamed.empty() ? single : samples.streamed);
  messages.send_overhead = median_of(samples.send_overheads);
  messages.receive_overhead = median_of(samples.receive_overheads);
  messages.gap = median_of(samples.gaps);
  const Measured& send = *messages.send_overhead;
  const Measured& receive = *messages.receive_overhead;
  messages.latency = {
      std::max(0.0, messages.alpha.value - send.value - receive.value),
      std::max(0.0, messages.alpha.least - send.most - receive.most),
      std::max(0.0, messages.alpha.most - send.least - receive.least),
  };
  return messages;
}

/// The seconds of a context switch. A hop of the token takes α and, if ranks share cores, the
/// context switches of the ranks that run before.
Measured context_switch_of(const std::vector<double>& hops, double alpha, double ranks_per_core) {
  const auto context_switch = [&](double hop) {
    return std::max(0.0, hop - alpha) / (ranks_per_core - 1);
  };
  const Measured hop = median_of(hops);
  return {context_switch(hop.value), context_switch(hop.least), context_switch(hop.most)};
}

MeasuredMessages messages_of_rounds(const std::vector<MessageSample>& rounds) {
  const MeasuredLine line = measure_line(rounds);
  return {.alpha = line.alpha,
          .beta = line.beta,
          .send_overhead = {},
          .receive_overhead = {},
          .latency = {},
          .gap = {},
          .sizes = rounds};
}

Measured hop_of(const Measured& distant, int cables, const Measured& near) {
  const auto each = [&](double far, double one) {
    return std::max(0.0, far - one) / static_cast<double>(cables - 1);
  };
  return {each(distant.value, near.value), each(distant.least, near.most),
          each(distant.most, near.least)};
}

// The loss of rate with which a simulated all-to-all takes `seconds`, like the measured one.
double incast_loss(double seconds, const Call& call, GroupCostModel& cost_model) {
  const Algorithm& direct = *find_algorithm("direct");
  const auto predicted = [&](double loss) {
    cost_model.incast_loss = loss;
    constexpr double unknown = std::numeric_limits<double>::infinity();
    if (!are_few_messages(call)) return unknown;
    return simulated_seconds(call, direct, direct.settings(call).front()).value_or(unknown);
  };
  double least = 0, most = 0.5;
  if (predicted(least) >= seconds) return least;
  if (predicted(most) <= seconds) return most;
  constexpr double close_enough = 0.005;
  while (most - least > close_enough) {
    const double middle = (least + most) / 2;
    (predicted(middle) < seconds ? least : most) = middle;
  }
  return (least + most) / 2;
}

Measured crowd_loss_of(const EveryoneToEveryone& sample, double ranks_per_core,
                       const Parameters& parameters) {
  GroupCostModel cost_model = group_cost_model_of(sample.nodes, ranks_per_core, &parameters);
  const Collective alltoall{
      .operation = Operation::alltoall,
      .type = Datatype::Kind::byte,
      .count = sample.block_bytes * static_cast<std::size_t>(cost_model.ranks()),
      .equal_blocks = true};
  const Call call{alltoall, cost_model};
  const auto loss = [&](double seconds) { return incast_loss(seconds, call, cost_model); };
  const double usual = lower_quartile(sample.seconds);
  const Measured seconds = median_of(sample.seconds);
  // With many runs, the interval of the median lies above the lower quartile, which is the value.
  return {loss(usual), loss(std::min(usual, seconds.least)), loss(seconds.most)};
}

/// Fits the time of a core under contention: the time of each message, and the time of each context
/// switch, after which a rank handles all messages that have come. In rounds of one message to each
/// rank every message costs both.
void fit_crowded_network(const CrowdedNetwork& network, Parameters& parameters) {
  std::vector<double> context_switches;
  for (const CrowdedNetwork::Size& size : network.sizes) {
    const double one = lower_quartile(size.one);
    const double many = lower_quartile(size.many);
    const double further = std::max((many - one) / std::max(network.received - 1, 1.0), 0.0);
    parameters.crowded_network.push_back({size.bytes, further});
    context_switches.push_back(std::max(one - further, 0.0));
  }
  if (!context_switches.empty()) parameters.network_context_switch = median_of(context_switches);
}

}  // namespace

Parameters fit_parameters(const Samples& samples, const GroupCostModel& cost_model) {
  Parameters parameters;
  if (!samples.between_nodes.single.empty()) {
    parameters.between_nodes = messages_of(samples.between_nodes);
    parameters.cable_bytes_per_second = cost_model.nodes.link_bytes_per_second;
    if (!samples.distant.empty())
      parameters.hop =
          hop_of(median_of(samples.distant), samples.cables, parameters.between_nodes->alpha);
    if (!samples.between_nodes.caught_up.empty())
      parameters.burst = median_of(samples.between_nodes.caught_up);
  }
  fit_crowded_network(samples.crowded_network, parameters);
  if (!samples.injection.empty()) parameters.injection = median_of(samples.injection);
  if (!samples.within_nodes.single.empty()) {
    MeasuredMessages messages = messages_of(samples.within_nodes);
    messages.sizes = one_by_size(samples.within_nodes.single);
    // The busier of the two cores limits the rate.
    parameters.message_overhead = messages.gap;
    if (!samples.hops.empty())
      parameters.context_switch =
          context_switch_of(samples.hops, messages.alpha.value, cost_model.ranks_per_core);
    parameters.within_node = messages;
    if (!samples.source.empty()) parameters.source = median_of(samples.source);
    parameters.within_crowded_node = messages_of_rounds(samples.crowded);
    parameters.within_node_fresh = messages_of_rounds(samples.fresh);
    parameters.combine_sizes = one_by_size(samples.combining);
    parameters.copy_sizes = one_by_size(samples.copying);
    parameters.combine = beta_of(parameters.combine_sizes);
  }
  if (!samples.everyone.seconds.empty())
    parameters.incast_loss = crowd_loss_of(samples.everyone, cost_model.ranks_per_core, parameters);
  return parameters;
}

}  // namespace cuboid::detail
