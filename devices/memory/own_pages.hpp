#pragma once

#include <cstddef>
#include <memory>

namespace cuboid::detail {

class CudaDevice;
class PinnedPages;

/// Pages of the host that Cuboid has allocated itself, and so knows the end of: the first product
/// on a device that meets them pins them until they are freed. Of processes without a device
/// nothing is pinned. All functions may be called by any thread.

/// Notes an allocation.
void note_own_pages(const void* data, std::size_t bytes);
/// Unpins an allocation and forgets it; call it before freeing. Nothing if it was never noted.
void forget_own_pages(const void* data);
/// True if `data` lies in an allocation of Cuboid's that can be pinned.
bool are_own_pages(const void* data);
/// Pins the allocation that `data` lies in, once. False if it is none of Cuboid's, or if the system
/// refuses to pin it.
bool pin_own_pages(const CudaDevice& device, const void* data);

/// Pins memory of the caller's for as long as the result lives, which those who ask for the same
/// memory meanwhile share. nullptr for what lies on a device, is pinned anyway, or cannot be
/// pinned.
std::shared_ptr<PinnedPages> pin_for_now(const CudaDevice& device, const void* data,
                                         std::size_t bytes);

}  // namespace cuboid::detail
