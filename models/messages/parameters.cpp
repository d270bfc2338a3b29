#include "models/messages/parameters.hpp"

#include "base/located_json.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cuboid::detail {

namespace {

constexpr int version = 6;

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

class Parser {
 public:
  explicit Parser(const TextFile& file) : file_(file) {}

  Parameters parse() const {
    const LocatedJson document = parse_located_json(file_);
    members_of(document);
    const LocatedJson& number = need(document, "version");
    if (not_negative(number) != version) {
      fail(number, fmt::format("this build reads version {}: calibrate again", version));
    }
    check_keys(document, {"version",
                          "hosts",
                          "cables",
                          "transports",
                          "between_nodes",
                          "within_node",
                          "within_crowded_node",
                          "within_node_fresh",
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
    for (const LocatedJson& host : list(document, "hosts"))
      parameters.key.hosts.push_back(read_host(host));
    for (const LocatedJson& cable : list(document, "cables"))
      parameters.key.cables.push_back(read_cable(cable));
    std::ranges::sort(parameters.key.hosts);
    std::ranges::sort(parameters.key.cables);
    if (find(document, "transports") != nullptr) {
      for (const LocatedJson& transport : list(document, "transports"))
        parameters.key.transports.push_back(name(transport));
    }
    std::ranges::sort(parameters.key.transports);
    if (const auto* value = find(document, "between_nodes"))
      parameters.between_nodes = read_messages(*value);
    if (parameters.between_nodes && parameters.between_nodes->beta.value == 0)
      fail(*find(document, "between_nodes"), "expected more than 0 seconds per byte");
    if (const auto* value = find(document, "within_node"))
      parameters.within_node = read_messages(*value);
    if (const auto* value = find(document, "within_crowded_node"))
      parameters.within_crowded_node = read_messages(*value);
    if (const auto* value = find(document, "within_node_fresh"))
      parameters.within_node_fresh = read_messages(*value);
    parameters.combine = find_measured(document, "combine_seconds_per_byte");
    parameters.combine_sizes = read_sizes(document, "combine_sizes");
    parameters.copy_sizes = read_sizes(document, "copy_sizes");
    if (const auto* value = find(document, "cable_bytes_per_second"))
      parameters.cable_bytes_per_second = not_negative(*value);
    parameters.injection = find_measured(document, "injection_bytes_per_second");
    parameters.burst = find_measured(document, "burst_bytes");
    parameters.incast_loss = find_measured(document, "incast_loss_fraction");
    if (parameters.incast_loss && parameters.incast_loss->most >= 1)
      fail(*find(document, "incast_loss_fraction"), "expected a fraction less than 1");
    parameters.overlap = find_measured(document, "overlap_fraction");
    if (parameters.overlap && parameters.overlap->most > 1)
      fail(*find(document, "overlap_fraction"), "expected a fraction of at most 1");
    parameters.crowded_network = read_sizes(document, "crowded_network");
    parameters.network_context_switch = find_measured(document, "network_context_switch_seconds");
    parameters.message_overhead = find_measured(document, "message_overhead_seconds");
    parameters.context_switch = find_measured(document, "context_switch_seconds");
    return parameters;
  }

 private:
  [[noreturn]] void fail(const LocatedJson& where, std::string_view reason) const {
    fail_at(file_, where.line, reason);
  }

  /// A misspelt key, or one of another unit, would otherwise be silently ignored.
  const LocatedJson::Members& members_of(const LocatedJson& object) const {
    const auto* members = object.as<LocatedJson::Members>();
    if (members == nullptr) fail(object, "expected an object {...}");
    return *members;
  }

  void check_keys(const LocatedJson& object, std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : members_of(object)) {
      if (std::ranges::find(known, key) == known.end())
        fail(value, fmt::format("unknown key {}", in_quotes(key)));
    }
  }

  static const LocatedJson* find(const LocatedJson& object, std::string_view key) {
    const auto& members = *object.as<LocatedJson::Members>();
    const auto found = std::ranges::find(members, key, &std::pair<std::string, LocatedJson>::first);
    return found == members.end() ? nullptr : &found->second;
  }

  const LocatedJson& need(const LocatedJson& object, std::string_view key) const {
    const LocatedJson* value = find(object, key);
    if (value == nullptr) fail(object, fmt::format("the key \"{}\" is missing", key));
    return *value;
  }

  const LocatedJson::List& list(const LocatedJson& object, std::string_view key) const {
    const LocatedJson& value = need(object, key);
    const auto* list = value.as<LocatedJson::List>();
    if (list == nullptr) fail(value, fmt::format("\"{}\" is not a list", key));
    return *list;
  }

  std::string name(const LocatedJson& value) const {
    const auto* text = value.as<std::string>();
    if (text == nullptr || text->empty())
      fail(value, "expected the name of a host, switch or transport");
    return *text;
  }

  double not_negative(const LocatedJson& value) const {
    const auto* number = value.as<double>();
    constexpr double most = 1e18;  // sums and products of more than these leave what is finite
    if (number == nullptr || !std::isfinite(*number) || *number < 0)
      fail(value, "expected a number that is not negative");
    if (*number > most) fail(value, "expected a number of at most 1e18");
    return *number;
  }

  double whole_number(const LocatedJson& value, double least, double most,
                      std::string_view what) const {
    const double number = not_negative(value);
    if (number < least || number != std::floor(number) || number > most) fail(value, what);
    return number;
  }

  Measured read_measured(const LocatedJson& value) const {
    if (value.as<double>() != nullptr) return exactly(not_negative(value));
    check_keys(value, {"value", "least", "most"});
    const Measured number{not_negative(need(value, "value")), not_negative(need(value, "least")),
                          not_negative(need(value, "most"))};
    if (number.least > number.value || number.value > number.most)
      fail(value, "expected least <= value <= most");
    return number;
  }

  std::optional<Measured> find_measured(const LocatedJson& object, std::string_view key) const {
    const LocatedJson* value = find(object, key);
    if (value == nullptr) return std::nullopt;
    return read_measured(*value);
  }

  MeasuredMessages read_messages(const LocatedJson& value) const {
    check_keys(value,
               {"alpha_seconds", "beta_seconds_per_byte", "send_overhead_seconds",
                "receive_overhead_seconds", "latency_seconds", "gap_seconds", "lines", "sizes"});
    MeasuredMessages messages;
    messages.alpha = read_measured(need(value, "alpha_seconds"));
    messages.beta = read_measured(need(value, "beta_seconds_per_byte"));
    messages.send_overhead = find_measured(value, "send_overhead_seconds");
    messages.receive_overhead = find_measured(value, "receive_overhead_seconds");
    messages.latency = find_measured(value, "latency_seconds");
    messages.gap = find_measured(value, "gap_seconds");
    messages.sizes = read_sizes(value, "sizes");
    if (find(value, "lines") == nullptr) return messages;
    for (const LocatedJson& line : list(value, "lines")) {
      const MessageLine read = read_line(line);
      const bool ascends = messages.lines.empty()
                               ? read.from_bytes == 0
                               : read.from_bytes > messages.lines.back().from_bytes;
      if (!ascends) fail(line, "expected lines from 0 bytes on, ascending");
      messages.lines.push_back(read);
    }
    return messages;
  }

  std::vector<MessageSample> read_sizes(const LocatedJson& object, std::string_view key) const {
    std::vector<MessageSample> sizes;
    if (find(object, key) == nullptr) return sizes;
    for (const LocatedJson& value : list(object, key)) {
      check_keys(value, {"bytes", "seconds"});
      const std::size_t bytes = whole_bytes(need(value, "bytes"));
      if (!sizes.empty() && bytes <= sizes.back().bytes) fail(value, "expected ascending sizes");
      sizes.push_back({bytes, not_negative(need(value, "seconds"))});
    }
    if (!sizes.empty() && sizes.back().bytes == 0)
      fail(*find(object, key), "expected a size of more than 0 bytes");
    return sizes;
  }

  std::size_t whole_bytes(const LocatedJson& value) const {
    constexpr double most = 9007199254740992;  // whole numbers are exact up to 2^53
    return static_cast<std::size_t>(
        whole_number(value, 0, most, "expected a whole number of bytes"));
  }

  MessageLine read_line(const LocatedJson& value) const {
    check_keys(value, {"from_bytes", "alpha_seconds", "beta_seconds_per_byte"});
    return {whole_bytes(need(value, "from_bytes")),
            {not_negative(need(value, "alpha_seconds")),
             not_negative(need(value, "beta_seconds_per_byte"))}};
  }

  ParametersKey::Host read_host(const LocatedJson& value) const {
    check_keys(value, {"name", "ranks"});
    const double ranks = whole_number(need(value, "ranks"), 1, std::numeric_limits<int>::max(),
                                      "expected a whole number of ranks, at least 1");
    return {name(need(value, "name")), static_cast<int>(ranks)};
  }

  ParametersKey::Cable read_cable(const LocatedJson& value) const {
    check_keys(value, {"from", "to", "bytes_per_second"});
    return {name(need(value, "from")), name(need(value, "to")),
            not_negative(need(value, "bytes_per_second"))};
  }

  const TextFile& file_;
};

}  // namespace

LogGP MeasuredMessages::log_gp() const {
  const auto or_none = [](const std::optional<Measured>& number) {
    return number ? number->value : 0;
  };
  const double overheads = or_none(send_overhead) + or_none(receive_overhead);
  return {.latency = latency ? latency->value : std::max(0.0, alpha.value - overheads),
          .send_overhead = or_none(send_overhead),
          .receive_overhead = or_none(receive_overhead),
          .gap = or_none(gap),
          .byte_gap = beta.value};
}

double byte_seconds(std::span<const MessageSample> sizes, double bytes) {
  if (sizes.empty() || bytes <= 0) return 0;
  const auto bytes_of = [](const MessageSample& one) { return static_cast<double>(one.bytes); };
  const double start = sizes.front().seconds;
  const auto per_byte = [&](double seconds, double of) {
    return std::max(seconds - start, 0.0) / of;
  };
  const auto next =
      std::ranges::find_if(sizes, [&](const MessageSample& one) { return bytes_of(one) >= bytes; });
  if (next == sizes.begin()) return 0;
  const MessageSample& before = *std::prev(next);
  if (next == sizes.end()) return per_byte(before.seconds, bytes_of(before));
  const double way = (bytes - bytes_of(before)) / (bytes_of(*next) - bytes_of(before));
  return per_byte(before.seconds + way * (next->seconds - before.seconds), bytes);
}

double quickest_size(std::span<const MessageSample> sizes) {
  double quickest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const MessageSample& one : sizes) {
    if (one.seconds < 2 * sizes.front().seconds) continue;
    const auto bytes = static_cast<double>(one.bytes);
    const double each = (one.seconds - sizes.front().seconds) / bytes;
    if (each <= 0 || each >= least) continue;
    quickest = bytes;
    least = each;
  }
  return quickest;
}

double MeasuredMessages::flowing_byte_seconds(double bytes) const {
  return byte_seconds(std::max(bytes, quickest_size(sizes)));
}

double MeasuredMessages::handling_seconds(double bytes) const {
  const double quickest = quickest_size(sizes);
  if (bytes >= quickest) return 0;
  return bytes * std::max(byte_seconds(bytes) - byte_seconds(quickest), 0.0);
}

double MeasuredMessages::byte_seconds(double bytes) const {
  if (sizes.size() > 1 && bytes > 0) return detail::byte_seconds(sizes, bytes);
  const auto longer = [&](const MessageLine& line) {
    return static_cast<double>(line.from_bytes) > bytes;
  };
  const auto next = std::ranges::find_if(lines, longer);
  if (next == lines.begin() || bytes <= 0) return beta.value;
  const Hockney& message = std::prev(next)->message;
  const double start = lines.front().message.alpha;
  return std::max(message.alpha - start, 0.0) / bytes + message.beta;
}

ParametersKey parameters_key(std::span<const std::string> host_of_rank, const Network* network) {
  std::map<std::string, int> ranks;
  for (const std::string& host : host_of_rank) ++ranks[host];
  ParametersKey key;
  for (const auto& [name, count] : ranks) key.hosts.push_back({name, count});
  for (int cable = 0; network != nullptr && cable < network->cables(); ++cable) {
    const Link& link = network->links()[2 * static_cast<std::size_t>(cable)];
    std::string from = network->name(link.from);
    std::string to = network->name(link.to);
    if (to < from) std::swap(from, to);
    key.cables.push_back({std::move(from), std::move(to), link.bytes_per_second});
  }
  std::ranges::sort(key.cables);
  return key;
}

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
  add(document, "combine_seconds_per_byte", parameters.combine);
  add(document, "combine_sizes", parameters.combine_sizes);
  add(document, "copy_sizes", parameters.copy_sizes);
  add(document, "message_overhead_seconds", parameters.message_overhead);
  add(document, "context_switch_seconds", parameters.context_switch);
  // What is not UTF-8 in a name is replaced: JSON has no other way to write it.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Parameters parse_parameters(const TextFile& file) {
  return Parser(file).parse();
}

}  // namespace cuboid::detail
