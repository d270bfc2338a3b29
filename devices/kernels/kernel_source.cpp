#include "devices/kernels/kernel_source.hpp"

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// Types and templates of all kernels. Operations are those of Reduction on the cores: 16-bit
/// numbers are combined in float and rounded, products of integers wrap around, and of two numbers
/// that are not ordered the left one is the minimum and the maximum.
constexpr const char* common = R"cuda(
using int8 = signed char; using int16 = short; using int32 = int; using int64 = long long;
using uint8 = unsigned char; using uint16 = unsigned short; using uint32 = unsigned int;
using uint64 = unsigned long long; using float32 = float; using float64 = double;

struct float16 {
  uint16 bits;
  float16() = default;
  __device__ explicit float16(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
  __device__ operator float() const {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
};
struct bfloat16 {
  uint16 bits;
  bfloat16() = default;
  __device__ explicit bfloat16(float value) {
    const uint32 word = __float_as_uint(value);
    const uint32 rounded = word + 0x7fffu + (word >> 16 & 1u);
    bits = static_cast<uint16>((value == value ? rounded : word | 0x400000u) >> 16);
  }
  __device__ operator float() const { return __uint_as_float(static_cast<uint32>(bits) << 16); }
};
template <class Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real real, imaginary;
  Complex() = default;
  __device__ Complex(Real a, Real b) : real(a), imaginary(b) {}
  template <class Other>
  __device__ explicit Complex(const Complex<Other>& other)
      : real(static_cast<Real>(other.real)), imaginary(static_cast<Real>(other.imaginary)) {}
};
template <class Real>
__device__ Complex<Real> operator+(Complex<Real> a, Complex<Real> b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
template <class Real>
__device__ Complex<Real> operator*(Complex<Real> a, Complex<Real> b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
using complex64 = Complex<float>;
using complex128 = Complex<double>;
struct alignas(16) unit16 { uint64 low, high; };

struct sum { template <class T> static __device__ T of(T a, T b) { return static_cast<T>(a + b); } };
struct product { template <class T> static __device__ T of(T a, T b) { return static_cast<T>(a * b); } };
struct minimum { template <class T> static __device__ T of(T a, T b) { return b < a ? b : a; } };
struct maximum { template <class T> static __device__ T of(T a, T b) { return a < b ? b : a; } };
template <class T> __device__ T truth(bool value) { return static_cast<T>(value ? 1.0f : 0.0f); }
struct logical_and { template <class T> static __device__ T of(T a, T b) { return truth<T>(a != 0 && b != 0); } };
struct logical_or { template <class T> static __device__ T of(T a, T b) { return truth<T>(a != 0 || b != 0); } };
struct logical_xor { template <class T> static __device__ T of(T a, T b) { return truth<T>((a != 0) != (b != 0)); } };
struct bitwise_and { template <class T> static __device__ T of(T a, T b) { return static_cast<T>(a & b); } };
struct bitwise_or { template <class T> static __device__ T of(T a, T b) { return static_cast<T>(a | b); } };
struct bitwise_xor { template <class T> static __device__ T of(T a, T b) { return static_cast<T>(a ^ b); } };

template <class T> __device__ T quotient(T value, int by) { return static_cast<T>(value / static_cast<float>(by)); }
template <> __device__ double quotient(double value, int by) { return value / by; }
template <class Real>
__device__ Complex<Real> quotient(Complex<Real> value, int by) {
  return {value.real / static_cast<Real>(by), value.imaginary / static_cast<Real>(by)};
}

template <class Use>
__device__ void for_each(uint64 count, const Use& use) {
  const uint64 stride = static_cast<uint64>(gridDim.x) * blockDim.x;
  for (uint64 i = static_cast<uint64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) use(i);
}
)cuda";

KernelSource kernel(const std::string& name, const std::string& parameters,
                    const std::string& body) {
  return {name, fmt::format("{}\nextern \"C\" __global__ void {}({}) {{\n  {}\n}}\n", common, name,
                            parameters, body)};
}

std::string unit_type(int bytes) {
  constexpr int bits = 8, widest = 16;
  return bytes == widest ? "unit16" : fmt::format("uint{}", bytes * bits);
}

}  // namespace

KernelSource combine_source(const std::string& operation, const std::string& type) {
  return kernel(fmt::format("combine_{}_{}", operation, type),
                fmt::format("const {0}* from, {0}* into, uint64 count", type),
                fmt::format("for_each(count, [=](uint64 i) {{ into[i] = {}::of<{}>(into[i], "
                            "from[i]); }});",
                            operation, type));
}

std::string name_of_fold(const std::string& operation, const std::string& type, int operands) {
  return fmt::format("fold_{}_{}_{}", operation, type, operands);
}

KernelSource fold_source(const std::string& operation, const std::string& type, int operands) {
  const bool averages = operation == "average";
  std::string parameters, value = "from0[i]";
  for (int number = 0; number < operands; ++number) {
    parameters += fmt::format("const {}* from{}, ", type, number);
    if (number > 0)
      value = fmt::format("{}::of<{}>({}, from{}[i])", averages ? "sum" : operation, type, value,
                          number);
  }
  if (averages) value = fmt::format("quotient({}, {})", value, operands);
  return kernel(name_of_fold(operation, type, operands),
                fmt::format("{}{}* into, uint64 count", parameters, type),
                fmt::format("for_each(count, [=](uint64 i) {{ into[i] = {}; }});", value));
}

KernelSource convert_source(const std::string& from, const std::string& to) {
  return kernel(
      fmt::format("convert_{}_{}", from, to),
      fmt::format("const {}* from, {}* to, uint64 count", from, to),
      fmt::format("for_each(count, [=](uint64 i) {{ to[i] = static_cast<{}>(from[i]); }});", to));
}

KernelSource copy_source(int unit) {
  return kernel(fmt::format("copy_{}", unit),
                fmt::format("const {0}* from, uint64 from_pitch, {0}* to, uint64 to_pitch, uint64 "
                            "width, uint64 height",
                            unit_type(unit)),
                "for_each(width * height, [=](uint64 i) { to[i / width * to_pitch + i % width] = "
                "from[i / width * from_pitch + i % width]; });");
}

KernelSource fill_source(int unit) {
  return kernel(
      fmt::format("fill_{}", unit),
      fmt::format("{0} value, {0}* to, uint64 pitch, uint64 width, uint64 height", unit_type(unit)),
      "for_each(width * height, [=](uint64 i) { to[i / width * pitch + i % width] = "
      "value; });");
}

}  // namespace cuboid::detail
