#pragma once

namespace cuboid {

/// A stream of a CUDA device, given to a start_… function or to Request::wait(). Made by on().
class OnStream {
 public:
  /// No stream.
  OnStream() = default;
  explicit OnStream(void* stream) : stream_(stream), given_(true) {}

  bool given() const { return given_; }
  /// The stream as the CUDA driver knows it; nullptr: the legacy default stream.
  void* stream() const { return stream_; }

 private:
  void* stream_ = nullptr;
  bool given_ = false;
};

/// Orders a collective after a stream's work, or a stream's work after a collective:
///     Request sum = start_allreduce(communicator, input, output, Reduction::Kind::sum,
///     on(stream)); sum.wait(on(stream));
/// The stream belongs to the caller and to the device on which the call's buffers lie.
/// @param stream  a cudaStream_t or CUstream
inline OnStream on(void* stream) {
  return OnStream(stream);
}

}  // namespace cuboid
