// The local gemm of simulated ranks: it takes simulated time and computes nothing. They factorise
// nothing.
#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>
#include <cuboid/local_gemm.hpp>
#include <cuboid/local_lapack.hpp>

#include "mm/local/on_device.hpp"

#include <complex>
#include <limits>
#include <type_traits>

#include <smpi/smpi.h>

namespace cuboid {

namespace detail {

/// States whether gemms take time; if not, only the exchange takes time.
class BlasLibrary {
 public:
  explicit BlasLibrary(bool takes_time) : takes_time_(takes_time) {}
  bool takes_time() const { return takes_time_; }

 private:
  bool takes_time_;
};

}  // namespace detail

LocalGemm LocalGemm::open(const Environment& environment, int threads_per_rank) {
  static const detail::BlasLibrary simulated(true), none(false);
  return {environment.blas == "none" ? none : simulated, threads_per_rank, nullptr};
}

LocalGemm LocalGemm::open(const Communicator& communicator, int threads_per_rank) {
  return open(communicator.environment(), threads_per_rank);
}

template <class T>
void LocalGemm::operator()(Op, Op, std::int64_t m, std::int64_t n, std::int64_t k, T, const T*,
                           std::int64_t, const T*, std::int64_t, T, T*, std::int64_t) const {
  if (!library_->takes_time()) return;
  constexpr double flops_of_a_step = std::is_floating_point_v<T> ? 2 : 8;
  smpi_execute_flops(flops_of_a_step * static_cast<double>(m) * static_cast<double>(n) *
                     static_cast<double>(k));
}

template <class T>
void LocalGemm::on_cores(Op a, Op b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                         const T* A, std::int64_t lda, const T* B, std::int64_t ldb, T beta, T* C,
                         std::int64_t ldc) const {
  (*this)(a, b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

std::string LocalGemm::device() const {
  return "none";
}
std::string LocalGemm::library() const {
  return "simulated";
}
std::string LocalGemm::kernels() const {
  return "none";
}
std::string LocalGemm::advice() const {
  return {};
}
std::int64_t LocalGemm::largest_leading_dimension() const {
  return std::numeric_limits<std::int64_t>::max();
}

LocalLapack LocalLapack::open(const Environment&, int) {
  throw Error(ErrorCode::unsupported, "simulated ranks have no LAPACK: run `cuboid lu` for real");
}
std::string LocalLapack::library() const {
  return "none";
}

#define CUBOID_INSTANTIATE(T)                                                                      \
  template void LocalGemm::operator()(Op, Op, std::int64_t, std::int64_t, std::int64_t, T,         \
                                      const T*, std::int64_t, const T*, std::int64_t, T, T*,       \
                                      std::int64_t) const;                                         \
  template void LocalGemm::on_cores(Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*, \
                                    std::int64_t, const T*, std::int64_t, T, T*, std::int64_t)     \
      const
CUBOID_INSTANTIATE(float);
CUBOID_INSTANTIATE(double);
CUBOID_INSTANTIATE(std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>);
#undef CUBOID_INSTANTIATE

/// Simulated nodes have no devices.
namespace detail {

template <class T>
class DeviceSum {};

template <class T>
bool multiply_on_device(const LocalGemm&, const GemmCall<T>&, GemmProgress) {
  return false;
}
template <class T>
double device_seconds(const LocalGemm&, std::int64_t, std::int64_t, std::int64_t) {
  return std::numeric_limits<double>::infinity();
}
template <MatrixElement T>
DeviceResidentC<T>::DeviceResidentC(const LocalGemm&, LocalView<T>, std::int64_t, std::int64_t, T) {
}
template <MatrixElement T>
DeviceResidentC<T>::~DeviceResidentC() = default;
template <MatrixElement T>
DeviceResidentC<T>::DeviceResidentC(DeviceResidentC&&) noexcept = default;
template <MatrixElement T>
void DeviceResidentC<T>::add(const GemmCall<T>&, GemmProgress) {}
template <MatrixElement T>
void DeviceResidentC<T>::finish(GemmProgress) {}

#define CUBOID_INSTANTIATE(T)                                                                    \
  template bool multiply_on_device(const LocalGemm&, const GemmCall<T>&, GemmProgress);          \
  template double device_seconds<T>(const LocalGemm&, std::int64_t, std::int64_t, std::int64_t); \
  template class DeviceResidentC<T>
CUBOID_INSTANTIATE(float);
CUBOID_INSTANTIATE(double);
CUBOID_INSTANTIATE(std::complex<float>);
CUBOID_INSTANTIATE(std::complex<double>);
#undef CUBOID_INSTANTIATE

}  // namespace detail

}  // namespace cuboid
