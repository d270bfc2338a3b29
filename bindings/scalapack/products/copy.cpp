#include "bindings/scalapack/products/copy.hpp"

#include <cuboid/redistribute.hpp>

#include "bindings/dropin/agreement.hpp"
#include "bindings/scalapack/calls/scalar.hpp"
#include "bindings/scalapack/calls/serve.hpp"
#include "bindings/scalapack/calls/submatrix_view.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail::scalapack {

namespace {

/// A submatrix in its own context. Some ranks of the context of the whole call do not belong to
/// that context.
struct CopyOperand {
  Submatrix part;
  BlacsGrid grid;

  static CopyOperand of(const int* words, int i, int j, int m, int n) {
    CopyOperand side{{MatrixDescriptor::read_plain(words), i, j, m, n}, {}};
    if (side.part.descriptor.context >= 0) side.grid = grid_of(side.part.descriptor.context);
    return side;
  }
};

/// The data that the ranks exchange about a side of the copy: numbers that all ranks of the side
/// know (other ranks pass 0), and for each place of its grid the rank at this place plus one.
class Told {
 public:
  explicit Told(int ranks) : words_(known + static_cast<std::size_t>(ranks)) {}

  void say(const CopyOperand& side, int rank) {
    if (!side.grid.has_this_process()) return;
    const MatrixDescriptor& all = side.part.descriptor;
    const auto place =
        static_cast<std::size_t>(side.grid.row * side.grid.columns + side.grid.column);
    const bool fits = is_served(side.part, side.grid) && known + place < words_.size();
    words_[0] = fits ? 0 : 1;
    const std::array<int, known - 1> said = {
        side.grid.rows,   side.grid.columns, all.rows,          all.columns, all.row_block,
        all.column_block, all.row_source,    all.column_source, side.part.i, side.part.j};
    std::ranges::copy(said, words_.begin() + 1);
    if (fits) words_[known + place] = rank + 1;
  }

  std::span<std::int64_t> words() { return words_; }

  /// The grid as ranks of the whole context; nullopt if Cuboid cannot serve it.
  std::optional<GridShape> ranks() const {
    const int rows = number(1), columns = number(2);
    if (words_[0] != 0 || rows < 1 || columns < 1) return std::nullopt;
    const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    if (known + size > words_.size()) return std::nullopt;
    std::vector<int> ranks;
    for (std::size_t place = 0; place < size; ++place) {
      if (words_[known + place] == 0) return std::nullopt;
      ranks.push_back(static_cast<int>(words_[known + place]) - 1);
    }
    return GridShape(rows, columns, std::move(ranks));
  }

  /// The submatrix as all ranks know it after the exchange; the leading dimension is this rank's
  /// own.
  Submatrix part(const CopyOperand& side) const {
    Submatrix part = side.part;
    part.descriptor.rows = number(3);
    part.descriptor.columns = number(4);
    part.descriptor.first_row_block = part.descriptor.row_block = number(5);
    part.descriptor.first_column_block = part.descriptor.column_block = number(6);
    part.descriptor.row_source = number(7);
    part.descriptor.column_source = number(8);
    part.i = number(9);
    part.j = number(10);
    if (!side.grid.has_this_process()) part.descriptor.leading_dimension = 1;
    return part;
  }

 private:
  static constexpr std::size_t known = 11;
  int number(std::size_t at) const { return static_cast<int>(words_[at]); }
  std::vector<std::int64_t> words_;
};

/// Both sides as all ranks of a context know them; nullopt if Cuboid cannot serve them.
struct Agreed {
  Submatrix part_a, part_b;
  GridShape ranks_a, ranks_b;
};

std::optional<Agreed> agree(const Context& context, const CopyOperand& a, const CopyOperand& b) {
  Told told_a(context.record->size), told_b(context.record->size);
  told_a.say(a, context.record->rank);
  told_b.say(b, context.record->rank);
  std::vector<std::int64_t> words(told_a.words().begin(), told_a.words().end());
  words.insert(words.end(), told_b.words().begin(), told_b.words().end());
  drop_in::agree_on_greatest(std::span(words), context.communicator);
  const auto middle = words.begin() + static_cast<std::ptrdiff_t>(words.size() / 2);
  std::copy(words.begin(), middle, told_a.words().begin());
  std::copy(middle, words.end(), told_b.words().begin());
  const auto ranks_a = told_a.ranks(), ranks_b = told_b.ranks();
  if (!ranks_a || !ranks_b) return std::nullopt;
  return Agreed{told_a.part(a), told_b.part(b), *ranks_a, *ranks_b};
}

}  // namespace

template <MatrixElement T>
void gemr2d(Gemr2d<T>* native, int m, int n, const T* A, int ia, int ja, const int* desc_a, T* B,
            int ib, int jb, const int* desc_b, int number) {
  const auto hand_on = [&] { native(m, n, A, ia, ja, desc_a, B, ib, jb, desc_b, number); };
  if (hands_on_move(m, n)) return hand_on();
  Context* const context = context_of(number, grid_of(number));
  if (context == nullptr) return hand_on();
  const auto agreed =
      agree(*context, CopyOperand::of(desc_a, ia, ja, m, n), CopyOperand::of(desc_b, ib, jb, m, n));
  if (!agreed) return hand_on();
  const auto& [part_a, part_b, ranks_a, ranks_b] = *agreed;
  const CallClass its_class{
      .routine = Routine::copy,
      .type = letter<T>(),
      .grid = {ranks_a.size(), ranks_b.size()},
      .extents = {logarithm(m), logarithm(n), -1},
      .block = logarithm(std::min(part_a.descriptor.row_block, part_b.descriptor.row_block))};
  const auto view_a = [&] { return view_of(context->ours(), agreed->ranks_a, agreed->part_a, A); };
  const auto view_b = [&] { return view_of(context->ours(), agreed->ranks_b, agreed->part_b, B); };
  serve(
      *context, its_class, [] { return 0.0; }, [&] { require_apart<T>(view_b(), view_a()); },
      [&] {
        const Matrix<T> a = view_a();
        MatrixView<T> b = view_b();
        RedistributionPlan<T>(context->ours(), a.layout(), Op::none, b.layout())
            .run(T(1), a, T(0), b);
      },
      hand_on);
}

#define CUBOID_INSTANTIATE(T)                                                              \
  template void gemr2d(Gemr2d<T>*, int, int, const T*, int, int, const int*, T*, int, int, \
                       const int*, int)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail::scalapack
