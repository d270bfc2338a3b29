#include "topology/sources/ibnetdiscover.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// A switch, channel adapter or router, from its header line.
struct Device {
  std::string id;  ///< "S-0002c90300a1b2c0"
  std::string description;
  int line = 0;
};

/// A port, from a line "[4] "S-..."[7] # ... 4xEDR" below a device.
struct Port {
  int device = 0;
  int number = 0;
  std::string far_id;
  int far_number = 0;
  double bytes_per_second = 0;
  int line = 0;
};

struct Fabric {
  std::vector<Device> devices;
  std::vector<Port> ports;
  std::vector<std::string> doubts;
};

/// The data rate of one lane, without the overhead of its encoding, in bits per second.
struct LaneSpeed {
  std::string_view name;
  double bits_per_second;
};
constexpr std::array<LaneSpeed, 9> lane_speeds = {{{"SDR", 2e9},
                                                   {"DDR", 4e9},
                                                   {"QDR", 8e9},
                                                   {"FDR10", 10e9},
                                                   {"FDR", 14.0625e9 * 64 / 66},
                                                   {"EDR", 25e9},
                                                   {"HDR", 50e9},
                                                   {"NDR", 100e9},
                                                   {"XDR", 200e9}}};

/// The rate of a text such as "4xEDR" in bytes per second; 0 for any other text.
double parse_width_and_speed(std::string_view text) {
  Cursor cursor(text);
  const std::optional<int> lanes = cursor.take_number();
  constexpr int most_lanes = 16;
  if (!lanes || *lanes > most_lanes || !cursor.take("x")) return 0;
  const auto speed = std::ranges::find(lane_speeds, cursor.rest(), &LaneSpeed::name);
  return speed == lane_speeds.end() ? 0 : *lanes * speed->bits_per_second / 8;
}

std::string_view last_word(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  return text.substr(text.find_last_of(" \t") + 1);
}

bool is_device_header(std::string_view line) {
  constexpr std::array<std::string_view, 3> kinds = {"Switch", "Ca", "Rt"};
  return std::ranges::any_of(kinds, [&](std::string_view kind) {
    return line.starts_with(kind) &&
           (line.size() == kind.size() || line[kind.size()] == ' ' || line[kind.size()] == '\t');
  });
}

/// True for lines that are not needed here: comments, "vendid=0x2c9" and the like, and the headings
/// of grouped output.
bool is_passed_over(std::string_view line) {
  constexpr std::array<std::string_view, 11> beginnings = {
      "#",       "vendid=", "devid=",      "sysimgguid=", "switchguid=", "caguid=",
      "rtguid=", "Chassis", "Non-Chassis", "Spine",       "Line"};
  return line.find_first_not_of(" \t") == std::string_view::npos ||
         std::ranges::any_of(beginnings,
                             [&](std::string_view begin) { return line.starts_with(begin); });
}

class FabricParser {
 public:
  explicit FabricParser(const TextFile& file) : file_(file), lines_(file) {}

  Fabric parse() {
    bool begun = false;
    while (const auto line = lines_.next()) {
      const bool header = is_device_header(*line);
      if (line->starts_with('[') && begun) {
        read_port(Cursor(*line));
      } else if (header) {
        read_device(Cursor(*line));
      } else if (!is_passed_over(*line)) {
        if (begun) fail("not a line of ibnetdiscover's output: " + in_quotes(*line));
        doubt_beginning(*line);
        continue;
      }
      begun = begun || header || line->starts_with('#');
    }
    return std::move(fabric_);
  }

 private:
  [[noreturn]] void fail(std::string_view reason) const { fail_at(file_, lines_.number(), reason); }

  /// Reports lines before the output. If the output and stderr go to one file, messages of
  /// ibnetdiscover and its shell stand before the output.
  void doubt_beginning(std::string_view line) {
    if (!fabric_.doubts.empty()) return;
    fabric_.doubts.push_back(
        fmt::format("{}:{}: not a line of ibnetdiscover's output, nor perhaps others before its "
                    "first #: {}: passed over; see that nothing is missing below",
                    file_.name, lines_.number(), in_quotes(line)));
  }

  /// Reads an id in quotation marks, e.g. "S-0002c90300a1b2c0".
  std::string take_id(Cursor& cursor) const {
    const auto id = cursor.take("\"") ? cursor.take_until("\"") : std::nullopt;
    const bool good =
        id && id->size() > 2 && id->size() <= 32 && (*id)[1] == '-' &&
        std::string_view("SHR").find(id->front()) != std::string_view::npos &&
        std::ranges::all_of(id->substr(2), [](unsigned char c) { return std::isxdigit(c) != 0; });
    if (!good) fail("expected a quoted node such as \"S-0002c90300a1b2c0\"");
    return std::string(*id);
  }

  /// Reads a device: Switch 36 "S-..."   # "description" enhanced port 0 lid 4 lmc 0
  void read_device(Cursor cursor) {
    cursor.take_word();
    cursor.skip_spaces();
    if (!cursor.take_number()) fail("expected the number of ports");
    cursor.skip_spaces();
    Device device{take_id(cursor), {}, lines_.number()};
    if (cursor.take_until("\"")) {
      const auto description = cursor.take_until("\"");
      if (!description) fail("the description's closing quotation mark is missing");
      device.description = *description;
    }
    fabric_.devices.push_back(std::move(device));
  }

  /// Skips text that may follow a port's number: "(guid)" and "[ext 4]".
  void skip_decorations(Cursor& cursor) const {
    while (true) {
      if (cursor.take("(")) {
        if (!cursor.take_until(")")) fail("( without )");
      } else if (cursor.take("[ext")) {
        if (!cursor.take_until("]")) fail("[ without ]");
      } else {
        return;
      }
    }
  }

  int take_port_number(Cursor& cursor) const {
    const auto number = cursor.take("[") ? cursor.take_number() : std::nullopt;
    if (!number || !cursor.take("]")) fail("expected a port such as [7]");
    skip_decorations(cursor);
    return *number;
  }

  /// Reads a port: [7](guid)  "S-..."[12]  # "description" lid 3 4xEDR
  void read_port(Cursor cursor) {
    if (fabric_.devices.empty()) fail("a port before any switch or adapter");
    Port port;
    port.device = static_cast<int>(fabric_.devices.size()) - 1;
    port.line = lines_.number();
    port.number = take_port_number(cursor);
    cursor.skip_spaces();
    port.far_id = take_id(cursor);
    port.far_number = take_port_number(cursor);
    cursor.skip_spaces();
    if (!cursor.at_end() && !cursor.take("#")) fail("expected # after the far port");
    port.bytes_per_second = parse_width_and_speed(last_word(cursor.rest()));
    fabric_.ports.push_back(std::move(port));
  }

  const TextFile& file_;
  LineReader lines_;
  Fabric fabric_;
};

/// The host's name in an adapter's description, e.g. "node7" in "node7 mlx5_0" or "node7 HCA-1":
/// the first word, if the second word is the adapter's name, which ends in a number, and there is
/// no third word.
std::optional<std::string> host_of_adapter(const std::string& description) {
  Cursor cursor(description);
  const std::string_view host = cursor.take_word();
  cursor.skip_spaces();
  const std::string_view adapter = cursor.take_word();
  if (host.empty() || adapter.empty() || !cursor.at_end()) return std::nullopt;
  if (std::isdigit(static_cast<unsigned char>(adapter.back())) == 0) return std::nullopt;
  return std::string(host);
}

/// True if a device is the adapter of a switch that reduces in the network. No rank runs on it.
bool is_aggregation_node(const Device& device) {
  return device.description.find("Aggregation Node") != std::string::npos;
}

class NetworkBuilder {
 public:
  NetworkBuilder(const TextFile& file, const Fabric& fabric) : file_(file), fabric_(fabric) {}

  InfinibandFabric build() {
    count_descriptions();
    for (std::size_t device = 0; device < fabric_.devices.size(); ++device)
      add_device(static_cast<int>(device));
    for (const Port& port : fabric_.ports) index_port(port);
    for (const Port& port : fabric_.ports) add_cable(port);
    InfinibandFabric result{std::move(network_), fabric_.doubts};
    if (first_loop_ != nullptr) result.doubts.push_back(doubt_about_loops());
    return result;
  }

 private:
  /// Describes the cables from a device to itself. Switches have them for tests, or left over from
  /// tests.
  std::string doubt_about_loops() const {
    return fmt::format("{}:{}: {} is cabled to itself: this cable is left out{}", file_.name,
                       first_loop_->line, id(first_loop_->device),
                       loop_ends_ > 2 ? ", and all others of this kind" : "");
  }

  void count_descriptions() {
    for (const Device& device : fabric_.devices) ++uses_of_description_[device.description];
  }

  void add_device(int number) {
    const Device& device = fabric_.devices[static_cast<std::size_t>(number)];
    if (!device_of_id_.try_emplace(device.id, number).second) {
      fail_at(file_, device.line, fmt::format("{} is described twice", device.id));
    }
    node_of_device_.push_back(is_aggregation_node(device) ? left_out : node_for(device));
  }

  /// The node of a device: the adapters of a host share a node; any other device has its own.
  int node_for(const Device& device) {
    // Adapters of one host have different descriptions. Adapters with the same description belong
    // to several hosts that nobody has named.
    const bool named = device.id.front() == 'H' && uses_of_description_.at(device.description) == 1;
    const auto host = named ? host_of_adapter(device.description) : std::nullopt;
    if (!host) return add_node(device, description_if_unique(device));
    const auto [entry, added] = node_of_host_.try_emplace(*host, left_out);
    if (added) entry->second = add_node(device, *host);
    return entry->second;
  }

  std::string description_if_unique(const Device& device) const {
    const bool unique =
        !device.description.empty() && uses_of_description_.at(device.description) == 1;
    return unique ? device.description : device.id;
  }

  int add_node(const Device& device, std::string name) {
    if (network_.find(name)) name = device.id;
    if (network_.find(name))
      fail_at(file_, device.line, fmt::format("the name {} is taken", in_quotes(name)));
    return network_.add_node(name, device.id.front() == 'H' ? Role::host : Role::network_switch);
  }

  using PortKey = std::pair<int, int>;  ///< device and port number

  void index_port(const Port& port) {
    if (!port_of_key_.try_emplace(PortKey{port.device, port.number}, &port).second) {
      fail_at(file_, port.line,
              fmt::format("port {} of {} is described twice", port.number, id(port.device)));
    }
  }

  const std::string& id(int device) const {
    return fabric_.devices[static_cast<std::size_t>(device)].id;
  }

  void add_cable(const Port& port) {
    const auto far_device = device_of_id_.find(port.far_id);
    if (far_device == device_of_id_.end()) {
      fail_at(
          file_, port.line,
          fmt::format("{} is cabled to {}, which is not described", id(port.device), port.far_id));
    }
    const auto far = port_of_key_.find({far_device->second, port.far_number});
    const bool confirmed = far != port_of_key_.end() && far->second->far_id == id(port.device) &&
                           far->second->far_number == port.number;
    if (!confirmed) {
      fail_at(file_, port.line,
              fmt::format("port {} of {} is cabled to port {} of {}, which does not say so",
                          port.number, id(port.device), port.far_number, port.far_id));
    }
    if (far_device->second == port.device) {
      if (loop_ends_++ == 0) first_loop_ = &port;
      return;
    }
    const int here = node_of_device_[static_cast<std::size_t>(port.device)];
    const int there = node_of_device_[static_cast<std::size_t>(far_device->second)];
    const bool second_mention = port.device > far_device->second;
    if (second_mention || here == left_out || there == left_out || here == there) return;
    const auto [slow, fast] = std::minmax(port.bytes_per_second, far->second->bytes_per_second);
    network_.add_cable(here, there, slow > 0 ? slow : fast);
  }

  static constexpr int left_out = -1;

  const TextFile& file_;
  const Fabric& fabric_;
  Network network_;
  std::unordered_map<std::string, int> uses_of_description_;
  std::unordered_map<std::string, int> device_of_id_;
  std::unordered_map<std::string, int> node_of_host_;
  std::vector<int> node_of_device_;
  std::map<PortKey, const Port*> port_of_key_;
  const Port* first_loop_ = nullptr;  ///< a port cabled to a port of its own device
  int loop_ends_ = 0;
};

}  // namespace

bool is_ibnetdiscover(std::string_view text) {
  const bool has_device = text.find("Switch\t") != std::string_view::npos ||
                          text.find("Switch ") != std::string_view::npos ||
                          text.find("Ca\t") != std::string_view::npos ||
                          text.find("Ca ") != std::string_view::npos;
  return has_device && (text.find("\"S-") != std::string_view::npos ||
                        text.find("\"H-") != std::string_view::npos);
}

InfinibandFabric parse_ibnetdiscover(const TextFile& file) {
  const Fabric fabric = FabricParser(file).parse();
  if (fabric.devices.empty()) fail_at(file, 1, "no switch and no adapter is described");
  return NetworkBuilder(file, fabric).build();
}

}  // namespace cuboid::detail
