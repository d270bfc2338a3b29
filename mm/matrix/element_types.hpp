#pragma once

#include <complex>

/// Instantiates a template for every MatrixElement: INSTANTIATE is a macro of one type.
#define CUBOID_FOR_ELEMENT_TYPES(INSTANTIATE) \
  INSTANTIATE(float);                         \
  INSTANTIATE(double);                        \
  INSTANTIATE(std::complex<float>);           \
  INSTANTIATE(std::complex<double>)
