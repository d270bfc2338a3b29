#pragma once

#include <cuboid/error.hpp>

namespace cuboid::detail {

/// Runs `read`. If it throws an Error(parse), adds where(), which names a file or a file and a
/// line, in front of the message.
template <class Where, class Read>
auto in_file(const Where& where, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::parse) throw;
    throw Error(error.code(), where() + ": " + error.what());
  }
}

}  // namespace cuboid::detail
