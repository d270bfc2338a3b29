// One reader under libFuzzer: CUBOID_FUZZED names it.

#include "tests/fuzz/readers.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  for (const auto& reader : cuboid::detail::fuzz::readers()) {
    if (std::string_view(reader.name) != CUBOID_FUZZED) continue;
    cuboid::detail::fuzz::try_to_read(reader,
                                      std::string(reinterpret_cast<const char*>(data), bytes));
    return 0;
  }
  std::abort();
}
