#pragma once

#include "devices/memory/memory_space.hpp"
#include "mm/local/device_gemm.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace cuboid::detail {

inline CublasOp cublas_op(Op op) {
  switch (op) {
    case Op::none: return CublasOp::none;
    case Op::transpose: return CublasOp::transpose;
    case Op::conjugate_transpose: return CublasOp::conjugate_transpose;
  }
  return CublasOp::none;
}

/// A part of a worker's memory. The work that is recorded by the event `done` may still use it.
struct Region {
  std::byte* memory = nullptr;
  const CudaEvent* done = nullptr;  ///< recorded after the work that uses the region
};

/// The time at which a tiled product returns.
enum class Until {
  c_is_done,
  operands_are_read,  ///< the device may still multiply
};

/// Queues the steps of a product in a worker's streams and waits.
template <class T>
class TiledProduct {
 public:
  TiledProduct(DeviceWorker& worker, const Region& region, const GemmCall<T>& call,
               const TileProblem& problem, const TilePlan& plan)
      : worker_(worker),
        call_(call),
        problem_(problem),
        plan_(plan),
        region_(region),
        a_(reinterpret_cast<T*>(region.memory)),
        b_(a_ + plan.shape.a_slots * a_block(plan.shape)),
        c_(b_ + plan.shape.b_slots * b_block(plan.shape)) {}

  void run(Until until, GemmProgress progress) {
    worker_.up.wait_for(*region_.done);
    for (const TileStep& step : plan_.steps) enqueue(step);
    worker_.compute.record(*region_.done);
    const CudaEvent& read = worker_.event(0);
    worker_.up.record(read);
    wait(read, progress);
    if (until == Until::operands_are_read) return;
    wait(*region_.done, progress);
    const CudaEvent& stored = worker_.event(1);
    worker_.down.record(stored);
    wait(stored, progress);
  }

 private:
  /// The events of a slot: `came` when its block has arrived, `is_free` when the slot may be
  /// written again.
  enum TileOperand { a, b, c };
  struct SlotEvents {
    const CudaEvent& came;
    const CudaEvent& is_free;
  };
  SlotEvents events(TileOperand operand, int slot) {
    const TileShape& shape = plan_.shape;
    const int before = operand == a   ? 0
                       : operand == b ? shape.a_slots
                                      : shape.a_slots + shape.b_slots;
    constexpr std::size_t first = 2;
    const std::size_t number = first + 2 * static_cast<std::size_t>(before + slot);
    return {worker_.event(number), worker_.event(number + 1)};
  }

  /// The columns of a block of a stored matrix.
  MemoryLines lines(const T* data, std::int64_t ld, bool on_device) {
    return {const_cast<T*>(data), static_cast<std::size_t>(ld) * sizeof(T), on_device};
  }

  /// Copies a block to a slot as soon as nothing needs the slot's content.
  void load(TileOperand operand, int slot, const T* from, std::int64_t ld, std::int64_t rows,
            std::int64_t columns, T* to) {
    const SlotEvents of_slot = events(operand, slot);
    if (used_before(operand, slot)) worker_.up.wait_for(of_slot.is_free);
    worker_.up.copy(lines(from, ld, memory_space_of(from).on_device()), lines(to, rows, true),
                    static_cast<std::size_t>(rows) * sizeof(T), static_cast<std::size_t>(columns));
    worker_.up.record(of_slot.came);
    worker_.compute.wait_for(of_slot.came);
  }

  /// True if an earlier step used the slot. Records that this step uses it.
  bool used_before(TileOperand operand, int slot) {
    auto& used = used_[static_cast<std::size_t>(operand)];
    if (used.size() <= static_cast<std::size_t>(slot))
      used.resize(static_cast<std::size_t>(slot) + 1);
    const bool before = used[static_cast<std::size_t>(slot)];
    used[static_cast<std::size_t>(slot)] = true;
    return before;
  }

  void enqueue(const TileStep& step) {
    const auto& [rows, columns, inner] = std::tie(step.rows, step.columns, step.inner);
    // A block in a slot has the shape in which it is stored: m×k, or k×m if it is transposed.
    const bool a_plain = call_.op_a == Op::none, b_plain = call_.op_b == Op::none;
    const T* A = a_plain ? call_.A + rows.begin + inner.begin * call_.lda
                         : call_.A + inner.begin + rows.begin * call_.lda;
    const T* B = b_plain ? call_.B + inner.begin + columns.begin * call_.ldb
                         : call_.B + columns.begin + inner.begin * call_.ldb;
    T* C = call_.C + rows.begin + columns.begin * call_.ldc;
    std::int64_t lda = call_.lda, ldb = call_.ldb, ldc = call_.ldc;
    if (problem_.moves_a) {
      T* const slot = a_ + step.a_slot * a_block(plan_.shape);
      const std::int64_t height = a_plain ? rows.extent : inner.extent;
      if (step.loads_a)
        load(a, step.a_slot, A, lda, height, a_plain ? inner.extent : rows.extent, slot);
      A = slot;
      lda = height;
    }
    if (problem_.moves_b) {
      T* const slot = b_ + step.b_slot * b_block(plan_.shape);
      const std::int64_t height = b_plain ? inner.extent : columns.extent;
      if (step.loads_b)
        load(b, step.b_slot, B, ldb, height, b_plain ? columns.extent : inner.extent, slot);
      B = slot;
      ldb = height;
    }
    T* const home = C;
    if (problem_.moves_c) {
      C = c_ + step.c_slot * c_block(plan_.shape);
      ldc = rows.extent;
      if (step.first && problem_.reads_c) {
        load(c, step.c_slot, home, call_.ldc, rows.extent, columns.extent, C);
      } else if (step.first && used_before(c, step.c_slot)) {
        worker_.compute.wait_for(events(c, step.c_slot).is_free);
      }
    }
    worker_.cublas.gemm(worker_.device, worker_.handle, worker_.factors, cublas_op(call_.op_a),
                        cublas_op(call_.op_b), rows.extent, columns.extent, inner.extent,
                        call_.alpha, A, lda, B, ldb, step.first ? call_.beta : T(1), C, ldc);
    if (problem_.moves_a) worker_.compute.record(events(a, step.a_slot).is_free);
    if (problem_.moves_b) worker_.compute.record(events(b, step.b_slot).is_free);
    if (problem_.moves_c && step.last) store(step, C, home);
  }

  void store(const TileStep& step, const T* from, T* to) {
    const SlotEvents of_slot = events(c, step.c_slot);
    worker_.compute.record(of_slot.came);
    worker_.down.wait_for(of_slot.came);
    worker_.down.copy(lines(from, step.rows.extent, true),
                      lines(to, call_.ldc, memory_space_of(to).on_device()),
                      static_cast<std::size_t>(step.rows.extent) * sizeof(T),
                      static_cast<std::size_t>(step.columns.extent));
    worker_.down.record(of_slot.is_free);
  }

  DeviceWorker& worker_;
  const GemmCall<T>& call_;
  const TileProblem& problem_;
  const TilePlan& plan_;
  Region region_;
  T *a_, *b_, *c_;
  std::array<std::vector<bool>, 3> used_;
};

}  // namespace cuboid::detail
