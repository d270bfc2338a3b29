#include <cuboid/error.hpp>

#include "mm/local/device_gemm.hpp"

#include <thread>

namespace cuboid::detail {

void wait(const CudaEvent& event, GemmProgress progress) {
  if (!progress) return event.wait();
  while (!event.done()) {
    progress();
    std::this_thread::yield();
  }
}

DeviceWorker::DeviceWorker(const CudaDevice& on, const CublasLibrary& library,
                           CublasFactors rounded_to)
    : device(on),
      cublas(library),
      up(on),
      compute(on),
      down(on),
      factors(rounded_to),
      half_done{CudaEvent(on), CudaEvent(on)} {
  handle = library.create(on, compute);
}

DeviceWorker::~DeviceWorker() {
  device.release([this] {
    if (cusolver_ != nullptr) cusolver_->destroy(solver_);
    cublas.destroy(handle);
  });
}

std::byte* DeviceWorker::memory(std::size_t bytes) {
  if (memory_ == nullptr || memory_->bytes() < bytes) {
    compute.wait();
    memory_.reset();
    const Clock::time_point begin = Clock::now();
    memory_ = std::make_unique<DeviceMemory>(device, bytes);
    allocation_ = Clock::now() - begin;
  }
  return memory_->data();
}

void DeviceWorker::give_back_memory_after(Clock::duration work) {
  constexpr int hundredth = 100;
  if (work > hundredth * allocation_) memory_.reset();
}

CusolverHandle DeviceWorker::solver(const CusolverLibrary& library) {
  if (cusolver_ == nullptr) {
    solver_ = library.create(device, compute);
    cusolver_ = &library;
  }
  return solver_;
}

const CudaEvent& DeviceWorker::event(std::size_t number) {
  while (events_.size() <= number) events_.emplace_back(device);
  return events_[number];
}

void DeviceWorker::wait_until_idle() const {
  for (const CudaStream* stream : {&up, &compute, &down}) {
    try {
      stream->wait();
    } catch (const Error&) {
      // A device that is lost does not touch memory.
    }
  }
}

}  // namespace cuboid::detail
