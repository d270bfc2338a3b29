#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace cuboid {

namespace {

[[noreturn]] void reject(const char* name, const std::string& value, const char* remedy) {
  throw Error(ErrorCode::parse, fmt::format("{}=\"{}\": {}", name, value, remedy));
}

std::chrono::duration<double> parse_seconds(const char* name, const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  constexpr double most = 1e9;  // about 30 years; a much larger number would overflow the clock
  if (!whole || !std::isfinite(seconds) || seconds <= 0 || seconds > most) {
    reject(name, text, "give a number of seconds greater than 0 and at most 1e9, e.g. 60");
  }
  return std::chrono::duration<double>(seconds);
}

LogLevel parse_log_level(const char* name, const std::string& text) {
  if (text == "error") return LogLevel::error;
  if (text == "warn") return LogLevel::warn;
  if (text == "info") return LogLevel::info;
  if (text == "debug") return LogLevel::debug;
  reject(name, text, "give one of error, warn, info, debug");
}

CheckLevel parse_check(const char* name, const std::string& text) {
  if (text == "arguments") return CheckLevel::arguments;
  if (text == "collective") return CheckLevel::collective;
  reject(name, text, "give one of arguments, collective");
}

ProgressBy parse_progress(const char* name, const std::string& text) {
  if (text == "calls") return ProgressBy::calls;
  if (text == "thread") return ProgressBy::thread;
  reject(name, text, "give one of calls, thread");
}

TransportChoice parse_transport(const char* name, const std::string& text) {
  if (text == "auto") return TransportChoice::automatic;
  if (text == "ucx") return TransportChoice::ucx;
  if (text == "mpi") return TransportChoice::mpi;
  reject(name, text, "give one of auto, ucx, mpi");
}

/// Reads "auto", "none", "gpu", or the numbers of devices.
void parse_device(const char* name, const std::string& text, Environment& environment) {
  if (text == "auto") return;
  if (text == "none") {
    environment.device_use = DeviceUse::never;
    return;
  }
  if (text == "gpu") {
    environment.device_use = DeviceUse::always;
    return;
  }
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    int number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number < 0 || (next != end && *next != ','))
      reject(name, text, "give auto, none, gpu, or numbers of devices, e.g. 0,1");
    environment.devices.push_back(number);
    if (next == end) return;
    at = next + 1;
  }
}

std::size_t parse_bytes(const char* name, const std::string& text) {
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  const std::string_view unit(end, text.data() + text.size());
  constexpr std::string_view units = "KMGT";
  const std::size_t power = unit.empty() ? 0 : units.find(unit[0]) + 1;
  const bool whole = unit.size() <= 1 && power <= units.size() && (unit.empty() || power > 0);
  constexpr unsigned bits_of_unit = 10, bits = 64;
  if (error != std::errc{} || !whole || bytes == 0 ||
      (power > 0 && bytes >> (bits - bits_of_unit * power) != 0))
    reject(name, text, "give a number of bytes greater than 0, e.g. 8G");
  return bytes << (bits_of_unit * power);
}

}  // namespace

Environment Environment::read() {
  return read([](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  });
}

Environment Environment::read(const Lookup& lookup) {
  Environment environment;
  if (const auto text = lookup("CUBOID_TIMEOUT")) {
    environment.timeout = parse_seconds("CUBOID_TIMEOUT", *text);
  }
  if (const auto text = lookup("CUBOID_LOG")) {
    environment.log_level = parse_log_level("CUBOID_LOG", *text);
  }
  environment.topology = lookup("CUBOID_TOPOLOGY");
  environment.coordinate = lookup("CUBOID_COORDINATE");
  environment.algorithm = lookup("CUBOID_ALGORITHM");
  environment.parameters = lookup("CUBOID_PARAMETERS");
  environment.cache_folder = lookup("XDG_CACHE_HOME");
  if (const auto home = lookup("HOME"); home && !environment.cache_folder)
    environment.cache_folder = *home + "/.cache";
  environment.blas = lookup("CUBOID_BLAS");
  environment.lapack = lookup("CUBOID_LAPACK");
  environment.hdf5 = lookup("CUBOID_HDF5");
  if (const auto text = lookup("CUBOID_CHECK")) {
    environment.check = parse_check("CUBOID_CHECK", *text);
  }
  if (const auto text = lookup("CUBOID_PROGRESS")) {
    environment.progress = parse_progress("CUBOID_PROGRESS", *text);
  }
  if (const auto text = lookup("CUBOID_TRANSPORT")) {
    environment.transport = parse_transport("CUBOID_TRANSPORT", *text);
  }
  if (const auto text = lookup("CUBOID_DEVICE")) parse_device("CUBOID_DEVICE", *text, environment);
  if (const auto text = lookup("CUBOID_DEVICE_MEMORY"))
    environment.device_memory = parse_bytes("CUBOID_DEVICE_MEMORY", *text);
  environment.cuda = lookup("CUBOID_CUDA");
  environment.cublas = lookup("CUBOID_CUBLAS");
  environment.cusolver = lookup("CUBOID_CUSOLVER");
  environment.nvrtc = lookup("CUBOID_NVRTC");
  return environment;
}

}  // namespace cuboid
