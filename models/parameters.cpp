#include <cuboid/models/parameters.hpp>
#include <cuboid/topology/sources/located_json.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cuboid {

namespace {

constexpr int version = 1;

nlohmann::ordered_json to_json(const Hockney& message) {
  return {{"alpha_seconds", message.alpha}, {"beta_seconds_per_byte", message.beta}};
}

class Parser {
 public:
  explicit Parser(const TextFile& file) : file_(file) {}

  Parameters parse() const {
    const LocatedJson document = parse_located_json(file_);
    check_keys(document, {"version", "hosts", "cables", "between_nodes", "within_node",
                          "message_overhead_seconds", "turn_seconds"});
    const LocatedJson& number = need(document, "version");
    if (seconds(number) != version) {
      fail(number, fmt::format("this build reads version {}: calibrate again", version));
    }
    Parameters parameters;
    for (const LocatedJson& host : list(document, "hosts"))
      parameters.key.hosts.push_back(read_host(host));
    for (const LocatedJson& cable : list(document, "cables"))
      parameters.key.cables.push_back(read_cable(cable));
    std::ranges::sort(parameters.key.hosts);
    std::ranges::sort(parameters.key.cables);
    if (const auto* value = find(document, "between_nodes"))
      parameters.between_nodes = read_message(*value);
    if (const auto* value = find(document, "within_node"))
      parameters.within_node = read_message(*value);
    if (const auto* value = find(document, "message_overhead_seconds"))
      parameters.message_overhead = seconds(*value);
    if (const auto* value = find(document, "turn_seconds")) parameters.turn = seconds(*value);
    return parameters;
  }

 private:
  [[noreturn]] void fail(const LocatedJson& where, std::string_view reason) const {
    fail_at(file_, where.line, reason);
  }

  /// A misspelt key, or one of another unit, would otherwise be silently ignored.
  void check_keys(const LocatedJson& object, std::initializer_list<std::string_view> known) const {
    const auto* members = object.as<LocatedJson::Members>();
    if (members == nullptr) fail(object, "expected an object {...}");
    for (const auto& [key, value] : *members) {
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
    if (text == nullptr || text->empty()) fail(value, "expected the name of a host or switch");
    return *text;
  }

  double seconds(const LocatedJson& value) const {
    const auto* number = value.as<double>();
    if (number == nullptr || !std::isfinite(*number) || *number < 0)
      fail(value, "expected a number that is not negative");
    return *number;
  }

  Hockney read_message(const LocatedJson& value) const {
    check_keys(value, {"alpha_seconds", "beta_seconds_per_byte"});
    return {seconds(need(value, "alpha_seconds")), seconds(need(value, "beta_seconds_per_byte"))};
  }

  ParametersKey::Host read_host(const LocatedJson& value) const {
    check_keys(value, {"name", "ranks"});
    const LocatedJson& ranks = need(value, "ranks");
    const double number = seconds(ranks);
    if (number < 1 || number != std::floor(number) || number > std::numeric_limits<int>::max())
      fail(ranks, "expected a whole number of ranks, at least 1");
    return {name(need(value, "name")), static_cast<int>(number)};
  }

  ParametersKey::Cable read_cable(const LocatedJson& value) const {
    check_keys(value, {"from", "to", "bytes_per_second"});
    return {name(need(value, "from")), name(need(value, "to")),
            seconds(need(value, "bytes_per_second"))};
  }

  const TextFile& file_;
};

}  // namespace

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
  using Json = nlohmann::ordered_json;
  Json document = {{"version", version}, {"hosts", Json::array()}, {"cables", Json::array()}};
  for (const auto& host : parameters.key.hosts)
    document["hosts"].push_back({{"name", host.name}, {"ranks", host.ranks}});
  for (const auto& cable : parameters.key.cables) {
    document["cables"].push_back(
        {{"from", cable.from}, {"to", cable.to}, {"bytes_per_second", cable.bytes_per_second}});
  }
  if (parameters.between_nodes) document["between_nodes"] = to_json(*parameters.between_nodes);
  if (parameters.within_node) document["within_node"] = to_json(*parameters.within_node);
  if (parameters.message_overhead)
    document["message_overhead_seconds"] = *parameters.message_overhead;
  if (parameters.turn) document["turn_seconds"] = *parameters.turn;
  // What is not UTF-8 in a name is replaced: JSON has no other way to write it.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Parameters parse_parameters(const TextFile& file) {
  return Parser(file).parse();
}

}  // namespace cuboid
