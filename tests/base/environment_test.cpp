#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>

#include <cstdlib>
#include <map>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace environment_test {

using Variables = std::map<std::string, std::string>;

Environment read(const Variables& variables) {
  return Environment::read([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

// Sets a variable of this process for as long as it lives.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~ScopedVariable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Environment, Defaults) {
  const Environment environment = read({});
  EXPECT_EQ(environment.timeout.count(), 60.0);
  EXPECT_EQ(environment.log_level, LogLevel::warn);
  EXPECT_EQ(environment.topology, std::nullopt);
  EXPECT_EQ(environment.coordinate, std::nullopt);
  EXPECT_EQ(environment.parameters, std::nullopt);
  EXPECT_EQ(environment.cache_folder, std::nullopt);
  EXPECT_EQ(environment.blas, std::nullopt);
  EXPECT_EQ(environment.check, CheckLevel::arguments);
  EXPECT_EQ(environment.progress, ProgressBy::calls);
}

TEST(Environment, ChoicesAreOfWhatThereIs) {
  EXPECT_THROW(read({{"CUBOID_CHECK", "everything"}}), Error);
  EXPECT_THROW(read({{"CUBOID_PROGRESS", "magic"}}), Error);
}

TEST(Environment, EveryVariableIsRead) {
  const Environment environment = read({{"CUBOID_TIMEOUT", "2.5"},
                                        {"CUBOID_LOG", "debug"},
                                        {"CUBOID_TOPOLOGY", "torus:4x4"},
                                        {"CUBOID_COORDINATE", "2,0,1"},
                                        {"CUBOID_PARAMETERS", "measured.json"},
                                        {"CUBOID_BLAS", "/usr/lib/libblas.so"},
                                        {"CUBOID_LAPACK", "/usr/lib/liblapack.so"},
                                        {"CUBOID_HDF5", "/usr/lib/libhdf5.so"},
                                        {"CUBOID_CHECK", "collective"},
                                        {"CUBOID_PROGRESS", "thread"}});
  EXPECT_EQ(environment.check, CheckLevel::collective);
  EXPECT_EQ(environment.progress, ProgressBy::thread);
  EXPECT_EQ(environment.timeout.count(), 2.5);
  EXPECT_EQ(environment.log_level, LogLevel::debug);
  EXPECT_EQ(environment.topology, "torus:4x4");
  EXPECT_EQ(environment.coordinate, "2,0,1");
  EXPECT_EQ(environment.parameters, "measured.json");
  EXPECT_EQ(environment.blas, "/usr/lib/libblas.so");
  EXPECT_EQ(environment.lapack, "/usr/lib/liblapack.so");
  EXPECT_EQ(environment.hdf5, "/usr/lib/libhdf5.so");
}

TEST(Environment, DevicesAreChosenByWordsOrNumbers) {
  EXPECT_EQ(read({}).device_use, DeviceUse::automatic);
  EXPECT_EQ(read({{"CUBOID_DEVICE", "none"}}).device_use, DeviceUse::never);
  EXPECT_EQ(read({{"CUBOID_DEVICE", "gpu"}}).device_use, DeviceUse::always);
  const Environment two = read({{"CUBOID_DEVICE", "0,12"}});
  EXPECT_EQ(two.device_use, DeviceUse::automatic);
  EXPECT_EQ(two.devices, (std::vector<int>{0, 12}));
  EXPECT_EQ(read({{"CUBOID_DEVICE_MEMORY", "1000"}}).device_memory, 1000u);
  EXPECT_EQ(read({{"CUBOID_DEVICE_MEMORY", "8G"}}).device_memory, std::size_t{8} << 30);
  for (const char* bad : {"gpus", "0,", ",0", "0;1", "-1"})
    EXPECT_THROW(read({{"CUBOID_DEVICE", bad}}), Error) << bad;
  for (const char* bad : {"0", "8X", "8GG", "G", "-1", "99999999T"})
    EXPECT_THROW(read({{"CUBOID_DEVICE_MEMORY", bad}}), Error) << bad;
}

TEST(Environment, TheCacheIsWhereTheUserKeepsIt) {
  EXPECT_EQ(read({{"HOME", "/home/me"}}).cache_folder, "/home/me/.cache");
  EXPECT_EQ(read({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/cache"}}).cache_folder, "/cache");
}

TEST(Environment, TimeoutsThatCanBeServed) {
  const std::pair<const char*, double> cases[] = {
      {"1", 1}, {"0.001", 0.001}, {"1e3", 1000}, {"600", 600}};
  for (const auto& [text, seconds] : cases)
    EXPECT_EQ(read({{"CUBOID_TIMEOUT", text}}).timeout.count(), seconds) << text;
}

TEST(Environment, EveryLogLevel) {
  const std::pair<const char*, LogLevel> cases[] = {{"error", LogLevel::error},
                                                    {"warn", LogLevel::warn},
                                                    {"info", LogLevel::info},
                                                    {"debug", LogLevel::debug}};
  for (const auto& [text, level] : cases)
    EXPECT_EQ(read({{"CUBOID_LOG", text}}).log_level, level) << text;
}

struct BadValue {
  const char* variable;
  const char* value;
  const char* remedy;
  friend void PrintTo(const BadValue& bad, std::ostream* out) {
    *out << bad.variable << "=\"" << bad.value << '"';
  }
};

class BadEnvironment : public testing::TestWithParam<BadValue> {};

TEST_P(BadEnvironment, NamesVariableValueAndRemedy) {
  const auto& [variable, value, remedy] = GetParam();
  try {
    read({{variable, value}});
    FAIL() << variable << "=" << value << " was accepted";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), ErrorCode::parse);
    EXPECT_NE(message.find(variable), std::string::npos) << message;
    EXPECT_NE(message.find(std::string("\"") + value + "\""), std::string::npos) << message;
    EXPECT_NE(message.find(remedy), std::string::npos) << message;
  }
}

constexpr const char* give_seconds = "give a number of seconds greater than 0";
constexpr const char* give_level = "give one of error, warn, info, debug";
constexpr BadValue bad_values[] = {
    {"CUBOID_TIMEOUT", "0", give_seconds},     {"CUBOID_TIMEOUT", "-1", give_seconds},
    {"CUBOID_TIMEOUT", "soon", give_seconds},  {"CUBOID_TIMEOUT", "10s", give_seconds},
    {"CUBOID_TIMEOUT", " 10", give_seconds},   {"CUBOID_TIMEOUT", "10 ", give_seconds},
    {"CUBOID_TIMEOUT", "1,5", give_seconds},   {"CUBOID_TIMEOUT", "nan", give_seconds},
    {"CUBOID_TIMEOUT", "inf", give_seconds},   {"CUBOID_TIMEOUT", "1e999", give_seconds},
    {"CUBOID_TIMEOUT", "1e300", give_seconds}, {"CUBOID_LOG", "verbose", give_level},
    {"CUBOID_LOG", "DEBUG", give_level},       {"CUBOID_LOG", "2", give_level},
    {"CUBOID_LOG", "warn ", give_level},
};
INSTANTIATE_TEST_SUITE_P(Environment, BadEnvironment, testing::ValuesIn(bad_values));

TEST(Environment, OfThisProcess) {
  const ScopedVariable timeout("CUBOID_TIMEOUT", "7");
  const ScopedVariable log("CUBOID_LOG", "error");
  const ScopedVariable topology("CUBOID_TOPOLOGY", "mesh:8");
  const Environment environment = Environment::read();
  EXPECT_EQ(environment.timeout.count(), 7.0);
  EXPECT_EQ(environment.log_level, LogLevel::error);
  EXPECT_EQ(environment.topology, "mesh:8");
}

TEST(Environment, AnEmptyVariableIsNotSet) {
  const ScopedVariable timeout("CUBOID_TIMEOUT", "");
  const ScopedVariable topology("CUBOID_TOPOLOGY", "");
  const Environment environment = Environment::read();
  EXPECT_EQ(environment.timeout.count(), 60.0);
  EXPECT_EQ(environment.topology, std::nullopt);
}

}  // namespace environment_test
}  // namespace cuboid::detail
