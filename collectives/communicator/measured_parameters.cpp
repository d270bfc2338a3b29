#include "collectives/communicator/measured_parameters.hpp"

#include <cuboid/error.hpp>

#include "base/stable_hash.hpp"
#include "base/text_file.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/transport/transport.hpp"
#include "models/messages/parameters_file.hpp"
#include "topology/discovery/induced.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::string in_words(const MeasuredMessages& messages) {
  return fmt::format("{:.2f} us and {:.4g} MB/s", messages.alpha.value * 1e6,
                     1e-6 / messages.beta.value);
}

std::string in_words(const Parameters& parameters) {
  std::string text;
  if (parameters.between_nodes)
    text += fmt::format(", between nodes {}", in_words(*parameters.between_nodes));
  if (parameters.within_node)
    text += fmt::format(", within a node {}", in_words(*parameters.within_node));
  return text;
}

/// What rank 0 has found, in the form in which the other ranks are told.
class Announcement {
 public:
  Announcement() = default;
  Announcement(Parameters parameters, const std::string& file) {
    parameters.key = {};  // only rank 0 needs it
    text_ = file + '\n' + to_json(parameters);
  }
  explicit Announcement(const Error& error) : code_(error.code()), text_(error.what()) {}

  explicit Announcement(std::span<const std::byte> told) {
    if (told.empty()) throw Error(ErrorCode::internal, "rank 0 sent no parameters");
    if (const auto code = std::to_integer<unsigned>(told[0]); code != no_error)
      code_ = static_cast<ErrorCode>(code);
    text_.assign(reinterpret_cast<const char*>(told.data()) + 1, told.size() - 1);
  }
  std::vector<std::byte> told() const {
    std::vector<std::byte> bytes(1 + text_.size());
    bytes[0] = std::byte(code_ ? static_cast<unsigned>(*code_) : no_error);
    std::memcpy(bytes.data() + 1, text_.data(), text_.size());
    return bytes;
  }

  std::shared_ptr<const Parameters> take() const {
    if (code_) throw Error(*code_, text_);
    if (text_.empty()) return nullptr;
    const std::size_t end_of_name = text_.find('\n');
    auto parameters = std::make_shared<Parameters>(
        parse_parameters({"parameters of rank 0", text_.substr(end_of_name + 1)}));
    parameters->file = text_.substr(0, end_of_name);
    return parameters;
  }

 private:
  static constexpr unsigned no_error = 0xFF;

  std::optional<ErrorCode> code_;
  std::string text_;  ///< of an error; or the file's name, the end of a line, and its parameters
};

void warn_of_unusable(const Logger& logger, const Error& error) {
  logger.warn(
      fmt::format("{}: ignored; remove the file, or measure again with `cuboid bench --calibrate`",
                  error.what()));
}

Announcement find(const Transport& world, const Discovery* discovery) {
  const Environment& environment = world.environment();
  const Logger& logger = world.logger();
  const bool named = environment.parameters.has_value();
  if (named && *environment.parameters == "none") return {};
  // Without a cache the key is not needed. It is long for a large network.
  if (!named && !environment.cache_folder) return {};
  std::error_code unreadable;  // if the file system gives an error there is no usable file
  if (!named && !std::filesystem::is_directory(*environment.cache_folder + "/cuboid", unreadable)) {
    return {};
  }

  const ParametersKey key = parameters_key(world, discovery);
  const std::string path =
      named ? *environment.parameters : *cached_parameters_path(key, environment);
  if (!named && !std::filesystem::exists(path, unreadable)) return {};
  try {
    Parameters parameters = parse_parameters(read_text_file(path));
    if (parameters.key != key) {
      logger.warn(
          fmt::format("{}: ignored, as it was measured on other {}; measure again with `cuboid "
                      "bench --calibrate`",
                      path,
                      parameters.key.hosts != key.hosts     ? "hosts or ranks"
                      : parameters.key.cables != key.cables ? "cables"
                                                            : "transports or devices"));
      return {};
    }
    if (logger.enabled(LogLevel::info))
      logger.info(fmt::format("parameters: {}{}", path, in_words(parameters)));
    return Announcement(std::move(parameters), path);
  } catch (const Error& error) {
    if (named)
      return Announcement(Error(error.code(), fmt::format("{} (CUBOID_PARAMETERS)", error.what())));
    warn_of_unusable(logger, error);
    return {};
  }
}

}  // namespace

namespace {

/// The ways of this rank's messages, and whether ranks are threads or processes.
std::vector<std::string> ways_of(const Transport& world) {
  std::vector<std::string> ways = world.carrier().ways();
  bool threads = false;
  for (int rank = 0; rank < world.size(); ++rank)
    threads = threads || (rank != world.rank() && world.same_process(rank));
  ways.emplace_back(threads ? "threads" : "processes");
  std::ranges::sort(ways);
  return ways;
}

}  // namespace

ParametersKey parameters_key(const Transport& world, const Discovery* discovery) {
  std::vector<std::string> hosts;
  for (int rank = 0; rank < world.size(); ++rank) hosts.emplace_back(world.host(rank));
  ParametersKey key = discovery ? parameters_key(hosts, &WholeNetwork(*discovery).get())
                                : parameters_key(hosts, nullptr);
  key.transports = ways_of(world);
  return key;
}

ParametersKey parameters_key(const Communicator& world) {
  const Communicator::State& state = world.state();
  return parameters_key(state.engine->transport(), state.discovery.get());
}

std::optional<std::string> cached_parameters_path(const ParametersKey& key,
                                                  const Environment& environment) {
  if (!environment.cache_folder) return std::nullopt;
  std::string hosts;
  for (const auto& host : key.hosts) hosts += fmt::format("{} {}\n", host.name, host.ranks);
  if (std::ranges::find(key.transports, "threads") != key.transports.end()) hosts += "threads\n";
  return fmt::format("{}/cuboid/parameters-{:016x}.json", *environment.cache_folder,
                     stable_hash(hosts));
}

std::optional<std::string> newest_cached_parameters(std::string_view host,
                                                    const Environment& environment) {
  namespace fs = std::filesystem;
  if (!environment.cache_folder) return std::nullopt;
  std::optional<std::string> newest;
  fs::file_time_type newest_time = fs::file_time_type::min();
  std::error_code unreadable;  // a folder that cannot be read has no usable file
  for (const auto& entry :
       fs::directory_iterator(*environment.cache_folder + "/cuboid", unreadable)) {
    const std::string name = entry.path().filename();
    const fs::file_time_type time = entry.last_write_time(unreadable);
    if (!name.starts_with("parameters-") || !name.ends_with(".json") || time <= newest_time)
      continue;
    try {
      const Parameters parameters = parse_parameters(read_text_file(entry.path()));
      if (std::ranges::find(parameters.key.hosts, host, &ParametersKey::Host::name) ==
          parameters.key.hosts.end())
        continue;
    } catch (const Error& error) {
      warn_of_unusable(Logger(environment.log_level, 0), error);
      continue;
    }
    newest = entry.path();
    newest_time = time;
  }
  return newest;
}

std::shared_ptr<const Parameters> load_parameters(Bootstrap& bootstrap, const Transport& world,
                                                  const Discovery* discovery) {
  std::vector<std::byte> mine;
  if (bootstrap.rank() == 0) mine = find(world, discovery).told();
  return Announcement(bootstrap.allgather(mine).front()).take();
}

Communicator with_parameters(const Communicator& communicator, const Parameters& parameters) {
  const Communicator::State& state = communicator.state();
  auto shared = std::make_shared<const Parameters>(parameters);
  const GroupCostModel& old = state.cost_model;
  GroupCostModel cost_model = group_cost_model_of(old.nodes, old.ranks_per_core, shared.get());
  return Communicator(
      std::make_shared<Communicator::State>(Communicator::State{state.engine,
                                                                state.group,
                                                                std::move(cost_model),
                                                                state.rules,
                                                                {},
                                                                state.discovery,
                                                                std::move(shared)}));
}

}  // namespace cuboid::detail
