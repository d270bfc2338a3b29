#pragma once

#include <complex>

#include <gtest/gtest.h>

namespace cuboid::detail {

/// The types that a matrix's elements may have, for typed tests.
using EveryElementType = testing::Types<float, double, std::complex<float>, std::complex<double>>;

}  // namespace cuboid::detail
