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

constexpr int version = 8;

using Json = nlohmann::ordered_json;

/// The range that numbers of a unit have on any machine. A number outside this range has another
/// unit, or is no measurement.
struct Bounds {
  double least;
  double most;
  std::string_view expected;
  bool or_unknown = false;  ///< 0 means that calibration could not measure it
};
constexpr Bounds some_seconds{0, 100, "expected at most 100 seconds"};
constexpr Bounds some_bytes{0, 9007199254740992, "expected at most 2^53 bytes"};
constexpr Bounds part_of_one{0, 1, "expected a fraction of at most 1"};
constexpr Bounds lost_part{0, 1 - std::numeric_limits<double>::epsilon(),
                           "expected a fraction less than 1"};
constexpr Bounds byte_work{0, 1, "expected at most 1 second per byte"};
constexpr Bounds bytes_in_a_second{1, 1e15, "expected 1 to 1e15 bytes per second", true};

/// Calls visit(key, number, bounds) for each number of `messages`, in the order of the file.
template <class Messages, class Visit>
void visit_numbers(Messages& messages, const Visit& visit) {
  visit("alpha_seconds", messages.alpha, some_seconds);
  visit("beta_seconds_per_byte", messages.beta, byte_work);
  visit("send_overhead_seconds", messages.send_overhead, some_seconds);
  visit("receive_overhead_seconds", messages.receive_overhead, some_seconds);
  visit("latency_seconds", messages.latency, some_seconds);
  visit("gap_seconds", messages.gap, some_seconds);
}

/// The same for each entry of parameters besides the machine on which they were measured.
template <class Measurements, class Visit>
void visit_entries(Measurements& parameters, const Visit& visit) {
  visit("between_nodes", parameters.between_nodes, some_seconds);
  visit("hop_seconds", parameters.hop, some_seconds);
  visit("cable_bytes_per_second", parameters.cable_bytes_per_second, bytes_in_a_second);
  visit("injection_bytes_per_second", parameters.injection, bytes_in_a_second);
  visit("burst_bytes", parameters.burst, some_bytes);
  visit("incast_loss_fraction", parameters.incast_loss, lost_part);
  visit("overlap_fraction", parameters.overlap, part_of_one);
  visit("crowded_network", parameters.crowded_network, some_seconds);
  visit("network_context_switch_seconds", parameters.network_context_switch, some_seconds);
  visit("within_node", parameters.within_node, some_seconds);
  visit("within_crowded_node", parameters.within_crowded_node, some_seconds);
  visit("within_node_fresh", parameters.within_node_fresh, some_seconds);
  visit("source_bytes_per_second", parameters.source, bytes_in_a_second);
  visit("combine_seconds_per_byte", parameters.combine, byte_work);
  visit("combine_sizes", parameters.combine_sizes, some_seconds);
  visit("copy_sizes", parameters.copy_sizes, some_seconds);
  visit("message_overhead_seconds", parameters.message_overhead, some_seconds);
  visit("context_switch_seconds", parameters.context_switch, some_seconds);
}

/// These keys and those that visit_all(add) adds.
template <class VisitAll>
std::vector<std::string_view> with_keys(std::vector<std::string_view> keys,
                                        const VisitAll& visit_all) {
  visit_all([&](const char* key, const auto&, const Bounds&) { keys.emplace_back(key); });
  return keys;
}

class ParametersWriter {
 public:
  explicit ParametersWriter(Json& object) : object_(object) {}

  void operator()(const char* key, double number, const Bounds&) const {
    if (number > 0) object_[key] = number;
  }
  void operator()(const char* key, const Measured& number, const Bounds&) const {
    object_[key] = {{"value", number.value}, {"least", number.least}, {"most", number.most}};
  }
  void operator()(const char* key, const std::vector<MessageSample>& sizes, const Bounds&) const {
    for (const MessageSample& sample : sizes)
      object_[key].push_back({{"bytes", sample.bytes}, {"seconds", sample.seconds}});
  }
  void operator()(const char* key, const MeasuredMessages& messages, const Bounds& bounds) const {
    Json written;
    const ParametersWriter writer(written);
    visit_numbers(messages, writer);
    writer("sizes", messages.sizes, bounds);
    object_[key] = std::move(written);
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& value, const Bounds& bounds) const {
    if (value) (*this)(key, *value, bounds);
  }

 private:
  Json& object_;
};

class ParametersParser {
 public:
  explicit ParametersParser(const TextFile& file) : json_(file) {}

  Parameters parse() const {
    const LocatedJson document = json_.document();
    const LocatedJson& number = json_.need(document, "version");
    if (json_.not_negative(number) != version) {
      json_.fail(number, fmt::format("this build reads version {}: calibrate again", version));
    }
    Parameters parameters;
    json_.check_keys(document, with_keys({"version", "hosts", "cables", "transports"},
                                         [&](const auto& add) { visit_entries(parameters, add); }));
    for (const LocatedJson& host : json_.list(document, "hosts"))
      parameters.key.hosts.push_back(read_host(host));
    for (const LocatedJson& cable : json_.list(document, "cables"))
      parameters.key.cables.push_back(read_cable(cable));
    if (json_.find(document, "transports") != nullptr) {
      for (const LocatedJson& transport : json_.list(document, "transports"))
        parameters.key.transports.push_back(name_in(transport));
    }
    std::ranges::sort(parameters.key.hosts);
    std::ranges::sort(parameters.key.cables);
    std::ranges::sort(parameters.key.transports);
    visit_entries(parameters, [&](const char* key, auto& entry, const Bounds& bounds) {
      read(document, key, entry, bounds);
    });
    return parameters;
  }

 private:
  std::string name_in(const LocatedJson& value) const {
    return json_.text(value, "the name of a host, switch or transport");
  }

  double read_number(const LocatedJson& value, const Bounds& bounds) const {
    const double number =
        json_.number(value, bounds.or_unknown ? 0 : bounds.least, bounds.most, bounds.expected);
    if (number != 0 && number < bounds.least) json_.fail(value, bounds.expected);
    return number;
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

  // Each reads the entry of a key, if it is there and need not be.
  void read(const LocatedJson& object, const char* key, double& number,
            const Bounds& bounds) const {
    if (const auto* value = json_.find(object, key)) number = read_number(*value, bounds);
  }
  void read(const LocatedJson& object, const char* key, Measured& number,
            const Bounds& bounds) const {
    number = read_measured(json_.need(object, key), bounds);
  }
  void read(const LocatedJson& object, const char* key, std::optional<Measured>& number,
            const Bounds& bounds) const {
    if (const auto* value = json_.find(object, key)) number = read_measured(*value, bounds);
  }
  void read(const LocatedJson& object, const char* key, std::optional<MeasuredMessages>& messages,
            const Bounds& bounds) const {
    const auto* value = json_.find(object, key);
    if (value == nullptr) return;
    messages.emplace();
    json_.check_keys(*value,
                     with_keys({"sizes"}, [&](const auto& add) { visit_numbers(*messages, add); }));
    visit_numbers(*messages, [&](const char* name, auto& number, const Bounds& its_bounds) {
      read(*value, name, number, its_bounds);
    });
    read(*value, "sizes", messages->sizes, bounds);
  }
  void read(const LocatedJson& object, const char* key, std::vector<MessageSample>& sizes,
            const Bounds& bounds) const {
    if (json_.find(object, key) == nullptr) return;
    for (const LocatedJson& value : json_.list(object, key)) {
      json_.check_keys(value, {"bytes", "seconds"});
      const std::size_t bytes = whole_bytes(json_.need(value, "bytes"));
      if (!sizes.empty() && bytes <= sizes.back().bytes)
        json_.fail(value, "expected ascending sizes");
      sizes.push_back({bytes, read_number(json_.need(value, "seconds"), bounds)});
    }
    if (!sizes.empty() && sizes.back().bytes == 0)
      json_.fail(*json_.find(object, key), "expected a size of more than 0 bytes");
  }

  std::size_t whole_bytes(const LocatedJson& value) const {
    return static_cast<std::size_t>(
        json_.whole_number(value, 0, some_bytes.most, "expected a whole number of bytes"));
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
            read_number(json_.need(value, "bytes_per_second"), bytes_in_a_second)};
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
  visit_entries(parameters, ParametersWriter(document));
  // Bytes of a name that are not UTF-8 are replaced: JSON cannot hold them.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Parameters parse_parameters(const TextFile& file) {
  return ParametersParser(file).parse();
}

}  // namespace cuboid::detail
