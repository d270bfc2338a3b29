#include <cuboid/error.hpp>

#include "models/messages/parameters_file.hpp"

#include <array>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cuboid::detail {
namespace parameters_test {

MeasuredMessages within_a_node() {
  MeasuredMessages messages = MeasuredMessages::of({0.37e-6, 1.0 / 3e10});
  messages.sizes = {{8, 0.4e-6}, {1008, 0.9e-6}, {2008, 2.4e-6}};
  return messages;
}

Parameters measured() {
  return {.key = {.hosts = {{"a", 2}, {"b", 1}}, .cables = {{"a", "b", 12.5e6}}},
          .between_nodes = MeasuredMessages{.alpha = {31.25e-6, 30e-6, 1.0 / 3e4},
                                            .beta = exactly(8.1e-8),
                                            .send_overhead = Measured{3e-6, 2e-6, 4e-6},
                                            .receive_overhead = exactly(5e-6),
                                            .latency = exactly(23.25e-6),
                                            .gap = exactly(6e-6)},
          .hop = Measured{2e-6, 1e-6, 3e-6},
          .cable_bytes_per_second = 12.5e6,
          .injection = Measured{24e6, 20e6, 25e6},
          .burst = Measured{131072, 1e5, 2e5},
          .incast_loss = Measured{0.25, 0.2, 0.3},
          .overlap = Measured{0.95, 0.9, 1},
          .crowded_network = {{8, 6e-6}, {8192, 18e-6}},
          .network_context_switch = Measured{20e-6, 18e-6, 22e-6},
          .within_node = within_a_node(),
          .source = Measured{8.7e9, 8e9, 9e9},
          .within_crowded_node = MeasuredMessages::of({0.5e-6, 1.0 / 1e10}),
          .within_node_fresh = MeasuredMessages::of({0.5e-6, 1.0 / 4e9}),
          .combine = Measured{3e-11, 2e-11, 4e-11},
          .combine_sizes = {{1024, 2e-8}, {4096, 9e-8}},
          .copy_sizes = {{1024, 1e-8}, {4096, 5e-8}},
          .message_overhead = exactly(0.1e-6),
          .context_switch = Measured{1.3e-6, 1.2e-6, 1.5e-6}};
}

void expect_same(const std::optional<Measured>& a, const std::optional<Measured>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->value, b->value);
  EXPECT_EQ(a->least, b->least);
  EXPECT_EQ(a->most, b->most);
}

void expect_same(const std::vector<MessageSample>& a, const std::vector<MessageSample>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].bytes, b[i].bytes);
    EXPECT_EQ(a[i].seconds, b[i].seconds);
  }
}

void expect_same(const std::optional<MeasuredMessages>& a,
                 const std::optional<MeasuredMessages>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  expect_same(a->alpha, b->alpha);
  expect_same(a->beta, b->beta);
  expect_same(a->send_overhead, b->send_overhead);
  expect_same(a->receive_overhead, b->receive_overhead);
  expect_same(a->latency, b->latency);
  expect_same(a->gap, b->gap);
  expect_same(a->sizes, b->sizes);
}

void expect_equal(const Parameters& a, const Parameters& b) {
  EXPECT_EQ(a.key, b.key);
  expect_same(a.between_nodes, b.between_nodes);
  expect_same(a.within_node, b.within_node);
  expect_same(a.hop, b.hop);
  EXPECT_EQ(a.cable_bytes_per_second, b.cable_bytes_per_second);
  expect_same(a.injection, b.injection);
  expect_same(a.burst, b.burst);
  expect_same(a.incast_loss, b.incast_loss);
  expect_same(a.overlap, b.overlap);
  expect_same(a.crowded_network, b.crowded_network);
  expect_same(a.network_context_switch, b.network_context_switch);
  expect_same(a.source, b.source);
  expect_same(a.within_crowded_node, b.within_crowded_node);
  expect_same(a.within_node_fresh, b.within_node_fresh);
  expect_same(a.combine, b.combine);
  expect_same(a.combine_sizes, b.combine_sizes);
  expect_same(a.copy_sizes, b.copy_sizes);
  expect_same(a.message_overhead, b.message_overhead);
  expect_same(a.context_switch, b.context_switch);
}

/// What parse_parameters() says of the text; empty where it takes it.
std::string complaint(const std::string& text) {
  try {
    parse_parameters({"p.json", text});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse);
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST(Parameters, AreReadAsTheyWereWritten) {
  expect_equal(parse_parameters({"p.json", to_json(measured())}), measured());
  Parameters none;
  none.key.hosts = {{"a \"quoted\" name", 1}};
  expect_equal(parse_parameters({"p.json", to_json(none)}), none);
}

TEST(Parameters, TransportsAreReadAsTheyWereWritten) {
  Parameters parameters = measured();
  parameters.key.transports = {"processes", "sysv/memory", "tcp/eth0"};
  expect_equal(parse_parameters({"p.json", to_json(parameters)}), parameters);
  EXPECT_NE(complaint(replaced(to_json(parameters), "\"tcp/eth0\"", "1")), "");
}

TEST(Parameters, WhatIsWrongIsToldWithItsLine) {
  const std::string good = to_json(measured());
  ASSERT_EQ(complaint(good), "");
  const auto expect = [&](const std::string& what, const std::string& with,
                          const std::string& reason) {
    const std::string said = complaint(replaced(good, what, with));
    EXPECT_NE(said.find(reason), std::string::npos) << with << ": " << said;
    EXPECT_EQ(said.rfind("p.json:", 0), 0U) << said;
  };
  expect("\"version\": 8", "\"version\": 1", "p.json:2: this build reads version 8");
  expect("\"version\": 8,", "", "\"version\" is missing");
  expect("\"context_switch_seconds\"", "\"context_switch_microseconds\"",
         "unknown key \"context_switch_microseconds\"");
  expect("alpha_seconds", "alpha_us", "unknown key \"alpha_us\"");
  expect("\"ranks\": 2", "\"ranks\": 2.5", "whole number of ranks");
  expect("\"ranks\": 2", "\"ranks\": 0", "whole number of ranks");
  expect("\"ranks\": 2", "\"ranks\": 1e12", "whole number of ranks");
  expect("\"name\": \"b\"", "\"name\": \"\"", "the name of a host");
  expect("\"bytes_per_second\": ", "\"bytes_per_second\": -", "not negative");
  expect("\"value\": ", "\"value\": -", "not negative");
  expect("\"context_switch_seconds\": {", "\"context_switch_seconds\": -1, \"x\": {",
         "unknown key \"x\"");
  expect("\"bytes_per_second\": ", "\"bytes_per_second\": 1e300, \"x\": ", "unknown key \"x\"");
  expect("\"seconds\": ", "\"seconds\": 1e19, \"x\": ", "unknown key \"x\"");
  expect("\"value\": 3.125e-05", "\"value\": 3.125e-04", "least <= value <= most");
  expect("\"bytes\": 1008", "\"bytes\": 0.5", "whole number of bytes");
  expect("\"bytes\": 1008", "\"bytes\": 8", "ascending sizes");
  expect("\"most\"", "\"mode\"", "unknown key \"mode\"");
  expect("\"context_switch_seconds\": ", "\"context_switch_seconds\": [], \"hosts\": ",
         "occurs twice");
  expect("\"hosts\": [", "\"hosts\": 1, \"cables\": [", "\"cables\" occurs twice");
}

TEST(Parameters, JunkIsRefused) {
  for (const char* junk :
       {"", "{", "[]", "null", "1", "{}", "\xff\xfe", "{\"version\": \"1\"}", "{\"version\": 8}",
        "{\"version\": 8, \"hosts\": {}, \"cables\": []}",
        "{\"version\": 8, \"hosts\": [1], \"cables\": []}",
        "{\"version\": 8, \"hosts\": [], \"cables\": [], \"context_switch_seconds\": "
        "null}",
        "{\"version\": 8, \"hosts\": [], \"cables\": [], \"between_nodes\": "
        "{\"alpha_seconds\": 1}}"}) {
    EXPECT_NE(complaint(junk), "") << junk;
  }
}

TEST(Parameters, APartIsLessThanTheWhole) {
  const std::string text =
      "{\"version\": 8, \"hosts\": [], \"cables\": [], \"incast_loss_fraction\": ";
  EXPECT_EQ(complaint(text + "0.25}"), "");
  EXPECT_NE(complaint(text + "25}").find("less than 1"), std::string::npos);
}

TEST(Parameters, NumbersThatNoMachineHasAreRefused) {
  const auto complaint_of = [](const std::string& member) {
    return complaint("{\"version\": 8, \"hosts\": [], \"cables\": [],\n" + member + "}");
  };
  const auto messages = [](const char* which, const char* alpha, const char* beta) {
    return fmt::format(R"("{}": {{"alpha_seconds": {}, "beta_seconds_per_byte": {}}})", which,
                       alpha, beta);
  };
  for (const char* which : {"between_nodes", "within_node"}) {
    EXPECT_EQ(complaint_of(messages(which, "1e-6", "1e-10")), "");
    EXPECT_EQ(complaint_of(messages(which, "1e6", "1e-10")),
              "p.json:2: expected at most 100 seconds");
    EXPECT_EQ(complaint_of(messages(which, "1e-6", "2")),
              "p.json:2: expected at most 1 second per byte");
  }
  EXPECT_EQ(complaint_of(messages("within_crowded_node", "0", "0")), "");
  for (const char* key : {"source_bytes_per_second", "injection_bytes_per_second"}) {
    EXPECT_EQ(complaint_of(fmt::format("\"{}\": 1e10", key)), "");
    EXPECT_EQ(complaint_of(fmt::format("\"{}\": 0", key)), "");  // calibration could not tell
    for (const char* rate : {"1e-3", "1e16"}) {
      EXPECT_EQ(complaint_of(fmt::format("\"{}\": {}", key, rate)),
                "p.json:2: expected 1 to 1e15 bytes per second");
    }
  }
  EXPECT_EQ(complaint_of("\"cable_bytes_per_second\": 0"), "");  // not known
  EXPECT_NE(complaint_of("\"cable_bytes_per_second\": 1e17"), "");
  for (const char* key : {"hop_seconds", "message_overhead_seconds", "context_switch_seconds",
                          "network_context_switch_seconds"}) {
    EXPECT_EQ(complaint_of(fmt::format("\"{}\": 101", key)),
              "p.json:2: expected at most 100 seconds");
  }
  EXPECT_EQ(complaint_of("\"overlap_fraction\": 1.5"),
            "p.json:2: expected a fraction of at most 1");
  EXPECT_EQ(complaint_of("\"burst_bytes\": 1e17"), "p.json:2: expected at most 2^53 bytes");
  EXPECT_NE(complaint_of("\"copy_sizes\": [{\"bytes\": 8, \"seconds\": 1e3}]"), "");
}

TEST(Parameters, AnyCutOffFileIsRefused) {
  const std::string good = to_json(measured());
  for (std::size_t length = 0; length < good.rfind('}'); ++length)
    EXPECT_NE(complaint(good.substr(0, length)), "") << length;
}

TEST(Parameters, CanBeWrittenByHand) {
  const Parameters parameters = parse_parameters(
      {"p.json",
       "{\"version\": 8, \"hosts\": [], \"cables\": [], \"context_switch_seconds\": 2e-6,"
       " \"within_node\": {\"alpha_seconds\": 1e-6, \"beta_seconds_per_byte\": 1e-10}}"});
  ASSERT_TRUE(parameters.within_node && parameters.context_switch);
  EXPECT_EQ(parameters.within_node->message().alpha, 1e-6);
  EXPECT_EQ(parameters.within_node->message().beta, 1e-10);
  EXPECT_EQ(parameters.context_switch->least, 2e-6);
  EXPECT_EQ(parameters.within_node->log_gp().latency, 1e-6);
}

TEST(Parameters, WithinANodeABytesTimeLiesBetweenThoseOfTheSizesThatWereMeasured) {
  const MeasuredMessages messages = within_a_node();
  EXPECT_DOUBLE_EQ(messages.byte_seconds(8), 0);  // no more than the shortest takes
  EXPECT_DOUBLE_EQ(messages.byte_seconds(1008), 0.5e-6 / 1008);
  EXPECT_DOUBLE_EQ(messages.byte_seconds(1508), (0.5e-6 + 0.75e-6) / 1508);
  EXPECT_DOUBLE_EQ(messages.byte_seconds(2008), 2e-6 / 2008);
  EXPECT_DOUBLE_EQ(messages.byte_seconds(1e6), 2e-6 / 2008);
  EXPECT_EQ(messages.byte_seconds(0), messages.beta.value);
  EXPECT_EQ(byte_seconds(std::vector<MessageSample>{}, 100), 0);
  // Nothing is known of sizes.
  EXPECT_EQ(MeasuredMessages::of({.alpha = 1e-6, .beta = 3e-10}).byte_seconds(1000), 3e-10);
}

TEST(Parameters, WhatAMessageCostsIsTakenApartFromItsBytes) {
  MeasuredMessages messages = MeasuredMessages::of({.alpha = 1e-6, .beta = 3e-10});
  // Nothing is known of sizes: all is of the bytes.
  EXPECT_EQ(messages.flowing_byte_seconds(1000), 3e-10);
  EXPECT_EQ(messages.handling_seconds(1000), 0);
  // 3 us and then 0.1 ns a byte, up to where a cache ends.
  messages.sizes = {{8, 1e-6}, {10000, 5e-6}, {20000, 6e-6}, {100000, 14e-6}, {200000, 64e-6}};
  EXPECT_EQ(quickest_size(messages.sizes), 100000);
  const double flowing = 13e-6 / 100000;
  EXPECT_DOUBLE_EQ(messages.flowing_byte_seconds(10000), flowing);
  EXPECT_DOUBLE_EQ(messages.flowing_byte_seconds(100000), flowing);
  EXPECT_DOUBLE_EQ(messages.flowing_byte_seconds(200000), 63e-6 / 200000);
  EXPECT_DOUBLE_EQ(messages.handling_seconds(10000), 4e-6 - 10000 * flowing);
  EXPECT_DOUBLE_EQ(messages.handling_seconds(8), 0);
  EXPECT_DOUBLE_EQ(messages.handling_seconds(0), 0);
  EXPECT_EQ(messages.handling_seconds(100000), 0);
  EXPECT_EQ(messages.handling_seconds(200000), 0);
  // A message alone takes what was measured, however it is taken apart.
  for (const MessageSample& one : messages.sizes) {
    const auto bytes = static_cast<double>(one.bytes);
    EXPECT_NEAR(
        1e-6 + messages.handling_seconds(bytes) + bytes * messages.flowing_byte_seconds(bytes),
        one.bytes == 8 ? 1e-6 + 8 * flowing : one.seconds, 1e-12);
  }
  // Short messages take as long as the shortest, now a little more, now less: no byte is free.
  messages.sizes = {{8, 542e-9}, {16, 541e-9}, {64, 543e-9}, {4096, 2.5e-6}, {65536, 7e-6}};
  EXPECT_EQ(quickest_size(messages.sizes), 65536);
  EXPECT_GT(messages.handling_seconds(4096), 1e-6);
  EXPECT_EQ(quickest_size({}), 0);
  EXPECT_EQ(quickest_size(std::vector<MessageSample>{{8, 1e-6}}), 0);
}

TEST(Parameters, OverheadsAndLatencyMakeAlpha) {
  MeasuredMessages messages = *measured().between_nodes;
  EXPECT_DOUBLE_EQ(hockney(messages.log_gp()).alpha, messages.alpha.value);
  EXPECT_EQ(messages.log_gp().gap, 6e-6);
  messages.latency.reset();
  EXPECT_DOUBLE_EQ(hockney(messages.log_gp()).alpha, messages.alpha.value);
}

TEST(ParametersKey, DoesNotDependOnTheOrderOfRanks) {
  const std::array<std::string, 3> one = {"b", "a", "b"};
  const std::array<std::string, 3> other = {"b", "b", "a"};
  const ParametersKey key = parameters_key(one, nullptr);
  EXPECT_EQ(key, parameters_key(other, nullptr));
  EXPECT_EQ(key, (ParametersKey{.hosts = {{"a", 1}, {"b", 2}}, .cables = {}}));
}

TEST(ParametersKey, TellsHostsRanksCablesAndRatesApart) {
  const auto cables = [](double rate, bool turned, int count) {
    Network network;
    network.add_node(turned ? "b" : "a");
    network.add_node(turned ? "a" : "b");
    for (int i = 0; i < count; ++i) network.add_cable(0, 1, rate);
    return network;
  };
  const std::array<std::string, 2> hosts = {"a", "b"};
  const std::array<std::string, 3> more = {"a", "b", "b"};
  const std::array<std::string, 2> others = {"a", "c"};
  const Network network = cables(1e9, false, 1);
  const ParametersKey key = parameters_key(hosts, &network);
  const Network turned = cables(1e9, true, 1);
  EXPECT_EQ(key, parameters_key(hosts, &turned));
  const Network slower = cables(1e8, false, 1);
  const Network doubled = cables(1e9, false, 2);
  EXPECT_NE(key, parameters_key(hosts, &slower));
  EXPECT_NE(key, parameters_key(hosts, &doubled));
  EXPECT_NE(key, parameters_key(hosts, nullptr));
  EXPECT_NE(key, parameters_key(more, &network));
  EXPECT_NE(key, parameters_key(others, &network));
  ParametersKey other_transports = key;
  other_transports.transports = {"tcp/eth0"};
  EXPECT_NE(key, other_transports);
}

}  // namespace parameters_test
}  // namespace cuboid::detail
