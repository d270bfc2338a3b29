#include <cuboid/discovery.hpp>
#include <cuboid/error.hpp>

#include "tests/topology/sources/reports.hpp"
#include "tests/topology/sources/topology_files.hpp"
#include "topology/discovery/discover_from.hpp"
#include "topology/discovery/draw.hpp"
#include "topology/discovery/picture_layout.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace cuboid::detail {
namespace discovery_test {

using test::CabledHosts;
using test::report_of;

std::vector<LocalReport> reports_of(const std::vector<std::string>& hosts) {
  std::vector<LocalReport> reports;
  for (const std::string& host : hosts) reports.push_back(report_of(host));
  return reports;
}

/// n ranks on hosts h0, h1, ... that state a topology.
std::vector<LocalReport> stating(const std::string& topology, int ranks) {
  std::vector<LocalReport> reports;
  for (int rank = 0; rank < ranks; ++rank) {
    reports.push_back(report_of(fmt::format("h{}", rank)));
    reports.back().topology = topology;
  }
  return reports;
}

ErrorCode code_of(const std::vector<LocalReport>& reports, std::string* message = nullptr) {
  try {
    discover_from(reports);
  } catch (const Error& error) {
    if (message != nullptr) *message = error.what();
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::internal;
}

TEST(Discovery, NothingKnownIsOneGroupPerHost) {
  const Discovery discovery = discover_from(reports_of({"a", "b", "a"}));
  EXPECT_EQ(discovery.source, Source::flat);
  EXPECT_EQ(discovery.node_of_rank, (std::vector{0, 1, 0}));
  EXPECT_EQ(discovery.groups, (std::vector<NodeGroup>{{"a", 0, {0}}, {"b", 0, {1}}}));
  EXPECT_FALSE(discovery.shape());
  EXPECT_EQ(discovery.skipped.size(), 6U);
  for (const SkippedSource& skipped : discovery.skipped) EXPECT_NE(skipped.reason, "");
}

TEST(Discovery, OneHostIsANode) {
  const Discovery discovery = discover_from(reports_of({"a", "a"}));
  EXPECT_EQ(discovery.shape(), Shape());
  EXPECT_EQ(discovery.coordinate(0), Coordinate());
}

TEST(Discovery, HostsWithOneNameAreToldApartByTheirKernels) {
  std::vector<LocalReport> reports = reports_of({"a", "a"});
  reports[1].host.boot = "another";
  const Discovery discovery = discover_from(reports);
  EXPECT_EQ(discovery.hosts.names, (std::vector<std::string>{"a", "a#2"}));
}

TEST(Discovery, FindsTheTorusInKernelReports) {
  const Discovery discovery =
      discover_from(CabledHosts::of_shape(Shape::torus(std::array{4, 3}), 5).reports);
  EXPECT_EQ(discovery.source, Source::kernel);
  EXPECT_EQ(discovery.shape(), Shape::torus(std::array{4, 3}));
  EXPECT_TRUE(reproduces(discovery.network, *discovery.recognition));
}

TEST(Discovery, AStatedShapeGoesFirst) {
  std::vector<LocalReport> reports = CabledHosts::of_shape(Shape::torus(std::array{6})).reports;
  for (LocalReport& report : reports) report.topology = "mesh:2x3@8mbit/16mbit";
  const Discovery discovery = discover_from(reports);
  EXPECT_EQ(discovery.source, Source::shape);
  EXPECT_EQ(discovery.shape(), Shape::mesh(std::array{2, 3}));
  EXPECT_EQ(discovery.recognition->bytes_per_second, (std::vector{1e6, 2e6}));
  EXPECT_EQ(discovery.coordinate(discovery.node_of_rank[4]), (Coordinate{1, 1}));
  EXPECT_TRUE(reproduces(discovery.network, *discovery.recognition));
}

TEST(Discovery, AStatedShapeCanBeImitatedOnOneHost) {
  std::vector<LocalReport> reports(8, report_of("a"));
  for (LocalReport& report : reports) report.topology = "torus:2x2";
  const Discovery discovery = discover_from(reports);
  EXPECT_EQ(discovery.node_of_rank, (std::vector{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_NE(discovery.evidence.find("imitated"), std::string::npos);
}

TEST(Discovery, RanksThatDoNotFitAStatedShape) {
  std::string message;
  EXPECT_EQ(code_of(stating("torus:2x2", 3), &message), ErrorCode::invalid_argument);
  EXPECT_NE(message.find("torus:2x2 has 4 nodes"), std::string::npos) << message;
}

TEST(Discovery, ShapesThatFitNoMemoryAreRefusedBeforeTheyAreBuilt) {
  std::string message;
  EXPECT_EQ(code_of(stating("torus:1000x1000x1000", 3), &message), ErrorCode::invalid_argument);
  EXPECT_NE(message.find("1000000000 nodes, but there are 3 ranks"), std::string::npos) << message;
  EXPECT_EQ(code_of(stating("torus:1000x1000x1000", 1), &message), ErrorCode::invalid_argument);
  EXPECT_NE(message.find("up to 1048576"), std::string::npos) << message;
}

TEST(Discovery, VariablesAreReadAlsoWhereNobodyNeedsThem) {
  const auto complaint_about = [](const char* topology, const char* coordinate) {
    Environment environment;
    if (topology != nullptr) environment.topology = topology;
    if (coordinate != nullptr) environment.coordinate = coordinate;
    try {
      check_variables(environment);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const char* good : {"auto", "flat", "kernel", "torus:4x4", "file:network.json"}) {
    EXPECT_EQ(complaint_about(good, "1,2"), "");
  }
  EXPECT_NE(complaint_about("junk", nullptr).find("CUBOID_TOPOLOGY=\"junk\""), std::string::npos);
  EXPECT_NE(complaint_about(nullptr, "1,x").find("CUBOID_COORDINATE=\"1,x\""), std::string::npos);
}

TEST(Discovery, RanksThatStateDifferentTopologies) {
  std::vector<LocalReport> reports = stating("torus:2", 2);
  reports[1].topology = "mesh:2";
  std::string message;
  EXPECT_EQ(code_of(reports, &message), ErrorCode::mismatch);
  EXPECT_NE(message.find("\"mesh:2\" on rank 1"), std::string::npos) << message;
}

TEST(Discovery, ASelectedSourceThatDoesNotApply) {
  std::string message;
  EXPECT_EQ(code_of(stating("kernel", 2), &message), ErrorCode::unsupported);
  EXPECT_EQ(message.find("CUBOID_TOPOLOGY=kernel: "), 0U) << message;
  EXPECT_EQ(code_of(stating("nonsense", 2), &message), ErrorCode::parse);
  EXPECT_EQ(message.find("CUBOID_TOPOLOGY=nonsense: "), 0U) << message;
}

TEST(Discovery, AFilePlacesRanksByHostName) {
  std::vector<LocalReport> reports = stating("file:net.json", 3);
  const std::array names = {"c.example.org", "a", "b"};
  for (std::size_t rank = 0; rank < 3; ++rank) reports[rank].host.name = names[rank];
  reports[0].file = {"net.json", test::json_network, ""};
  const Discovery discovery = discover_from(reports);
  EXPECT_EQ(discovery.source, Source::file);
  EXPECT_EQ(discovery.node_of_rank, (std::vector{2, 0, 1}));
  reports[1].host.name = "unknown";
  EXPECT_EQ(code_of(reports), ErrorCode::invalid_argument);
}

TEST(Discovery, AFileThatCannotBeRead) {
  std::vector<LocalReport> reports = stating("file:net.json", 1);
  reports[0].file = {"net.json", "", "cannot read net.json: no such file"};
  EXPECT_EQ(code_of(reports), ErrorCode::io);
}

std::vector<LocalReport> at(const std::vector<std::string>& coordinates) {
  std::vector<LocalReport> reports = stating("", static_cast<int>(coordinates.size()));
  for (std::size_t rank = 0; rank < reports.size(); ++rank)
    reports[rank].coordinate.text = coordinates[rank];
  return reports;
}

TEST(Discovery, CoordinatesFillAMesh) {
  const Discovery discovery = discover_from(at({"5,1", "4,2", "4,1", "5,2"}));
  EXPECT_EQ(discovery.source, Source::coordinates);
  EXPECT_EQ(discovery.shape(), Shape::mesh(std::array{2, 2}));
  EXPECT_EQ(discovery.coordinate(discovery.node_of_rank[0]), (Coordinate{1, 0}));
  EXPECT_EQ(discovery.network.name(discovery.node_of_rank[1]), "h1");
}

TEST(Discovery, CoordinatesComeWithAShape) {
  std::vector<LocalReport> reports = at({"3", "0"});
  for (LocalReport& report : reports) report.coordinate.shape = "ring:4";
  const Discovery discovery = discover_from(reports);
  EXPECT_EQ(discovery.shape(), Shape::torus(std::array{4}));
  EXPECT_EQ(discovery.node_of_rank, (std::vector{3, 0}));
}

TEST(Discovery, CoordinatesPlaceRanksInAStatedShape) {
  std::vector<LocalReport> reports = at({"1,1", "0,0"});
  for (LocalReport& report : reports) report.topology = "torus:2x2";
  EXPECT_EQ(discover_from(reports).node_of_rank, (std::vector{3, 0}));
  for (LocalReport& report : reports) report.topology = "torus:2";
  EXPECT_EQ(code_of(reports), ErrorCode::mismatch);
}

TEST(Discovery, CoordinatesThatContradict) {
  EXPECT_EQ(code_of(at({"0,0", "0"})), ErrorCode::mismatch);
  EXPECT_EQ(code_of(at({"0,0", "0,0"})), ErrorCode::mismatch);
  EXPECT_EQ(code_of(at({"0,0", ""})), ErrorCode::mismatch);
  EXPECT_EQ(code_of(at({"0,0", "0,2"})), ErrorCode::mismatch);
  EXPECT_EQ(code_of(at({"0,0,0,0", "2147483647,2147483647,2147483647,2147483647"})),
            ErrorCode::mismatch);
  EXPECT_EQ(code_of(at({"0,x"})), ErrorCode::parse);
  EXPECT_EQ(code_of(at({"-1"})), ErrorCode::parse);
  EXPECT_EQ(code_of(at({"99999999999"})), ErrorCode::parse);
  EXPECT_EQ(code_of(at({"0,0,0,0,0,0,0,0,0"})), ErrorCode::parse);
  std::vector<LocalReport> one_host = at({"0", "1"});
  one_host[1].host = one_host[0].host;
  EXPECT_EQ(code_of(one_host), ErrorCode::mismatch);
}

TEST(Discovery, SlurmAddressesGiveGroups) {
  std::vector<LocalReport> reports = stating("", 3);
  const std::array addresses = {"top.s1.h0", "top.s2.h1", "top.s1.h2"};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    reports[rank].slurm.address = addresses[rank];
    reports[rank].slurm.pattern = "switch.switch.node";
  }
  const Discovery discovery = discover_from(reports);
  EXPECT_EQ(discovery.source, Source::slurm);
  EXPECT_FALSE(discovery.recognition);
  EXPECT_EQ(discovery.groups[0], (NodeGroup{"top.s1", 0, {0, 2}}));
}

TEST(Discovery, DescriptionsFoundByChanceDoNotFailAJob) {
  std::vector<LocalReport> reports = reports_of({"tux00", "tux08"});
  reports[0].slurm.description = {"topology.conf", test::slurm_tree, ""};
  EXPECT_EQ(discover_from(reports).source, Source::slurm);
  reports[0].slurm.description.text = "SwitchName=a Switches=a\n";
  const Discovery discovery = discover_from(reports);
  EXPECT_EQ(discovery.source, Source::flat);
  EXPECT_NE(discovery.skipped.back().reason.find("topology.conf:1: "), std::string::npos);
  reports[0].topology = reports[1].topology = "slurm";
  EXPECT_EQ(code_of(reports), ErrorCode::parse);
}

TEST(Discovery, AnInfinibandRingOfSwitchesIsARing) {
  std::vector<LocalReport> reports = reports_of({"n0", "n1", "n2", "n3", "n4"});
  reports[0].infiniband.description = {"fabric", test::infiniband_ring(5), ""};
  const Discovery discovery = discover_from(reports);
  EXPECT_EQ(discovery.source, Source::infiniband);
  EXPECT_EQ(discovery.shape(), Shape::torus(std::array{5}));
  EXPECT_TRUE(discovery.recognition->through_switches);
  EXPECT_TRUE(discovery.coordinate(discovery.node_of_rank[3]));
}

TEST(Discovery, InfinibandSaysWhatToDo) {
  std::vector<LocalReport> reports = reports_of({"a", "b"});
  reports[0].infiniband.devices = {"mlx5_0"};
  const Discovery discovery = discover_from(reports);
  EXPECT_NE(discovery.skipped[4].reason.find("ibnetdiscover >"), std::string::npos);
}

TEST(Discovery, ReportsSurviveTheExchange) {
  LocalReport report = CabledHosts::of_shape(Shape::torus(std::array{3})).reports[1];
  report.topology = "file:x";
  report.file = {"x", std::string("\xff\0binary", 8), "", {{"y", "included", ""}}};
  report.node.caches = {{1, 32768, 2}};
  EXPECT_EQ(report_from_bytes(to_bytes(report)), report);
  EXPECT_THROW(report_from_bytes(std::vector<std::byte>(3, std::byte{0xff})), Error);
  EXPECT_THROW(report_from_bytes({}), Error);
}

TEST(Discovery, DiscoversThisMachine) {
  int exchanges = 0;
  const auto all_gather = [&](std::span<const std::byte> mine) {
    ++exchanges;
    return std::vector<std::vector<std::byte>>(2, {mine.begin(), mine.end()});
  };
  DiscoveryOptions options;
  options.topology = "flat";
  const Discovery discovery = discover(0, 2, all_gather, Environment(), options);
  EXPECT_EQ(exchanges, 1);
  EXPECT_EQ(discovery.node_of_rank, (std::vector{0, 0}));
  EXPECT_FALSE(discovery.insides[0].cores.empty());
  options.topology.reset();
  options.coordinate = [] { return HandedCoordinate{{0}, parse_shape("ring:4")}; };
  EXPECT_EQ(discover(0, 2, all_gather, Environment(), options).source, Source::coordinates);
}

TEST(Discovery, ReadsWhatSlurmReads) {
  char folder[] = "/tmp/cuboid-slurm-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::filesystem::path etc = folder;
  std::array<char, 256> host{};
  ASSERT_EQ(gethostname(host.data(), host.size() - 1), 0);
  const std::string name = host.data();
  const auto alone = [](std::span<const std::byte> mine) {
    return std::vector<std::vector<std::byte>>{{mine.begin(), mine.end()}};
  };
  DiscoveryOptions options;
  options.topology = "slurm";
  options.slurm_file = etc / "topology.conf";
  options.lookup = [](const std::string&) { return std::optional<std::string>(); };
  const auto group_found = [&] {
    return discover(0, 1, alone, Environment(), options).groups.at(0).name;
  };
  std::ofstream(etc / "topology.conf") << "Include leaf.conf\n";
  std::ofstream(etc / "leaf.conf") << "SwitchName=of_conf Nodes=" << name << "\n";
  EXPECT_EQ(group_found(), "of_conf");
  std::ofstream(etc / "topology.yaml")
      << "- topology: t\n  tree:\n    switches:\n      - switch: of_yaml\n        nodes: " << name
      << "\n";
  EXPECT_EQ(group_found(), "of_yaml");
  std::filesystem::remove_all(etc);
}

TEST(Draw, EveryNodeAndCableIsThere) {
  const auto count = [](const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
      ++found;
    return found;
  };
  const std::string torus =
      draw_svg(discover_from(CabledHosts::of_shape(Shape::torus(std::array{3, 3, 2}), 5).reports));
  EXPECT_EQ(count(torus, "<circle"), 2 * 18);  // in the planes, and in the lines along axis 0
  EXPECT_EQ(count(torus, "<path"), 54);
  CabledHosts broken = CabledHosts::of_shape(Shape::torus(std::array{4, 4}));
  broken.reports[0].kernel.links.pop_back();
  const std::string less = draw_svg(discover_from(broken.reports));
  EXPECT_EQ(count(less, "stroke-dasharray"), 2);  // the cable and the legend
  EXPECT_EQ(count(less, ">missing cable</text>"), 1);
  EXPECT_EQ(count(torus, "missing cable"), 0);
  const std::string unknown = draw_svg(discover_from(reports_of({"<a>", "b&"})));
  EXPECT_EQ(count(unknown, "<a>"), 0);
  EXPECT_EQ(count(unknown, "&lt;a&gt;"), 2);
}

Discovery of_shape(const char* spec) {
  Discovery discovery;
  const Shape shape = parse_shape(spec).shape;
  discovery.network =
      Network::of_shape(shape, std::vector(static_cast<std::size_t>(shape.dimensions()), 100.0));
  discovery.recognition = recognise(discovery.network);
  return discovery;
}

TEST(Draw, NoTwoNodesAreInOnePlaceAndNoCableRunsAcrossAPlane) {
  for (const char* spec : {"torus:4x4", "torus:3x5", "hypercube:8", "torus:3x3x3", "mesh:2x3x4x2",
                           "ring:9", "torus:4x4x4", "torus:2x2x2x2x2"}) {
    const Discovery discovery = of_shape(spec);
    const PictureLayout layout(discovery);
    std::set<std::pair<int, int>> places;
    for (const auto& [node, at] : layout.nodes())
      places.emplace(std::lround(at.x), std::lround(at.y));
    EXPECT_EQ(places.size(), layout.nodes().size()) << spec;
    const auto is_node = [&](Point at) {
      return places.contains(
          {static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y))});
    };
    for (const Link& link : discovery.network.links()) {
      const auto [a, b] = layout.ends(link.from, link.to);
      EXPECT_TRUE(is_node(a) && is_node(b)) << spec;
      EXPECT_TRUE(!layout.on_grid() || a.x == b.x || a.y == b.y) << spec;
    }
  }
}

TEST(Draw, PlanesLieBesideEachOtherAndLinesBelow) {
  const PictureLayout layout(of_shape("torus:3x6x5"));
  std::vector<std::string> captions;
  for (const auto& caption : layout.captions()) captions.push_back(caption.text);
  ASSERT_EQ(captions.size(), 3U + 30);
  EXPECT_EQ(captions[0], "(0, ·, ·)");
  EXPECT_EQ(captions[1], "(1, ·, ·)");
  EXPECT_EQ(captions[3], "(·, 0, 0)");
  EXPECT_EQ(captions[4], "(·, 0, 1)");
  EXPECT_TRUE(PictureLayout(of_shape("torus:3x5")).captions().empty());
}

TEST(Draw, TrafficColoursBothDirectionsByTheTimeThatTheyWereBusy) {
  const Discovery discovery = of_shape("torus:3x5");
  NetworkTraffic traffic{.seconds = 10, .of_link = std::vector<LinkTraffic>(60)};
  traffic.of_link[0].bytes = 1000;  // all that a cable of 100 bytes per second can carry
  traffic.of_link[1].bytes = 500;
  traffic.of_link[2].up = false;
  const std::string picture = draw_svg(discovery, "a <title>", &traffic);
  const auto count = [&picture](const std::string& part) {
    int found = 0;
    for (std::size_t at = picture.find(part); at != std::string::npos;
         at = picture.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("<path"), 60);
  EXPECT_EQ(count("stroke=\"#c81428\""), 1);
  EXPECT_EQ(count("stroke=\"#e16e32\""), 1);
  EXPECT_EQ(count("stroke=\"#d0d4da\""), 58);
  EXPECT_EQ(count("stroke-dasharray"), 1);
  EXPECT_EQ(count(": 500 bytes (50.0%)"), 1);
  EXPECT_EQ(count(">a &lt;title&gt;</text>"), 1);
}

}  // namespace discovery_test
}  // namespace cuboid::detail
