// `cuboid mm` on a simulated torus: one rank on each node; each local gemm only takes time.
//
//   smpi_multiply SHAPE BYTES_PER_SECOND LATENCY FLAGS...
//
// FLAGS are those of `cuboid mm`, for random matrices. Rank 0 prints the object of --json.
#include <cuboid/local_gemm.hpp>

#include "bench/smpi/simulated_world.hpp"
#include "tools/mm/mm_flags.hpp"
#include "tools/mm/mm_options.hpp"
#include "tools/mm/mm_result.hpp"
#include "tools/mm/mm_run.hpp"
#include "tools/output/progress.hpp"

#include <cstdio>

#include <CLI/CLI.hpp>

namespace cuboid::detail::smpi {
namespace {

tools::MmOptions read(int argc, char** argv) {
  CLI::App app;
  tools::MmFlags flags;
  tools::declare_flags(app, flags);
  app.parse(argc, argv);
  return tools::read_flags(flags);
}

}  // namespace

int run(int argc, char** argv) {
  const Communicator world = world_on(torus_of(argc, argv));
  const tools::MmOptions options = read(argc - arguments_of_torus, argv + arguments_of_torus);
  const tools::Product product = tools::plan_product(options, world.size());
  const LocalGemm gemm = LocalGemm::open(world.environment(), 1);
  tools::Progress progress(1, false);
  const tools::MmResult result =
      tools::run_product<double>(options, options.how, product, world, gemm, progress);
  if (world.rank() == 0) std::printf("%s\n", tools::to_json(result).dump().c_str());
  return 0;
}

}  // namespace cuboid::detail::smpi
