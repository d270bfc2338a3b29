#include "bindings/mpi/operand.hpp"

namespace cuboid::detail::drop_in {

namespace {

void copy_elements(const std::byte* from, std::byte* to, int count, MPI_Datatype type,
                   std::size_t bytes) {
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
  pack(from, count, type, packed.get(), bytes);
  unpack(packed.get(), bytes, to, count, type);
}

}  // namespace

ReductionOperand::ReductionOperand(void* base, std::size_t count, MPI_Datatype type,
                                   const Elements& elements, ByteBlocks::Life life)
    : base_(static_cast<std::byte*>(base)),
      count_(static_cast<int>(count)),
      type_(type, elements.gaps && life == ByteBlocks::Life::request) {
  if (!elements.gaps) return;
  layout_ = layout_of(type);
  copy_ = std::make_unique<std::byte[]>(count * elements.type.bytes() + 1);
}

void ReductionOperand::load() {
  if (!copy_) return;
  copy_elements(base_, copy_.get() - layout_.lower, count_, type_.get(),
                static_cast<std::size_t>(count_) * layout_.size);
}

void ReductionOperand::store() {
  if (!copy_) return;
  copy_elements(copy_.get() - layout_.lower, base_, count_, type_.get(),
                static_cast<std::size_t>(count_) * layout_.size);
}

}  // namespace cuboid::detail::drop_in
