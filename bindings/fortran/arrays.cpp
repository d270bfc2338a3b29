#include "bindings/fortran/arrays.hpp"

#include "base/saturating.hpp"

#include <cstdio>
#include <cstdlib>

int cuboid_fortran_in_place = 0;

namespace cuboid::detail::fortran {

namespace {

std::string& last_message() {
  thread_local std::string message;
  return message;
}

cuboid_datatype integer_of(std::size_t bytes) {
  switch (bytes) {
    case 1: return CUBOID_INT8;
    case 2: return CUBOID_INT16;
    case 4: return CUBOID_INT32;
    case 8: return CUBOID_INT64;
    default: return static_cast<cuboid_datatype>(bytes);
  }
}

}  // namespace

cuboid_datatype type_of(const CFI_cdesc_t& descriptor) {
  switch (descriptor.type) {
    case CFI_type_float: return CUBOID_FLOAT32;
    case CFI_type_double: return CUBOID_FLOAT64;
    case CFI_type_float_Complex: return CUBOID_COMPLEX64;
    case CFI_type_double_Complex: return CUBOID_COMPLEX128;
    case CFI_type_int8_t:
    case CFI_type_int16_t:
    case CFI_type_int32_t:
    case CFI_type_int64_t: return integer_of(descriptor.elem_len);
    default: break;
  }
#ifdef CFI_type_long_double
  if (descriptor.type == CFI_type_long_double && descriptor.elem_len == sizeof(long double))
    return CUBOID_LONG_DOUBLE;
#endif
#ifdef CFI_type_Logical
  // In GCC, .true. is 1 for every kind.
  if ((descriptor.type & CFI_type_mask) == CFI_type_Logical) return integer_of(descriptor.elem_len);
#endif
  if (descriptor.elem_len == 0)
    throw Refused("elements of zero bytes; give elements that have a size");
  return static_cast<cuboid_datatype>(descriptor.elem_len);
}

Array array_of(const CFI_cdesc_t* descriptor) {
  if (descriptor->base_addr == &cuboid_fortran_in_place) return {CUBOID_IN_PLACE, 0, CUBOID_BYTE};
  std::size_t count = 1;
  std::size_t step = descriptor->elem_len;
  for (int axis = 0; axis < descriptor->rank; ++axis) {
    const auto& dimension = descriptor->dim[axis];
    if (dimension.extent < 0)
      throw Refused("an array of assumed size has no known size; give a section a(1:n)");
    if (dimension.extent > 1 && count > 0 && dimension.sm != static_cast<CFI_index_t>(step))
      throw Refused("an array with gaps between its elements; give a contiguous one, or a copy");
    count *= static_cast<std::size_t>(dimension.extent);
    step *= static_cast<std::size_t>(dimension.extent);
  }
  return {descriptor->base_addr, count, type_of(*descriptor)};
}

Array as_combined_by(Array array, cuboid_reduction reduction) {
  const bool locates = reduction == CUBOID_MINIMUM_LOCATION || reduction == CUBOID_MAXIMUM_LOCATION;
  if (!locates || array.in_place()) return array;
  if (array.count % 2 != 0)
    throw Refused(
        "an odd number of elements for pairs of a value and its index; give an array (2, n)");
  return {array.data, array.count / 2, CUBOID_LOCATED(array.type, array.type)};
}

void require_blocks(const Array& array, std::size_t blocks, std::size_t count, const char* name) {
  const std::size_t needed = saturating_product(blocks, count);
  if (array.in_place() || array.count == needed) return;
  throw Refused(std::string(name) + " has " + std::to_string(array.count) + " elements; give " +
                std::to_string(needed));
}

std::size_t size_of(cuboid_communicator communicator) {
  int size = 0;
  if (cuboid_communicator_size(communicator, &size) != CUBOID_SUCCESS)
    throw Refused(cuboid_error_message());
  return static_cast<std::size_t>(size);
}

bool is_rank(cuboid_communicator communicator, int rank) {
  int own = -1;
  if (cuboid_communicator_rank(communicator, &own) != CUBOID_SUCCESS)
    throw Refused(cuboid_error_message());
  return own == rank;
}

void report(int code, const std::string& message, int* ierror) noexcept {
  if (code != CUBOID_SUCCESS) {
    try {
      last_message() = message;
    } catch (...) {
      last_message().clear();
    }
  }
  if (ierror != nullptr) {
    *ierror = code;
  } else if (code != CUBOID_SUCCESS) {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::exit(EXIT_FAILURE);
  }
}

}  // namespace cuboid::detail::fortran

extern "C" CUBOID_API std::size_t cuboid_fortran_error_length() {
  return cuboid::detail::fortran::last_message().size();
}

extern "C" CUBOID_API const char* cuboid_fortran_error_message() {
  return cuboid::detail::fortran::last_message().c_str();
}
