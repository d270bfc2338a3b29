#pragma once

#include <complex>

#include <gtest/gtest.h>

namespace cuboid::detail {

/// The types that a matrix's elements may have, for typed tests. The sanitizers' runs leave out
/// single precision, which runs the same lines.
#ifdef CUBOID_SANITIZED
using EveryElementType = testing::Types<double, std::complex<double>>;
#else
using EveryElementType = testing::Types<float, double, std::complex<float>, std::complex<double>>;
#endif

}  // namespace cuboid::detail
