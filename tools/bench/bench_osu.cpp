#include "tools/bench/bench_result.hpp"
#include "tools/measurement/osu_table.hpp"

#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// OSU's name of the operation.
std::string osu_name(Operation operation) {
  switch (operation) {
    case Operation::broadcast: return "Broadcast";
    case Operation::reduce: return "Reduce";
    case Operation::allreduce: return "Allreduce";
    case Operation::allgather: return "Allgather";
    case Operation::reduce_scatter: return "Reduce_scatter";
    case Operation::gather: return "Gather";
    case Operation::scatter: return "Scatter";
    case Operation::alltoall: return "All-to-All";
    case Operation::scan: return "Scan";
    case Operation::exscan: return "Exscan";
    case Operation::barrier: break;
  }
  return "Barrier";
}

/// OSU's Reduce_scatter is the form with lengths; the form with equal blocks is a separate test.
std::string osu_test(const BenchOptions& options) {
  std::string name = osu_name(options.operation);
  if (options.operation == Operation::reduce_scatter) {
    if (!options.v_form) name += "_block";
  } else if (options.v_form) {
    name += "v";
  }
  if (options.operation == Operation::alltoall) name += " Personalized Exchange";
  if (options.call == CallForm::nonblocking) name = "Non-blocking " + name;
  if (options.call == CallForm::persistent) name += " Persistent";
  return fmt::format("MPI {} Latency Test", name);
}

OsuTable osu_table(const BenchOptions& options) {
  const bool sizes = options.operation != Operation::barrier;
  const bool known = options.operation != Operation::scan && options.operation != Operation::exscan;
  const std::string test = osu_test(options);
  std::vector<std::string> head = {"", known ? osu_title(test) : own_title(test)};
  std::vector<std::string> columns;
  if (options.call == CallForm::nonblocking) {
    head.insert(head.end(), {"Overall = Coll. Init + Compute + MPI_Test + MPI_Wait", ""});
    columns = osu_overlap_columns(options.run.full);
  } else {
    columns = {"Avg Latency(us)"};
    if (options.run.full) columns.insert(columns.end(), {"Min Latency(us)", "Max Latency(us)"});
  }
  if (sizes) head.push_back(osu_datatype(options.type));
  // OSU's non-blocking tests print no iterations.
  if (options.run.full && options.call != CallForm::nonblocking) columns.emplace_back("Iterations");
  if (options.run.validate) columns.emplace_back("Validation");
  for (std::string& column : osu_tail_columns(options.run.percentiles, "Lat(us)"))
    columns.push_back(std::move(column));
  return {std::move(head), std::move(columns), sizes};
}

}  // namespace

std::string osu_head(const BenchResult& result) {
  return osu_table(result.options).head();
}

std::string osu_of(const BenchResult& result, const BenchRow& row, Library library) {
  const bool ours = library == Library::cuboid;
  const OfRanks& ranks = ours ? row.of_ranks : *row.mpi_of_ranks;
  const std::optional<Overlap>& overlap = ours ? row.overlap : row.mpi_overlap;
  const bool full = result.options.run.full;
  std::vector<std::string> values;
  if (overlap) {
    values = osu_overlap_values(*overlap, full);
  } else {
    values = {osu_microseconds(ranks.mean)};
    if (full)
      values.insert(values.end(), {osu_microseconds(ranks.min), osu_microseconds(ranks.max)});
  }
  if (full && !overlap) values.push_back(std::to_string(row.iterations));
  for (std::string& verdict : osu_validation(row.errors)) values.push_back(std::move(verdict));
  for (const double seconds : ours ? row.tail : row.mpi_tail)
    values.push_back(osu_microseconds(seconds));
  return osu_table(result.options).row(row.asked_bytes, values);
}

}  // namespace cuboid::detail::tools
