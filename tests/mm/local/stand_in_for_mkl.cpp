/// What of MKL's libmkl_rt Cuboid calls, with 64-bit integers; it multiplies nothing, but keeps
/// what it was told.

#include <cstdint>

namespace {

int threading_layer = 0;
int threads = 0;
std::int64_t last_k = 0;

}  // namespace

extern "C" {

struct Version {
  int major, minor, update;
  const char *status, *build, *processor, *platform;
};

void MKL_Get_Version(Version* version) {
  *version = {2042, 1, 3, "Product", "", "Vectors 512 with support for more", ""};
}
int MKL_Set_Interface_Layer(int /*wanted*/) {
  return 1;
}
int MKL_Set_Threading_Layer(int layer) {
  return threading_layer = layer;
}
void MKL_Set_Num_Threads(int count) {
  threads = count;
}
void cblas_sgemm() {}
void cblas_cgemm() {}
void cblas_zgemm() {}
void cblas_dgemm(int, int, int, std::int64_t, std::int64_t, std::int64_t k) {
  last_k = k;
}

int told_threading_layer() {
  return threading_layer;
}
int told_threads() {
  return threads;
}
std::int64_t told_k() {
  return last_k;
}
}
