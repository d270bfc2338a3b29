#include "topology/sources/kernel_source.hpp"

#include "tests/topology/sources/reports.hpp"
#include "topology/machine/kernel_links.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace kernel_source_test {

using test::CabledHosts;

using Cables = std::map<std::pair<int, int>, int>;

/// How many cables join each pair of nodes.
Cables cables_of(const Network& network) {
  Cables cables;
  for (int cable = 0; cable < network.cables(); ++cable) {
    const Link& link = network.links()[static_cast<std::size_t>(2 * cable)];
    ++cables[std::minmax(link.from, link.to)];
  }
  return cables;
}

Answer pool(const CabledHosts& hosts) {
  return pool_kernel_reports(hosts.reports, group_by_host(hosts.reports));
}

Network network_of(const CabledHosts& hosts) {
  Answer answer = pool(hosts);
  if (const auto* declined = std::get_if<Declined>(&answer))
    throw std::runtime_error(declined->reason);
  return std::get<Finding>(answer).network;
}

std::string reason_of(const CabledHosts& hosts) {
  const Answer answer = pool(hosts);
  const auto* declined = std::get_if<Declined>(&answer);
  return declined == nullptr ? "" : declined->reason;
}

TEST(KernelSource, PoolsTheCablesOfATorus) {
  const Shape shape = Shape::torus(std::array{4, 3});
  const Network network = network_of(CabledHosts::of_shape(shape, 12.5e6));
  EXPECT_EQ(cables_of(network), cables_of(Network::of_shape(shape)));
  for (const Link& link : network.links()) EXPECT_EQ(link.bytes_per_second, 12.5e6);
  EXPECT_EQ(network.name(5), "h5");
}

TEST(KernelSource, CountsParallelCables) {
  const Shape shape = Shape::torus(std::array{2, 3});
  EXPECT_EQ(cables_of(network_of(CabledHosts::of_shape(shape))),
            cables_of(Network::of_shape(shape)));
}

TEST(KernelSource, RanksOfOneHostReportItOnce) {
  CabledHosts hosts(2);
  hosts.add_cable(0, 1);
  hosts.reports = {hosts.reports[0], hosts.reports[1], hosts.reports[0], hosts.reports[1]};
  const Answer answer = pool(hosts);
  const auto& finding = std::get<Finding>(answer);
  EXPECT_EQ(finding.network.cables(), 1);
  EXPECT_EQ(finding.node_of_rank, (std::vector{0, 1, 0, 1}));
}

TEST(KernelSource, TheSlowerEndIsTheRate) {
  CabledHosts hosts(2);
  hosts.add_link_to(0, 1, 100);
  hosts.add_link_to(1, 0, 60);
  EXPECT_EQ(network_of(hosts).links()[0].bytes_per_second, 60);
}

TEST(KernelSource, AnEndWithoutARateDoesNotCount) {
  CabledHosts hosts(2);
  hosts.add_link_to(0, 1, 0);
  hosts.add_link_to(1, 0, 60);
  EXPECT_EQ(network_of(hosts).links()[0].bytes_per_second, 60);
}

TEST(KernelSource, TheLeastBurstIsThatOfEveryLink) {
  CabledHosts hosts(3);
  hosts.add_link_to(0, 1, 60).burst_bytes = 5000;
  hosts.add_link_to(1, 0, 60).burst_bytes = 4000;
  hosts.add_link_to(1, 2, 60).burst_bytes = 6000;
  LinkReport& last = hosts.add_link_to(2, 1, 60);
  last.burst_bytes = 7000;
  const Answer known = pool(hosts);
  EXPECT_EQ(std::get<Finding>(known).burst_bytes, 4000);
  last.burst_bytes = 0;
  const Answer unknown = pool(hosts);
  EXPECT_EQ(std::get<Finding>(unknown).burst_bytes, 0);
}

TEST(KernelSource, HardwareAddressesTellWhichParallelCableIsWhich) {
  // Each host routes over one of two cables only, and not over the same: hardware addresses show
  // that they are two.
  CabledHosts hosts(2);
  hosts.add_link_to(0, 1);
  hosts.add_link(0);
  hosts.add_link(1);
  hosts.add_link_to(1, 0);
  const auto hardware = [&](std::size_t host, std::size_t link) {
    return hosts.reports[host].kernel.links[link].hardware_address;
  };
  hosts.reports[0].kernel.links[0].neighbours[0].hardware_address = hardware(1, 0);
  hosts.reports[1].kernel.links[1].neighbours[0].hardware_address = hardware(0, 1);
  EXPECT_EQ(network_of(hosts).cables(), 2);
}

TEST(KernelSource, TheSameCableSeenFromBothEndsIsOne) {
  CabledHosts hosts(2);
  LinkReport& here = hosts.add_link_to(0, 1);
  LinkReport& there = hosts.add_link_to(1, 0);
  here.neighbours[0].hardware_address = there.hardware_address;
  there.neighbours[0].hardware_address = here.hardware_address;
  hosts.add_link(0);
  EXPECT_EQ(network_of(hosts).cables(), 1);
}

TEST(KernelSource, BelievesOneEndWhereTheOtherHasALinkUp) {
  CabledHosts hosts(2);
  hosts.add_link_to(0, 1);
  hosts.add_link(1);
  const Answer answer = pool(hosts);
  EXPECT_EQ(std::get<Finding>(answer).network.cables(), 1);
  EXPECT_NE(std::get<Finding>(answer).evidence.find("1 of them seen from one end only"),
            std::string::npos);
}

TEST(KernelSource, DoesNotBelieveOneEndWhereTheOtherHasNoLink) {
  CabledHosts hosts(2);
  hosts.add_link_to(0, 1);
  EXPECT_NE(reason_of(hosts), "");
}

TEST(KernelSource, JoinsTheTwoEndsOfASubnetOfTwo) {
  CabledHosts hosts(3);
  hosts.add_link(0).addresses = {"10.1.0.1/30"};
  hosts.add_link(1).addresses = {"10.1.0.2/30"};
  hosts.add_link(1).addresses = {"10.1.0.4/31"};
  hosts.add_link(2).addresses = {"10.1.0.5/31"};
  EXPECT_EQ(cables_of(network_of(hosts)), (Cables{{{0, 1}, 1}, {{1, 2}, 1}}));
}

TEST(KernelSource, JoinsIpv6LinkLocalNextHops) {
  CabledHosts hosts(2);
  LinkReport& here = hosts.add_link(0);
  LinkReport& there = hosts.add_link(1);
  here.addresses = {"fe80::a/64"};
  there.addresses = {"fe80::b/64"};
  here.neighbours = {{"fe80::b", ""}};
  there.neighbours = {{"fe80::a", ""}};
  EXPECT_EQ(network_of(hosts).cables(), 1);
}

TEST(KernelSource, ASwitchedNetworkHasNoCables) {
  CabledHosts hosts(4);
  for (int host = 0; host < 4; ++host) {
    LinkReport& link = hosts.add_link(host);
    link.addresses = {CabledHosts::address(host) + "/24"};
    for (int other = 0; other < 4; ++other) {
      if (other != host) link.neighbours.push_back({CabledHosts::address(other), ""});
    }
  }
  EXPECT_NE(reason_of(hosts).find("switched"), std::string::npos);
}

TEST(KernelSource, DeclinesWhereCablesJoinOnlySomeHosts) {
  CabledHosts hosts(4);
  hosts.add_cable(0, 1);
  hosts.add_cable(2, 3);
  EXPECT_NE(reason_of(hosts).find("no path leads from h0 to h2"), std::string::npos);
}

TEST(KernelSource, DeclinesOnOneHostAndWhereTheKernelCannotBeAsked) {
  CabledHosts one(1);
  EXPECT_EQ(reason_of(one), "all ranks are on one host");
  CabledHosts hosts(2);
  hosts.add_cable(0, 1);
  hosts.reports[1].kernel.problem = "cannot list links: denied";
  EXPECT_EQ(reason_of(hosts), "h1: cannot list links: denied");
}

TEST(KernelSource, AnAddressThatSeveralHostsHaveTellsNothing) {
  CabledHosts hosts(3);
  hosts.add_cable(0, 1);
  hosts.add_cable(1, 2);
  for (LocalReport& report : hosts.reports) report.kernel.addresses.push_back("172.17.0.1");
  hosts.add_link(0).neighbours = {{"172.17.0.1", ""}};
  EXPECT_EQ(cables_of(network_of(hosts)), (Cables{{{0, 1}, 1}, {{1, 2}, 1}}));
}

TEST(KernelSource, LinksToHostsWithoutRanksAreLeftOut) {
  CabledHosts hosts(2);
  hosts.add_cable(0, 1);
  hosts.add_link(0).neighbours = {{"10.0.0.99", ""}};
  const Answer answer = pool(hosts);
  EXPECT_EQ(std::get<Finding>(answer).network.cables(), 1);
  EXPECT_NE(std::get<Finding>(answer).evidence.find("1 further link"), std::string::npos);
}

TEST(KernelLinks, CanBeReadHere) {
  const KernelReport report = read_kernel_links();
  EXPECT_EQ(report.problem, "");
  for (const LinkReport& link : report.links) {
    EXPECT_NE(link.name, "");
    EXPECT_NE(link.name, "lo");
    EXPECT_GE(link.bytes_per_second, 0);
    EXPECT_GE(link.burst_bytes, 0);
  }
}

}  // namespace kernel_source_test
}  // namespace cuboid::detail
