"""Labs on the real machine: they come up, live side by side, and go without a trace, however they end."""

import json
import os
import signal
import subprocess
import unittest

from paths import LAB
from machine import ROOT, MachineTest, heed_interrupts, lab, traces, wait_until


class Life(MachineTest):
    def test_up_status_down(self):
        name = self.up("torus:3x3", "--rate", "20mbit", "--ranks-per-node", "2")
        status = json.loads(self.run_lab("status", "--json", "--name", name))
        self.assertEqual(status["shape"], {"extents": [3, 3], "wraps": [True, True]})
        self.assertEqual(status["ranks_per_node"], 2)
        self.assertEqual([node["name"] for node in status["nodes"]], [f"n{node}" for node in range(9)])
        self.assertEqual(status["nodes"][5]["coordinate"], [1, 2])
        self.assertEqual({cable["rate"] for cable in status["cables"]}, {20000000})
        self.assertTrue(all(cable["up"] for cable in status["cables"]))
        self.assertIn("torus:3x3", self.run_lab("status", "--name", name))
        self.run_lab("down", "--name", name)
        self.assertEqual(traces(name), [])
        self.run_lab("status", "--name", name, code=2)

    def test_nodes_see_themselves_and_each_other(self):
        name = self.up("mesh:2x2")
        for node in ("n2", "1,0"):
            self.assertEqual(self.run_lab("exec", node, "--name", name, "--", "hostname"), "n2\n")
        devices = self.run_lab("exec", "n2", "--name", name, "--", "ls", "/sys/class/net").split()
        self.assertEqual(sorted(devices), ["br0", "eth0", "eth1", "lo"])
        self.assertIn("10.0.0.4", self.run_lab("exec", "n2", "--name", name, "--", "getent", "hosts", "n3"))
        self.run_lab("exec", "n2", "--name", name, "--", "sh", "-c", "exit 7", code=7)

    def test_what_the_machine_prefers_of_tcp_stays_outside(self):
        name = self.up("mesh:2")
        for setting, values in (("congestion_control", (["cubic"], ["reno"])), ("no_metrics_save", (["1"],)),
                                ("limit_output_bytes", (["1048576"],)), ("rmem", (["4096", "131072", "6291456"],)),
                                ("wmem", (["4096", "16384", "4194304"],))):
            file = f"/proc/sys/net/ipv4/tcp_{setting}"
            self.assertIn(self.run_lab("exec", "n1", "--name", name, "--", "cat", file).split(), values)

    def test_tcp_can_be_tuned(self):
        name = self.up("mesh:2", "--rate", "1gbit", "--tcp", "tuned")
        for setting, value in (("congestion_control", ["reno"]), ("no_metrics_save", ["1"]),
                               ("limit_output_bytes", ["65536"]), ("rmem", ["4096", "1250000", "1250000"])):
            file = f"/proc/sys/net/ipv4/tcp_{setting}"
            self.assertEqual(self.run_lab("exec", "n1", "--name", name, "--", "cat", file).split(), value)
        self.run_lab("rate", "n0", "n1", "10mbit", "--name", name)
        rmem = self.run_lab("exec", "n1", "--name", name, "--", "cat", "/proc/sys/net/ipv4/tcp_rmem")
        self.assertEqual(rmem.split(), ["4096", "131072", "131072"])

    def test_commands_end_when_nobody_reads_them(self):
        name = self.up("mesh:2")
        done = subprocess.run(["sh", "-c", f"{LAB} exec n0 --name {name} -- yes | head -1"], capture_output=True,
                              text=True, timeout=20, check=False)
        self.assertEqual((done.stdout, done.stderr), ("y\n", ""))

    def test_an_unknown_node_is_told_with_near_names(self):
        name = self.up("mesh:2x2")
        done = lab("exec", "n33", "--name", name, "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "no node 'n33': did you mean .*n3")

    def test_side_by_side(self):
        one, other = self.up("ring:3"), self.up("ring:3")
        self.assertTrue(self.send(one, "n0", "n1")[0])
        self.assertEqual(self.carriers(other)[0], set())
        self.run_lab("down", "--name", one)
        self.assertTrue(self.send(other, "n0", "n1")[0])

    def test_an_existing_lab_is_not_built_over(self):
        name = self.up("mesh:2")
        done = lab("up", "mesh:2", "--name", name)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"lab down --name {name}", done.stderr)
        self.run_lab("status", "--name", name)

    def test_a_lab_that_cannot_be_built_is_undone(self):
        name = self.new_name()
        broken = ROOT.parent / f"cuboid-lab-{name}"
        broken.mkdir()
        try:
            for tool in ("tc", "ip"):
                fake = broken / tool
                real = subprocess.run(["which", tool], capture_output=True, text=True, check=True).stdout.strip()
                fake.write_text(f'#!/bin/sh\n[ "$1" != -batch ] || exit 9\nexec {real} "$@"\n', encoding="utf-8")
                fake.chmod(0o755)
                done = lab("up", "mesh:2", "--name", name, env=os.environ | {"PATH": f"{broken}:{os.environ['PATH']}"})
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertEqual(traces(name), [])
                fake.unlink()
        finally:
            for fake in broken.iterdir():
                fake.unlink()
            broken.rmdir()

    def test_processes_end_with_the_lab(self):
        name = self.up("mesh:2")
        sleeper = subprocess.Popen([LAB, "exec", "n1", "--name", name, "--", "sleep", "1000"])
        wait_until(lambda: self.processes(name) == [0, 1])
        self.run_lab("down", "--name", name)
        self.assertEqual(sleeper.wait(30), -signal.SIGKILL)

    def test_interrupted_at_every_stage(self):
        for stage in ("", "hosts", "nodes/n0", "nodes/n9/net", "nodes/n40/shm", "nodes/n63/shm"):
            for number in (signal.SIGINT, signal.SIGTERM):
                name = self.new_name()
                builder = self.start_up(name, stage)
                builder.send_signal(number)
                code = builder.wait(30)
                self.assertIn(code, (0, 130), stage)
                if code == 130:
                    self.assertEqual(traces(name), [], stage)

    def test_killed_at_every_stage(self):
        for stage in ("", "hosts", "nodes/n0", "nodes/n9/net", "nodes/n40/shm", "nodes/n63/shm"):
            name = self.new_name()
            builder = self.start_up(name, stage)
            builder.kill()
            builder.wait(30)
            if not (ROOT / name / "state.json").exists():
                done = lab("status", "--name", name)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"lab down --name {name}", done.stderr)
                self.run_lab("up", "mesh:2", "--name", name, code=1)
            self.run_lab("down", "--name", name)
            self.assertEqual(traces(name), [], stage)

    def start_up(self, name, stage):
        """Begin to build a lab of 64 nodes and return once it has come to a stage."""
        builder = subprocess.Popen([LAB, "up", "torus:4x4x4", "--name", name], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=heed_interrupts)
        wait_until(lambda: (ROOT / name / stage).exists() or builder.poll() is not None)
        return builder

    def processes(self, name):
        """The number of processes in each node."""
        return [node["processes"] for node in json.loads(self.run_lab("status", "--json", "--name", name))["nodes"]]


if __name__ == "__main__":
    unittest.main()
