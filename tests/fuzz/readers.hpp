#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace cuboid::detail::fuzz {

/// What reads text or bytes that are not trusted.
struct Reader {
  const char* name;
  /// Reads, or throws Error.
  std::function<void(const std::string& bytes)> read;
  /// Well-formed, to begin with.
  std::vector<std::string> seeds;
  /// How much input the test tries.
  int tries = 30000;

  friend void PrintTo(const Reader& reader, std::ostream* out) { *out << reader.name; }
};

const std::vector<Reader>& readers();

/// Lets a reader read. Aborts, with the bytes, where it throws anything but an Error in one line
/// that blames the input.
void try_to_read(const Reader& reader, const std::string& bytes);

}  // namespace cuboid::detail::fuzz
