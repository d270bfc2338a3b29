#include "models/messages/parameters_file.hpp"

#include "base/json_reader.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cuboid::detail {

namespace {

constexpr int version = 7;

using Json = nlohmann::ordered_json;

Json to_json(const Measured& number) {
  return {{"value", number.value}, {"least", number.least}, {"most", number.most}};
}

void add(Json& object, const char* key, const std::optional<Measured>& number) {
  if (number) object[key] = to_json(*number);
}

void add(Json& object, const char* key, const std::vector<MessageSample>& sizes) {
  if (sizes.empty()) return;
  Json list = Json::array();
  for (const MessageSample& sample : sizes)
    list.push_back({{"bytes", sample.bytes}, {"seconds", sample.seconds}});
  object[key] = std::move(list);
}

Json to_json(const MeasuredMessages& messages) {
  Json object;
  add(object, "alpha_seconds", messages.alpha);
  add(object, "beta_seconds_per_byte", messages.beta);
  add(object, "send_overhead_seconds", messages.send_overhead);
  add(object, "receive_overhead_seconds", messages.receive_overhead);
  add(object, "latency_seconds", messages.latency);
  add(object, "gap_seconds", messages.gap);
  object["lines"] = Json::array();
  for (const MessageLine& line : messages.lines) {
    object["lines"].push_back({{"from_bytes", line.from_bytes},
                               {"alpha_seconds", line.message.alpha},
                               {"beta_seconds_per_byte", line.message.beta}});
  }
  add(object, "sizes", messages.sizes);
  return object;
}

/// The range that numbers of a unit have on any machine. A number outside this range has another
/// unit, or is no measurement.
struct Bounds {
  double least;
  double most;
  std::string_view expected;
};
constexpr Bounds some_seconds{0, 100, "expected at most 100 seconds"};
constexpr Bounds some_bytes{0, 9007199254740992, "expected at most 2^53 bytes"};
constexpr Bounds part_of_one{0, 1, "expected a fraction of at most 1"};
constexpr Bounds lost_part{0, 1 - std::numeric_limits<double>::epsilon(),
                           "expected a fraction less than 1"};
constexpr Bounds byte_work{0, 1, "expected at most 1 second per byte"};
constexpr Bounds bytes_in_a_second{1, 1e15, "expected 1 to 1e15 bytes per second"};

class ParametersParser {
 public:
  explicit ParametersParser(const TextFile& file) : json_(file) {}

  Parameters parse() const {
    const LocatedJson document = json_.document();
    const LocatedJson& number = json_.need(document, "version");
    if (json_.not_negative(number) != version) {
      json_.fail(number, fmt::format("this build reads version {}: calibrate again", version));
    }
    json_.check_keys(document, {"version",
                                "hosts",
                                "cables",
                                "transports",
                                "between_nodes",
                                "within_node",
                                "within_crowded_node",
                                "within_node_fresh",
                                "source_bytes_per_second",
                                "hop_seconds",
                                "combine_seconds_per_byte",
                                "combine_sizes",
                                "copy_sizes",
                                "cable_bytes_per_second",
                                "injection_bytes_per_second",
                                "burst_bytes",
                                "incast_loss_fraction",
                                "overlap_fraction",
                                "crowded_network",
                                "network_context_switch_seconds",
                                "message_overhead_seconds",
                                "context_switch_seconds"});
    Parameters parameters;
    for (const LocatedJson& host : json_.list(document, "hosts"))
      parameters.key.hosts.push_back(read_host(host));
    for (const LocatedJson& cable : json_.list(document, "cables"))
      parameters.key.cables.push_back(read_cable(cable));
    std::ranges::sort(parameters.key.hosts);
    std::ranges::sort(parameters.key.cables);
    if (json_.find(document, "transports") != nullptr) {
      for (const LocatedJson& transport : json_.list(document, "transports"))
        parameters.key.transports.push_back(name_in(transport));
    }
    std::ranges::sort(parameters.key.transports);
    if (const auto* value = json_.find(document, "between_nodes"))
      parameters.between_nodes = read_messages(*value);
    if (const auto* value = json_.find(document, "within_node"))
      parameters.within_node = read_messages(*value);
    if (const auto* value = json_.find(document, "within_crowded_node"))
      parameters.within_crowded_node = read_messages(*value);
    if (const auto* value = json_.find(document, "within_node_fresh"))
      parameters.within_node_fresh = read_messages(*value);
    parameters.source = find_rate(document, "source_bytes_per_second");
    parameters.hop = find_measured(document, "hop_seconds", some_seconds);
    parameters.combine = find_measured(document, "combine_seconds_per_byte", byte_work);
    parameters.combine_sizes = read_sizes(document, "combine_sizes");
    parameters.copy_sizes = read_sizes(document, "copy_sizes");
    if (const auto* value = json_.find(document, "cable_bytes_per_second"))
      parameters.cable_bytes_per_second = rate_or_unknown(*value);
    parameters.injection = find_rate(document, "injection_bytes_per_second");
    parameters.burst = find_measured(document, "burst_bytes", some_bytes);
    parameters.incast_loss = find_measured(document, "incast_loss_fraction", lost_part);
    parameters.overlap = find_measured(document, "overlap_fraction", part_of_one);
    parameters.crowded_network = read_sizes(document, "crowded_network");
    parameters.network_context_switch =
        find_measured(document, "network_context_switch_seconds", some_seconds);
    parameters.message_overhead = find_measured(document, "message_overhead_seconds", some_seconds);
    parameters.context_switch = find_measured(document, "context_switch_seconds", some_seconds);
    return parameters;
  }

 private:
  std::string name_in(const LocatedJson& value) const {
    return json_.text(value, "the name of a host, switch or transport");
  }

  double read_number(const LocatedJson& value, const Bounds& bounds) const {
    return json_.number(value, bounds.least, bounds.most, bounds.expected);
  }

  double rate_or_unknown(const LocatedJson& value) const {
    return json_.not_negative(value) == 0 ? 0 : read_number(value, bytes_in_a_second);
  }

  Measured read_measured(const LocatedJson& value, const Bounds& bounds) const {
    if (value.as<double>() != nullptr) return exactly(read_number(value, bounds));
    json_.check_keys(value, {"value", "least", "most"});
    const Measured number{read_number(json_.need(value, "value"), bounds),
                          json_.not_negative(json_.need(value, "least")),
                          read_number(json_.need(value, "most"), bounds)};
    if (number.least > number.value || number.value > number.most)
      json_.fail(value, "expected least <= value <= most");
    return number;
  }

  std::optional<Measured> find_measured(const LocatedJson& object, std::string_view key,
                                        const Bounds& bounds) const {
    const LocatedJson* value = json_.find(object, key);
    if (value == nullptr) return std::nullopt;
    return read_measured(*value, bounds);
  }

  // A rate of 0 means that calibration could not measure it.
  std::optional<Measured> find_rate(const LocatedJson& object, std::string_view key) const {
    const LocatedJson* value = json_.find(object, key);
    if (value == nullptr) return std::nullopt;
    const Measured rate =
        read_measured(*value, {0, bytes_in_a_second.most, bytes_in_a_second.expected});
    if (rate.value != 0 && rate.value < bytes_in_a_second.least)
      json_.fail(*value, bytes_in_a_second.expected);
    return rate;
  }

  MeasuredMessages read_messages(const LocatedJson& value) const {
    json_.check_keys(
        value, {"alpha_seconds", "beta_seconds_per_byte", "send_overhead_seconds",
                "receive_overhead_seconds", "latency_seconds", "gap_seconds", "lines", "sizes"});
    MeasuredMessages messages;
    messages.alpha = read_measured(json_.need(value, "alpha_seconds"), some_seconds);
    messages.beta = read_measured(json_.need(value, "beta_seconds_per_byte"), byte_work);
    messages.send_overhead = find_measured(value, "send_overhead_seconds", some_seconds);
    messages.receive_overhead = find_measured(value, "receive_overhead_seconds", some_seconds);
    messages.latency = find_measured(value, "latency_seconds", some_seconds);
    messages.gap = find_measured(value, "gap_seconds", some_seconds);
    messages.sizes = read_sizes(value, "sizes");
    if (json_.find(value, "lines") == nullptr) return messages;
    for (const LocatedJson& line : json_.list(value, "lines")) {
      const MessageLine read = read_line(line);
      const bool ascends = messages.lines.empty()
                               ? read.from_bytes == 0
                               : read.from_bytes > messages.lines.back().from_bytes;
      if (!ascends) json_.fail(line, "expected lines from 0 bytes on, ascending");
      messages.lines.push_back(read);
    }
    return messages;
  }

  std::vector<MessageSample> read_sizes(const LocatedJson& object, std::string_view key) const {
    std::vector<MessageSample> sizes;
    if (json_.find(object, key) == nullptr) return sizes;
    for (const LocatedJson& value : json_.list(object, key)) {
      json_.check_keys(value, {"bytes", "seconds"});
      const std::size_t bytes = whole_bytes(json_.need(value, "bytes"));
      if (!sizes.empty() && bytes <= sizes.back().bytes)
        json_.fail(value, "expected ascending sizes");
      sizes.push_back({bytes, read_number(json_.need(value, "seconds"), some_seconds)});
    }
    if (!sizes.empty() && sizes.back().bytes == 0)
      json_.fail(*json_.find(object, key), "expected a size of more than 0 bytes");
    return sizes;
  }

  std::size_t whole_bytes(const LocatedJson& value) const {
    return static_cast<std::size_t>(
        json_.whole_number(value, 0, some_bytes.most, "expected a whole number of bytes"));
  }

  MessageLine read_line(const LocatedJson& value) const {
    json_.check_keys(value, {"from_bytes", "alpha_seconds", "beta_seconds_per_byte"});
    return {whole_bytes(json_.need(value, "from_bytes")),
            {read_number(json_.need(value, "alpha_seconds"), some_seconds),
             read_number(json_.need(value, "beta_seconds_per_byte"), byte_work)}};
  }

  ParametersKey::Host read_host(const LocatedJson& value) const {
    json_.check_keys(value, {"name", "ranks"});
    const double ranks =
        json_.whole_number(json_.need(value, "ranks"), 1, std::numeric_limits<int>::max(),
                           "expected a whole number of ranks, at least 1");
    return {name_in(json_.need(value, "name")), static_cast<int>(ranks)};
  }

  ParametersKey::Cable read_cable(const LocatedJson& value) const {
    json_.check_keys(value, {"from", "to", "bytes_per_second"});
    return {name_in(json_.need(value, "from")), name_in(json_.need(value, "to")),
            rate_or_unknown(json_.need(value, "bytes_per_second"))};
  }

  JsonReader json_;
};

}  // namespace

std::string to_json(const Parameters& parameters) {
  Json document = {{"version", version}, {"hosts", Json::array()}, {"cables", Json::array()}};
  for (const auto& host : parameters.key.hosts)
    document["hosts"].push_back({{"name", host.name}, {"ranks", host.ranks}});
  for (const auto& cable : parameters.key.cables) {
    document["cables"].push_back(
        {{"from", cable.from}, {"to", cable.to}, {"bytes_per_second", cable.bytes_per_second}});
  }
  for (const std::string& transport : parameters.key.transports)
    document["transports"].push_back(transport);
  if (parameters.between_nodes) document["between_nodes"] = to_json(*parameters.between_nodes);
  add(document, "hop_seconds", parameters.hop);
  if (parameters.cable_bytes_per_second > 0)
    document["cable_bytes_per_second"] = parameters.cable_bytes_per_second;
  add(document, "injection_bytes_per_second", parameters.injection);
  add(document, "burst_bytes", parameters.burst);
  add(document, "incast_loss_fraction", parameters.incast_loss);
  add(document, "overlap_fraction", parameters.overlap);
  add(document, "crowded_network", parameters.crowded_network);
  add(document, "network_context_switch_seconds", parameters.network_context_switch);
  if (parameters.within_node) document["within_node"] = to_json(*parameters.within_node);
  if (parameters.within_crowded_node)
    document["within_crowded_node"] = to_json(*parameters.within_crowded_node);
  if (parameters.within_node_fresh)
    document["within_node_fresh"] = to_json(*parameters.within_node_fresh);
  add(document, "source_bytes_per_second", parameters.source);
  add(document, "combine_seconds_per_byte", parameters.combine);
  add(document, "combine_sizes", parameters.combine_sizes);
  add(document, "copy_sizes", parameters.copy_sizes);
  add(document, "message_overhead_seconds", parameters.message_overhead);
  add(document, "context_switch_seconds", parameters.context_switch);
  // Bytes of a name that are not UTF-8 are replaced: JSON cannot hold them.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Parameters parse_parameters(const TextFile& file) {
  return ParametersParser(file).parse();
}

}  // namespace cuboid::detail
