#include "mm/local/cpu_features.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <array>
#include <cstring>

#include <cpuid.h>
#endif

namespace cuboid::detail {

#if defined(__x86_64__) || defined(__i386__)

namespace {

std::string cpu_vendor() {
  unsigned int highest = 0;
  std::array<unsigned int, 3> words{};
  if (__get_cpuid(0, &highest, &words[0], &words[2], &words[1]) == 0) return {};
  std::array<char, sizeof(words)> letters{};
  std::memcpy(letters.data(), words.data(), letters.size());
  return {letters.begin(), letters.end()};
}

}  // namespace

CpuFeatures this_cpu() {
  __builtin_cpu_init();
  CpuFeatures features;
  features.vendor = cpu_vendor();
  features.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  features.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512cd");
  return features;
}

#else

CpuFeatures this_cpu() {
  return {};
}

#endif

}  // namespace cuboid::detail
