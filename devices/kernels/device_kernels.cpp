#include "devices/kernels/device_kernels.hpp"

#include <cuboid/error.hpp>

#include "base/shared_library.hpp"
#include "devices/kernels/nvrtc_library.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

bool is_complex(NumberType type) {
  return type == NumberType::complex64 || type == NumberType::complex128;
}
bool is_integer(NumberType type) {
  return type <= NumberType::uint64;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, "kernels for devices: " + what);
}

constexpr std::array<std::size_t, 5> units{16, 8, 4, 2, 1};

/// The longest unit that divides all of these.
template <class... Numbers>
std::size_t longest_unit(Numbers... numbers) {
  return *std::ranges::find_if(units,
                               [&](std::size_t unit) { return ((numbers % unit == 0) && ...); });
}

}  // namespace

std::string_view to_string(Combination operation) {
  constexpr std::array<std::string_view, 11> names{
      "sum",         "product",     "minimum",    "maximum",     "logical_and", "logical_or",
      "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "average"};
  return names[static_cast<std::size_t>(operation)];
}

std::string_view to_string(NumberType type) {
  constexpr std::array<std::string_view, 14> names{
      "int8",   "int16",   "int32",    "int64",   "uint8",   "uint16",    "uint32",
      "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<std::size_t>(type)];
}

std::size_t bytes_of(NumberType type) {
  constexpr std::array<std::size_t, 14> bytes{1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return bytes[static_cast<std::size_t>(type)];
}

bool is_defined(Combination operation, NumberType type) {
  switch (operation) {
    case Combination::sum:
    case Combination::product: return true;
    case Combination::bitwise_and:
    case Combination::bitwise_or:
    case Combination::bitwise_xor: return is_integer(type);
    case Combination::average: return !is_integer(type);
    default: return !is_complex(type);
  }
}

DeviceKernels::DeviceKernels(const CudaDevice& device, std::optional<std::string> nvrtc,
                             const std::optional<std::string>& cache_folder)
    : device_(device),
      nvrtc_(std::move(nvrtc)),
      capability_(describe_device(device.driver(), device.number()).capability),
      cache_(cache_folder) {
  const SharedLibrary driver(device.driver().path(), Symbols::programs);
  const auto find = [&]<class Found>(Found*& function, const char* name) {
    function = driver.find<Found>(name);
    if (function == nullptr)
      throw Error(ErrorCode::unsupported, fmt::format("{} has no {}", driver.path(), name));
  };
  find(load_, "cuModuleLoadData");
  find(unload_, "cuModuleUnload");
  find(find_, "cuModuleGetFunction");
  find(launch_, "cuLaunchKernel");
}

DeviceKernels::~DeviceKernels() {
  device_.release([this] {
    for (const Module module : modules_) unload_(module);
  });
}

DeviceKernels::Function DeviceKernels::ready(const KernelSource& source) const {
  const std::lock_guard lock(mutex_);
  Function& function = functions_[source.name];
  if (function != nullptr) return function;
  const std::string key = fmt::format("{} {}", capability_, source.text);
  Module module = nullptr;
  const std::optional<std::string> kept = cache_.find(key);
  // The driver refuses a file that was damaged.
  if (!kept || load_(&module, kept->data()) != cu::success) {
    const std::string code =
        NvrtcLibrary::open(nvrtc_, device_.driver()).compile(source.text, capability_);
    device_.check(load_(&module, code.data()), "cuModuleLoadData");
    cache_.keep(key, code);
  }
  modules_.push_back(module);
  device_.check(find_(&function, module, source.name.c_str()), "cuModuleGetFunction");
  return function;
}

DeviceKernels::Function DeviceKernels::ready_fold(Combination operation, NumberType type,
                                                  int operands) const {
  if (!is_defined(operation, type))
    refuse(fmt::format("{} has no meaning for {}", to_string(operation), to_string(type)));
  const std::string how(to_string(operation)), what(to_string(type));
  {
    const std::lock_guard lock(mutex_);
    const auto known = functions_.find(name_of_fold(how, what, operands));
    if (known != functions_.end() && known->second != nullptr) return known->second;
  }
  return ready(fold_source(how, what, operands));
}

void DeviceKernels::launch(const CudaStream& stream, Function function, std::uint64_t elements,
                           void** parameters) const {
  constexpr std::uint64_t threads = 256, most_blocks = (std::uint64_t{1} << 31) - 1;
  const auto blocks =
      static_cast<unsigned>(std::min((elements + threads - 1) / threads, most_blocks));
  device_.check(
      launch_(function, blocks, 1, 1, threads, 1, 1, 0, stream.get(), parameters, nullptr),
      "cuLaunchKernel");
}

void DeviceKernels::combine(const CudaStream& stream, Combination operation, NumberType type,
                            const void* from, void* into, std::size_t count) const {
  if (!is_defined(operation, type) || operation == Combination::average)
    refuse(fmt::format("{} has no meaning for {}", to_string(operation), to_string(type)));
  if (count == 0) return;
  std::uint64_t elements = count;
  std::array<void*, 3> parameters{&from, &into, &elements};
  launch(stream,
         ready(combine_source(std::string(to_string(operation)), std::string(to_string(type)))),
         elements, parameters.data());
}

void DeviceKernels::prepare_fold(Combination operation, NumberType type, int operands) const {
  ready_fold(operation, type, operands);
}

void DeviceKernels::fold(const CudaStream& stream, Combination operation, NumberType type,
                         std::span<const void* const> from, void* into, std::size_t count) const {
  const Function function = ready_fold(operation, type, static_cast<int>(from.size()));
  if (count == 0) return;
  std::vector<const void*> arrays(from.begin(), from.end());
  std::uint64_t elements = count;
  std::vector<void*> parameters;
  for (const void*& array : arrays) parameters.push_back(&array);
  parameters.insert(parameters.end(), {&into, &elements});
  launch(stream, function, elements, parameters.data());
}

void DeviceKernels::convert(const CudaStream& stream, NumberType from_type, const void* from,
                            NumberType to_type, void* to, std::size_t count) const {
  if (is_integer(from_type) || is_integer(to_type) || is_complex(from_type) != is_complex(to_type))
    refuse(fmt::format("{} is not converted to {}", to_string(from_type), to_string(to_type)));
  if (count == 0) return;
  std::uint64_t elements = count;
  std::array<void*, 3> parameters{&from, &to, &elements};
  launch(stream,
         ready(convert_source(std::string(to_string(from_type)), std::string(to_string(to_type)))),
         elements, parameters.data());
}

void DeviceKernels::copy(const CudaStream& stream, const MemoryLines& from, const MemoryLines& to,
                         std::size_t width, std::size_t height) const {
  if (width == 0 || height == 0) return;
  const std::size_t unit =
      longest_unit(width, from.pitch, to.pitch, reinterpret_cast<std::uintptr_t>(from.data),
                   reinterpret_cast<std::uintptr_t>(to.data));
  const void* source = from.data;
  void* target = to.data;
  std::uint64_t from_pitch = from.pitch / unit, to_pitch = to.pitch / unit, units = width / unit,
                lines = height;
  std::array<void*, 6> parameters{&source, &from_pitch, &target, &to_pitch, &units, &lines};
  launch(stream, ready(copy_source(static_cast<int>(unit))), units * lines, parameters.data());
}

void DeviceKernels::fill(const CudaStream& stream, const void* value, std::size_t bytes,
                         const MemoryLines& to, std::size_t width, std::size_t height) const {
  if (std::ranges::find(units, bytes) == units.end() || width % bytes != 0 ||
      to.pitch % bytes != 0 || reinterpret_cast<std::uintptr_t>(to.data) % bytes != 0)
    refuse(fmt::format("lines of {} bytes, {} apart, are not filled with elements of {} bytes",
                       width, to.pitch, bytes));
  if (width == 0 || height == 0) return;
  alignas(16) std::array<std::byte, 16> element{};
  std::memcpy(element.data(), value, bytes);
  void* target = to.data;
  std::uint64_t pitch = to.pitch / bytes, units_of_line = width / bytes, lines = height;
  std::array<void*, 5> parameters{element.data(), &target, &pitch, &units_of_line, &lines};
  launch(stream, ready(fill_source(static_cast<int>(bytes))), units_of_line * lines,
         parameters.data());
}

}  // namespace cuboid::detail
