#include "mm/lu/triangular_inverse.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/elementwise.hpp>
#include <cuboid/error.hpp>
#include <cuboid/factorise.hpp>
#include <cuboid/multiply.hpp>
#include <cuboid/redistribute.hpp>
#include <cuboid/triangular_products.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/lu/interchange.hpp"
#include "mm/lu/row_exchange.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/host_mirror.hpp"
#include "mm/multiply/same_every_run.hpp"
#include "mm/triangles/triangles.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

/// A matrix cut into squares on its diagonal, and what lies between some of them.
template <MatrixElement T>
class DiagonalSquares {
 public:
  explicit DiagonalSquares(Matrix<T>& matrix)
      : matrix_(matrix), order_(order_of(matrix)), count_((matrix.n() + order_ - 1) / order_) {}

  std::int64_t count() const { return count_; }
  std::int64_t begin(std::int64_t square) const { return std::min(square * order_, matrix_.n()); }

  /// Rows of the squares first_row … last_row - 1, columns likewise.
  MatrixView<T> block(std::int64_t first_row, std::int64_t last_row, std::int64_t first_column,
                      std::int64_t last_column) const {
    const std::int64_t i = begin(first_row), j = begin(first_column);
    return view(matrix_, Global<Row>(i), Global<Column>(j), begin(last_row) - i,
                begin(last_column) - j);
  }
  MatrixView<T> square(std::int64_t first, std::int64_t last) const {
    return block(first, last, first, last);
  }

 private:
  /// A square or more for each rank, so small that all squares together are little work; whole
  /// blocks of the layout where these are short.
  static std::int64_t order_of(const Matrix<T>& matrix) {
    constexpr std::int64_t least = 64, least_count = 16;
    const std::int64_t squares = std::max<std::int64_t>(matrix.communicator().size(), least_count);
    const std::int64_t order = std::max(least, (matrix.n() + squares - 1) / squares);
    const std::int64_t block = matrix.layout().rows().block();
    return block < order ? (order + block - 1) / block * block : order;
  }

  Matrix<T>& matrix_;
  std::int64_t order_;
  std::int64_t count_;
};

/// The first element of a triangle's diagonal that is exactly 0; -1: none is.
template <MatrixElement T>
std::int64_t first_zero(LocalView<const T> square) {
  for (std::int64_t k = 0; k < square.columns; ++k) {
    if (square(k, k) == T(0)) return k;
  }
  return -1;
}

/// The triangle of A ← its inverse, in place.
template <MatrixElement T>
class TriangularInverse {
 public:
  TriangularInverse(Triangle triangle, Diagonal diagonal, Matrix<T>& A, const LocalKernels& kernels)
      : triangle_(triangle), diagonal_(diagonal), A_(A), squares_(A), kernels_(kernels) {}

  void run() {
    invert_squares();
    merge(0, squares_.count());
  }

  /// All squares at once: each comes to one rank, which inverts its triangle.
  void invert_squares() {
    const Communicator& communicator = A_.communicator();
    std::vector<MatrixView<T>> parts;
    for (std::int64_t square = 0; square < squares_.count(); ++square)
      parts.push_back(squares_.square(square, square + 1));
    std::vector<Matrix<T>> whole = collective_try(communicator, [&] {
      std::vector<Matrix<T>> made;
      for (std::int64_t square = 0; square < squares_.count(); ++square) {
        const std::int64_t order = parts[static_cast<std::size_t>(square)].n();
        made.emplace_back(communicator,
                          Layout::block(order, order, GridShape(1, 1, {owner(square)})));
      }
      return made;
    });
    std::vector<RedistributionStep<T>> come, go;
    for (std::size_t square = 0; square < parts.size(); ++square) {
      Matrix<T>& part = parts[square];
      come.push_back({.source = part, .destination = whole[square]});
      go.push_back({.source = whole[square], .destination = part});
    }
    redistribute<T>(std::span<const RedistributionStep<T>>(come));
    refuse_zeros(whole);
    for (Matrix<T>& square : whole) invert(square.local());
    redistribute<T>(std::span<const RedistributionStep<T>>(go));
  }

 private:
  bool lower() const { return triangle_ == Triangle::lower; }
  int owner(std::int64_t square) const {
    return static_cast<int>(square % A_.communicator().size());
  }

  void refuse_zeros(const std::vector<Matrix<T>>& whole) const {
    if (diagonal_ == Diagonal::unit) return;
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t first = none;
    for (std::size_t square = 0; square < whole.size(); ++square) {
      const std::int64_t zero = first_zero<T>(whole[square].local());
      if (zero >= 0)
        first = std::min(first, squares_.begin(static_cast<std::int64_t>(square)) + zero + 1);
    }
    allreduce(A_.communicator(), std::span(&first, 1), std::span(&first, 1),
              Reduction::Kind::minimum);
    if (first == none) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("trtri: the matrix is singular: A({0}, {0}) is exactly 0", first));
  }

  void invert(LocalView<T> square) const {
    const std::int64_t order = square.columns;
    std::vector<T> memory(static_cast<std::size_t>(order * order));
    const LocalView<T> inverse{memory.data(), order, order, std::max<std::int64_t>(order, 1)};
    for (std::int64_t k = 0; k < order; ++k) inverse(k, k) = T(1);
    kernels_.lapack.trsm(MatrixSide::left, triangle_, Op::none, diagonal_, T(1), square, inverse);
    const std::int64_t beside = diagonal_ == Diagonal::unit ? 1 : 0;
    for (std::int64_t j = 0; j < order; ++j) {
      const std::int64_t begin = lower() ? j + beside : 0;
      const std::int64_t end = lower() ? order : j + 1 - beside;
      if (begin < end)
        std::copy_n(inverse.column(j) + begin, end - begin, square.column(j) + begin);
    }
  }

  /// The inverse of [A 0; B C] has −C⁻¹·B·A⁻¹ in B's place; of an upper triangle likewise.
  void merge(std::int64_t begin, std::int64_t end) {
    if (end - begin < 2) return;
    const std::int64_t middle = begin + (end - begin) / 2;
    merge(begin, middle);
    merge(middle, end);
    const MatrixView<T> first = squares_.square(begin, middle);
    const MatrixView<T> second = squares_.square(middle, end);
    MatrixView<T> between = lower() ? squares_.block(middle, end, begin, middle)
                                    : squares_.block(begin, middle, middle, end);
    trmm<T>(MatrixSide::left, triangle_, Op::none, diagonal_, T(-1), lower() ? second : first,
            between, kernels_.gemm, same_every_run);
    trmm<T>(MatrixSide::right, triangle_, Op::none, diagonal_, T(1), lower() ? first : second,
            between, kernels_.gemm, same_every_run);
  }

  Triangle triangle_;
  Diagonal diagonal_;
  Matrix<T>& A_;
  DiagonalSquares<T> squares_;
  const LocalKernels& kernels_;
};

/// X ← X·L⁻¹ for a unit lower triangle L, whose squares on the diagonal are inverted in place. Of
/// [X Y]·[A 0; B C]⁻¹, Y·C⁻¹ comes first; what it contributes to X by B is subtracted.
template <MatrixElement T>
class SolutionFromRight {
 public:
  SolutionFromRight(Matrix<T>& L, Matrix<T>& X, const LocalKernels& kernels)
      : L_(L), X_(X), squares_(L), kernels_(kernels) {}

  void run() {
    TriangularInverse<T>(Triangle::lower, Diagonal::unit, L_, kernels_).invert_squares();
    solve(0, squares_.count());
  }

 private:
  void solve(std::int64_t begin, std::int64_t end) {
    if (end - begin == 1) {
      MatrixView<T> solved = columns(begin, end);
      return trmm<T>(MatrixSide::right, Triangle::lower, Op::none, Diagonal::unit, T(1),
                     squares_.square(begin, end), solved, kernels_.gemm, same_every_run);
    }
    const std::int64_t middle = begin + (end - begin) / 2;
    solve(middle, end);
    MatrixView<T> first = columns(begin, middle);
    multiply<T>(T(-1), columns(middle, end), squares_.block(middle, end, begin, middle), T(1),
                first, kernels_.gemm, same_every_run);
    solve(begin, middle);
  }

  MatrixView<T> columns(std::int64_t first, std::int64_t last) const {
    const std::int64_t begin = squares_.begin(first);
    return view(X_, Global<Row>(0), Global<Column>(begin), X_.m(), squares_.begin(last) - begin);
  }

  Matrix<T>& L_;
  Matrix<T>& X_;
  DiagonalSquares<T> squares_;
  const LocalKernels& kernels_;
};

/// Moves columns of a matrix, some rows at a time, so that messages take little memory.
template <MatrixElement T>
void move_columns(std::span<const RowMove> moves, Matrix<T>& X) {
  const auto here = X.position();
  if (!here || moves.empty()) return;
  constexpr std::int64_t strip = 128;
  const auto& columns = X.layout().columns();
  for (std::int64_t row = 0; row < X.local_rows(); row += strip) {
    const auto place = [&](std::int64_t column) {
      return X.local().column(columns.local(Global<Column>(column)).value) + row;
    };
    exchange_rows<T>(
        X.communicator(), moves, std::min(strip, X.local_rows() - row),
        [&](std::int64_t column) {
          return X.layout().grid().rank({here->row, columns.owner(Global<Column>(column))});
        },
        [&](std::int64_t column) { return RowView<const T>{place(column)}; },
        [&](std::int64_t column) { return RowView<T>{place(column)}; });
  }
}

/// A triangle times its own adjoint, in place: Lᴴ·L or U·Uᴴ of the squares begin … end - 1.
/// [A 0; B C] becomes AᴴA + BᴴB, CᴴB and CᴴC; of an upper triangle likewise.
template <MatrixElement T>
class OwnAdjointProduct {
 public:
  OwnAdjointProduct(Triangle triangle, Matrix<T>& A, const LocalGemm& gemm)
      : lower_(triangle == Triangle::lower), triangle_(triangle), squares_(A), gemm_(gemm) {}

  void run() const { multiply(0, squares_.count()); }

 private:
  void multiply(std::int64_t begin, std::int64_t end) const {
    if (begin == end) return;
    if (end - begin == 1) {
      MatrixView<T> square = squares_.square(begin, end);
      const Matrix<T> factor = with_zeros<T>(square, triangle_, Diagonal::stored);
      return add_own_product(factor, 0, square);
    }
    const std::int64_t middle = begin + (end - begin) / 2;
    MatrixView<T> first = squares_.square(begin, middle);
    MatrixView<T> between = lower_ ? squares_.block(middle, end, begin, middle)
                                   : squares_.block(begin, middle, middle, end);
    multiply(begin, middle);
    add_own_product(between, 1, first);
    trmm<T>(lower_ ? MatrixSide::left : MatrixSide::right, triangle_, Op::conjugate_transpose,
            Diagonal::stored, T(1), squares_.square(middle, end), between, gemm_, same_every_run);
    multiply(middle, end);
  }

  /// C ← FᴴF + βC for a lower triangle, F·Fᴴ + βC for an upper one.
  void add_own_product(const Matrix<T>& factor, RealOf<T> beta, Matrix<T>& C) const {
    herk<T>(triangle_, lower_ ? Op::conjugate_transpose : Op::none, 1, factor, beta, C, gemm_,
            same_every_run);
  }

  bool lower_;
  Triangle triangle_;
  DiagonalSquares<T> squares_;
  const LocalGemm& gemm_;
};

}  // namespace

template <MatrixElement T>
void trtri(Triangle triangle, Diagonal diagonal, Matrix<T>& A, const LocalKernels& kernels) {
  if (A.m() != A.n()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("trtri: a {}x{} matrix: give a square one", A.m(), A.n()));
  }
  if (A.n() == 0) return;
  HostMirror<T> on_host(A);
  on_host.fetch();
  TriangularInverse<T>(triangle, diagonal, on_host.get(), kernels).run();
  on_host.give_back();
}

template <MatrixElement T>
void detail::invert_from_cholesky(Triangle triangle, Matrix<T>& X, const LocalKernels& kernels) {
  trtri(triangle, Diagonal::stored, X, kernels);
  OwnAdjointProduct<T>(triangle, X, kernels.gemm).run();
}

template <MatrixElement T>
void detail::invert_from_lu(std::span<const std::int64_t> swaps, Matrix<T>& X,
                            const LocalKernels& kernels) {
  const std::int64_t n = X.n();
  if (n == 0) return;
  trtri(Triangle::upper, Diagonal::stored, X, kernels);
  Matrix<T> L = with_zeros<T>(X, Triangle::lower, Diagonal::unit);
  MatrixView<T> below_diagonal = view(X, Global<Row>(1), Global<Column>(0), n - 1, n - 1);
  laset(Triangle::lower, T(0), T(0), below_diagonal);
  SolutionFromRight<T>(L, X, kernels).run();
  move_columns<T>(moves_of(swaps, n, true), X);
}

#define CUBOID_INSTANTIATE(T)                                                            \
  template void trtri(Triangle, Diagonal, Matrix<T>&, const LocalKernels&);              \
  template void detail::invert_from_cholesky(Triangle, Matrix<T>&, const LocalKernels&); \
  template void detail::invert_from_lu(std::span<const std::int64_t>, Matrix<T>&,        \
                                       const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid
