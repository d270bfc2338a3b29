#include <cuboid/window.hpp>

#include "bindings/c/handles.hpp"

using namespace cuboid::detail::c;

struct cuboid_window_s {
  cuboid::Window window;
};

namespace {

cuboid::Window& window_of(cuboid_window window) {
  return required(window, "the window").window;
}

}  // namespace

int cuboid_window_create(size_t bytes, cuboid_communicator communicator, cuboid_window* window) {
  return guarded([&] {
    give(window, "the pointer to a window",
         [&] { return new cuboid_window_s{cuboid::Window(of(communicator), bytes)}; });
  });
}

int cuboid_window_create_on_device(size_t bytes, int device, cuboid_communicator communicator,
                                   cuboid_window* window) {
  return guarded([&] {
    give(window, "the pointer to a window",
         [&] { return new cuboid_window_s{cuboid::Window(of(communicator), bytes, device)}; });
  });
}

int cuboid_window_free(cuboid_window* window) {
  return free_handle(window);
}

int cuboid_window_memory(cuboid_window window, void** memory, size_t* bytes) {
  return guarded([&] {
    const auto local = window_of(window).local();
    required(memory, "the pointer to memory") = local.data();
    if (bytes != nullptr) *bytes = local.size();
  });
}

int cuboid_window_put(const void* mine, size_t bytes, int peer, size_t offset,
                      cuboid_window window) {
  return guarded([&] {
    const auto* const data = static_cast<const std::byte*>(not_in_place(mine, "the memory"));
    window_of(window).put({data, bytes}, peer, offset);
  });
}

int cuboid_window_get(void* mine, size_t bytes, int peer, size_t offset, cuboid_window window) {
  return guarded([&] {
    auto* const data = static_cast<std::byte*>(not_in_place(mine, "the memory"));
    static_cast<void>(window_of(window).get({data, bytes}, peer, offset));
  });
}

int cuboid_window_flush(cuboid_window window) {
  return guarded([&] { window_of(window).flush(); });
}

int cuboid_window_fence(cuboid_window window) {
  return guarded([&] { window_of(window).fence(); });
}
