#pragma once

#include <complex>

/// Instantiates a template for every MatrixElement: INSTANTIATE is a macro of one type.
#define CUBOID_FOR_ELEMENT_TYPES(INSTANTIATE) \
  INSTANTIATE(float);                         \
  INSTANTIATE(double);                        \
  INSTANTIATE(std::complex<float>);           \
  INSTANTIATE(std::complex<double>)

/// Instantiates a class template for every MatrixElement.
#define CUBOID_CLASS_FOR_ELEMENT_TYPES(NAME) \
  template class NAME<float>;                \
  template class NAME<double>;               \
  template class NAME<std::complex<float>>;  \
  template class NAME<std::complex<double>>
