#include "topology/sources/network_file.hpp"

#include <cuboid/error.hpp>

#include "base/json_reader.hpp"
#include "topology/shape/rate.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cuboid::detail {

namespace {

constexpr double most_bits_per_second = 1e15;

class NetworkParser {
 public:
  explicit NetworkParser(const TextFile& file) : json_(file) {}

  Network parse() {
    const LocatedJson document = json_.document();
    json_.check_keys(document, {"nodes", "cables"});
    for (const LocatedJson& node : json_.list(document, "nodes")) add_node(node);
    if (network_.nodes() == 0) json_.fail(document, "\"nodes\" is empty");
    for (const LocatedJson& cable : json_.list(document, "cables")) add_cable(cable);
    return std::move(network_);
  }

 private:
  void add_node(const LocatedJson& node) {
    const LocatedJson* name = &node;
    Role role = Role::host;
    if (node.as<std::string>() == nullptr) {
      json_.check_keys(node, {"name", "role"});
      name = json_.find(node, "name");
      if (name == nullptr) json_.fail(node, "a node needs a \"name\"");
      if (const LocatedJson* word = json_.find(node, "role")) role = parse_role(*word);
    }
    const std::string& word = json_.text(*name, "a node's name");
    if (network_.find(word))
      json_.fail(*name, fmt::format("node {} is listed twice", in_quotes(word)));
    network_.add_node(word, role);
  }

  Role parse_role(const LocatedJson& word) const {
    const std::string& role = json_.text(word, R"("host" or "switch")");
    if (role == "host") return Role::host;
    if (role == "switch") return Role::network_switch;
    json_.fail(word, fmt::format(R"(the role is "host" or "switch", not {})", in_quotes(role)));
  }

  int find_node(const LocatedJson& end) const {
    const std::string& name = json_.text(end, "a node's name");
    const auto node = network_.find(name);
    if (!node) json_.fail(end, fmt::format("node {} is not listed in \"nodes\"", in_quotes(name)));
    return *node;
  }

  void add_cable(const LocatedJson& cable) {
    json_.check_keys(cable, {"ends", "rate"});
    const auto& ends = json_.list(cable, "ends");
    if (ends.size() != 2) json_.fail(cable, "a cable has two \"ends\"");
    const int a = find_node(ends[0]);
    const int b = find_node(ends[1]);
    if (a == b)
      json_.fail(cable, fmt::format("a cable from {} to itself", in_quotes(network_.name(a))));
    const LocatedJson* rate = json_.find(cable, "rate");
    network_.add_cable(a, b, rate == nullptr ? 0 : bytes_per_second(*rate));
  }

  double bytes_per_second(const LocatedJson& value) const {
    std::optional<double> rate;
    if (const auto* number = value.as<double>()) {
      rate = *number / 8;
    } else if (const auto* word = value.as<std::string>()) {
      rate = parse_rate(*word);
    }
    if (!rate || !std::isfinite(*rate) || *rate <= 0 || *rate > most_bits_per_second / 8) {
      json_.fail(
          value,
          "a rate is text such as \"100mbit\" or a number of bits per second, greater than 0 and "
          "at most 1e15");
    }
    return *rate;
  }

  JsonReader json_;
  Network network_;
};

}  // namespace

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

Network parse_network_file(const TextFile& file) {
  return NetworkParser(file).parse();
}

std::string to_json(const Network& network) {
  auto nodes = nlohmann::ordered_json::array();
  for (int node = 0; node < network.nodes(); ++node) {
    if (network.role(node) == Role::host) {
      nodes.push_back(network.name(node));
    } else {
      nodes.push_back({{"name", network.name(node)}, {"role", "switch"}});
    }
  }
  auto cables = nlohmann::ordered_json::array();
  for (int cable = 0; cable < network.cables(); ++cable) {
    const Link& link = network.links()[static_cast<std::size_t>(2 * cable)];
    nlohmann::ordered_json entry = {{"ends", {network.name(link.from), network.name(link.to)}}};
    if (link.bytes_per_second > 0) entry["rate"] = link.bytes_per_second * 8;
    cables.push_back(std::move(entry));
  }
  return nlohmann::ordered_json{{"nodes", nodes}, {"cables", cables}}.dump(
      1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace cuboid::detail
