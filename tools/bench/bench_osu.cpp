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
  return {std::move(head), std::move(columns), sizes};
}

void add_row(OsuTable& table, const BenchOptions& options, const BenchRow& row,
             const OfRanks& ranks, const std::optional<Overlap>& overlap) {
  std::vector<std::string> values;
  if (overlap) {
    values = osu_overlap_values(*overlap, options.run.full);
  } else {
    values = {osu_microseconds(ranks.mean)};
    if (options.run.full)
      values.insert(values.end(), {osu_microseconds(ranks.min), osu_microseconds(ranks.max)});
  }
  if (options.run.full && !overlap) values.push_back(std::to_string(row.iterations));
  for (std::string& verdict : osu_validation(row.errors)) values.push_back(std::move(verdict));
  table.add(row.asked_bytes, values);
}

}  // namespace

std::string to_osu(const BenchResult& result) {
  OsuTable ours = osu_table(result.options);
  for (const BenchRow& row : result.rows)
    add_row(ours, result.options, row, row.of_ranks, row.overlap);
  if (!result.options.run.against_mpi) return ours.text();
  OsuTable theirs = osu_table(result.options);
  for (const BenchRow& row : result.rows)
    add_row(theirs, result.options, row, *row.mpi_of_ranks, row.mpi_overlap);
  return "# Cuboid\n" + ours.text() + "\n# MPI\n" + theirs.text();
}

}  // namespace cuboid::detail::tools
