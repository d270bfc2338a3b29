#pragma once

#include "../persistent_names.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <mpi.h>

// What the program's parts have in common: what is compared, on which memory, in which form.

using Bytes = std::vector<unsigned char>;

inline int differences = 0;
inline int compared = 0;
inline int world_rank = 0;

void differ(const std::string& what);

/// What the calls of one communicator have in common.
struct Group {
  std::string name;
  MPI_Comm comm;
  int rank = 0;
  int size = 0;
  explicit Group(std::string named, MPI_Comm of);
};

/// Memory for so many elements, whatever their bounds.
struct Memory {
  Bytes bytes;
  std::size_t origin = 0;
  void* at() { return bytes.data() + origin; }
  bool operator==(const Memory& other) const { return bytes == other.bytes; }

  Memory(MPI_Datatype type, int count, unsigned seed, unsigned values = 200);
};

/// Both forms of a call: first as the program would make it, then as the native MPI does; `call`
/// gets the receive buffer and whether to call the native MPI, and completes it.
void compare(const std::string& what, Memory memory,
             const std::function<int(void* buffer, bool native)>& call);

enum class Form { blocking, non_blocking, persistent };

std::string text_of(Form form);

int complete(int code, MPI_Request& request);

/// The second run finds what the first has left in the buffers.
int run_twice(int code, MPI_Request& request, bool native);

#ifdef INIT
#define PERSISTENT(Name, ...)                                                \
  run_twice(native ? INIT_NATIVE(Name)(__VA_ARGS__, MPI_INFO_NULL, &request) \
                   : INIT(Name)(__VA_ARGS__, MPI_INFO_NULL, &request),       \
            request, native)
constexpr bool has_persistent = true;
#else
#define PERSISTENT(Name, ...) MPI_ERR_UNSUPPORTED_OPERATION
constexpr bool has_persistent = false;
#endif

/// Calls one form of a collective, of the program or the native MPI.
#define CALL(Name, name, ...)                                                              \
  [&]() -> int {                                                                           \
    if (form == Form::blocking)                                                            \
      return native ? PMPI_##Name(__VA_ARGS__) : MPI_##Name(__VA_ARGS__);                  \
    MPI_Request request = MPI_REQUEST_NULL;                                                \
    if (form == Form::persistent) return PERSISTENT(Name, __VA_ARGS__);                    \
    const int code =                                                                       \
        native ? PMPI_I##name(__VA_ARGS__, &request) : MPI_I##name(__VA_ARGS__, &request); \
    return complete(code, request);                                                        \
  }()

/// Counts that differ by rank.
std::vector<int> uneven(int size, int count);
