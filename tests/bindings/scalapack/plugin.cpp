// A library that brings its own ScaLAPACK along and is loaded by name, as extensions of Python are:
// nothing else in the program sees that ScaLAPACK.

#include <array>
#include <cmath>
#include <vector>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridexit(int context);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*);
void Cpdgemr2d(int, int, const double*, int, int, const int*, double*, int, int, const int*, int);

/// A product and a copy of n×n elements on a row of all ranks, a block of columns each; whether all
/// of this rank's elements are right.
__attribute__((visibility("default"))) bool multiplies_right(int ranks, int n) {
  int context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", 1, ranks);
  const int one = 1, width = n / ranks;
  const double unit = 1, nothing = 0;
  const std::array<int, 9> descriptor = {1, context, n, n, n, width, 0, 0, n};
  const int* const all = descriptor.data();
  const std::vector<double> A(static_cast<std::size_t>(n) * static_cast<std::size_t>(width), 0.5);
  std::vector<double> C(A.size()), copy(A.size());
  pdgemm_("N", "N", &n, &n, &n, &unit, A.data(), &one, &one, all, A.data(), &one, &one, all,
          &nothing, C.data(), &one, &one, all);
  Cpdgemr2d(n, n, C.data(), 1, 1, all, copy.data(), 1, 1, all, context);
  Cblacs_gridexit(context);
  bool right = true;
  for (const double element : copy) right = right && std::abs(element - 0.25 * n) < 1e-9 * n;
  return right;
}
}
