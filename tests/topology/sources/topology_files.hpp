#pragma once

#include <string>

#include <fmt/format.h>

/// Well-formed topology files of every kind.
namespace cuboid::detail::test {

inline const std::string json_network = R"({
  "nodes": ["a", "b", {"name": "c", "role": "host"}, {"name": "s", "role": "switch"}],
  "cables": [
    {"ends": ["a", "b"], "rate": "100mbit"},
    {"ends": ["b", "c"], "rate": 20000000},
    {"ends": ["c", "a"]},
    {"ends": ["s", "a"]}
  ]
}
)";

/// Two leaf switches joined by two cables; node1 has an adapter on each, node2 one on the second;
/// the first switch shows an aggregation node.
inline const std::string infiniband_fabric = R"(#
# Topology file: generated on Mon Jan  6 10:00:00 2025
#
# Initiated from node 0000000000000011 port 0000000000000111

vendid=0x2c9
devid=0xd2f0
sysimgguid=0xa1
switchguid=0xa1(a1)
Switch	40 "S-00000000000000a1"		# "leaf1" enhanced port 0 lid 1 lmc 0
[1]	"H-0000000000000011"[1](111) 		# "node1 mlx5_0" lid 11 4xEDR
[20]	"S-00000000000000a2"[20]		# "leaf2" lid 2 4xHDR
[21]	"S-00000000000000a2"[21]		# "leaf2" lid 2 4xHDR
[41]	"H-00000000000000f1"[1](f11) 		# "Mellanox Technologies Aggregation Node" lid 99 4xHDR

vendid=0x2c9
devid=0xd2f0
sysimgguid=0xa2
switchguid=0xa2(a2)
Switch	40 "S-00000000000000a2"		# "leaf2" enhanced port 0 lid 2 lmc 0
[1][ext 1]	"H-0000000000000012"[1](121) 		# "node1 mlx5_1" lid 12 4xEDR
[2]	"H-0000000000000021"[1](211) 		# "node2 HCA-1" lid 21 2xEDR
[20]	"S-00000000000000a1"[20]		# "leaf1" lid 1 4xHDR
[21]	"S-00000000000000a1"[21]		# "leaf1" lid 1 4xHDR

vendid=0x2c9
devid=0x101b
sysimgguid=0x11
caguid=0x11
Ca	1 "H-0000000000000011"		# "node1 mlx5_0"
[1](111) 	"S-00000000000000a1"[1]		# lid 11 lmc 0 "leaf1" lid 1 4xEDR

caguid=0x12
Ca	1 "H-0000000000000012"		# "node1 mlx5_1"
[1](121) 	"S-00000000000000a2"[1]		# lid 12 lmc 0 "leaf2" lid 2 4xEDR

caguid=0x21
Ca	1 "H-0000000000000021"		# "node2 HCA-1"
[1](211) 	"S-00000000000000a2"[2]		# lid 21 lmc 0 "leaf2" lid 2 2xEDR

caguid=0xf1
Ca	1 "H-00000000000000f1"		# "Mellanox Technologies Aggregation Node"
[1](f11) 	"S-00000000000000a1"[41]		# lid 99 lmc 0 "leaf1" lid 1 4xHDR
)";

/// A ring of switches, each with one host: port 1 leads onwards, port 2 back, port 3 to the host.
inline std::string infiniband_ring(int switches) {
  std::string text;
  const auto guid = [](int number) { return fmt::format("{:016x}", 0x100 + number); };
  for (int i = 0; i < switches; ++i) {
    const int next = (i + 1) % switches;
    const int last = (i + switches - 1) % switches;
    text += fmt::format("Switch\t36 \"S-{}\"\t\t# \"MF0;switch\" enhanced port 0 lid {} lmc 0\n",
                        guid(i), i + 1);
    text +=
        fmt::format("[1]\t\"S-{}\"[2]\t\t# \"MF0;switch\" lid {} 4xQDR\n", guid(next), next + 1);
    text +=
        fmt::format("[2]\t\"S-{}\"[1]\t\t# \"MF0;switch\" lid {} 4xQDR\n", guid(last), last + 1);
    text += fmt::format("[3]\t\"H-{}\"[1](77)\t\t# \"n{} HCA-1\" lid {} 4xQDR\n\n", guid(i), i,
                        100 + i);
  }
  for (int i = 0; i < switches; ++i) {
    text += fmt::format("Ca\t1 \"H-{}\"\t\t# \"n{} HCA-1\"\n", guid(i), i);
    text += fmt::format("[1](77)\t\"S-{}\"[3]\t\t# lid {} lmc 0 \"MF0;switch\" lid {} 4xQDR\n\n",
                        guid(i), 100 + i, i + 1);
  }
  return text;
}

inline const std::string slurm_tree = R"(# Three leaves below one switch
switchname=s0 nodes=tux[00-03] linkspeed=900
SwitchName=s1 Nodes=tux[04-05],tux06 # a comment
SwitchName=s2 \
  Nodes=tux[07-09]

SwitchName=s3 Switches=s[0-2] LinkSpeed=1800
)";

inline const std::string slurm_blocks = R"(BlockName=b1 Nodes=n[01-04]
BlockName=b2 Nodes=n[05-08]
BlockName=b3 Nodes=n[09-12]
BlockName=b4 Nodes=n[13-16]
BlockSizes=4,8
)";

/// A fat tree as administrators write it: two leaves, each below both core switches.
inline const std::string slurm_fat_tree = R"(SwitchName=leaf1 Nodes=n[1-4]
SwitchName=leaf2 Nodes=n[5-8]
SwitchName=core1 Switches=leaf[1-2]
SwitchName=core2 Switches=leaf[1-2]
)";

/// What `scontrol show topology` prints of it.
inline const std::string scontrol_tree =
    R"(SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-4]
SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[5-8] Switches=
SwitchName=core1 Level=1 LinkSpeed=1 Nodes=n[1-8] Switches=leaf[1-2]
SwitchName=core2 Level=1 LinkSpeed=1 Nodes=n[1-8] Switches=leaf[1-2]
)";

/// What it prints of blocks.
inline const std::string scontrol_blocks = R"(BlockName=b1 BlockIndex=0 Nodes=n[01-04] BlockSize=4
BlockName=b2 BlockIndex=1 Nodes=n[05-08] BlockSize=4
AggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[01-08] BlockSize=8
)";

/// Two topologies, the second of which is the cluster's default.
inline const std::string slurm_yaml = R"(# Slurm 25.05
---
- topology: with_blocks
  cluster_default: false
  block:
    block_sizes: [2, 4]
    blocks:
      - block: b1
        nodes: "n[1-2]"   # in quotes
      - block: 'b2'
        nodes: n[3-4]
- topology: with_switches
  cluster_default: true
  tree:
    switches:
    - switch: root
      children: s[1-2]
    - switch: s1
      nodes: n[1-2]
    -
      switch: s2
      nodes: n[3-4]
- topology: plain
  flat: true
)";

}  // namespace cuboid::detail::test
