// The rows of misuse.txt that C++ can express. Usage: bindings_misuse_cpp misuse.txt [compared]:
// with the second, the rows that only ranks that compare their calls find
// (CUBOID_CHECK=collective).

#include <cuboid/bootstrap.hpp>
#include <cuboid/collectives.hpp>
#include <cuboid/elementwise.hpp>
#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/irregular_layout.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/mixed_precision.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/neighbourhood.hpp>
#include <cuboid/point_to_point.hpp>
#include <cuboid/qr.hpp>
#include <cuboid/redistribute.hpp>
#include <cuboid/triangular_products.hpp>
#include <cuboid/window.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid {
namespace {

constexpr std::size_t block = 4;
constexpr std::size_t huge = std::size_t{1} << 63;

struct Mistake {
  std::string operation, misuse, error;
};

/// The rows of one language.
std::vector<Mistake> rows_of(const char* path, bool compared) {
  std::vector<Mistake> rows;
  std::ifstream table(path);
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    Mistake row;
    std::string interfaces;
    if (!(words >> row.operation >> row.misuse >> row.error >> interfaces)) continue;
    if (row.operation.front() == '#') continue;
    if (interfaces.starts_with("c++") && (row.misuse == "ranks_differ") == compared)
      rows.push_back(row);
  }
  return rows;
}

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::mismatch: return "mismatch";
    case ErrorCode::timeout: return "timeout";
    case ErrorCode::peer_failed: return "peer_failed";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::io: return "io";
    case ErrorCode::parse: return "parse";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::internal: break;
  }
  return "internal";
}

std::string outcome_of(const std::function<void()>& call) {
  try {
    call();
    return "success";
  } catch (const Error& error) {
    return name_of(error.code());
  }
}

struct Side {
  double* data = nullptr;
  std::size_t count = block;
  Datatype type = Datatype::Kind::float64;
  std::vector<std::size_t> counts, places;

  ConstBuffer reads() const { return {data, count, type}; }
  Buffer writes() const { return {data, count, type}; }
  Blocks blocks() const { return {counts, places}; }
};

enum class Form { now, started, planned };

#define CALL(name, ...)                                          \
  do {                                                           \
    if (form == Form::now) name(__VA_ARGS__);                    \
    if (form == Form::started) start_##name(__VA_ARGS__).wait(); \
    if (form == Form::planned) plan_##name(__VA_ARGS__).run();   \
    return;                                                      \
  } while (false)

/// A call with arguments that fit, which a misuse changes.
class Call {
 public:
  Call(const Communicator& communicator, const Mistake& row)
      : c(communicator),
        row_(row),
        ranks(static_cast<std::size_t>(c.size())),
        ring(Neighbourhood::grid(Shape::torus(std::array{c.size()}), c.rank())),
        memory(4 * block * ranks, 1.0) {
    input.data = memory.data();
    output.data = memory.data() + 2 * block * ranks;
    const std::string& name = row_.operation;
    if (name == "reduce_scatter" || name == "scatter" || name == "alltoall")
      input.count = block * ranks;
    if (name == "allgather" || name == "gather" || name == "alltoall") output.count = block * ranks;
    if (name == "reduce_scatterv" || name == "scatterv" || name == "alltoallv") lists(input, ranks);
    if (name == "allgatherv" || name == "gatherv" || name == "alltoallv") lists(output, ranks);
    if (name == "neighbour_alltoall") input.count = 2 * block;
    if (name == "neighbour_alltoall" || name == "neighbour_allgather") output.count = 2 * block;
    if (name == "neighbour_alltoallv") {
      lists(input, 2);
      lists(output, 2);
    }
    destination = (c.rank() + 1) % c.size();
    source = (c.rank() + c.size() - 1) % c.size();
  }

  /// Whether this rank makes the call: what only the root looks at is wrong only there.
  bool made_here() const {
    const std::string& name = row_.operation;
    const bool all = row_.misuse == "nothing" || row_.misuse == "ranks_differ" ||
                     row_.misuse.starts_with("root") || row_.misuse.starts_with("reduction");
    const bool rooted =
        name.starts_with("gather") || name.starts_with("scatter") || name == "reduce";
    return all || !rooted || c.rank() == root;
  }

  /// Changes the arguments; false for a misuse that is not known.
  bool misuse() {
    const auto each_list = [&](const auto& change) {
      for (Side* const side : {&input, &output})
        if (!side->counts.empty()) change(*side);
    };
    const std::map<std::string, std::function<void()>> ways = {
        {"nothing", [] {}},
        {"null_input", [&] { input.data = nullptr; }},
        {"null_output", [&] { output.data = nullptr; }},
        {"input_short", [&] { --input.count; }},
        {"input_long", [&] { ++input.count; }},
        {"output_short", [&] { --output.count; }},
        {"output_long", [&] { ++output.count; }},
        {"not_divisible", [&] { ++input.count, ++output.count; }},
        {"huge_count", [&] { input.count = output.count = huge; }},
        {"counts_wrap",
         [&] { each_list([](Side& side) { side.counts[0] = side.counts[1] = huge; }); }},
        {"counts_few", [&] { each_list([](Side& side) { side.counts.pop_back(); }); }},
        {"displacement_wraps",
         [&] {
           each_list([](Side& side) { side.places.assign(side.counts.size(), ~std::size_t{0}); });
         }},
        {"root_negative", [&] { root = -1; }},
        {"root_large", [&] { root = c.size(); }},
        {"destination_large", [&] { destination = c.size(); }},
        {"source_negative", [&] { source = -1; }},
        {"number_negative", [&] { number = -1; }},
        {"number_large", [&] { number = max_tag + 1; }},
        {"types_differ", [&] { output.type = Datatype::Kind::int64; }},
        {"reduction_undefined", [&] { reduction = Reduction::Kind::bitwise_and; }},
        {"reduction_average", [&] { reduction = Reduction::Kind::average; }},
        {"overlap", [&] { output.data = input.data + 1; }},
        {"ranks_differ", [&] { differ(); }}};
    const auto way = ways.find(row_.misuse);
    if (way == ways.end()) return false;
    way->second();
    return true;
  }

  bool make(Form form) {
    bool known = true;
    const std::string& name = row_.operation;
    const auto call = [&] {
      if (name == "barrier") CALL(barrier, c);
      if (name == "broadcast") CALL(broadcast, c, output.writes(), root);
      if (name == "reduce") CALL(reduce, c, input.reads(), output.writes(), reduction, root);
      if (name == "allreduce") CALL(allreduce, c, input.reads(), output.writes(), reduction);
      if (name == "scan") CALL(scan, c, input.reads(), output.writes(), reduction);
      if (name == "exscan") CALL(exscan, c, input.reads(), output.writes(), reduction);
      if (name == "reduce_scatter")
        CALL(reduce_scatter, c, input.reads(), output.writes(), reduction);
      if (name == "reduce_scatterv")
        CALL(reduce_scatterv, c, input.reads(), output.writes(), input.counts, reduction);
      if (name == "allgather") CALL(allgather, c, input.reads(), output.writes());
      if (name == "allgatherv")
        CALL(allgatherv, c, input.reads(), output.writes(), output.counts, output.places);
      if (name == "gather") CALL(gather, c, input.reads(), output.writes(), root);
      if (name == "gatherv")
        CALL(gatherv, c, input.reads(), output.writes(), output.counts, output.places, root);
      if (name == "scatter") CALL(scatter, c, input.reads(), output.writes(), root);
      if (name == "scatterv")
        CALL(scatterv, c, input.reads(), input.counts, input.places, output.writes(), root);
      if (name == "alltoall") CALL(alltoall, c, input.reads(), output.writes());
      if (name == "alltoallv")
        CALL(alltoallv, c, input.reads(), input.blocks(), output.writes(), output.blocks());
      if (name == "neighbour_allgather")
        CALL(neighbour_allgather, c, ring, input.reads(), output.writes());
      if (name == "neighbour_alltoall")
        CALL(neighbour_alltoall, c, ring, input.reads(), output.writes());
      if (name == "neighbour_alltoallv")
        CALL(neighbour_alltoallv, c, ring, input.reads(), input.blocks(), output.writes(),
             output.blocks());
      if (name == "send") CALL(send, c, input.reads(), destination, number);
      if (name == "receive") CALL(receive, c, output.writes(), source, number);
      if (name == "exchange")
        CALL(exchange, c, input.reads(), destination, output.writes(), source, number);
      known = false;
    };
    const std::string outcome = outcome_of(call);
    return known && outcome == row_.error;
  }

 private:
  static void lists(Side& side, std::size_t blocks) {
    side.count = block * blocks;
    side.counts.assign(blocks, block);
  }

  /// Rank 1 gives other lengths than the others.
  void differ() {
    if (c.rank() != 1) return;
    for (Side* const side : {&input, &output}) side->count += side->count / block;
  }

  const Communicator& c;
  const Mistake& row_;
  std::size_t ranks;
  Neighbourhood ring;
  std::vector<double> memory;
  Side input, output;
  Reduction reduction = Reduction::Kind::sum;
  int root = 0, destination = 0, source = 0, number = 0;
};

/// The rows that are no collectives: one call each.
std::function<void()> other_call(const Communicator& c, const Mistake& row) {
  const std::string text = row.operation + ' ' + row.misuse;
  const std::string_view name = text;
  const auto square = [&](std::int64_t m, std::int64_t n) {
    return Layout::block(m, n, choose_grid(c.size()));
  };
  using Double = Matrix<double>;
  const auto kernels = [&] { return LocalKernels::open(c.environment(), 1); };
  const auto put = [&c](std::size_t bytes, int peer, std::size_t offset, bool null) {
    Window window(c, 8);
    std::vector<std::byte> mine(16);
    barrier(c);
    window.put({null ? nullptr : mine.data(), bytes}, peer, offset);
  };
  const auto get = [&c](std::size_t bytes, int peer, std::size_t offset, bool null) {
    Window window(c, 8);
    std::vector<std::byte> mine(16);
    barrier(c);
    window.get({null ? nullptr : mine.data(), bytes}, peer, offset);
  };
  if (name == "window_create huge_count") return [&c] { const Window window(c, huge); };
  if (name == "window_create_on_device negative_device")
    return [&c] { const Window window(c, 8, -1); };
  if (name == "matrix_create_on_device negative_device")
    return [=, &c] { Double::on_device(c, square(3, 3), -1); };
  if (name == "window_put outside") return [put] { put(8, 0, 1, false); };
  if (name == "window_put null_input") return [put] { put(8, 0, 0, true); };
  if (name == "window_put peer_large") return [put, &c] { put(8, c.size(), 0, false); };
  if (name == "window_get outside") return [get] { get(9, 0, 0, false); };
  if (name == "window_get null_output") return [get] { get(8, 0, 0, true); };
  if (name == "window_get peer_large") return [get, &c] { get(8, c.size(), 0, false); };
  if (name == "matrix_create negative_size") return [=, &c] { Double matrix(c, square(-1, 3)); };
  if (name == "matrix_create huge_size")
    return [=, &c] { Double matrix(c, square(std::int64_t{1} << 40, std::int64_t{1} << 40)); };
  if (name == "matrix_create negative_block")
    return [&c] { Double matrix(c, Layout::block_cyclic(3, 3, -1, 2, GridShape(1, 1))); };
  if (name == "matrix_create grid_large")
    return [&c] { Double matrix(c, Layout::block(3, 3, GridShape(c.size() + 1, 1))); };
  if (name == "matrix_wrap null_data")
    return [=, &c] { static_cast<void>(Double::wrap(c, square(9, 9), nullptr, 9)); };
  if (name == "matrix_wrap short_leading")
    return [=, &c] {
      double memory[81];
      static_cast<void>(Double::wrap(c, square(9, 9), memory, 1));
    };
  if (name == "matrix_wrap huge_leading")
    return [=, &c] {
      double memory[81];
      static_cast<void>(Double::wrap(c, square(9, 9), memory, std::int64_t{1} << 62));
    };
  if (name == "matrix_view outside")
    return [=, &c] {
      Double matrix(c, square(9, 9));
      static_cast<void>(view(matrix, Global<Row>(4), Global<Column>(0), 6, 9));
    };
  if (name == "multiply shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 9)), B(c, square(8, 9)), C(c, square(9, 9));
      multiply<double>(1.0, A, B, 0.0, C, kernels().gemm);
    };
  if (name == "redistribute shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 9)), B(c, square(8, 9));
      redistribute(Op::none, A, B);
    };
  if (name == "cholesky shapes_differ")
    return [=, &c] { static_cast<void>(cholesky(Double(c, square(9, 8)), kernels())); };
  if (name == "lacpy shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 9)), B(c, square(8, 9));
      lacpy(Triangle::lower, A, B);
    };
  if (name == "lascl zero_divisor")
    return [=, &c] {
      Double A(c, square(9, 9));
      lascl({}, 0, 1, A);
    };
  if (name == "trsm shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 9)), B(c, square(8, 1));
      trsm<double>(MatrixSide::left, Triangle::lower, Op::none, Diagonal::unit, 1.0, A, B,
                   kernels());
    };
  if (name == "trtri shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 8));
      trtri(Triangle::lower, Diagonal::unit, A, kernels());
    };
  if (name == "syrk shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 9)), C(c, square(8, 8));
      syrk(Triangle::lower, Op::none, 1.0, A, 0.0, C, kernels().gemm);
    };
  if (name == "trmm shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 9)), B(c, square(8, 1));
      trmm(MatrixSide::left, Triangle::lower, Op::none, Diagonal::unit, 1.0, A, B, kernels().gemm);
    };
  if (name == "solve shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 9)), B(c, square(8, 1));
      A.fill_random(1);
      solve(A, B, kernels());
    };
  if (name == "solve_mixed shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 9)), B(c, square(8, 1));
      solve_mixed(A, B, kernels());
    };
  if (name == "refine negative_steps")
    return [=, &c] {
      Double A(c, square(9, 9)), B(c, square(9, 1)), X(c, square(9, 1));
      A.fill_random(1);
      B.fill_random(2);
      refine(factorise(A, kernels()), A, B, X, -1, kernels());
    };
  if (name == "qr_apply shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 9)), C(c, square(8, 1));
      A.fill_random(1);
      qr(A, kernels()).apply_q(Op::none, MatrixSide::left, C);
    };
  if (name == "least_squares shapes_differ")
    return [=, &c] {
      Double A(c, square(9, 9)), B(c, square(8, 1)), X(c, square(9, 1));
      A.fill_random(1);
      least_squares(A, B, X, kernels());
    };
  if (name == "matrix_create_irregular descending_cuts")
    return [] { const IrregularLayout layout({0, 3, 2}, {0, 1}, [](auto) { return 0; }); };
  if (name == "neighbourhood_grid rank_large")
    return [&c] {
      static_cast<void>(Neighbourhood::grid(Shape::torus(std::array{c.size()}), c.size()));
    };
  if (name == "neighbourhood_grid negative_extent")
    return [] { static_cast<void>(Neighbourhood::grid(Shape::torus(std::array{-2}), 0)); };
  if (name == "communicator_from_pmix no_launcher") return [] { pmix_bootstrap(); };
  if (name == "run_ranks none") return [] { run_ranks(0, [](Communicator&) {}); };
  return {};
}

/// Makes the calls of one row on one rank; returns how many did not end as the table says.
int wrong_in(const Communicator& c, const Mistake& row) {
  if (const auto call = other_call(c, row)) {
    const std::string outcome = outcome_of(call);
    barrier(c);
    return outcome == row.error ? 0 : 1;
  }
  int wrong = 0;
  for (const Form form : {Form::now, Form::started, Form::planned}) {
    Call call(c, row);
    const bool known = call.misuse();
    if (!known || (call.made_here() && !call.make(form))) ++wrong;
    barrier(c);
  }
  return wrong;
}

}  // namespace
}  // namespace cuboid

int main(int argc, char** argv) {
  using namespace cuboid;
  const auto rows = rows_of(argc > 1 ? argv[1] : "misuse.txt", argc > 2);
  std::atomic<int> failed = rows.empty() ? 1 : 0;
  run_ranks(3, [&](Communicator& c) {
    for (const Mistake& row : rows) {
      const int wrong = wrong_in(c, row);
      if (wrong == 0) continue;
      failed += wrong;
      std::fprintf(stderr, "rank %d: %s with %s does not end in %s\n", c.rank(),
                   row.operation.c_str(), row.misuse.c_str(), row.error.c_str());
    }
  });
  return failed > 0 ? 1 : 0;
}
