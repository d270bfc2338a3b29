#pragma once

#include <cstddef>
#include <memory>

namespace cuboid::detail {

class CudaDevice;
class PinnedPages;

/// Pages of the host that Cuboid has allocated itself, so that it knows where they end. The first
/// product on a device that uses them pins them until they are freed. In processes without a device
/// nothing is pinned. Any thread may call these functions.

/// Records an allocation.
void note_own_pages(const void* data, std::size_t bytes);
/// Unpins an allocation and forgets it. Call it before the memory is freed. Does nothing if the
/// allocation was not recorded.
void forget_own_pages(const void* data);
/// True if `data` lies in an allocation of Cuboid's that can be pinned.
bool are_own_pages(const void* data);
/// Pins the allocation that contains `data`, once. Returns false if it is none of Cuboid's, or if
/// the system refuses to pin it.
bool pin_own_pages(const CudaDevice& device, const void* data);

/// Pins memory of the caller during the lifetime of the result. Callers that ask for the same
/// memory in the meantime share the result. nullptr if the memory lies on a device, is pinned
/// already, or cannot be pinned.
std::shared_ptr<PinnedPages> pin_for_now(const CudaDevice& device, const void* data,
                                         std::size_t bytes);

}  // namespace cuboid::detail
