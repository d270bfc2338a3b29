#pragma once

#include <cuboid/matrix.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/matrix/host_mirror.hpp"
#include "mm/redistribution/chunk_exchange.hpp"
#include "mm/redistribution/move_pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// This rank's blocks of a matrix in a regular or an irregular layout.
template <MatrixElement T>
struct LocalBlocks {
  std::vector<LocalView<T>> blocks;
  const Communicator* communicator = nullptr;

  explicit LocalBlocks(const RedistributionSource<T>& source)
      : LocalBlocks(source.matrix, [](const Matrix<T>& matrix) {
          const LocalView<const T> local = matrix.local();
          // The const_cast is safe: the source is only read.
          return LocalView<T>{const_cast<T*>(local.data), local.rows, local.columns,
                              local.leading_dimension};
        }) {}
  explicit LocalBlocks(const RedistributionDestination<T>& destination)
      : LocalBlocks(destination.matrix, [](Matrix<T>& matrix) { return matrix.local(); }) {}

 private:
  template <class Any, class Local>
  LocalBlocks(const Any& any, const Local& local) {
    std::visit(
        [&](auto* matrix) {
          communicator = &matrix->communicator();
          if constexpr (requires { matrix->blocks(); }) {
            blocks.assign(matrix->blocks().begin(), matrix->blocks().end());
          } else {
            blocks = {local(*matrix)};
          }
        },
        any);
  }
};

/// The steps of one run, and their work on chunks. Blocks in a device's memory are copied to the
/// host, and destinations back.
template <MatrixElement T>
class RunningSteps {
 public:
  explicit RunningSteps(std::span<const RedistributionStep<T>> steps) : steps_(steps) {
    for (const RedistributionStep<T>& step : steps) {
      sources_.push_back(on_host(LocalBlocks<T>(step.source), step.alpha != T(0)));
      destinations_.push_back(on_host(LocalBlocks<T>(step.destination), step.beta != T(0)));
    }
  }

  /// Scales the destinations, for steps that read no source.
  void scale_destinations() const {
    for (std::size_t number = 0; number < steps_.size(); ++number) {
      for (const HostBlock<T>& block : destinations_[number])
        scale(steps_[number].beta, block.get());
    }
  }
  /// Must be called after the work. Copies destinations back to devices.
  void finish() const {
    for (const auto& of_step : destinations_) {
      for (const HostBlock<T>& block : of_step) block.give_back();
    }
  }

  ChunkWork work(const ExchangePlan& plan) {
    return {
        [this](const PeerMessages& messages, const MessageChunk& chunk, std::byte* memory) {
          pack_chunk(messages, chunk, reinterpret_cast<T*>(memory));
        },
        [this](const PeerMessages& messages, const MessageChunk& chunk, const std::byte* memory) {
          unpack_chunk(messages, chunk, reinterpret_cast<const T*>(memory));
        },
        [this, &plan] {
          for (const Patch& patch : plan.kept) keep_patch(patch);
        }};
  }

 private:
  using HostBlocks = std::vector<HostBlock<T>>;

  static HostBlocks on_host(const LocalBlocks<T>& all, bool is_read) {
    HostBlocks blocks;
    for (const LocalView<T>& block : all.blocks) {
      blocks.emplace_back(block);
      if (is_read) blocks.back().fetch();
    }
    return blocks;
  }
  static std::span<const PatchPiece> pieces(const PeerMessages& messages,
                                            const MessageChunk& chunk) {
    return std::span(messages.pieces)
        .subspan(chunk.first_piece, chunk.end_piece - chunk.first_piece);
  }
  const LocalView<T>& source(const Patch& patch) const {
    return sources_[static_cast<std::size_t>(patch.transfer)]
                   [static_cast<std::size_t>(patch.source_block)]
                       .get();
  }
  const LocalView<T>& destination(const Patch& patch) const {
    return destinations_[static_cast<std::size_t>(patch.transfer)]
                        [static_cast<std::size_t>(patch.destination_block)]
                            .get();
  }
  const RedistributionStep<T>& step(const Patch& patch) const {
    return steps_[static_cast<std::size_t>(patch.transfer)];
  }

  void pack_chunk(const PeerMessages& messages, const MessageChunk& chunk, T* memory) const {
    for (const PatchPiece& piece : pieces(messages, chunk)) {
      const Patch& patch = messages.patches[piece.patch];
      if (step(patch).alpha != T(0)) {
        pack<T>(step(patch).source.op, source(patch), patch, piece, memory);
      } else {
        std::fill_n(memory, piece.elements(), T(0));
      }
      memory += piece.elements();
    }
  }
  void unpack_chunk(const PeerMessages& messages, const MessageChunk& chunk,
                    const T* memory) const {
    for (const PatchPiece& piece : pieces(messages, chunk)) {
      const Patch& patch = messages.patches[piece.patch];
      unpack(step(patch).alpha, memory, step(patch).beta, destination(patch), patch, piece);
      memory += piece.elements();
    }
  }
  void keep_patch(const Patch& patch) const {
    keep<T>(step(patch).alpha, step(patch).source.op, source(patch), step(patch).beta,
            destination(patch), patch);
  }

  std::span<const RedistributionStep<T>> steps_;
  std::vector<HostBlocks> sources_, destinations_;
};

}  // namespace cuboid::detail
