#include "mm/local/lapack_library.hpp"

#include <cuboid/error.hpp>

#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The type of the lengths of texts, which Fortran passes after all other arguments.
using Length = std::size_t;
constexpr Length one_letter = 1;

constexpr std::string_view lapack_remedy =
    "set CUBOID_LAPACK to a library with LAPACK and CBLAS, e.g. libopenblas.so.0 of Debian's "
    "package libopenblas0-pthread";

template <class T, class Integer>
using Getrf = void(const Integer*, const Integer*, T*, const Integer*, Integer*, Integer*);
template <class T, class Integer>
using Potrf = void(const char*, const Integer*, T*, const Integer*, Integer*, Length);
template <class T, class Integer>
using Trsm = void(const char*, const char*, const char*, const char*, const Integer*,
                  const Integer*, const T*, const T*, const Integer*, T*, const Integer*, Length,
                  Length, Length, Length);
template <class T, class Integer>
using Geqrt3 = void(const Integer*, const Integer*, T*, const Integer*, T*, const Integer*,
                    Integer*);
template <class T, class Integer>
using RealLacn2 = void(const Integer*, T*, T*, Integer*, T*, Integer*, Integer*);
template <class T, class Integer>
using ComplexLacn2 = void(const Integer*, T*, T*, RealOf<T>*, Integer*, Integer*);

template <MatrixElement T>
constexpr std::size_t type_number() {
  if constexpr (std::same_as<T, float>) return 0;
  if constexpr (std::same_as<T, double>) return 1;
  if constexpr (std::same_as<T, std::complex<float>>) return 2;
  return 3;
}

char letter_of(Op op) {
  switch (op) {
    case Op::none: return 'N';
    case Op::transpose: return 'T';
    case Op::conjugate_transpose: return 'C';
  }
  return 'N';
}

char letter_of(Triangle triangle) {
  return triangle == Triangle::lower ? 'L' : 'U';
}

/// Calls `function` with a 0 of the library's integer type.
template <class Function>
auto with_integer(bool wide, Function&& function) {
  return wide ? function(std::int64_t{}) : function(std::int32_t{});
}

}  // namespace

const LapackLibrary& LapackLibrary::at(const std::string& path, int threads) {
  return once_per_process<const LapackLibrary>(path,
                                               [&] { return new LapackLibrary(path, threads); });
}

bool LapackLibrary::is_in(const std::string& path, int threads) {
  BlasLibrary::at(path, threads);
  return SharedLibrary(path).find<void()>("dgetrf_") != nullptr;
}

LapackLibrary::LapackLibrary(const std::string& path, int threads)
    : blas_(BlasLibrary::at(path, threads, lapack_remedy)),
      file_(path),
      getrf_(functions("getrf_")),
      potrf_(functions("potrf_")),
      trsm_(functions("trsm_")),
      geqrt3_(functions("geqrt3_")),
      lacn2_(functions("lacn2_")) {
  for (const Functions& all : {getrf_, potrf_, trsm_, geqrt3_, lacn2_}) {
    if (std::find(all.begin(), all.end(), nullptr) == all.end()) continue;
    throw Error(
        ErrorCode::unsupported,
        fmt::format("{} has not all of LAPACK's ?getrf, ?potrf, ?trsm, ?geqrt3 and ?lacn2; {}",
                    path, lapack_remedy));
  }
}

LapackLibrary::Functions LapackLibrary::functions(const char* name) const {
  Functions found{};
  for (std::size_t type = 0; type < found.size(); ++type) {
    found[type] = file_.find<void()>((std::string(1, "sdcz"[type]) + name).c_str());
  }
  return found;
}

bool LapackLibrary::has_wide_integers() const {
  return blas_.largest_integer() > std::numeric_limits<std::int32_t>::max();
}

template <MatrixElement T>
std::int64_t LapackLibrary::getrf(std::int64_t m, std::int64_t n, T* A, std::int64_t lda,
                                  std::int64_t* pivots) const {
  return with_integer(has_wide_integers(), [&]<class Integer>(Integer) -> std::int64_t {
    const auto rows = static_cast<Integer>(m), columns = static_cast<Integer>(n),
               leading = static_cast<Integer>(lda);
    std::vector<Integer> swaps(static_cast<std::size_t>(std::min(m, n)));
    Integer info = 0;
    reinterpret_cast<Getrf<T, Integer>*>(getrf_[type_number<T>()])(&rows, &columns, A, &leading,
                                                                   swaps.data(), &info);
    std::copy(swaps.begin(), swaps.end(), pivots);
    return info;
  });
}

template <MatrixElement T>
std::int64_t LapackLibrary::potrf(Triangle triangle, std::int64_t n, T* A, std::int64_t lda) const {
  return with_integer(has_wide_integers(), [&]<class Integer>(Integer) -> std::int64_t {
    const char uplo = letter_of(triangle);
    const auto order = static_cast<Integer>(n), leading = static_cast<Integer>(lda);
    Integer info = 0;
    reinterpret_cast<Potrf<T, Integer>*>(potrf_[type_number<T>()])(&uplo, &order, A, &leading,
                                                                   &info, one_letter);
    return info;
  });
}

template <MatrixElement T>
void LapackLibrary::trsm(MatrixSide side, Triangle triangle, Op op, Diagonal diagonal,
                         std::int64_t m, std::int64_t n, T alpha, const T* A, std::int64_t lda,
                         T* B, std::int64_t ldb) const {
  with_integer(has_wide_integers(), [&]<class Integer>(Integer) {
    const char where = side == MatrixSide::left ? 'L' : 'R', uplo = letter_of(triangle),
               transpose = letter_of(op), diag = diagonal == Diagonal::unit ? 'U' : 'N';
    const auto rows = static_cast<Integer>(m), columns = static_cast<Integer>(n),
               a_leading = static_cast<Integer>(lda), b_leading = static_cast<Integer>(ldb);
    reinterpret_cast<Trsm<T, Integer>*>(trsm_[type_number<T>()])(
        &where, &uplo, &transpose, &diag, &rows, &columns, &alpha, A, &a_leading, B, &b_leading,
        one_letter, one_letter, one_letter, one_letter);
  });
}

template <MatrixElement T>
void LapackLibrary::geqrt3(std::int64_t m, std::int64_t n, T* A, std::int64_t lda, T* factor,
                           std::int64_t ldt) const {
  with_integer(has_wide_integers(), [&]<class Integer>(Integer) {
    const auto rows = static_cast<Integer>(m), columns = static_cast<Integer>(n),
               a_leading = static_cast<Integer>(lda), t_leading = static_cast<Integer>(ldt);
    Integer info = 0;
    reinterpret_cast<Geqrt3<T, Integer>*>(geqrt3_[type_number<T>()])(&rows, &columns, A, &a_leading,
                                                                     factor, &t_leading, &info);
  });
}

template <MatrixElement T>
void LapackLibrary::lacn2(std::int64_t n, T* v, T* x, std::int64_t* signs, RealOf<T>& estimate,
                          NormState& state) const {
  with_integer(has_wide_integers(), [&]<class Integer>(Integer) {
    const auto order = static_cast<Integer>(n);
    auto kase = static_cast<Integer>(state.kase);
    std::array<Integer, 3> isave{};
    std::copy(state.isave.begin(), state.isave.end(), isave.begin());
    if constexpr (is_complex<T>) {
      reinterpret_cast<ComplexLacn2<T, Integer>*>(lacn2_[type_number<T>()])(&order, v, x, &estimate,
                                                                            &kase, isave.data());
    } else {
      std::vector<Integer> isgn(static_cast<std::size_t>(n));
      std::copy_n(signs, n, isgn.begin());
      reinterpret_cast<RealLacn2<T, Integer>*>(lacn2_[type_number<T>()])(
          &order, v, x, isgn.data(), &estimate, &kase, isave.data());
      std::copy(isgn.begin(), isgn.end(), signs);
    }
    state.kase = kase;
    std::copy(isave.begin(), isave.end(), state.isave.begin());
  });
}

#define CUBOID_FOR(T)                                                                             \
  template std::int64_t LapackLibrary::getrf(std::int64_t, std::int64_t, T*, std::int64_t,        \
                                             std::int64_t*) const;                                \
  template std::int64_t LapackLibrary::potrf(Triangle, std::int64_t, T*, std::int64_t) const;     \
  template void LapackLibrary::trsm(MatrixSide, Triangle, Op, Diagonal, std::int64_t,             \
                                    std::int64_t, T, const T*, std::int64_t, T*, std::int64_t)    \
      const;                                                                                      \
  template void LapackLibrary::geqrt3(std::int64_t, std::int64_t, T*, std::int64_t, T*,           \
                                      std::int64_t) const;                                        \
  template void LapackLibrary::lacn2(std::int64_t, T*, T*, std::int64_t*, RealOf<T>&, NormState&) \
      const
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
