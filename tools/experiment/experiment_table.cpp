#include "tools/experiment/experiment_table.hpp"

#include <array>

namespace cuboid::detail::tools {

namespace {

constexpr std::array square = {ProductShape::square};
constexpr std::array large_k = {ProductShape::large_k};
constexpr std::array tall = {ProductShape::large_k, ProductShape::large_m};
constexpr std::array molecules = {ProductShape::molecules};
constexpr std::array flat_and_square = {ProductShape::flat, ProductShape::square};
constexpr std::array every_shape = {ProductShape::square, ProductShape::large_k,
                                    ProductShape::large_m, ProductShape::flat};
constexpr std::array strong = {MemoryRegime::strong};
constexpr std::array limited = {MemoryRegime::limited};
constexpr std::array extra = {MemoryRegime::extra};
constexpr std::array every_regime = {MemoryRegime::strong, MemoryRegime::limited,
                                     MemoryRegime::extra};

/// The algorithms of the programs that the paper compares: COSMA, CTF, ScaLAPACK (which ran on one
/// rank for nine cores, Kwasniewski et al. 2019, §8, and does not move the largest matrix), CARMA.
constexpr std::array four_programs = {
    Variant{"COSMA", "--algorithm cosma"},
    Variant{.name = "2.5D (for CTF)",
            .flags = "--algorithm 2.5d",
            .model = "--algorithm 2.5d --inside summa"},
    Variant{
        .name = "SUMMA (for ScaLAPACK)", .flags = "--algorithm {stationary}", .cores_per_rank = 9},
    Variant{"CARMA", "--algorithm carma"}};
constexpr std::array cosma_alone = {Variant{"COSMA", "--algorithm cosma"}};
/// 2.5D and 2D as Solomonik et al. 2011 ran them, for predictions: A and B are replicated from the
/// first layer (algorithm 1), grids are √P×√P (§3.2.2) or nearly so, and nothing is hidden
/// (§3.1.5).
constexpr std::array layers_or_not = {
    Variant{.name = "2.5D",
            .flags = "--algorithm 2.5d --inside summa --layers {layers}",
            .model = "--algorithm 2.5d --inside summa --layers {layers} --replicated-operands "
                     "--overlap 0"},
    Variant{.name = "2D SUMMA",
            .flags = "--algorithm summa",
            .model = "--algorithm summa --grid {grid} --broadcast binomial --overlap 0"},
    Variant{.name = "2D Cannon",
            .flags = "--algorithm cannon",
            .model = "--algorithm cannon --grid {grid} --overlap 0"}};
constexpr std::array factorisations = {
    Variant{.name = "2.5D, no pivoting",
            .flags = "--pivoting none --layers {layers}",
            .model = "--layers {layers} --lines rectangular"},
    Variant{.name = "2D, no pivoting",
            .flags = "--pivoting none --layers 1",
            .model = "--layers 1 --lines binomial"},
    Variant{.name = "2.5D, tournament",
            .flags = "--pivoting tournament --layers {layers}",
            .model = "none"},
    Variant{
        .name = "2D, tournament", .flags = "--pivoting tournament --layers 1", .model = "none"}};
constexpr std::array shifts = {Variant{"SUMMA", "--algorithm summa"},
                               Variant{"Cannon", "--algorithm cannon"},
                               Variant{"SD-Cannon", "--algorithm sd-cannon"}};
/// Variants of the data that UCX sends without a copy or copies, and of gets that are waited for at
/// once or not. Each says which: without the variable Cuboid copies over TCP, and does not over
/// RDMA.
constexpr std::string_view without_copies = "UCX_ZCOPY_THRESH=auto";
constexpr std::string_view with_copies = "UCX_ZCOPY_THRESH=inf";
constexpr std::array copies = {
    Variant{"zero-copy", "--algorithm srumma --copied-blocks", without_copies},
    Variant{"zero-copy, blocking", "--algorithm srumma --copied-blocks --blocking-gets",
            without_copies},
    Variant{"copying", "--algorithm srumma --copied-blocks", with_copies},
    Variant{"copying, blocking", "--algorithm srumma --copied-blocks --blocking-gets",
            with_copies}};
constexpr std::array in_place_or_copied = {
    Variant{"direct access", "--algorithm srumma"},
    Variant{"copy", "--algorithm srumma --copied-blocks"},
    Variant{"direct access, A transposed", "--algorithm srumma --transpose-a"},
    Variant{"copy, A transposed", "--algorithm srumma --copied-blocks --transpose-a"}};
constexpr std::array one_sided = {Variant{"SRUMMA", "--algorithm srumma"},
                                  Variant{"SUMMA (pdgemm)", "--algorithm summa"}};
constexpr std::array groups_narrow = {
    Variant{"HSUMMA", "--algorithm hsumma --groups {groups} --panel 64 --outer-panel 64"},
    Variant{"SUMMA", "--algorithm summa --panel 64"}};
constexpr std::array groups_middle = {
    Variant{"HSUMMA", "--algorithm hsumma --groups {groups} --panel 256 --outer-panel 256"},
    Variant{"SUMMA", "--algorithm summa --panel 256"}};
constexpr std::array groups_wide = {
    Variant{"HSUMMA", "--algorithm hsumma --groups {groups} --panel 512 --outer-panel 512"},
    Variant{"SUMMA", "--algorithm summa --panel 512"}};
constexpr std::array best_groups_wide = {
    Variant{.name = "HSUMMA",
            .flags = "--algorithm hsumma --panel 512 --outer-panel 512",
            .model = "--algorithm hsumma --groups {groups} --panel 512 --outer-panel 512"},
    Variant{"SUMMA", "--algorithm summa --panel 512"}};
constexpr std::array best_groups_middle = {
    Variant{.name = "HSUMMA",
            .flags = "--algorithm hsumma --panel 256 --outer-panel 256",
            .model = "--algorithm hsumma --groups {groups} --panel 256 --outer-panel 256"},
    Variant{"SUMMA", "--algorithm summa --panel 256"}};
constexpr std::array multicasts = {Variant{"rectangular", "broadcast --algorithm rectangular"},
                                   Variant{"binomial", "broadcast --algorithm binomial"},
                                   Variant{"Cuboid's choice", "broadcast"}};
constexpr std::array reductions = {Variant{"Cuboid's choice", "reduce"},
                                   Variant{"binomial", "reduce --algorithm binomial"}};
constexpr std::array on_a_line = {
    Variant{.name = "multicast", .flags = "broadcast --lines 0", .model = "broadcast"},
    Variant{.name = "reduce", .flags = "reduce --lines 0", .model = "reduce"}};

constexpr std::array daint_ranks = {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 18432};
constexpr std::array daint_many_ranks = {2048, 4096, 8192, 16384, 18432};
constexpr std::array paper_molecules = {std::int64_t{32}, std::int64_t{64}, std::int64_t{128}};
constexpr double daint_bytes = 64.0 * 1024 * 1024 * 1024 / 36;
constexpr double blue_gene_bytes = 4.0 * 1024 * 1024 * 1024;

constexpr PaperScale daint{"piz-daint", daint_bytes, daint_ranks, {}, 36};
constexpr PaperScale daint_many{"piz-daint", daint_bytes, daint_many_ranks, {}, 36};
constexpr PaperScale daint_molecules{"piz-daint", daint_bytes, daint_many_ranks, paper_molecules,
                                     36};

/// Partitions of Blue Gene/P with a rank on each node (Solomonik et al. 2011, §3.2): sub-partitions
/// of 8x8x32 along Y, one layer of 16x32x32, and all of it. The sizes n of strong scaling are given
/// in the figures' captions only, not in the paper's text.
using std::string_view;
constexpr std::array layer_ranks = {256, 512, 1024, 2048};
constexpr std::array layer_networks = {string_view("torus:8x32"), string_view("torus:8x2x32"),
                                       string_view("torus:8x4x32"), string_view("torus:8x8x32")};
constexpr std::array scaled_size = {std::int64_t{65536}};
constexpr std::array all_of_intrepid = {1024, 16384};
constexpr std::array intrepid_networks = {string_view("torus:32x32"),
                                          string_view("torus:16x32x32")};
constexpr std::array intrepid_sizes = {std::int64_t{8192}, std::int64_t{32768},
                                       std::int64_t{131072}};
constexpr std::array torus_of_64 = {64};
constexpr std::array network_of_64 = {string_view("torus:8x8")};
constexpr std::array torus_sizes = {std::int64_t{1024}, std::int64_t{2048}, std::int64_t{4096},
                                    std::int64_t{8192}};
constexpr std::array multicast_ranks = {8, 64, 512, 4096};
constexpr std::array multicast_networks = {string_view("torus:8"), string_view("torus:8x8"),
                                           string_view("torus:8x8x8"),
                                           string_view("torus:16x16x16")};
constexpr std::array ring_of_8 = {8};
constexpr std::array ring_networks = {string_view("torus:8")};
constexpr PaperScale intrepid_layers{"bgp", blue_gene_bytes, layer_ranks, scaled_size, 1,
                                     {},    layer_networks};
constexpr PaperScale intrepid{"bgp", blue_gene_bytes,  all_of_intrepid, intrepid_sizes, 1,
                              {},    intrepid_networks};
constexpr PaperScale intrepid_torus{"bgp", blue_gene_bytes, torus_of_64, torus_sizes, 1,
                                    {},    network_of_64};
constexpr PaperScale intrepid_multicasts{"bgp", blue_gene_bytes,   multicast_ranks, {}, 1,
                                         {},    multicast_networks};
constexpr PaperScale intrepid_cube{"bgp",
                                   blue_gene_bytes,
                                   std::span(multicast_ranks).subspan<2, 1>(),
                                   {},
                                   1,
                                   {},
                                   std::span(multicast_networks).subspan<2, 1>()};
constexpr PaperScale intrepid_ring{"bgp", blue_gene_bytes, ring_of_8, {}, 1, {}, ring_networks};

/// The model of Quintin et al. 2013: a panel's owners broadcast it in turn, and β counts elements.
/// Its grids are √p×√p; ours are the squarest.
constexpr std::string_view as_modelled =
    "--grid {grid} --broadcast van-de-geijn --overlap 0 --word-bytes 1";
constexpr std::array grid5000_ranks = {8192};
constexpr std::array grid5000_scaling = {128, 256, 512, 1024, 2048, 4096, 8192};
constexpr std::array grid5000_size = {std::int64_t{8192}};
constexpr std::array shaheen_ranks = {16384};
constexpr std::array shaheen_scaling = {2048, 4096, 8192, 16384};
/// The best numbers of groups: about √p where groups pay, else 1 (Quintin et al. 2013, equations 9
/// to 11).
constexpr std::array grid5000_groups = {8, 16, 16, 32, 32, 64, 64};
constexpr std::array shaheen_groups = {1, 1, 1, 128};
constexpr PaperScale grid5000{"grid5000", 4e9, grid5000_ranks, grid5000_size, 1, as_modelled};
constexpr PaperScale grid5000_scaled{"grid5000",  4e9, grid5000_scaling, grid5000_size, 1,
                                     as_modelled, {},  grid5000_groups};
constexpr PaperScale shaheen{"bgp-hsumma", 1e9, shaheen_ranks, scaled_size, 1, as_modelled};
constexpr PaperScale shaheen_scaled{"bgp-hsumma", 1e9, shaheen_scaling, scaled_size, 1,
                                    as_modelled,  {},  shaheen_groups};

constexpr std::array table = {
    Experiment{"cosma-fig6", "Kwasniewski et al. 2019, figure 6", "volume per rank, square",
               Work::multiply, four_programs, square, every_regime, Sweep::ranks,
               ReportedQuantity::volume, daint},
    Experiment{"cosma-fig7", "Kwasniewski et al. 2019, figure 7", "volume per rank, largeK",
               Work::multiply, four_programs, large_k, every_regime, Sweep::ranks,
               ReportedQuantity::volume, daint_many},
    Experiment{"cosma-fig8", "Kwasniewski et al. 2019, figure 8", "percent of peak, square",
               Work::multiply, four_programs, square, every_regime, Sweep::ranks,
               ReportedQuantity::percent_of_peak, daint},
    Experiment{"cosma-fig9", "Kwasniewski et al. 2019, figure 9", "run time, square",
               Work::multiply, four_programs, square, every_regime, Sweep::ranks,
               ReportedQuantity::seconds, daint},
    Experiment{"cosma-fig10", "Kwasniewski et al. 2019, figure 10", "percent of peak, largeK",
               Work::multiply, four_programs, large_k, every_regime, Sweep::ranks,
               ReportedQuantity::percent_of_peak, daint_many},
    Experiment{"cosma-fig11", "Kwasniewski et al. 2019, figure 11", "run time, largeK",
               Work::multiply, four_programs, large_k, every_regime, Sweep::ranks,
               ReportedQuantity::seconds, daint_many},
    Experiment{"cosma-fig12", "Kwasniewski et al. 2019, figure 12",
               "computation and communication, fewest and most ranks", Work::multiply, cosma_alone,
               every_shape, strong, Sweep::ends, ReportedQuantity::split, daint_many},
    Experiment{"cosma-fig13", "Kwasniewski et al. 2019, figure 13",
               "percent of peak over all rank counts, flat and square", Work::multiply,
               four_programs, flat_and_square, every_regime, Sweep::ranks,
               ReportedQuantity::distribution, daint},
    Experiment{"cosma-fig14", "Kwasniewski et al. 2019, figure 14",
               "percent of peak over all rank counts, tall-and-skinny", Work::multiply,
               four_programs, tall, every_regime, Sweep::ranks, ReportedQuantity::distribution,
               daint_many},
    Experiment{"cosma-rpa", "Kwasniewski et al. 2019, §8",
               "random phase approximation of w water molecules", Work::multiply, four_programs,
               molecules, strong, Sweep::size, ReportedQuantity::seconds, daint_molecules},
    Experiment{"srumma-fig5", "Krishnan and Nieplocha 2004, figure 5",
               "SRUMMA within a node: blocks in place, or copied", Work::multiply,
               in_place_or_copied, square, limited, Sweep::size, ReportedQuantity::gflops},
    Experiment{"srumma-fig9", "Krishnan and Nieplocha 2004, figure 9",
               "SRUMMA with zero-copy and copying, blocking and non-blocking gets", Work::multiply,
               copies, square, limited, Sweep::size, ReportedQuantity::gflops},
    Experiment{"srumma-fig10", "Krishnan and Nieplocha 2004, figure 10",
               "SRUMMA beside the algorithm of pdgemm", Work::multiply, one_sided, square, limited,
               Sweep::size, ReportedQuantity::gflops},
    Experiment{"sd-cannon-fig2", "Solomonik and Demmel 2012, figure 2",
               "SD-Cannon beside Cannon and SUMMA", Work::multiply, shifts, square, limited,
               Sweep::size, ReportedQuantity::gflops, intrepid_torus},
    Experiment{"hsumma-fig5", "Quintin et al. 2013, figure 5",
               "exchange over the number of groups, panels of 64", Work::multiply, groups_narrow,
               square, limited, Sweep::groups, ReportedQuantity::exchange, grid5000},
    Experiment{"hsumma-fig6", "Quintin et al. 2013, figure 6",
               "exchange over the number of groups, panels of 512", Work::multiply, groups_wide,
               square, limited, Sweep::groups, ReportedQuantity::exchange, grid5000},
    Experiment{"hsumma-fig7", "Quintin et al. 2013, figure 7", "run time over ranks, panels of 512",
               Work::multiply, best_groups_wide, square, strong, Sweep::ranks,
               ReportedQuantity::seconds, grid5000_scaled},
    Experiment{"hsumma-fig8", "Quintin et al. 2013, figure 8",
               "run time over the number of groups, panels of 256", Work::multiply, groups_middle,
               square, limited, Sweep::groups, ReportedQuantity::seconds, shaheen},
    Experiment{"hsumma-fig9", "Quintin et al. 2013, figure 9", "exchange over ranks",
               Work::multiply, best_groups_middle, square, strong, Sweep::ranks,
               ReportedQuantity::exchange, shaheen_scaled},
    Experiment{"rectangular-fig1",
               "Solomonik et al. 2011, figure 1",
               "bandwidth of a multicast of 1 MiB over ranks",
               Work::collective,
               multicasts,
               {},
               {},
               Sweep::ranks,
               ReportedQuantity::bandwidth,
               intrepid_multicasts},
    Experiment{"rectangular-fig4a", "Solomonik et al. 2011, figure 4 (a)",
               "strong scaling of 2D and 2.5D multiplication", Work::multiply, layers_or_not,
               square, strong, Sweep::ranks, ReportedQuantity::percent_of_peak, intrepid_layers},
    Experiment{"rectangular-fig4b", "Solomonik et al. 2011, figure 4 (b)",
               "strong scaling of 2D and 2.5D LU", Work::factorise, factorisations, square, strong,
               Sweep::ranks, ReportedQuantity::gflops, intrepid_layers},
    Experiment{"rectangular-fig5a", "Solomonik et al. 2011, figure 5 (a)",
               "efficiency of 2D and 2.5D multiplication over n", Work::multiply, layers_or_not,
               square, extra, Sweep::size, ReportedQuantity::percent_of_peak, intrepid},
    Experiment{"rectangular-fig5b", "Solomonik et al. 2011, figure 5 (b)",
               "where the time of 2D and 2.5D multiplication goes", Work::multiply, layers_or_not,
               square, extra, Sweep::size, ReportedQuantity::split, intrepid},
    Experiment{"rectangular-fig6", "Solomonik et al. 2011, figure 6",
               "where the time of 2D and 2.5D LU goes", Work::factorise, factorisations, square,
               extra, Sweep::size, ReportedQuantity::split, intrepid},
    Experiment{"rectangular-fig10",
               "Solomonik et al. 2011, figure 10",
               "bandwidth of a reduction over its length",
               Work::collective,
               reductions,
               {},
               {},
               Sweep::bytes,
               ReportedQuantity::bandwidth,
               intrepid_cube},
    Experiment{"rectangular-fig11",
               "Solomonik et al. 2011, figure 11",
               "multicast and reduction along lines, beside MPI's",
               Work::collective,
               on_a_line,
               {},
               {},
               Sweep::bytes,
               ReportedQuantity::bandwidth,
               intrepid_ring},
};

}  // namespace

std::span<const Experiment> experiments() {
  return table;
}

const Experiment* find_experiment(std::string_view name) {
  for (const Experiment& one : table)
    if (one.name == name) return &one;
  return nullptr;
}

std::string_view to_string(ProductShape shape) {
  switch (shape) {
    case ProductShape::square: return "square";
    case ProductShape::large_k: return "largeK";
    case ProductShape::large_m: return "largeM";
    case ProductShape::flat: return "flat";
    case ProductShape::molecules: return "RPA";
  }
  return "square";
}

std::string_view to_string(MemoryRegime regime) {
  switch (regime) {
    case MemoryRegime::strong: return "strong scaling";
    case MemoryRegime::limited: return "limited memory";
    case MemoryRegime::extra: return "extra memory";
  }
  return "strong scaling";
}

}  // namespace cuboid::detail::tools
