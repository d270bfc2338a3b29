#include "mm/qr/qr_panel.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/point_to_point.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"
#include "mm/qr/block_reflector.hpp"
#include "mm/qr/local_qr.hpp"
#include "mm/qr/upper_trapezoid.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

template <MatrixElement T>
DenseMatrix<T> identity(std::int64_t order) {
  DenseMatrix<T> made(order, order);
  for (std::int64_t k = 0; k < order; ++k) made.view()(k, k) = T(1);
  return made;
}

template <MatrixElement T>
DenseMatrix<T> rows_of(LocalView<const T> from, std::int64_t begin, std::int64_t end) {
  DenseMatrix<T> made(end - begin, from.columns);
  copy<T>(from.block(begin, 0, end - begin, from.columns), made.view());
  return made;
}

/// A rank that has rows of the panel, which become V of its own Q.
template <MatrixElement T>
class QrTreeMember {
 public:
  QrTreeMember(const Communicator& column, const QrTree& tree, int root, int member,
               LocalView<T> rows, const LocalKernels& kernels)
      : column_(column),
        tree_(tree),
        root_(root),
        member_(member),
        kernels_(kernels),
        own_(rows, kernels) {}

  const LocalQr<T>& own() const { return own_; }

  /// Receives the factors R of the children, factorises them together, and sends the result to the
  /// parent. Returns R of the whole subtree.
  LocalView<const T> go_up() {
    for (const QrSubtree& child : tree_.children(member_)) take_in(child);
    const LocalView<const T> triangle = last().triangle();
    if (const auto parent = tree_.parent(member_)) {
      std::vector<T> packed(trapezoid_size(triangle.rows, triangle.columns));
      pack_trapezoid<T>(triangle, packed);
      send(column_, packed, rank_of(*parent));
    }
    return triangle;
  }

  /// This rank's rows of the thin Q of the whole panel, as a product with its own Q.
  ThinProduct<T> come_down() const {
    DenseMatrix<T> coefficients = first_coefficients();
    const std::vector<QrSubtree> children = tree_.children(member_);
    for (std::size_t level = children.size(); level > 0; --level) {
      const LocalQr<T>& node = nodes_[level - 1];
      const std::int64_t above = level > 1 ? nodes_[level - 2].rank() : own_.rank();
      DenseMatrix<T> both(node.vectors().rows, tree_.width());
      node.multiply_out(node.product(std::move(coefficients), kernels_.gemm), both.view(),
                        kernels_.gemm);
      coefficients = rows_of<T>(both.view(), 0, above);
      DenseMatrix<T> below = rows_of<T>(both.view(), above, node.vectors().rows);
      send(column_, below.elements(), rank_of(children[level - 1].first));
    }
    return own_.product(std::move(coefficients), kernels_.gemm);
  }

 private:
  int rank_of(int member) const { return (root_ + member) % column_.size(); }
  const LocalQr<T>& last() const { return nodes_.empty() ? own_ : nodes_.back(); }

  /// Factorises the R so far with the child's R below it.
  void take_in(const QrSubtree& child) {
    const LocalView<const T> above = last().triangle();
    const std::int64_t below = tree_.factor_rows(child), width = tree_.width();
    std::vector<T> packed(trapezoid_size(below, width));
    receive(column_, packed, rank_of(child.first));
    DenseMatrix<T> stacked(above.rows + below, width);
    copy<T>(above, stacked.view().block(0, 0, above.rows, width));
    unpack_trapezoid<T>(packed, stacked.view().block(above.rows, 0, below, width));
    nodes_.emplace_back(std::move(stacked), kernels_);
  }

  DenseMatrix<T> first_coefficients() const {
    const auto parent = tree_.parent(member_);
    if (!parent) return identity<T>(tree_.width());
    DenseMatrix<T> coefficients(last().rank(), tree_.width());
    receive(column_, coefficients.elements(), rank_of(*parent));
    return coefficients;
  }

  const Communicator& column_;
  const QrTree& tree_;
  int root_;
  int member_;
  const LocalKernels& kernels_;
  LocalQr<T> own_;
  std::vector<LocalQr<T>> nodes_;  // the factorisation that joined each child's factor
};

/// The root sends upper triangles to the whole column.
template <MatrixElement T>
void share_triangles(const Communicator& column, int root,
                     std::initializer_list<LocalView<T>> triangles) {
  std::vector<T> packed;
  for (const LocalView<T>& one : triangles)
    packed.resize(packed.size() + trapezoid_size(one.rows, one.columns));
  const auto each = [&](const auto& use) {
    std::size_t begin = 0;
    for (const LocalView<T>& one : triangles) {
      const std::size_t size = trapezoid_size(one.rows, one.columns);
      use(one, std::span(packed).subspan(begin, size));
      begin += size;
    }
  };
  if (column.rank() == root)
    each([](LocalView<T> one, std::span<T> place) { pack_trapezoid<T>(one, place); });
  broadcast(column, packed, root);
  if (column.rank() != root)
    each([](LocalView<T> one, std::span<T> place) { unpack_trapezoid<T>(place, one); });
}

/// A panel whose rows lie on one rank.
template <MatrixElement T>
void factorise_alone(const QrPanelPiece<T>& piece, const LocalKernels& kernels) {
  kernels.lapack.geqrt(piece.values, piece.factor);
  copy_unit_lower<T>(piece.values, piece.vectors);
}

/// Stores V in place of the panel's values, but not on and above the diagonal of the panel's first
/// rows, where R is.
enum class PanelRows { first, later };
template <MatrixElement T>
void store_vectors(LocalView<const T> vectors, PanelRows rows, LocalView<T> values) {
  for (std::int64_t j = 0; j < vectors.columns; ++j) {
    const std::int64_t begin = rows == PanelRows::first ? j + 1 : 0;
    std::copy(vectors.column(j) + begin, vectors.column(j) + vectors.rows,
              values.column(j) + begin);
  }
}

/// Stores S·R on and above the diagonal of the panel's first rows.
template <MatrixElement T>
void store_triangle(LocalView<const T> triangle, std::span<const RealOf<T>> signs,
                    LocalView<T> values) {
  for (std::int64_t j = 0; j < triangle.columns; ++j) {
    for (std::int64_t i = 0; i <= j; ++i)
      values(i, j) = T(signs[static_cast<std::size_t>(i)]) * triangle(i, j);
  }
}

template <MatrixElement T>
void factorise_by_tree(const Communicator& column, const QrTree& tree, int root, int member,
                       const QrPanelPiece<T>& piece, const LocalKernels& kernels) {
  const std::int64_t width = tree.width();
  DenseMatrix<T> upper(width, width);
  if (member >= tree.members())
    return share_triangles<T>(column, root, {upper.view(), piece.factor});

  QrTreeMember<T> place(column, tree, root, member, piece.values, kernels);
  const LocalView<const T> triangle = place.go_up();
  ThinProduct<T> thin = place.come_down();
  const LocalView<T> first_rows =
      piece.vectors.block(0, 0, std::min(width, piece.vectors.rows), width);
  DenseMatrix<T> first_vectors;
  if (member == 0) {
    place.own().multiply_out(thin, first_rows, kernels.gemm);
    HouseholderVectors<T> made = HouseholderVectors<T>::of(first_rows, kernels);
    first_vectors = rows_of<T>(first_rows, 0, width);
    store_triangle<T>(triangle, made.signs, piece.values);
    copy<T>(made.factor.view(), piece.factor);
    upper = std::move(made.upper);
  }
  share_triangles<T>(column, root, {upper.view(), piece.factor});
  // V = (Q − [S; 0])·U⁻¹. The small factors of Q are divided first.
  for (const LocalView<T> one : {thin.top.view(), thin.inner.view()})
    kernels.lapack.trsm(MatrixSide::right, Triangle::upper, Op::none, Diagonal::stored, T(1),
                        upper.view(), one);
  place.own().multiply_out(thin, piece.vectors, kernels.gemm);
  if (member == 0) copy_unit_lower<T>(first_vectors.view(), first_rows);
  store_vectors<T>(piece.vectors, member == 0 ? PanelRows::first : PanelRows::later, piece.values);
}

}  // namespace

template <MatrixElement T>
void factorise_qr_panel(const Communicator& column, const QrTree& tree, int root,
                        const QrPanelPiece<T>& piece, const LocalKernels& kernels) {
  const int processes = column.size();
  const int member = (column.rank() - root + processes) % processes;
  if (tree.members() > 1) return factorise_by_tree(column, tree, root, member, piece, kernels);
  if (member == 0) factorise_alone(piece, kernels);
  if (processes > 1) share_triangles<T>(column, root, {piece.factor});
}

#define CUBOID_INSTANTIATE(T)                                               \
  template void factorise_qr_panel(const Communicator&, const QrTree&, int, \
                                   const QrPanelPiece<T>&, const LocalKernels&)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
