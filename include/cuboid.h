/* Cuboid's C interface: collectives and matrix multiplication that know the network. Every function
 * returns CUBOID_SUCCESS or a code of cuboid_code; cuboid_error_message() returns the text of the
 * calling thread's last error. Handles are pointers to objects that only Cuboid looks into. Each
 * handle belongs to the caller; the function of its kind frees it and sets it to NULL. Freeing a
 * handle that is NULL does nothing. After an error a function has set no handle; other results are
 * then undefined. Counts are numbers of elements, of 64 bits on 64-bit machines. A function marked
 * collective must be called by all ranks of the communicator in the same order. One thread per rank
 * uses a communicator and everything that was made on it. The header is C11, and may be included
 * from C++. */
#ifndef CUBOID_H
#define CUBOID_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CUBOID_API __attribute__((visibility("default")))
#else
#define CUBOID_API
#endif

/* In C++, too, these types can hold any int, so that an unknown value can be refused. */
#ifdef __cplusplus
#define CUBOID_AS_INT : int
#else
#define CUBOID_AS_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What went wrong ---------------------------------------------------------------------- */

enum cuboid_code CUBOID_AS_INT {
  CUBOID_SUCCESS = 0,
  CUBOID_INVALID_ARGUMENT = 1, /* the arguments cannot be served; nothing was done */
  CUBOID_MISMATCH = 2,         /* ranks disagree about an operation */
  CUBOID_TIMEOUT = 3,          /* nothing moved for CUBOID_TIMEOUT seconds (environment, 60) */
  CUBOID_PEER_FAILED = 4,      /* another rank died, left or aborted */
  CUBOID_OUT_OF_MEMORY = 5,
  CUBOID_IO = 6,
  CUBOID_PARSE = 7,       /* a file's or variable's content is malformed */
  CUBOID_UNSUPPORTED = 8, /* not possible on this machine or with this build */
  CUBOID_INTERNAL = 9     /* a defect of Cuboid */
};

/* The text of this thread's last error: the rank, what failed, and the remedy. Valid until this
 * thread's next error; "" if there was no error. */
CUBOID_API const char* cuboid_error_message(void);
/* The version, e.g. "0.3.0"; valid as long as the process. */
CUBOID_API const char* cuboid_version(void);

/* ---- Types and operations ----------------------------------------------------------------- */

/* The type of an element: one of cuboid_built_in_type, or its size in bytes for a user type
 * (trivially copyable; combined only by a user's operation). */
typedef int64_t cuboid_datatype;

enum cuboid_built_in_type CUBOID_AS_INT {
  CUBOID_BYTE = -1, /* moved, never reduced by a built-in operation */
  CUBOID_INT8 = -2,
  CUBOID_INT16 = -3,
  CUBOID_INT32 = -4,
  CUBOID_INT64 = -5,
  CUBOID_UINT8 = -6,
  CUBOID_UINT16 = -7,
  CUBOID_UINT32 = -8,
  CUBOID_UINT64 = -9,
  CUBOID_FLOAT32 = -10,
  CUBOID_FLOAT64 = -11,
  CUBOID_COMPLEX64 = -12,  /* two float32 */
  CUBOID_COMPLEX128 = -13, /* two float64 */
  CUBOID_FLOAT16 = -14,    /* IEEE 754's binary16; combined in float, each result rounded */
  CUBOID_BFLOAT16 = -15,   /* float's exponent, 8 significant bits */
  CUBOID_LONG_DOUBLE = -16 /* the compiler's; the same on all ranks */
};

/* A value and the place that it comes from, as a C struct of both, for CUBOID_MINIMUM_LOCATION and
 * CUBOID_MAXIMUM_LOCATION. The value is a real number. The index is CUBOID_INT32, CUBOID_INT64 or
 * of the value's type. Example: CUBOID_LOCATED(CUBOID_FLOAT64, CUBOID_INT32). */
#define CUBOID_LOCATED(value, index) ((cuboid_datatype)(value)*256 + (index))

/* The bytes of an element. 0 for a value that is not a type; then there is an error message. */
CUBOID_API size_t cuboid_datatype_bytes(cuboid_datatype type);

/* An operation that combines elements: a built-in operation, or a user's operation. The order of
 * combination is fixed: every rank and every run gets the same bits. */
typedef struct cuboid_reduction_s* cuboid_reduction;

#define CUBOID_SUM ((cuboid_reduction)(intptr_t)1)
#define CUBOID_PRODUCT ((cuboid_reduction)(intptr_t)2)
#define CUBOID_MINIMUM ((cuboid_reduction)(intptr_t)3)
#define CUBOID_MAXIMUM ((cuboid_reduction)(intptr_t)4)
#define CUBOID_LOGICAL_AND ((cuboid_reduction)(intptr_t)5)
#define CUBOID_LOGICAL_OR ((cuboid_reduction)(intptr_t)6)
#define CUBOID_LOGICAL_XOR ((cuboid_reduction)(intptr_t)7)
#define CUBOID_BITWISE_AND ((cuboid_reduction)(intptr_t)8)
#define CUBOID_BITWISE_OR ((cuboid_reduction)(intptr_t)9)
#define CUBOID_BITWISE_XOR ((cuboid_reduction)(intptr_t)10)
/* The least (greatest) value with its index; of equal values, the one with the lower index. */
#define CUBOID_MINIMUM_LOCATION ((cuboid_reduction)(intptr_t)11)
#define CUBOID_MAXIMUM_LOCATION ((cuboid_reduction)(intptr_t)12)
/* The sum divided by the number of ranks, for floating point and complex numbers; not in scans. */
#define CUBOID_AVERAGE ((cuboid_reduction)(intptr_t)13)

/* result[i] = left[i] op right[i] for `count` elements; `result` may be equal to `left` or `right`.
 * The function returns nothing, so it cannot fail. If it meets an error, it can note it in its
 * context, and the caller can look there when the collective is complete. No longjmp may leave it.
 */
typedef void (*cuboid_combine_function)(const void* left, const void* right, void* result,
                                        size_t count, void* context);

/* Makes a user's operation, which must be associative. If it does not commute, operands are
 * combined in the order of the ranks. `context` is passed to the function. It must live until the
 * operation is freed and all collectives that use it are complete. The caller frees *reduction by
 * cuboid_reduction_free(). Not collective. */
CUBOID_API int cuboid_reduction_create(cuboid_combine_function combine, void* context,
                                       int commutative, cuboid_reduction* reduction);
/* Frees a user's operation. CUBOID_INVALID_ARGUMENT for a built-in operation, or NULL. Collectives
 * in flight keep the operation that they use. Not collective. */
CUBOID_API int cuboid_reduction_free(cuboid_reduction* reduction);

/* ---- Communicators ------------------------------------------------------------------------ */

/* A group of ranks that communicate with each other. */
typedef struct cuboid_communicator_s* cuboid_communicator;

/* The way in which ranks find each other without MPI. The function gathers `bytes` bytes of every
 * rank, the same number on each, into `all`, by rank. It returns 0 on success. All ranks of the new
 * communicator call it several times, only while the communicator is being made. The memory is
 * Cuboid's. */
typedef int (*cuboid_exchange_function)(const void* mine, size_t bytes, void* all, void* context);

/* The communicator of `size` ranks that an exchange function connects. `context` is passed to the
 * function. The caller frees *communicator by cuboid_communicator_free(), as for every function
 * below that makes a communicator. Collective. CUBOID_PEER_FAILED if the function did not return 0.
 */
CUBOID_API int cuboid_communicator_create(int rank, int size, cuboid_exchange_function exchange,
                                          void* context, cuboid_communicator* communicator);
/* Runs `body` on `ranks` ranks, each a thread of this process with its own communicator, which
 * Cuboid frees. A body that does not return 0 has failed: the other ranks are told, and the
 * function returns CUBOID_PEER_FAILED. The communicator is valid until the body returns. */
CUBOID_API int cuboid_run_ranks(int ranks,
                                int (*body)(cuboid_communicator communicator, void* context),
                                void* context);
/* The communicator of the ranks of an MPI communicator. MPI must be initialised. MPI is not needed
 * any more afterwards, unless it carries the messages (CUBOID_TRANSPORT). Duplicates `from`, so
 * that no message matches a receive of the program's. Refuses MPI_COMM_NULL and intercommunicators.
 * If a rank does not come, all other ranks get an error, which names it. Collective. The second
 * function takes Fortran's handle. Include mpi.h before this file for the first function. */
#ifdef MPI_VERSION
CUBOID_API int cuboid_communicator_from_mpi(MPI_Comm from, cuboid_communicator* communicator);
#endif
CUBOID_API int cuboid_communicator_from_mpi_fortran(int from, cuboid_communicator* communicator);
/* The communicator of all processes of a job that a launcher with PMIx started (srun --mpi=pmix,
 * the mpirun of Open MPI, prterun). The program needs no MPI; PMIx's library is loaded at run time.
 * If a rank does not come, all other ranks get an error, which names it. CUBOID_UNSUPPORTED if no
 * such launcher started this process, and if the library is missing or older than PMIx 3.
 * Collective. */
CUBOID_API int cuboid_communicator_from_pmix(cuboid_communicator* communicator);
/* Frees a communicator. Objects that were made on it keep what they need. Not collective, but all
 * its ranks should free it in the end. */
CUBOID_API int cuboid_communicator_free(cuboid_communicator* communicator);

/* This rank's number, 0 to size - 1. Not collective. */
CUBOID_API int cuboid_communicator_rank(cuboid_communicator communicator, int* rank);
/* The number of ranks. Not collective. */
CUBOID_API int cuboid_communicator_size(cuboid_communicator communicator, int* size);
/* Makes one communicator of the ranks of each colour, ordered by key, then by rank. A rank with a
 * negative colour takes no part and gets NULL. Collective. */
CUBOID_API int cuboid_communicator_split(cuboid_communicator communicator, int colour, int key,
                                         cuboid_communicator* part);
/* A communicator of the same ranks whose messages are separate from those of `communicator`.
 * Collective. */
CUBOID_API int cuboid_communicator_duplicate(cuboid_communicator communicator,
                                             cuboid_communicator* duplicate);
/* After CUBOID_PEER_FAILED: a communicator of the surviving ranks, in their order. Collective over
 * these ranks. Afterwards `communicator` can only be freed. CUBOID_TIMEOUT if a surviving rank does
 * not call it. */
CUBOID_API int cuboid_communicator_shrink(cuboid_communicator communicator,
                                          cuboid_communicator* survivors);
/* A communicator of the same ranks with rules that tell which algorithm runs which call, in the
 * syntax of CUBOID_ALGORITHM. If `rules` is NULL or "", the model chooses. CUBOID_PARSE for
 * malformed rules. Not collective, but all ranks must use the result alike. */
CUBOID_API int cuboid_communicator_with_algorithms(cuboid_communicator communicator,
                                                   const char* rules,
                                                   cuboid_communicator* with_rules);
/* A communicator of the same ranks on which collectives begin after what `stream` holds when they
 * are started: a cudaStream_t or CUstream of the device on which the call's buffers lie, NULL for
 * the legacy default stream. Blocking calls, and calls on other communicators, begin after the work
 * of the default stream, if a buffer lies on a device. Not collective. */
CUBOID_API int cuboid_on_stream(cuboid_communicator communicator, void* stream,
                                cuboid_communicator* on_stream);
/* Tells the other ranks that this rank gives up: their waits return CUBOID_PEER_FAILED, with
 * `reason` in the message. NULL: no reason. Not collective. */
CUBOID_API int cuboid_communicator_revoke(cuboid_communicator communicator, const char* reason);
/* Makes progress on operations in flight, for programs that wait for something else meanwhile. Not
 * collective. */
CUBOID_API int cuboid_communicator_progress(cuboid_communicator communicator);

/* Payload in bytes and messages, headers not counted. */
struct cuboid_traffic {
  uint64_t bytes_sent;
  uint64_t bytes_received;
  uint64_t messages_sent;
  uint64_t messages_received;
};

/* The traffic of this rank with a peer, or with all peers (peer -1), since the communicator's world
 * was made. Not collective. */
CUBOID_API int cuboid_communicator_traffic(cuboid_communicator communicator, int peer,
                                           struct cuboid_traffic* traffic);

/* ---- The network that was found ----------------------------------------------------------- */

enum { CUBOID_MAX_DIMENSIONS = 8 };

/* The box of nodes that the communicator's ranks fill: its number of dimensions, and for each axis
 * its extent, and 1 if it wraps. 0 dimensions if the ranks fill no box. The caller's arrays must
 * have space for CUBOID_MAX_DIMENSIONS numbers; NULL if an array is not wanted. Not collective. */
CUBOID_API int cuboid_topology_shape(cuboid_communicator communicator, int* dimensions,
                                     int* extents, int* wraps);
/* The position of a rank in that box: a number per axis. CUBOID_UNSUPPORTED if the ranks fill no
 * box. Not collective. */
CUBOID_API int cuboid_topology_coordinate(cuboid_communicator communicator, int rank,
                                          int* coordinate);
/* The ranks on this rank's line along an axis, in order. If nodes have several ranks, the line has
 * the ranks with the same place in the order of their node's ranks. The caller frees *line by
 * cuboid_communicator_free(). CUBOID_UNSUPPORTED if the ranks fill no box. Collective. */
CUBOID_API int cuboid_topology_line(cuboid_communicator communicator, int axis,
                                    cuboid_communicator* line);
/* Sets *same to 1 if a rank shares this rank's node, else to 0. Not collective. */
CUBOID_API int cuboid_topology_same_node(cuboid_communicator communicator, int rank, int* same);

/* ---- Collectives -------------------------------------------------------------------------- */

/* A collective in flight. Its buffers must not be touched until it is complete. */
typedef struct cuboid_request_s* cuboid_request;
/* A collective that can be run many times on the same buffers. Starting it allocates nothing. */
typedef struct cuboid_plan_s* cuboid_plan;

/* Waits for a request, and frees it. A request that failed is freed, too; the result tells the
 * reason. */
CUBOID_API int cuboid_wait(cuboid_request* request);
/* Waits like cuboid_wait(), but not until the result has been copied to a device: work that is put
 * into the stream (a cudaStream_t or CUstream) afterwards waits for that. Frees the request. */
CUBOID_API int cuboid_wait_on_stream(cuboid_request* request, void* stream);
/* Waits for all requests, also after an error, and frees them. Returns the first error. NULLs are
 * skipped. */
CUBOID_API int cuboid_wait_all(size_t count, cuboid_request* requests);
/* Makes progress. If the request is complete, sets *complete to 1 and frees the request, else sets
 * *complete to 0. A request that failed is freed, too. */
CUBOID_API int cuboid_test(cuboid_request* request, int* complete);

/* Starts a run of a plan; only one run may be in flight. Waiting for *request frees the request,
 * not the plan. CUBOID_INVALID_ARGUMENT if the last run is in flight. */
CUBOID_API int cuboid_plan_start(cuboid_plan plan, cuboid_request* request);
/* Starts a run and waits for it. */
CUBOID_API int cuboid_plan_run(cuboid_plan plan);
/* The algorithm in use, e.g. "binomial"; valid as long as the plan. */
CUBOID_API int cuboid_plan_algorithm(cuboid_plan plan, const char** name);
/* Frees a plan. A run in flight continues until its request is complete. */
CUBOID_API int cuboid_plan_free(cuboid_plan* plan);

/* Stands for a buffer if this rank's contribution already lies in the other buffer of the call. As
 * `input` of reduce (at the root), allreduce, scan and exscan, the contribution lies in `output`.
 * As `input` of allgather(v), and of gather(v) at the root, it is this rank's block of `output`. As
 * `output` of scatter(v) at the root, and of reduce_scatter(v), the result is this rank's block of
 * `input`. Anywhere else it is CUBOID_INVALID_ARGUMENT. */
#define CUBOID_IN_PLACE ((void*)(intptr_t)-1)

/* Each operation is collective, and has three forms: one that returns when it is complete, one that
 * is started, and one that makes a plan. In broadcast, reduce and allreduce `count` is the number
 * of elements of the whole buffer; in all other operations, of one block. In v-forms rank r's block
 * has counts[r] elements at displacements[r], in elements. If displacements is NULL, blocks lie one
 * after the other. Arguments that are not significant at a rank may be NULL. Buffers stay the
 * caller's; lists of counts and displacements are needed only during the call. Besides
 * CUBOID_TIMEOUT and CUBOID_PEER_FAILED, each operation returns CUBOID_INVALID_ARGUMENT for
 * arguments that do not fit, and CUBOID_MISMATCH if ranks disagree about a size. */

/* Waits until every rank has called cuboid_barrier(). */
CUBOID_API int cuboid_barrier(cuboid_communicator communicator);
/* cuboid_barrier() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_barrier_start(cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_barrier(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_barrier_plan(cuboid_communicator communicator, cuboid_plan* plan);

/* Copies the root's elements to every rank. `buffer` is read at the root and written on all other
 * ranks. */
CUBOID_API int cuboid_broadcast(void* buffer, size_t count, cuboid_datatype type, int root,
                                cuboid_communicator communicator);
/* cuboid_broadcast() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_broadcast_start(void* buffer, size_t count, cuboid_datatype type, int root,
                                      cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_broadcast(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_broadcast_plan(void* buffer, size_t count, cuboid_datatype type, int root,
                                     cuboid_communicator communicator, cuboid_plan* plan);

/* Combines every rank's input, element by element, into the root's output. */
CUBOID_API int cuboid_reduce(const void* input, void* output, size_t count, cuboid_datatype type,
                             cuboid_reduction reduction, int root,
                             cuboid_communicator communicator);
/* cuboid_reduce() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_reduce_start(const void* input, void* output, size_t count,
                                   cuboid_datatype type, cuboid_reduction reduction, int root,
                                   cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_reduce(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_reduce_plan(const void* input, void* output, size_t count,
                                  cuboid_datatype type, cuboid_reduction reduction, int root,
                                  cuboid_communicator communicator, cuboid_plan* plan);

/* Combines every rank's input, element by element, into the output of every rank. */
CUBOID_API int cuboid_allreduce(const void* input, void* output, size_t count, cuboid_datatype type,
                                cuboid_reduction reduction, cuboid_communicator communicator);
/* cuboid_allreduce() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_allreduce_start(const void* input, void* output, size_t count,
                                      cuboid_datatype type, cuboid_reduction reduction,
                                      cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_allreduce(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_allreduce_plan(const void* input, void* output, size_t count,
                                     cuboid_datatype type, cuboid_reduction reduction,
                                     cuboid_communicator communicator, cuboid_plan* plan);

/* Combines the inputs of all ranks, a block per rank, element by element, and gives each rank its
 * block of the result. */
CUBOID_API int cuboid_reduce_scatter(const void* input, void* output, size_t count,
                                     cuboid_datatype type, cuboid_reduction reduction,
                                     cuboid_communicator communicator);
/* cuboid_reduce_scatter() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_reduce_scatter_start(const void* input, void* output, size_t count,
                                           cuboid_datatype type, cuboid_reduction reduction,
                                           cuboid_communicator communicator,
                                           cuboid_request* request);
/* A plan of cuboid_reduce_scatter(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_reduce_scatter_plan(const void* input, void* output, size_t count,
                                          cuboid_datatype type, cuboid_reduction reduction,
                                          cuboid_communicator communicator, cuboid_plan* plan);

/* cuboid_reduce_scatter() with blocks of different lengths, one after the other in `input`.
 * `counts` must be the same on all ranks. */
CUBOID_API int cuboid_reduce_scatterv(const void* input, void* output, const size_t* counts,
                                      cuboid_datatype type, cuboid_reduction reduction,
                                      cuboid_communicator communicator);
/* cuboid_reduce_scatterv() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_reduce_scatterv_start(const void* input, void* output, const size_t* counts,
                                            cuboid_datatype type, cuboid_reduction reduction,
                                            cuboid_communicator communicator,
                                            cuboid_request* request);
/* A plan of cuboid_reduce_scatterv(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_reduce_scatterv_plan(const void* input, void* output, const size_t* counts,
                                           cuboid_datatype type, cuboid_reduction reduction,
                                           cuboid_communicator communicator, cuboid_plan* plan);

/* Gives every rank the blocks of all ranks, by rank. */
CUBOID_API int cuboid_allgather(const void* input, size_t count, cuboid_datatype type, void* output,
                                cuboid_communicator communicator);
/* cuboid_allgather() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_allgather_start(const void* input, size_t count, cuboid_datatype type,
                                      void* output, cuboid_communicator communicator,
                                      cuboid_request* request);
/* A plan of cuboid_allgather(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_allgather_plan(const void* input, size_t count, cuboid_datatype type,
                                     void* output, cuboid_communicator communicator,
                                     cuboid_plan* plan);

/* cuboid_allgather() with blocks of different lengths. `counts` must be the same on all ranks. */
CUBOID_API int cuboid_allgatherv(const void* input, cuboid_datatype type, void* output,
                                 const size_t* counts, const size_t* displacements,
                                 cuboid_communicator communicator);
/* cuboid_allgatherv() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_allgatherv_start(const void* input, cuboid_datatype type, void* output,
                                       const size_t* counts, const size_t* displacements,
                                       cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_allgatherv(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_allgatherv_plan(const void* input, cuboid_datatype type, void* output,
                                      const size_t* counts, const size_t* displacements,
                                      cuboid_communicator communicator, cuboid_plan* plan);

/* Gives the root the blocks of all ranks, by rank. */
CUBOID_API int cuboid_gather(const void* input, size_t count, cuboid_datatype type, void* output,
                             int root, cuboid_communicator communicator);
/* cuboid_gather() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_gather_start(const void* input, size_t count, cuboid_datatype type,
                                   void* output, int root, cuboid_communicator communicator,
                                   cuboid_request* request);
/* A plan of cuboid_gather(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_gather_plan(const void* input, size_t count, cuboid_datatype type,
                                  void* output, int root, cuboid_communicator communicator,
                                  cuboid_plan* plan);

/* cuboid_gather() with blocks of different lengths. `count` is the length of this rank's block;
 * `counts` and `displacements` are used at the root only. */
CUBOID_API int cuboid_gatherv(const void* input, size_t count, cuboid_datatype type, void* output,
                              const size_t* counts, const size_t* displacements, int root,
                              cuboid_communicator communicator);
/* cuboid_gatherv() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_gatherv_start(const void* input, size_t count, cuboid_datatype type,
                                    void* output, const size_t* counts, const size_t* displacements,
                                    int root, cuboid_communicator communicator,
                                    cuboid_request* request);
/* A plan of cuboid_gatherv(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_gatherv_plan(const void* input, size_t count, cuboid_datatype type,
                                   void* output, const size_t* counts, const size_t* displacements,
                                   int root, cuboid_communicator communicator, cuboid_plan* plan);

/* Gives each rank its block of the root's input. */
CUBOID_API int cuboid_scatter(const void* input, void* output, size_t count, cuboid_datatype type,
                              int root, cuboid_communicator communicator);
/* cuboid_scatter() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_scatter_start(const void* input, void* output, size_t count,
                                    cuboid_datatype type, int root,
                                    cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_scatter(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_scatter_plan(const void* input, void* output, size_t count,
                                   cuboid_datatype type, int root, cuboid_communicator communicator,
                                   cuboid_plan* plan);

/* cuboid_scatter() with blocks of different lengths. `count` is the length of this rank's block;
 * `counts` and `displacements` are used at the root only. */
CUBOID_API int cuboid_scatterv(const void* input, const size_t* counts, const size_t* displacements,
                               void* output, size_t count, cuboid_datatype type, int root,
                               cuboid_communicator communicator);
/* cuboid_scatterv() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_scatterv_start(const void* input, const size_t* counts,
                                     const size_t* displacements, void* output, size_t count,
                                     cuboid_datatype type, int root,
                                     cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_scatterv(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_scatterv_plan(const void* input, const size_t* counts,
                                    const size_t* displacements, void* output, size_t count,
                                    cuboid_datatype type, int root,
                                    cuboid_communicator communicator, cuboid_plan* plan);

/* Block j of rank i's input becomes block i of rank j's output. Input and output must not overlap.
 */
CUBOID_API int cuboid_alltoall(const void* input, void* output, size_t count, cuboid_datatype type,
                               cuboid_communicator communicator);
/* cuboid_alltoall() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_alltoall_start(const void* input, void* output, size_t count,
                                     cuboid_datatype type, cuboid_communicator communicator,
                                     cuboid_request* request);
/* A plan of cuboid_alltoall(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_alltoall_plan(const void* input, void* output, size_t count,
                                    cuboid_datatype type, cuboid_communicator communicator,
                                    cuboid_plan* plan);

/* cuboid_alltoall() with blocks of different lengths. The count that rank i gives for the block
 * that it sends to rank j must be equal to the count that rank j gives for the block that it
 * receives from i. */
CUBOID_API int cuboid_alltoallv(const void* input, const size_t* input_counts,
                                const size_t* input_displacements, void* output,
                                const size_t* output_counts, const size_t* output_displacements,
                                cuboid_datatype type, cuboid_communicator communicator);
/* cuboid_alltoallv() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_alltoallv_start(const void* input, const size_t* input_counts,
                                      const size_t* input_displacements, void* output,
                                      const size_t* output_counts,
                                      const size_t* output_displacements, cuboid_datatype type,
                                      cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_alltoallv(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_alltoallv_plan(const void* input, const size_t* input_counts,
                                     const size_t* input_displacements, void* output,
                                     const size_t* output_counts,
                                     const size_t* output_displacements, cuboid_datatype type,
                                     cuboid_communicator communicator, cuboid_plan* plan);

/* Combines the inputs of the ranks up to and including this rank, in rank order, into this rank's
 * output. Any operation except CUBOID_AVERAGE. */
CUBOID_API int cuboid_scan(const void* input, void* output, size_t count, cuboid_datatype type,
                           cuboid_reduction reduction, cuboid_communicator communicator);
/* cuboid_scan() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_scan_start(const void* input, void* output, size_t count,
                                 cuboid_datatype type, cuboid_reduction reduction,
                                 cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_scan(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_scan_plan(const void* input, void* output, size_t count, cuboid_datatype type,
                                cuboid_reduction reduction, cuboid_communicator communicator,
                                cuboid_plan* plan);

/* cuboid_scan() without this rank's own input. Rank 0's output is left as it is. */
CUBOID_API int cuboid_exscan(const void* input, void* output, size_t count, cuboid_datatype type,
                             cuboid_reduction reduction, cuboid_communicator communicator);
/* cuboid_exscan() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_exscan_start(const void* input, void* output, size_t count,
                                   cuboid_datatype type, cuboid_reduction reduction,
                                   cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_exscan(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_exscan_plan(const void* input, void* output, size_t count,
                                  cuboid_datatype type, cuboid_reduction reduction,
                                  cuboid_communicator communicator, cuboid_plan* plan);

/* ---- Neighbours ---------------------------------------------------------------------------- */

/* The ranks that a rank receives from, and the ranks that it sends to, each in an order that the
 * rank chooses. */
typedef struct cuboid_neighbourhood_s* cuboid_neighbourhood;

/* Stands for a neighbour that does not exist: its block is neither sent nor written. */
enum { CUBOID_NOBODY = -1 };

/* A neighbourhood of any graph. Rank i must be among the sources of j as often as j is among the
 * destinations of i. The lists are copied. The caller frees *neighbourhood by
 * cuboid_neighbourhood_free(). Not collective. */
CUBOID_API int cuboid_neighbourhood_graph(size_t sources, const int* source_ranks,
                                          size_t destinations, const int* destination_ranks,
                                          cuboid_neighbourhood* neighbourhood);
/* The neighbours of a rank on a grid whose ranks are numbered along the last axis first. For each
 * axis the rank below comes first, then the rank above; CUBOID_NOBODY stands at the end of an axis
 * that does not wrap. Freed as above. Not collective. */
CUBOID_API int cuboid_neighbourhood_grid(int dimensions, const int* extents, const int* wraps,
                                         int rank, cuboid_neighbourhood* neighbourhood);
/* Frees a neighbourhood. Collectives in flight and plans do not need it any more. */
CUBOID_API int cuboid_neighbourhood_free(cuboid_neighbourhood* neighbourhood);

/* Sends the input to every destination. Block k of the output is the input of source k. A block has
 * `count` elements. */
CUBOID_API int cuboid_neighbour_allgather(const void* input, size_t count, cuboid_datatype type,
                                          void* output, cuboid_neighbourhood neighbourhood,
                                          cuboid_communicator communicator);
/* cuboid_neighbour_allgather() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_neighbour_allgather_start(const void* input, size_t count,
                                                cuboid_datatype type, void* output,
                                                cuboid_neighbourhood neighbourhood,
                                                cuboid_communicator communicator,
                                                cuboid_request* request);
/* A plan of cuboid_neighbour_allgather(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_neighbour_allgather_plan(const void* input, size_t count,
                                               cuboid_datatype type, void* output,
                                               cuboid_neighbourhood neighbourhood,
                                               cuboid_communicator communicator, cuboid_plan* plan);

/* Sends block k of the input to destination k. Block k of the output is the block that source k
 * sends. */
CUBOID_API int cuboid_neighbour_alltoall(const void* input, void* output, size_t count,
                                         cuboid_datatype type, cuboid_neighbourhood neighbourhood,
                                         cuboid_communicator communicator);
/* cuboid_neighbour_alltoall() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_neighbour_alltoall_start(const void* input, void* output, size_t count,
                                               cuboid_datatype type,
                                               cuboid_neighbourhood neighbourhood,
                                               cuboid_communicator communicator,
                                               cuboid_request* request);
/* A plan of cuboid_neighbour_alltoall(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_neighbour_alltoall_plan(const void* input, void* output, size_t count,
                                              cuboid_datatype type,
                                              cuboid_neighbourhood neighbourhood,
                                              cuboid_communicator communicator, cuboid_plan* plan);

/* cuboid_neighbour_alltoall() with blocks of different lengths. The lists have a count per
 * destination and per source, and also a displacement unless that list is NULL. */
CUBOID_API int cuboid_neighbour_alltoallv(const void* input, const size_t* input_counts,
                                          const size_t* input_displacements, void* output,
                                          const size_t* output_counts,
                                          const size_t* output_displacements, cuboid_datatype type,
                                          cuboid_neighbourhood neighbourhood,
                                          cuboid_communicator communicator);
/* cuboid_neighbour_alltoallv() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_neighbour_alltoallv_start(
    const void* input, const size_t* input_counts, const size_t* input_displacements, void* output,
    const size_t* output_counts, const size_t* output_displacements, cuboid_datatype type,
    cuboid_neighbourhood neighbourhood, cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_neighbour_alltoallv(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_neighbour_alltoallv_plan(
    const void* input, const size_t* input_counts, const size_t* input_displacements, void* output,
    const size_t* output_counts, const size_t* output_displacements, cuboid_datatype type,
    cuboid_neighbourhood neighbourhood, cuboid_communicator communicator, cuboid_plan* plan);

/* ---- Messages between two ranks ------------------------------------------------------------ */

/* Only sender and receiver call these functions. A receive matches the message with its source and
 * number (0 to 32767). The message must have exactly the receive's size, else it returns
 * CUBOID_MISMATCH. */

/* Sends a message. Returns when the caller may use the message's memory again, which may be only
 * after the peer has received it. */
CUBOID_API int cuboid_send(const void* message, size_t count, cuboid_datatype type, int destination,
                           int number, cuboid_communicator communicator);
/* cuboid_send() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_send_start(const void* message, size_t count, cuboid_datatype type,
                                 int destination, int number, cuboid_communicator communicator,
                                 cuboid_request* request);
/* A plan of cuboid_send(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_send_plan(const void* message, size_t count, cuboid_datatype type,
                                int destination, int number, cuboid_communicator communicator,
                                cuboid_plan* plan);

/* Receives a message into the caller's memory. */
CUBOID_API int cuboid_receive(void* message, size_t count, cuboid_datatype type, int source,
                              int number, cuboid_communicator communicator);
/* cuboid_receive() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_receive_start(void* message, size_t count, cuboid_datatype type, int source,
                                    int number, cuboid_communicator communicator,
                                    cuboid_request* request);
/* A plan of cuboid_receive(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_receive_plan(void* message, size_t count, cuboid_datatype type, int source,
                                   int number, cuboid_communicator communicator, cuboid_plan* plan);

/* Sends one message and receives another at the same time. A rank that gives its own rank for both
 * exchanges with itself. */
CUBOID_API int cuboid_exchange(const void* outgoing, size_t outgoing_count, int destination,
                               void* incoming, size_t incoming_count, int source,
                               cuboid_datatype type, int number, cuboid_communicator communicator);
/* cuboid_exchange() without waiting: the caller waits for *request, which frees it. */
CUBOID_API int cuboid_exchange_start(const void* outgoing, size_t outgoing_count, int destination,
                                     void* incoming, size_t incoming_count, int source,
                                     cuboid_datatype type, int number,
                                     cuboid_communicator communicator, cuboid_request* request);
/* A plan of cuboid_exchange(); cuboid_plan_free() frees it. */
CUBOID_API int cuboid_exchange_plan(const void* outgoing, size_t outgoing_count, int destination,
                                    void* incoming, size_t incoming_count, int source,
                                    cuboid_datatype type, int number,
                                    cuboid_communicator communicator, cuboid_plan* plan);

/* ---- Windows: memory that other ranks may read and write ------------------------------------- */

/* Memory of every rank, which Cuboid owns. */
typedef struct cuboid_window_s* cuboid_window;

/* Allocates `bytes` bytes of zeroed memory on this rank; ranks may ask for different amounts. The
 * caller frees *window by cuboid_window_free(). Collective. */
CUBOID_API int cuboid_window_create(size_t bytes, cuboid_communicator communicator,
                                    cuboid_window* window);
/* The same in the memory of the CUDA device with this number, as CUDA counts the devices that this
 * process sees. Ranks of a node whose windows lie on devices reach each other's; for all other
 * ranks the owner serves it. CUBOID_UNSUPPORTED on every rank if one has no CUDA driver. Collective
 * with cuboid_window_create(): ranks may differ. */
CUBOID_API int cuboid_window_create_on_device(size_t bytes, int device,
                                              cuboid_communicator communicator,
                                              cuboid_window* window);
/* Waits for all ranks, then frees the window and its memory. Collective. */
CUBOID_API int cuboid_window_free(cuboid_window* window);
/* This rank's own memory, valid as long as the window, and its bytes (NULL if not wanted). The host
 * must not touch a device's memory. Not collective. */
CUBOID_API int cuboid_window_memory(cuboid_window window, void** memory, size_t* bytes);
/* Starts to copy `bytes` bytes to a peer's memory, from byte `offset` on. `mine` must not change
 * until the flush; it may lie in a device's memory. CUBOID_INVALID_ARGUMENT for a range outside the
 * peer's memory. Not collective.
 */
CUBOID_API int cuboid_window_put(const void* mine, size_t bytes, int peer, size_t offset,
                                 cuboid_window window);
/* Starts to copy `bytes` bytes from a peer's memory; otherwise like cuboid_window_put(). */
CUBOID_API int cuboid_window_get(void* mine, size_t bytes, int peer, size_t offset,
                                 cuboid_window window);
/* Waits until every put and get of this rank is complete, at the peer as well. Not collective. */
CUBOID_API int cuboid_window_flush(cuboid_window window);
/* Flushes on all ranks and waits for all ranks. Afterwards every rank sees every put made before.
 * Collective. */
CUBOID_API int cuboid_window_fence(cuboid_window window);

/* ---- Matrices -------------------------------------------------------------------------------- */

/* A matrix distributed over the ranks of a communicator, as in ScaLAPACK: in blocks, which are
 * distributed cyclically to a process grid. Each rank's part is column-major. Functions of matrices
 * return CUBOID_INVALID_ARGUMENT if types, shapes or communicators do not fit, CUBOID_OUT_OF_MEMORY
 * if a rank lacks memory, and, if they are collective, what collectives return. */
typedef struct cuboid_matrix_s* cuboid_matrix;

/* How a matrix is distributed; Cuboid copies it. */
struct cuboid_layout {
  int64_t m; /* rows and columns of the whole matrix */
  int64_t n;
  int64_t row_block; /* 0: one block per rank */
  int64_t column_block;
  int grid_rows; /* 0: chosen for the number of ranks; ranks are numbered along grid rows */
  int grid_columns;
  int first_row; /* where on the grid the first block is */
  int first_column;
  const int* ranks; /* the rank at each place of the grid, row by row: any, each once; NULL: 0, 1,
                       2, ... */
};

/* Allocates this rank's part, uninitialised. `type` is FLOAT32, FLOAT64, COMPLEX64 or COMPLEX128.
 * The caller frees *matrix by cuboid_matrix_free(), as for every function that makes a matrix. Not
 * collective, but every rank must make the same matrix. */
CUBOID_API int cuboid_matrix_create(const struct cuboid_layout* layout, cuboid_datatype type,
                                    cuboid_communicator communicator, cuboid_matrix* matrix);
/* A matrix whose part on this rank lies in the caller's memory: element (i, j) of the part is
 * data[i + j * leading_dimension]. The memory must outlive the matrix and is not freed with it. Not
 * collective. */
CUBOID_API int cuboid_matrix_wrap(const struct cuboid_layout* layout, cuboid_datatype type,
                                  void* data, int64_t leading_dimension,
                                  cuboid_communicator communicator, cuboid_matrix* matrix);
/* Allocates this rank's part, uninitialised, in the memory of the CUDA device with this number, as
 * CUDA counts the devices that this process sees. Functions of matrices take it like any other;
 * docs/devices.md says what they wait for. CUBOID_UNSUPPORTED without a CUDA driver. Not
 * collective; ranks may have parts on different devices, or in the host's memory. */
CUBOID_API int cuboid_matrix_create_on_device(const struct cuboid_layout* layout,
                                              cuboid_datatype type, int device,
                                              cuboid_communicator communicator,
                                              cuboid_matrix* matrix);
/* The number of the CUDA device in whose memory this rank's part lies; -1 if the host can touch the
 * part. Not collective. */
CUBOID_API int cuboid_matrix_device(cuboid_matrix matrix, int* device);
/* A view of the m rows from row i on and the n columns from column j on of a matrix. It refers to
 * the matrix's memory, and the matrix must outlive it. A view is used like any other matrix;
 * elements outside the view are neither read nor written. Not collective, but every rank must make
 * the same view. */
CUBOID_API int cuboid_matrix_view(cuboid_matrix whole, int64_t i, int64_t j, int64_t m, int64_t n,
                                  cuboid_matrix* part);
/* Frees a matrix, and the memory that Cuboid allocated for it. Not collective. */
CUBOID_API int cuboid_matrix_free(cuboid_matrix* matrix);
/* The type of the elements of a matrix in a regular layout. Not collective. */
CUBOID_API int cuboid_matrix_type(cuboid_matrix matrix, cuboid_datatype* type);
/* This rank's part, valid as long as the matrix; NULL for results that are not wanted. Not
 * collective. */
CUBOID_API int cuboid_matrix_part(cuboid_matrix matrix, void** data, int64_t* rows,
                                  int64_t* columns, int64_t* leading_dimension);
/* The row and column in the whole matrix of element (i, j) of this rank's part, all counted from 0.
 * CUBOID_INVALID_ARGUMENT if the part has no such element. Not collective. */
CUBOID_API int cuboid_matrix_global(cuboid_matrix matrix, int64_t i, int64_t j, int64_t* row,
                                    int64_t* column);
/* Fills this rank's part with values that are uniform in [-1, 1) and depend on seed, row and
 * column, but not on the layout. Not collective. */
CUBOID_API int cuboid_matrix_fill_random(cuboid_matrix matrix, uint64_t seed);

/* The operation applied to an operand. */
enum cuboid_op CUBOID_AS_INT {
  CUBOID_NONE = 0,
  CUBOID_TRANSPOSE = 1,
  CUBOID_CONJUGATE_TRANSPOSE = 2
};

/* C = alpha op(A) op(B) + beta C, for matrices of one type in any layouts. alpha and beta point to
 * an element of that type. C must be neither A nor B. `algorithm` is an algorithm's name ("summa",
 * "cosma", ...), or NULL for the cheapest; CUBOID_PARSE for another name. Collective. */
CUBOID_API int cuboid_multiply(const void* alpha, enum cuboid_op op_a, cuboid_matrix a,
                               enum cuboid_op op_b, cuboid_matrix b, const void* beta,
                               cuboid_matrix c, const char* algorithm);
/* A multiplication that is planned once and run many times. It may hold memory that other ranks
 * read. So it is made and freed collectively. */
typedef struct cuboid_multiplication_s* cuboid_multiplication;

/* Plans a multiplication of matrices with the layouts of these matrices, which are not read. The
 * caller frees *multiplication by cuboid_multiplication_free(). Collective. */
CUBOID_API int cuboid_multiplication_create(enum cuboid_op op_a, cuboid_matrix a,
                                            enum cuboid_op op_b, cuboid_matrix b, cuboid_matrix c,
                                            const char* algorithm,
                                            cuboid_multiplication* multiplication);
/* c = alpha op(a) op(b) + beta c, for matrices with the layouts that were planned. Collective. */
CUBOID_API int cuboid_multiplication_run(cuboid_multiplication multiplication, const void* alpha,
                                         cuboid_matrix a, cuboid_matrix b, const void* beta,
                                         cuboid_matrix c);
/* The multiplication's algorithm, e.g. "summa"; valid as long as the multiplication. */
CUBOID_API int cuboid_multiplication_algorithm(cuboid_multiplication multiplication,
                                               const char** name);
/* Frees a multiplication. Collective. */
CUBOID_API int cuboid_multiplication_free(cuboid_multiplication* multiplication);

/* ---- Factorisations -------------------------------------------------------------------------- */

/* The way in which pivots are chosen: by a tournament, which sends few messages; the largest
 * element of each column, as in LAPACK; or no pivoting. */
enum cuboid_pivoting CUBOID_AS_INT {
  CUBOID_PIVOTING_TOURNAMENT = 0,
  CUBOID_PIVOTING_PARTIAL = 1,
  CUBOID_PIVOTING_NONE = 2
};
enum cuboid_side CUBOID_AS_INT { CUBOID_LEFT = 0, CUBOID_RIGHT = 1 };
/* Which elements of a matrix are meant, with the diagonal. The whole matrix is for cuboid_laset(),
 * cuboid_lacpy() and cuboid_lascl() alone. */
enum cuboid_triangle CUBOID_AS_INT { CUBOID_LOWER = 0, CUBOID_UPPER = 1, CUBOID_WHOLE = 2 };
enum cuboid_diagonal CUBOID_AS_INT { CUBOID_STORED_DIAGONAL = 0, CUBOID_UNIT_DIAGONAL = 1 };

/* The factors of a matrix, on the ranks that made them. Its functions are collective over the
 * matrix's communicator, except freeing them and where noted. */
typedef struct cuboid_factorisation_s* cuboid_factorisation;

/* P A = L U. `a` is left as it is. The caller frees *factorisation by cuboid_factorisation_free().
 * Collective. A singular matrix is no error: see cuboid_factorisation_info(). */
CUBOID_API int cuboid_factorise(cuboid_matrix a, enum cuboid_pivoting pivoting,
                                cuboid_factorisation* factorisation);
/* A = L L^H of a positive definite matrix, of which only the lower triangle is read. Freed as
 * above. Collective. */
CUBOID_API int cuboid_cholesky(cuboid_matrix a, cuboid_factorisation* factorisation);
/* Frees the factors. Not collective. */
CUBOID_API int cuboid_factorisation_free(cuboid_factorisation* factorisation);
/* The type of the matrix's elements. Not collective. */
CUBOID_API int cuboid_factorisation_type(cuboid_factorisation factorisation, cuboid_datatype* type);
/* LAPACK's info: 0, or k if the k-th pivot, counted from 1, is exactly 0 (Cholesky: if the leading
 * minor of order k is not positive definite). Not collective. */
CUBOID_API int cuboid_factorisation_info(cuboid_factorisation factorisation, int64_t* info);
/* Sets *finite to 1 if neither the matrix nor the diagonal of its factors has a NaN or an infinity,
 * else to 0. In the latter case info may be 0, and solutions have NaN, too. Not collective. */
CUBOID_API int cuboid_factorisation_is_finite(cuboid_factorisation factorisation, int* finite);
/* Row k was swapped with row pivots[k], counted from 0, for k = 0, 1, ... in turn. Valid as long as
 * the factorisation. Not collective. */
CUBOID_API int cuboid_factorisation_pivots(cuboid_factorisation factorisation,
                                           const int64_t** pivots, size_t* count);
/* Copies L and U into one matrix of the caller, as ?getrf leaves them; for Cholesky, L below and
 * L^H above. */
CUBOID_API int cuboid_factorisation_copy(cuboid_factorisation factorisation, cuboid_matrix factors);
/* b = op(a)^-1 b for any number of right-hand sides, in any layout. CUBOID_INVALID_ARGUMENT for a
 * singular matrix. */
CUBOID_API int cuboid_factorisation_solve(cuboid_factorisation factorisation, enum cuboid_op op,
                                          cuboid_matrix b);
/* The determinant is sign e^logarithm; `sign` points to an element of the matrix's type. */
CUBOID_API int cuboid_factorisation_determinant(cuboid_factorisation factorisation, void* sign,
                                                double* logarithm_of_size);
/* An estimate of 1 / (|A| |A^-1|) in the 1-norm; 0 for a singular matrix. */
CUBOID_API int cuboid_factorisation_reciprocal_condition(cuboid_factorisation factorisation,
                                                         double* reciprocal);
/* x = a^-1 for a square x; of Cholesky's factors in a third of the operations.
 * CUBOID_INVALID_ARGUMENT for a singular matrix. */
CUBOID_API int cuboid_factorisation_inverse(cuboid_factorisation factorisation, cuboid_matrix x);
/* x = x + a^-1 (b - a x), `steps` times, 0 or more: iterative refinement. Collective. */
CUBOID_API int cuboid_refine(cuboid_factorisation factorisation, cuboid_matrix a, cuboid_matrix b,
                             cuboid_matrix x, int steps);
/* b = a^-1 b by factorising and solving. Collective. */
CUBOID_API int cuboid_solve(cuboid_matrix a, cuboid_matrix b);
/* The factors that cuboid_solve_mixed() makes: of LU, or of Cholesky of the lower triangle. */
enum cuboid_matrix_class CUBOID_AS_INT { CUBOID_GENERAL = 0, CUBOID_POSITIVE_DEFINITE = 1 };
/* The method by which it found its solution: plain refinement, GMRES if that stalled, or factors in
 * double precision. */
enum cuboid_mixed_method CUBOID_AS_INT {
  CUBOID_MIXED_REFINEMENT = 0,
  CUBOID_MIXED_GMRES = 1,
  CUBOID_MIXED_FULL_PRECISION = 2
};
/* b = a^-1 b to double precision by factors in single precision, for matrices of
 * CUBOID_FLOAT64 or CUBOID_COMPLEX128. Sets *method and the number of steps of refinement; either
 * pointer may be NULL. Collective. */
CUBOID_API int cuboid_solve_mixed(cuboid_matrix a, cuboid_matrix b,
                                  enum cuboid_matrix_class matrix_class,
                                  enum cuboid_mixed_method* method, int* steps);
/* The norms of LAPACK's ?lange. */
enum cuboid_norm_kind CUBOID_AS_INT {
  CUBOID_NORM_ONE = 0,
  CUBOID_NORM_INFINITY = 1,
  CUBOID_NORM_FROBENIUS = 2,
  CUBOID_NORM_MAXIMUM = 3
};
/* A norm of a matrix. The same on every rank; NaN if the matrix has a NaN. Collective. */
CUBOID_API int cuboid_norm(enum cuboid_norm_kind kind, cuboid_matrix a, double* norm);
/* cuboid_factorisation_reciprocal_condition() in the norm CUBOID_NORM_ONE or _INFINITY. Collective.
 */
CUBOID_API int cuboid_factorisation_reciprocal_condition_in_norm(cuboid_factorisation factorisation,
                                                                 enum cuboid_norm_kind kind,
                                                                 double* reciprocal);
/* LAPACK's helpers, for matrices of any shape; of a triangle, the elements on and below, or above,
 * the diagonal that begins at the first element. The other elements are neither read nor written.
 */
/* a(i, i) = *diagonal and all others *off_diagonal, which point to elements of the matrix's type.
 * Not collective. */
CUBOID_API int cuboid_laset(enum cuboid_triangle triangle, const void* off_diagonal,
                            const void* diagonal, cuboid_matrix a);
/* b = a. Collective. CUBOID_INVALID_ARGUMENT where shapes or types differ. */
CUBOID_API int cuboid_lacpy(enum cuboid_triangle triangle, cuboid_matrix a, cuboid_matrix b);
/* a = a factor / divisor, without overflow or underflow in between. Not collective.
 * CUBOID_INVALID_ARGUMENT for a divisor of 0, and where either is NaN. */
CUBOID_API int cuboid_lascl(enum cuboid_triangle triangle, double divisor, double factor,
                            cuboid_matrix a);
/* b = alpha op(a)^-1 b, or alpha b op(a)^-1 (CUBOID_RIGHT), for one triangle of a square `a`; alpha
 * points to an element of the matrices' type. Collective. */
CUBOID_API int cuboid_trsm(enum cuboid_side side, enum cuboid_triangle triangle, enum cuboid_op op,
                           enum cuboid_diagonal diagonal, const void* alpha, cuboid_matrix a,
                           cuboid_matrix b);

/* a = a^-1 for one triangle of a square `a`; the other is neither read nor written. Collective.
 * CUBOID_INVALID_ARGUMENT, before anything is written, where a stored diagonal has a 0. */
CUBOID_API int cuboid_trtri(enum cuboid_triangle triangle, enum cuboid_diagonal diagonal,
                            cuboid_matrix a);

/* ---- Products with a symmetric, Hermitian or triangular matrix --------------------------------
 */

/* One triangle of that matrix, with its diagonal, is read or written; the other triangle is not
 * touched. alpha and beta point to elements of the matrices' type. If a Hermitian product needs
 * them real, their imaginary parts are ignored. beta = 0 does not read c. Matrices may lie in any
 * layouts; c, and the b of trmm, must share no memory with the other matrices. All functions are
 * collective. CUBOID_INVALID_ARGUMENT if shapes or types differ. */

/* c = alpha a a^T + beta c, or with an op alpha a^T a + beta c; c is n by n. The op is CUBOID_NONE
 * or CUBOID_TRANSPOSE. herk has a^H in place of a^T, and CUBOID_CONJUGATE_TRANSPOSE. */
CUBOID_API int cuboid_syrk(enum cuboid_triangle triangle, enum cuboid_op op, const void* alpha,
                           cuboid_matrix a, const void* beta, cuboid_matrix c);
CUBOID_API int cuboid_herk(enum cuboid_triangle triangle, enum cuboid_op op, const void* alpha,
                           cuboid_matrix a, const void* beta, cuboid_matrix c);
/* c = alpha (a b^T + b a^T) + beta c, or with an op alpha (a^T b + b^T a) + beta c. her2k: c =
 * alpha a b^H + conj(alpha) b a^H + beta c, or with an op alpha a^H b + conj(alpha) b^H a + beta c.
 */
CUBOID_API int cuboid_syr2k(enum cuboid_triangle triangle, enum cuboid_op op, const void* alpha,
                            cuboid_matrix a, cuboid_matrix b, const void* beta, cuboid_matrix c);
CUBOID_API int cuboid_her2k(enum cuboid_triangle triangle, enum cuboid_op op, const void* alpha,
                            cuboid_matrix a, cuboid_matrix b, const void* beta, cuboid_matrix c);
/* c = alpha a b + beta c, or alpha b a + beta c (CUBOID_RIGHT), for a symmetric `a`; hemm for a
 * Hermitian `a`. */
CUBOID_API int cuboid_symm(enum cuboid_side side, enum cuboid_triangle triangle, const void* alpha,
                           cuboid_matrix a, cuboid_matrix b, const void* beta, cuboid_matrix c);
CUBOID_API int cuboid_hemm(enum cuboid_side side, enum cuboid_triangle triangle, const void* alpha,
                           cuboid_matrix a, cuboid_matrix b, const void* beta, cuboid_matrix c);
/* b = alpha op(a) b, or alpha b op(a) (CUBOID_RIGHT), for a triangular `a`. */
CUBOID_API int cuboid_trmm(enum cuboid_side side, enum cuboid_triangle triangle, enum cuboid_op op,
                           enum cuboid_diagonal diagonal, const void* alpha, cuboid_matrix a,
                           cuboid_matrix b);

/* The factors of a matrix, a = q r, on the ranks that made them: q, unitary, as min(m, n)
 * Householder reflectors, and r, upper trapezoidal. Its functions are collective over the matrix's
 * communicator, except freeing them and where noted. */
typedef struct cuboid_qr_factorisation_s* cuboid_qr_factorisation;

/* a = q r of an m by n matrix. `a` is left as it is. The caller frees *qr by cuboid_qr_free().
 * Collective. A matrix without full rank is no error: see cuboid_qr_info(). */
CUBOID_API int cuboid_qr(cuboid_matrix a, cuboid_qr_factorisation* qr);
/* Frees the factors. Not collective. */
CUBOID_API int cuboid_qr_free(cuboid_qr_factorisation* qr);
/* The type of the matrix's elements. Not collective. */
CUBOID_API int cuboid_qr_type(cuboid_qr_factorisation qr, cuboid_datatype* type);
/* 0, or k if the k-th element of r's diagonal, counted from 1, is the first that is exactly 0. Not
 * collective. */
CUBOID_API int cuboid_qr_info(cuboid_qr_factorisation qr, int64_t* info);
/* Sets *finite to 1 if neither the matrix nor r's diagonal has a NaN or an infinity, else to 0. Not
 * collective. */
CUBOID_API int cuboid_qr_is_finite(cuboid_qr_factorisation qr, int* finite);
/* LAPACK's TAU, min(m, n) elements of the matrix's type; valid as long as the factorisation. Not
 * collective. */
CUBOID_API int cuboid_qr_taus(cuboid_qr_factorisation qr, const void** taus, size_t* count);
/* Copies r and the reflectors into one matrix of the caller, m by n, as ?geqrf leaves them. */
CUBOID_API int cuboid_qr_copy(cuboid_qr_factorisation qr, cuboid_matrix factors);
/* Copies the first columns of q, as many as the caller's matrix has, but at most m. */
CUBOID_API int cuboid_qr_copy_q(cuboid_qr_factorisation qr, cuboid_matrix q);
/* Copies r, min(m, n) by n, with zeros below its diagonal. */
CUBOID_API int cuboid_qr_copy_r(cuboid_qr_factorisation qr, cuboid_matrix r);
/* c = op(q) c, or c op(q) (CUBOID_RIGHT). A complex q can only be conjugate transposed. */
CUBOID_API int cuboid_qr_apply(cuboid_qr_factorisation qr, enum cuboid_op op, enum cuboid_side side,
                               cuboid_matrix c);
/* Finds x, n by k, that minimises the 2-norms of the columns of a x - b, for m >= n and full rank,
 * else CUBOID_INVALID_ARGUMENT. b, m by k, is left as it is. */
CUBOID_API int cuboid_qr_least_squares(cuboid_qr_factorisation qr, cuboid_matrix b,
                                       cuboid_matrix x);
/* The same by factorising `a`. For m < n, x has the least norm with a x = b. Collective. */
CUBOID_API int cuboid_least_squares(cuboid_matrix a, cuboid_matrix b, cuboid_matrix x);

/* ---- Redistribution: from any layout to any other -------------------------------------------- */

/* A matrix that is cut into blocks at arbitrary rows and columns. Each block is owned by one rank.
 * row_cuts has row_blocks + 1 numbers: the first row of each block, from 0 on, and then the number
 * of rows. column_cuts has the same for columns. owners has the rank of each block, row by row. */
struct cuboid_irregular_layout {
  int row_blocks;
  int column_blocks;
  const int64_t* row_cuts;
  const int64_t* column_cuts;
  const int* owners;
};

/* Allocates this rank's blocks, uninitialised. A matrix of this kind can be redistributed, and
 * freed by cuboid_matrix_free(). The layout is copied. Not collective, but every rank must make the
 * same matrix. */
CUBOID_API int cuboid_matrix_create_irregular(const struct cuboid_irregular_layout* layout,
                                              cuboid_datatype type,
                                              cuboid_communicator communicator,
                                              cuboid_matrix* matrix);

/* A block of an irregular matrix; its memory is the matrix's. */
struct cuboid_block {
  int row; /* which of the blocks it is */
  int column;
  void* data; /* column-major */
  int64_t rows;
  int64_t columns;
  int64_t leading_dimension;
};

/* This rank's blocks of an irregular matrix, by number from 0, row by row. They are valid as long
 * as the matrix. CUBOID_INVALID_ARGUMENT after the last block. Not collective. */
CUBOID_API int cuboid_matrix_block(cuboid_matrix matrix, int number, struct cuboid_block* block);

/* destination = op(source), for any layouts. Collective. */
CUBOID_API int cuboid_redistribute(enum cuboid_op op, cuboid_matrix source,
                                   cuboid_matrix destination);
/* destination = alpha op(source) + beta destination. If beta is 0, destination is not read. alpha
 * and beta point to an element of the matrices' type. Collective. */
CUBOID_API int cuboid_redistribute_add(const void* alpha, enum cuboid_op op, cuboid_matrix source,
                                       const void* beta, cuboid_matrix destination);

/* A redistribution that is planned once and run many times on matrices with the same layouts. It
 * may hold memory that other ranks read. So it is made and freed collectively. */
typedef struct cuboid_redistribution_s* cuboid_redistribution;

/* Plans a redistribution of matrices with the layouts of these matrices, which are not read. The
 * caller frees *redistribution by cuboid_redistribution_free(). Collective. */
CUBOID_API int cuboid_redistribution_create(enum cuboid_op op, cuboid_matrix source,
                                            cuboid_matrix destination,
                                            cuboid_redistribution* redistribution);
/* destination = alpha op(source) + beta destination, with the op that was planned. Collective. */
CUBOID_API int cuboid_redistribution_run(cuboid_redistribution redistribution, const void* alpha,
                                         cuboid_matrix source, const void* beta,
                                         cuboid_matrix destination);
/* Frees a redistribution. Collective. */
CUBOID_API int cuboid_redistribution_free(cuboid_redistribution* redistribution);

#ifdef __cplusplus
}
#endif

#endif
