#include "bindings/mpi/elements.hpp"

#include <cuboid/error.hpp>

#include "bindings/mpi/types.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace cuboid::detail::drop_in {

namespace {

using Kind = Datatype::Kind;

/// The groups of types for which MPI 3.1, §5.9.2, defines its operations.
enum class Class { c_signed, c_unsigned, fortran_integer, floating, logical, complex, byte, pair };

std::optional<Class> class_of(MPI_Datatype type) {
  struct Entry {
    MPI_Datatype type;
    Class its_class;
  };
  static const Entry table[] = {
      {MPI_INT, Class::c_signed},
      {MPI_LONG, Class::c_signed},
      {MPI_SHORT, Class::c_signed},
      {MPI_LONG_LONG, Class::c_signed},
      {MPI_SIGNED_CHAR, Class::c_signed},
      {MPI_INT8_T, Class::c_signed},
      {MPI_INT16_T, Class::c_signed},
      {MPI_INT32_T, Class::c_signed},
      {MPI_INT64_T, Class::c_signed},
      {MPI_AINT, Class::c_signed},
      {MPI_OFFSET, Class::c_signed},
      {MPI_COUNT, Class::c_signed},
      {MPI_UNSIGNED, Class::c_unsigned},
      {MPI_UNSIGNED_LONG, Class::c_unsigned},
      {MPI_UNSIGNED_SHORT, Class::c_unsigned},
      {MPI_UNSIGNED_LONG_LONG, Class::c_unsigned},
      {MPI_UNSIGNED_CHAR, Class::c_unsigned},
      {MPI_UINT8_T, Class::c_unsigned},
      {MPI_UINT16_T, Class::c_unsigned},
      {MPI_UINT32_T, Class::c_unsigned},
      {MPI_UINT64_T, Class::c_unsigned},
      {MPI_INTEGER, Class::fortran_integer},
      {MPI_INTEGER1, Class::fortran_integer},
      {MPI_INTEGER2, Class::fortran_integer},
      {MPI_INTEGER4, Class::fortran_integer},
      {MPI_INTEGER8, Class::fortran_integer},
      {MPI_FLOAT, Class::floating},
      {MPI_DOUBLE, Class::floating},
      {MPI_LONG_DOUBLE, Class::floating},
      {MPI_REAL, Class::floating},
      {MPI_DOUBLE_PRECISION, Class::floating},
      {MPI_REAL4, Class::floating},
      {MPI_REAL8, Class::floating},
      {MPI_LOGICAL, Class::logical},
      {MPI_C_BOOL, Class::logical},
      {MPI_COMPLEX, Class::complex},
      {MPI_DOUBLE_COMPLEX, Class::complex},
      {MPI_C_FLOAT_COMPLEX, Class::complex},
      {MPI_C_DOUBLE_COMPLEX, Class::complex},
      {MPI_C_LONG_DOUBLE_COMPLEX, Class::complex},
      {MPI_BYTE, Class::byte},
      {MPI_2INT, Class::pair},
      {MPI_SHORT_INT, Class::pair},
      {MPI_LONG_INT, Class::pair},
      {MPI_DOUBLE_INT, Class::pair},
      {MPI_LONG_DOUBLE_INT, Class::pair},
      {MPI_FLOAT_INT, Class::pair},
      {MPI_2REAL, Class::pair},
      {MPI_2DOUBLE_PRECISION, Class::pair},
      {MPI_2INTEGER, Class::pair},
  };
  for (const Entry& entry : table) {
    if (entry.type == type) return entry.its_class;
  }
  return std::nullopt;
}

enum class Family { none, extremum, arithmetic, logical, bitwise, located };

Family family_of(MPI_Op op) {
  if (op == MPI_MAX || op == MPI_MIN) return Family::extremum;
  if (op == MPI_SUM || op == MPI_PROD) return Family::arithmetic;
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) return Family::logical;
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) return Family::bitwise;
  if (op == MPI_MAXLOC || op == MPI_MINLOC) return Family::located;
  return Family::none;
}

bool is_integer(Class its_class) {
  return its_class == Class::c_signed || its_class == Class::c_unsigned ||
         its_class == Class::fortran_integer;
}

bool defined(Family family, Class its_class) {
  switch (family) {
    case Family::extremum: return is_integer(its_class) || its_class == Class::floating;
    case Family::arithmetic:
      return is_integer(its_class) || its_class == Class::floating || its_class == Class::complex;
    case Family::logical:
      return its_class == Class::logical || its_class == Class::c_signed ||
             its_class == Class::c_unsigned;
    case Family::bitwise: return is_integer(its_class) || its_class == Class::byte;
    case Family::located: return its_class == Class::pair;
    case Family::none: break;
  }
  return false;
}

std::optional<Kind> kind_of(Class its_class, std::size_t size) {
  const auto pick = [&](Kind one, Kind two, Kind four, Kind eight) -> std::optional<Kind> {
    switch (size) {
      case 1: return one;
      case 2: return two;
      case 4: return four;
      case 8: return eight;
      default: return std::nullopt;
    }
  };
  switch (its_class) {
    case Class::c_signed:
    case Class::fortran_integer: return pick(Kind::int8, Kind::int16, Kind::int32, Kind::int64);
    case Class::c_unsigned: return pick(Kind::uint8, Kind::uint16, Kind::uint32, Kind::uint64);
    case Class::floating:
      if (size == sizeof(float)) return Kind::float32;
      if (size == sizeof(double)) return Kind::float64;
      return std::nullopt;
    case Class::complex:
      if (size == 2 * sizeof(float)) return Kind::complex64;
      if (size == 2 * sizeof(double)) return Kind::complex128;
      return std::nullopt;
    case Class::logical:
    case Class::byte:
    case Class::pair: break;
  }
  return std::nullopt;
}

std::optional<Reduction::Kind> built_in(MPI_Op op) {
  using Is = Reduction::Kind;
  if (op == MPI_SUM) return Is::sum;
  if (op == MPI_PROD) return Is::product;
  if (op == MPI_MAX) return Is::maximum;
  if (op == MPI_MIN) return Is::minimum;
  if (op == MPI_BAND) return Is::bitwise_and;
  if (op == MPI_BOR) return Is::bitwise_or;
  if (op == MPI_BXOR) return Is::bitwise_xor;
  return std::nullopt;
}

/// The arguments with which MPI combines elements.
struct ByMpi {
  MPI_Op op;
  MPI_Datatype type;
  std::size_t element_bytes;
  MPI_Aint lower;  ///< the offset from an element's address to the start of its extent
  bool operator==(const ByMpi&) const = default;
};

/// Combines elements by MPI, which stores the result in the right operand.
void combine_by_mpi(const ByMpi& how, const void* left, const void* right, void* result,
                    std::size_t count) {
  const auto bytes = count * how.element_bytes;
  std::unique_ptr<std::byte[]> aside;
  if (left == result) {
    aside = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::memcpy(aside.get(), left, bytes);
    left = aside.get();
  }
  if (right != result) std::memcpy(result, right, bytes);
  if (PMPI_Reduce_local(static_cast<const std::byte*>(left) - how.lower,
                        static_cast<std::byte*>(result) - how.lower, static_cast<int>(count),
                        how.type, how.op) != MPI_SUCCESS) {
    throw Error(ErrorCode::invalid_argument, "MPI_Reduce_local failed");
  }
}

/// The reductions made so far, so that equal arguments get the same reduction: plans are looked up
/// by it.
class Made {
 public:
  Reduction by_mpi(const ByMpi& how) {
    int commutes = 0;
    PMPI_Op_commutative(how.op, &commutes);
    const Key key{how, commutes != 0};
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(entries_, key, &Entry::first);
    if (found != entries_.end()) return found->second;
    if (entries_.size() == most) entries_.pop_front();
    return entries_
        .emplace_back(
            key, Reduction::user(
                     [how](const void* left, const void* right, void* result, std::size_t count) {
                       combine_by_mpi(how, left, right, result, count);
                     },
                     Commutative{key.commutes}))
        .second;
  }

 private:
  struct Key {
    ByMpi how;
    bool commutes;
    bool operator==(const Key&) const = default;
  };
  using Entry = std::pair<Key, Reduction>;
  static constexpr std::size_t most = 16;

  std::mutex mutex_;
  std::deque<Entry> entries_;
};

Elements by_mpi(MPI_Op op, MPI_Datatype type, const TypeLayout& layout) {
  static Made made;
  if (layout.gapless)
    return {Datatype::user(layout.size), made.by_mpi({op, type, layout.size, 0}), false};
  const auto extent = static_cast<std::size_t>(layout.extent);
  return {Datatype::user(extent), made.by_mpi({op, type, extent, layout.lower}), true};
}

}  // namespace

bool is_user_operation(MPI_Op op) {
  return family_of(op) == Family::none && op != MPI_REPLACE && op != MPI_NO_OP && op != MPI_OP_NULL;
}

std::optional<Elements> elements_for(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL) return std::nullopt;
  const auto its_class = class_of(type);
  if (!is_user_operation(op) && (!its_class || !defined(family_of(op), *its_class)))
    return std::nullopt;
  const TypeLayout layout = layout_of(type);
  if (!layout.apart) return std::nullopt;
  const auto operation = built_in(op);
  const auto kind = operation ? kind_of(*its_class, layout.size) : std::nullopt;
  if (kind && layout.gapless && Reduction(*operation).defined_for(*kind))
    return Elements{*kind, *operation};
  return by_mpi(op, type, layout);
}

}  // namespace cuboid::detail::drop_in
