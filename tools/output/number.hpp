#pragma once

#include <complex>
#include <cstdint>
#include <string>

namespace cuboid::detail::tools {

/// Reads a real or complex number as people write it: 2, -1.5e3, 1+2i, -i, 3j. Throws
/// Error(invalid_argument) naming `flag` and the text.
std::complex<double> parse_number(const std::string& flag, const std::string& text);

/// Reads an amount of memory: 4096, 64K, 1.5G; K, M, G and T are powers of 1024. Throws
/// Error(invalid_argument) naming `flag` and the text.
std::int64_t parse_bytes(const std::string& flag, const std::string& text);

/// Bytes as text, e.g. "1.50 GiB".
std::string bytes_to_string(double bytes);

}  // namespace cuboid::detail::tools
