// waits, in this file: simulated ranks do not die, and SimGrid reports deadlocks
#include "bench/smpi/simulated_world.hpp"

#include "collectives/bootstrap/over_mpi.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/communicator/measured_parameters.hpp"
#include "topology/discovery/discover_from.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>
#include <simgrid/barrier.h>

namespace cuboid::detail::smpi {

namespace {

/// A bootstrap without exchange, because every rank knows everything already.
class NoExchange : public Bootstrap, public OverMpi {
 public:
  int rank() const override {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }
  int size() const override {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
  }
  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte>) override {
    throw Error(ErrorCode::internal, "a simulated world needs no exchange");
  }
  std::shared_ptr<MpiDomain> domain() const override {
    return std::make_shared<MpiDomain>(MPI_COMM_WORLD);
  }
};

KnownWorld describe(const SimulatedTorus& torus) {
  const auto ranks = static_cast<std::size_t>(torus.shape.nodes());
  std::vector<RankInformation> peer_information(ranks);
  std::vector<LocalReport> reports(peer_information.size());
  for (std::size_t rank = 0; rank < peer_information.size(); ++rank) {
    const std::string name = fmt::format("n{}", rank);
    peer_information[rank].host = peer_information[rank].node = peer_information[rank].machine =
        name;
    peer_information[rank].cores = {0};
    reports[rank].host.name = name;
    reports[rank].topology = to_string(ShapeSpec{
        torus.shape, std::vector(torus.shape.axes().size(), torus.link_bytes_per_second)});
  }
  return {std::make_shared<const PeerInformation>(peer_information),
          std::make_shared<const Discovery>(discover_from(reports))};
}

}  // namespace

Parameters parameters_of(const SimulatedTorus& torus) {
  Parameters parameters;
  parameters.between_nodes =
      MeasuredMessages::of({.alpha = torus.link_seconds, .beta = 1 / torus.link_bytes_per_second});
  parameters.hop = exactly(torus.link_seconds);
  parameters.cable_bytes_per_second = torus.link_bytes_per_second;
  // Processors take no time in the simulation.
  parameters.between_nodes->send_overhead = exactly(1e-12);
  parameters.between_nodes->receive_overhead = exactly(1e-12);
  parameters.combine = exactly(0.0);
  return parameters;
}

Communicator world_on(const SimulatedTorus& torus) {
  // Simulated ranks run one at a time in one process.
  static const KnownWorld known = describe(torus);
  NoExchange bootstrap;
  Environment environment = Environment::read();
  environment.transport = TransportChoice::mpi;
  const Communicator world = make_communicator(bootstrap, environment, known);
  // The shape replaces the network, of which there would be thousands of copies.
  world.state().cost_model.nodes.network.reset();
  return with_parameters(world, parameters_of(torus));
}

SimulatedTorus torus_of(int argc, char** argv) {
  if (argc <= arguments_of_torus)
    throw Error(ErrorCode::invalid_argument, "give SHAPE BYTES_PER_SECOND LATENCY");
  return {parse_shape(argv[1]).shape, std::atof(argv[2]), std::atof(argv[3])};
}

void meet() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  static const sg_bar_t barrier = sg_barrier_init(static_cast<unsigned>(ranks));
  sg_barrier_wait(barrier);
}

}  // namespace cuboid::detail::smpi

__attribute__((visibility("default"))) int main(int argc, char** argv) {
  try {
    MPI_Init(&argc, &argv);
    const int code = cuboid::detail::smpi::run(argc, argv);
    // No rank can reach a simulated rank that has ended: the last messages of all ranks must arrive
    // before any rank ends.
    cuboid::detail::smpi::meet();
    MPI_Finalize();
    return code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuboid: error: %s\n", error.what());
    std::abort();
  }
}
