#pragma once

#include <string_view>

/// Floating-point operations of ?getrf or ?potrf for n rows and columns, without lesser terms.
inline double flops(std::string_view routine, double n) {
  return (routine == "potrf" ? 1.0 : 2.0) / 3 * n * n * n;
}
