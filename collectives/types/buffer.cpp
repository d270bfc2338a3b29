#include <cuboid/buffer.hpp>
#include <cuboid/error.hpp>

#include <fmt/format.h>

namespace cuboid {

void Datatype::refuse_count(std::size_t count, Datatype type) {
  if (type.bytes() == 0) refuse_empty();
  throw Error(ErrorCode::invalid_argument,
              fmt::format("a buffer of {} elements of {} is longer than {} bytes: check the count",
                          count, to_string(type), longest_buffer));
}

void Datatype::refuse_empty() {
  throw Error(ErrorCode::invalid_argument,
              "a user's type of 0 bytes: give Datatype::user() the size of an element");
}

void Datatype::refuse_pair() {
  throw Error(
      ErrorCode::invalid_argument,
      "Datatype::located: give a real number's type and, for the index, int32, int64 or the "
      "same type");
}

}  // namespace cuboid
