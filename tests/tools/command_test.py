"""The `cuboid mm` command as a person or a script meets it: exit codes, messages, files, JSON.

Usage: command_test.py CUBOID [unittest options]
"""

import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import npy
from command import CUBOID, MatrixTest, USAGE, launcher

KEYS = {
    "m", "n", "k", "type", "ranks", "algorithm", "grid", "seconds", "gflops", "relative_error",
    "bytes_sent_total", "bytes_sent_max", "bytes_received_max", "messages_max",
    "peak_memory_bytes_max", "kernels", "blas", "phases",
}


def matrix(rows, columns, seed):
    """Small whole numbers, so that products are exact in every order of summation."""
    return [[(seed + 7 * i + 3 * j * (i + 1)) % 11 - 5 for j in range(columns)] for i in range(rows)]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def transposed(a):
    return [list(column) for column in zip(*a)]


class Usage(MatrixTest):
    def test_help(self):
        self.assertIn("cuboid mm A.npy B.npy -o C.npy", self.succeed("mm", "--help").stdout)

    def test_numbers_that_64_bits_do_not_hold(self):
        sizes = ["--n", "8", "--k", "8"]
        self.refuse(["mm", "--m", "99999999999999999999", *sizes], "--m", "9223372036854775807")
        self.refuse(["mm", "--m", "8", *sizes, "--seed", "-1"], "--seed", "18446744073709551615")
        self.refuse(["mm", "--m", "8", *sizes, "--seed", "99999999999999999999"], "--seed")
        self.refuse(["mm", "--m", "8", *sizes, "--alpha", "+-1"], "--alpha +-1")

    def test_empty_values(self):
        self.refuse(["mm", "--m", "8", "--n", "8", "--k", "8", "-o", ""], "--output", "empty")

    def test_networks_that_cannot_be_used_as_they_are(self):
        topology = ["topo", "--topology", "torus:2x2@20mbit/0", "--ranks", "4"]
        self.assertRegex(self.succeed(*topology).stdout, r"(?m)^doubt +4 of 8 cables of the network have no rate")
        apart = self.text("apart.json", '{"nodes": ["a", "b", "c", "d"], "cables": [{"ends": ["a", "b"], "rate": "20mbit"}, '
                                        '{"ends": ["c", "d"], "rate": "20mbit"}]}')
        (doubt,) = self.result("topo", "--topology", f"file:{apart}", "--ranks", "4")["doubts"]
        self.assertIn("no cables lead between all of the job's 4 hosts", doubt)
        still = self.text("still.json", '{"nodes": ["a", "b"], "cables": [{"ends": ["a", "b"], "rate": 0}]}')
        self.refuse(["topo", "--topology", f"file:{still}", "--ranks", "2"], "still.json:1", "greater than 0")

    def test_topology_files_of_other_programs(self):
        loop = self.text("loop.txt", "ibwarn: [7] said on stderr\n# Topology file\n"
                         'Switch\t36 "S-01"\t\t# "s" enhanced port 0 lid 1 lmc 0\n'
                         '[1]\t"H-02"[1](2)\t\t# "n0 mlx5_0" lid 2 4xFDR\n'
                         '[3]\t"S-01"[4]\t\t# "s" lid 1 4xNDR\n[4]\t"S-01"[3]\t\t# "s" lid 1 4xNDR\n'
                         'Ca\t1 "H-02"\t\t# "n0 mlx5_0"\n[1](2)\t"S-01"[1]\t\t# lid 2 lmc 0 "s" lid 1 4xFDR\n')
        found = self.succeed("topo", "--from", loop).stdout
        words = " ".join(found.split())  # long lines are folded
        self.assertRegex(words, r"doubt .*loop.txt:1: .*ibwarn")
        self.assertIn("loop.txt:5: S-01 is cabled to itself", words)
        self.assertIn("54.55gbit", found)
        self.text("leaves.conf", "SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-4]\n")
        tree = self.text("tree.conf", "Include leaves.conf\nSwitchName=core1 Switches=leaf[1-2]\n"
                         "SwitchName=core2 Switches=leaf[1-2]\n")
        groups = self.result("topo", "--from", tree)["groups"]
        self.assertEqual([group["name"] for group in groups], ["leaf1", "leaf2", "core1", "core2"])

    def test_output_that_cannot_be_written_is_found_before_multiplying(self):
        sizes = ["--m", "30000000", "--n", "30000000", "--k", "1", "--ranks", "1"]  # more than any disk
        self.breaks_off(["mm", *sizes, "-o", self.path("C.npy")], "C.npy", "cannot reserve")
        self.breaks_off(["mm", *sizes, "-o", self.path(245 * "x" + ".npy")], "too long")
        self.assertEqual(os.listdir(self.folder), [])

    def test_more_than_this_machine_has(self):
        sizes = ["--m", "8", "--n", "8", "--k", "8"]
        self.refuse(["mm", *sizes, "--ranks", "2147483647"], "--ranks 2147483647", "memory suffices for about")
        self.refuse(["mm", *sizes, "--threads", "1000000"], "--threads 1000000", "give at most")
        self.refuse(["topo", "--ranks", "2147483647"], "give at most 65536")
        for how in (["topo", "--topology", "torus:1000x1000x1000"], ["topo", "--topology", "mesh:2000x2000"]):
            self.refuse(how, "nodes", "give a smaller shape")
        self.refuse(["topo"], "give a smaller shape", environment={"CUBOID_TOPOLOGY": "torus:1000x1000x1000"})

    def test_memory_that_is_missing(self):
        self.breaks_off(["topo", "--topology", "torus:90x90x90"], "memory is missing", "smaller sizes",
                        launch=["prlimit", f"--as={200 * 10**6}"])

    def test_ranks_that_cannot_be_started_as_threads(self):
        mm = ["mm", "--m", "8", "--n", "8", "--k", "8", "--ranks", "200"]
        told = "of 200 cannot be started as a thread", "fewer ranks", "ulimit -u"
        self.breaks_off(mm, *told, launch=["prlimit", f"--as={600 * 10**6}"])  # no room for their stacks
        if os.geteuid() != 0:  # whom no such limit binds
            self.breaks_off(mm, *told, launch=["prlimit", "--nproc=1"])

    def test_more_threads_than_cores(self):
        cores = len(os.sched_getaffinity(0))
        run = self.succeed("mm", "--m", "300", "--n", "300", "--k", "300", "--ranks", "1", "--threads", str(8 * cores))
        self.assertIn(f"--threads {8 * cores}: a rank may use", run.stderr)

    def test_variables_are_read_before_anything_runs(self):
        mm = ["mm", "--m", "8", "--n", "8", "--k", "8", "--ranks", "2"]
        for variable, value in (("CUBOID_TOPOLOGY", "junk"), ("CUBOID_COORDINATE", "1,x"), ("CUBOID_ALGORITHM", "x"),
                                ("CUBOID_PARAMETERS", "/no/such"), ("CUBOID_BLAS", "/no/such"), ("CUBOID_LAPACK", "/no/such")):
            self.refuse(mm, variable, value, environment={variable: value})
        self.refuse(mm, "BLIS_ARCH_TYPE", "99", environment={"BLIS_ARCH_TYPE": "99", "CUBOID_BLAS": "libblis.so.4"})

    def test_ranks_that_are_started_with_other_arguments(self):
        for other in (["--seed", "2"], ["--alpha", "2"], ["--k", "9"], ["--no-such-flag"]):
            mm = ["mm", "--m", "8", "--n", "8", "--k", "8"]
            run = self.run_command(*mm, *other, launch=launcher(1) + [CUBOID, *mm, ":", "-n", "1"])
            self.assertEqual(run.returncode, USAGE, run.stderr)
            self.assertIn("rank 1 was started with other arguments than rank 0", run.stderr)

    def test_no_subcommand(self):
        self.refuse([], "subcommand", "--help")

    def test_nothing_to_multiply(self):
        self.refuse(["mm"], "--m", "A.npy")
        self.refuse(["mm", "--m", 3, "--n", 4], "--k")
        self.refuse(["mm", self.npy("A.npy", matrix(2, 2, 1))], "A.npy", "only one")

    def test_files_and_sizes(self):
        a = self.npy("A.npy", matrix(2, 2, 1))
        self.refuse(["mm", a, a, "--m", 2], "--m")

    def test_version_and_help(self):
        text = self.succeed("--version").stdout
        self.assertRegex(text, r"^cuboid \d+\.\d+\.\d+")
        for what in ("compiler", "MPI", "UCX", "BLAS", "CUDA", "LAPACK", "HDF5"):
            self.assertRegex(text, rf"(?m)^{what} +\S")
        self.assertEqual(self.succeed("help", "bench").stdout, self.succeed("bench", "--help").stdout)
        self.assertEqual(self.succeed("help").stdout, self.succeed("--help").stdout)
        self.refuse(["help", "frobnicate"], "frobnicate")

    def test_help_fits_a_page(self):
        subcommands = re.findall(r"(?m)^  (\w+) {3}", self.succeed("--help").stdout.split("Subcommands:")[1])
        self.assertIn("validate", subcommands)
        deeper = [["model", name] for name in ("mm", "lu", "cholesky", "qr", "figure")] + [["bench", "latency"]]
        for of in [[], *([name] for name in subcommands), *deeper]:
            text = self.succeed(*of, "--help").stdout
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, f"{of}: {line}")
        self.assertIn("--algorithm", text := self.succeed("mm", "--help").stdout)
        self.assertRegex(text, r"(?m)^  --algorithm TEXT=auto +auto \(the model's")

    def test_colours_are_for_terminals(self):
        def on_terminal(*arguments, **environment):
            ours, commands = pty.openpty()
            with os.fdopen(ours, "rb") as terminal:
                run = subprocess.Popen([CUBOID, *arguments], stdout=commands, stderr=subprocess.DEVNULL,
                                       env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment})
                os.close(commands)
                text = b""
                while True:
                    try:
                        part = terminal.read1()
                    except OSError:  # how a terminal ends
                        break
                    if not part:
                        break
                    text += part
                self.assertEqual(run.wait(), 0)
            return text.decode()

        mm = ["model", "mm", "--m", "4096", "--n", "4096", "--k", "4096", "--ranks", "16"]
        self.assertRegex(on_terminal(*mm), "\x1b\\[32m\\* \\S+ *\x1b\\[0m")
        for plain in (on_terminal(*mm, NO_COLOR="1"), on_terminal(*mm, TERM="dumb"), on_terminal(*mm, "--json"),
                      self.succeed(*mm, environment={"TERM": "xterm", "NO_COLOR": ""}).stdout):
            self.assertNotIn("\x1b", plain)
        # mpirun reads what ranks print through a pseudo-terminal of its own.
        under_mpirun = subprocess.run([*launcher(2), CUBOID, *mm], capture_output=True, text=True,
                                      env={**os.environ, "TERM": "xterm", "NO_COLOR": ""})
        self.assertIn("summa", under_mpirun.stdout)
        self.assertNotIn("\x1b", under_mpirun.stdout)

    def test_libraries_are_those_that_variables_name(self):
        versions = dict(line.split(maxsplit=1) for line in
                        re.sub(r"\n +", " ", self.succeed("--version").stdout).splitlines()[1:])  # long lines are folded
        lapack = re.search(r"\((/.*)\)", versions["LAPACK"])[1]
        self.assertIn(lapack, self.succeed("lu", "--n", "40", "--ranks", "2", "--check",
                                           environment={"CUBOID_LAPACK": lapack}).stdout)
        with tempfile.TemporaryDirectory() as folder:
            product = ["mm", "--m", "8", "--n", "8", "--k", "8", "--ranks", "2", "-o", f"{folder}/C.h5:/C"]
            if versions["HDF5"].startswith("none"):
                self.skipTest("built without HDF5")
            self.succeed(*product, environment={"CUBOID_HDF5": versions["HDF5"]})
            run = self.run_command(*product, environment={"CUBOID_HDF5": "/no/such"})
            self.assertNotEqual(run.returncode, 0)
            for mention in ("/no/such", "CUBOID_HDF5"):
                self.assertIn(mention, run.stderr)

    def test_completion(self):
        for shell in ("bash", "zsh"):
            self.assertIn("--threads", self.succeed("completion", shell).stdout)
        self.refuse(["completion", "fish"], "fish", "bash or zsh")
        script = self.succeed("completion", "bash").stdout
        ask = "COMP_WORDS=(cuboid {}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _cuboid; echo ${{COMPREPLY[@]}}"
        for words, completed in (("ben", "bench"), ("mm --transpose-", "--transpose-a --transpose-b"),
                                 ("bench la", "latency"), ("bench latency --si", "--size"), ("help lst", "lstsq"),
                                 ("model --network torus:4 mm --joules", "--joules-per-byte --joules-per-flop")):
            run = subprocess.run(["bash", "-c", script + ask.format(words)], capture_output=True, text=True, timeout=20)
            self.assertEqual(sorted(run.stdout.split()), completed.split(), run.stderr)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_completion_of_zsh(self):
        """As an installed file: found by compinit, and completes the first time that it is asked."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "_cuboid").write_text(self.succeed("completion", "zsh").stdout)
            ask = r"""
                zmodload zsh/zpty
                zpty shell TERM=dumb zsh -f -i
                zpty -w shell "cuboid() { print asked for \$@ }; fpath=($1 \$fpath); autoload -U compinit; compinit -u -d $1/dump"
                zpty -w shell $'cuboid model mm --joules-per-f\t'
                zpty -r -m shell answer "*asked for model mm --joules-per-flop*" && print completed
            """
            run = subprocess.run(["zsh", "-f", "-c", ask, "zsh", folder], capture_output=True, text=True, timeout=120)
            self.assertEqual(run.stdout, "completed\n", run.stderr)

    def test_names_that_are_nearly_right(self):
        self.refuse(["validat"], "validat", "did you mean validate?")
        self.refuse(["mm", "--treads", "2"], "--treads", "did you mean --threads?", "cuboid mm --help")
        product = ["mm", "--m", "8", "--n", "8", "--k", "8"]
        self.refuse([*product, "--algorithm", "suma"], "did you mean summa?")
        self.refuse(["bench", "bcast", "--ranks", "2", "--algorithm", "binomal"], "did you mean binomial?")
        self.refuse(["experiment", "cosma-fig99"], "did you mean cosma-fig9?")
        self.refuse(["model", "figure", "cosma-table33"], "did you mean cosma-table3?")
        self.refuse(["model", *product, "--ranks", "4", "--parameters", "bpg"], "did you mean bgp?")
        run = self.succeed("mm", "--m", "8", "--n", "8", "--k", "8", "--ranks", "1",
                           environment={"CUBOID_TIMEUOT": "5", "CUBOID_SITE_NAME": "x"})
        self.assertIn("CUBOID_TIMEUOT", run.stderr)
        self.assertIn("did you mean CUBOID_TIMEOUT?", run.stderr)
        self.assertNotIn("CUBOID_SITE_NAME", run.stderr)

    def test_unknown_subcommand_and_flag(self):
        self.refuse(["frobnicate"], "frobnicate")
        self.refuse(["mm", "--frobnicate"], "--frobnicate")

    def test_flag_values(self):
        sizes = ["mm", "--m", 4, "--n", 4, "--k", 4]
        self.refuse([*sizes, "--type", "q"], "--type", "q", "s (float)")
        self.refuse([*sizes, "--grid", "2y2"], "--grid", "2y2", "2x3")
        self.refuse([*sizes, "--grid", "2x2", "--ranks", 3], "--grid", "2x2", "3")
        self.refuse([*sizes, "--ranks", 0], "--ranks", "0")
        self.refuse([*sizes, "--ranks", "many"], "--ranks", "many")
        self.refuse([*sizes, "--panel", 0], "--panel")
        self.refuse([*sizes, "--device", "tpu"], "--device", "tpu", "auto, cpu or gpu")
        self.refuse([*sizes, "--memory", "disk"], "--memory", "disk", "host or device")
        for flags in (["--device", "cpu"], ["--split"]):
            self.refuse([*sizes, "--memory", "device", *flags], "--memory device", *flags)
        self.refuse([*sizes, "--threads", 0], "--threads")
        self.refuse([*sizes, "--repeat", 0], "--repeat")
        self.refuse([*sizes, "--timeout", -1], "--timeout")
        self.refuse([*sizes, "--timeout", "1e10"], "--timeout", "1e9")
        self.refuse([*sizes, "--grid", "2x2", "--layers", 1 << 30], "--grid", "--layers")
        self.refuse([*sizes, "--alpha", "one"], "--alpha", "one")
        self.refuse([*sizes, "--alpha", "1+2i"], "--alpha", "1+2i", "--type")
        self.refuse([*sizes, "--transpose-a", "--conjugate-transpose-a"], "--transpose-a")
        self.refuse(["mm", "--m", -1, "--n", 4, "--k", 4], "--m", "-1")

    def test_environment(self):
        sizes = ["mm", "--m", 4, "--n", 4, "--k", 4]
        self.refuse(sizes, "CUBOID_TIMEOUT", "soon", environment={"CUBOID_TIMEOUT": "soon"})
        self.refuse(sizes, "CUBOID_PROGRESS_BAR", "maybe", "auto, on, off", environment={"CUBOID_PROGRESS_BAR": "maybe"})
        self.refuse(sizes, "/no/blas.so", "CUBOID_BLAS",
                    environment={"CUBOID_BLAS": "/no/blas.so"})

    def test_shapes_that_do_not_multiply(self):
        a = self.npy("A.npy", matrix(2, 3, 1))
        b = self.npy("B.npy", matrix(2, 4, 1))
        self.refuse(["mm", a, b], "A.npy is 2 x 3", "B.npy is 2 x 4")

    def test_beta_without_c(self):
        a = self.npy("A.npy", matrix(2, 2, 1))
        self.refuse(["mm", a, a, "--beta", 2], "--beta", "--c")
        self.refuse(["mm", a, a, "--c", a], "--beta")

    def test_output_without_known_ending(self):
        a = self.npy("A.npy", matrix(2, 2, 1))
        self.refuse(["mm", a, a, "-o", self.path("C.dat")], "C.dat", ".npy")

    def test_narrow_type(self):
        a = self.npy("A.npy", matrix(2, 2, 1))
        self.refuse(["mm", a, a, "--type", "s"], "A.npy", "type d")


class Failures(MatrixTest):
    def test_bad_files(self):
        good = self.npy("good.npy", matrix(2, 2, 1))
        self.breaks_off(["mm", good, self.path("none.npy")], "none.npy", "No such file")
        self.breaks_off(["mm", self.text("junk.npy", "junk"), good], "junk.npy")
        with open(good, "rb") as file:
            content = file.read()
        with open(self.path("short.npy"), "wb") as file:
            file.write(content[:-1])
        self.breaks_off(["mm", self.path("short.npy"), good], "short.npy", "truncated")
        with open(self.path("dates.npy"), "wb") as file:
            file.write(content.replace(b"<f8", b"<M8"))
        self.breaks_off(["mm", self.path("dates.npy"), good], "dates.npy", "<M8", "astype")
        bad = self.text("bad.mtx", "%%MatrixMarket matrix array real general\n1 2\n1\nx\n")
        self.breaks_off(["mm", bad, good], "bad.mtx:4", "not a number")

    def test_entries_of_one_element_are_added_on_request(self):
        a = self.text("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 5\n1 1 2.0D+00\n")
        b = self.npy("B.npy", matrix(2, 2, 1))
        self.breaks_off(["mm", a, b], "A.mtx:5", "--sum-duplicates")
        self.succeed("mm", a, b, "--sum-duplicates", "-o", self.path("C.npy"))
        self.assertEqual(npy.read(self.path("C.npy")), product([[3, 0], [0, 5]], matrix(2, 2, 1)))
        self.succeed("lu", a, "--sum-duplicates", "--check")

    def test_unwritable_output(self):
        a = self.npy("A.npy", matrix(2, 2, 1))
        self.breaks_off(["mm", a, a, "-o", self.path("no/C.npy")], "no/C.npy", "No such file")
        os.mkdir(self.path("C.npy"))
        self.breaks_off(["mm", a, a, "-o", self.path("C.npy")], "C.npy", "not a regular file")

    def test_not_enough_memory_is_said_before_the_start(self):
        self.breaks_off(["mm", "--m", 10**7, "--n", 10**7, "--k", 10**7, "--ranks", 1],
                    "not enough memory", "iB", "available")
        self.breaks_off(["mm", "--m", 2**62, "--n", 2**62, "--k", 2**62, "--ranks", 1],
                    "not enough memory")

    def test_output_survives_a_failure(self):
        a = self.npy("A.npy", matrix(2, 2, 1))
        old = self.text("C.npy", "precious")
        bad = self.text("bad.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\nx\n")
        self.breaks_off(["mm", a, bad, "-o", old, "--ranks", 2], "bad.mtx:6")
        with open(old) as file:
            self.assertEqual(file.read(), "precious")
        self.assertEqual(sorted(os.listdir(self.folder)), ["A.npy", "C.npy", "bad.mtx"])


class Products(MatrixTest):
    def test_on_threads(self):
        a, b = matrix(17, 23, 1), matrix(23, 11, 2)
        first, second = self.npy("A.npy", a), self.npy("B.npy", b, fortran_order=True)
        for ranks in (1, 2, 3, 4):
            with self.subTest(ranks=ranks):
                self.text("C.npy", "old")
                self.succeed("mm", first, second, "-o", self.path("C.npy"), "--ranks", ranks)
                self.assertEqual(npy.read(self.path("C.npy")), product(a, b))

    @unittest.skipUnless(shutil.which("mpirun"), "needs mpirun")
    def test_under_mpirun(self):
        a, b = matrix(17, 23, 1), matrix(23, 11, 2)
        for transport in ("ucx", "mpi"):
            result = self.result("mm", self.npy("A.npy", a), self.npy("B.npy", b), "-o",
                                 self.path("C.npy"), launch=launcher(4),
                                 environment={"CUBOID_TRANSPORT": transport})
            self.assertEqual(npy.read(self.path("C.npy")), product(a, b))
            self.assertEqual([result["ranks"], result["transport"]], [4, transport])

    def test_a_transport_that_is_not_there(self):
        product_of_four = ["mm", "--m", 4, "--n", 4, "--k", 4, "--ranks", 2]
        self.breaks_off(product_of_four, "CUBOID_TRANSPORT=mpi", "mpirun", "there is: ucx",
                        environment={"CUBOID_TRANSPORT": "mpi"})
        self.refuse(product_of_four, 'CUBOID_TRANSPORT="pigeons"', "auto, ucx, mpi",
                    environment={"CUBOID_TRANSPORT": "pigeons"})

    @unittest.skipUnless(shutil.which("mpirun"), "needs mpirun")
    def test_ranks_that_contradict_the_launcher(self):
        run = self.run_command("mm", "--m", 4, "--n", 4, "--k", 4, "--ranks", 3, launch=launcher(2))
        self.assertEqual(run.returncode, USAGE, run.stderr)
        self.assertEqual(run.stderr.count("cuboid: error: --ranks 3"), 1, run.stderr)

    def test_transposed_scaled_and_added(self):
        a, b, c = matrix(9, 6, 3), matrix(7, 9, 4), matrix(6, 7, 5)
        self.succeed("mm", self.npy("A.npy", a), self.npy("B.npy", b), "--transpose-a",
                     "--transpose-b", "--alpha", -2, "--beta", 3, "--c", self.npy("C0.npy", c),
                     "-o", self.path("C.npy"), "--ranks", 3, "--repeat", 2)
        right = [[-2 * x + 3 * y for x, y in zip(*rows)]
                 for rows in zip(product(transposed(a), transposed(b)), c)]
        self.assertEqual(npy.read(self.path("C.npy")), right)

    def test_input_can_be_the_output(self):
        a = matrix(5, 5, 1)
        path = self.npy("A.npy", a)
        self.succeed("mm", path, path, "-o", path, "--ranks", 2)
        self.assertEqual(npy.read(path), product(a, a))

    def test_matrix_market(self):
        a = self.text("A.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n")
        self.succeed("mm", a, a, "-o", self.path("C.npy"), "--ranks", 2)
        self.assertEqual(npy.read(self.path("C.npy")), [[25, 12], [12, 16]])
        self.succeed("mm", a, a, "-o", self.path("C.mtx"), "--ranks", 2)
        self.succeed("mm", self.path("C.mtx"), a, "-o", self.path("D.npy"))
        self.assertEqual(npy.read(self.path("D.npy")), [[123, 100], [100, 48]])

    def test_single_precision_files(self):
        a = matrix(4, 4, 1)
        path = self.npy("A.npy", a, descr="<f4")
        result = self.result("mm", path, path, "-o", self.path("C.npy"))
        self.assertEqual(result["type"], "s")
        self.assertEqual(npy.read(self.path("C.npy")), product(a, a))


class Json(MatrixTest):
    def measure(self, *arguments):
        result = self.result("mm", *arguments)
        self.assertLessEqual(KEYS, set(result))
        return result

    def test_panels_longer_than_the_inner_dimension(self):
        for algorithm, flag in (("summa", "--panel"), ("hsumma", "--outer-panel"), ("stationary-a", "--panel")):
            self.measure("--m", 8, "--n", 8, "--k", 8, "--grid", "2x2", "--algorithm", algorithm, flag, 2**63 - 1, "--check")

    def test_random_input(self):
        result = self.measure("--m", 96, "--n", 64, "--k", 128, "--grid", "2x2", "--repeat", 3)
        self.assertEqual([result[key] for key in ("m", "n", "k", "type", "ranks")],
                         [96, 64, 128, "d", 4])
        self.assertEqual(result["grid"], [2, 2])
        self.assertIsNone(result["relative_error"])
        self.assertGreater(result["seconds"], 0)
        self.assertGreater(result["gflops"], 0)
        # On one node blocks of others are multiplied where they lie; the first time ranks agree that all are ready.
        self.assertEqual(result["algorithm"], "srumma")
        self.assertLess(result["bytes_sent_total"], 200)
        result = self.measure("--m", 96, "--n", 64, "--k", 128, "--algorithm", "summa")
        self.assertGreater(result["bytes_sent_total"], 0)
        self.assertGreaterEqual(result["bytes_sent_total"], result["bytes_sent_max"])
        self.assertGreater(result["peak_memory_bytes_max"], 0)
        self.assertEqual(set(result["phases"]),
                         {"read", "distribute", "broadcast", "gemm", "write"})

    def test_algorithms(self):
        sizes = ("--m", 70, "--n", 50, "--k", 90, "--ranks", 4, "--check")
        for algorithm in ("summa", "srumma", "carma", "cosma", "auto"):
            with self.subTest(algorithm=algorithm):
                result = self.measure(*sizes, "--algorithm", algorithm)
                self.assertLessEqual(result["relative_error"], result["tolerance"])
                self.assertGreater(result["predicted_seconds"], 0)
                in_place = result["algorithm"] == "srumma"
                self.assertEqual(result["predicted_words_max"] == 0, in_place)
                self.assertGreater(result["lower_bound_words"], 0)
        result = self.measure(*sizes, "--algorithm", "cosma", "--grid", "2x1x2", "--rounds", 3,
                              "--one-sided", "--explain")
        self.assertEqual((result["grid"], result["plan"]["rounds"]), ([2, 1, 2], 3))
        self.assertEqual(result["candidates"][0], result["plan"])

    def test_all_algorithms_in_one_table(self):
        compared = self.result("mm", "--m", 64, "--n", 64, "--k", 64, "--ranks", 4, "--check",
                               "--algorithm", "all")
        self.assertLessEqual({"summa", "srumma", "carma", "cosma"},
                             {result["algorithm"] for result in compared["algorithms"]})
        for result in compared["algorithms"]:
            self.assertLessEqual(result["relative_error"], result["tolerance"])

    def test_volumes_without_data(self):
        volumes = self.result("mm", "--m", 16384, "--n", 16384, "--k", 16384, "--ranks", 9216,
                              "--volume-only")
        words = {candidate["algorithm"]: candidate["words_max"]
                 for candidate in reversed(volumes["candidates"])}
        self.assertLess(words["cosma"], 1.05 * volumes["lower_bound_words"])
        self.assertLess(words["cosma"], words["summa"])

    def test_where_the_time_goes(self):
        sizes = ["mm", "--m", "70", "--n", "60", "--k", "50", "--ranks", "3"]
        result = self.result(*sizes, "--algorithm", "summa", "--split", "--repeat", "2", "--check")
        split = result["split"]
        self.assertGreater(split["exchange_hidden"] + split["exchange_shown"], 0)
        self.assertGreaterEqual(split["compute"] + split["exchange_shown"] + split["idle"], result["seconds"] * 0.999)
        self.assertIsNone(self.result(*sizes)["split"])
        self.refuse([*sizes, "--volume-only", "--split"], "--split", "--volume-only")

    def test_a_memory_limit_is_refused_with_what_would_do(self):
        sizes = ("mm", "--m", 100, "--n", 100, "--k", 100, "--ranks", 2)
        self.breaks_off([*sizes, "--memory-limit", "1K"], "into 1024 bytes", "allow", "bytes")
        self.refuse([*sizes, "--algorithm", "fast"], "--algorithm 'fast'", "cosma", "all")

    def test_check_in_every_type(self):
        for kind in "sdcz":
            with self.subTest(type=kind):
                result = self.measure("--m", 65, "--n", 43, "--k", 87, "--ranks", 3, "--check",
                                      "--type", kind, "--conjugate-transpose-b", "--beta", "-1.5")
                self.assertEqual(result["type"], kind)
                self.assertLessEqual(result["relative_error"], result["tolerance"])
        self.measure("--m", 33, "--n", 43, "--k", 8, "--ranks", 2, "--check", "--type", "z",
                     "--alpha", "1-2i", "--beta", "i", "--conjugate-transpose-a")

    def test_check_of_what_is_not_finite(self):
        nan, inf = float("nan"), float("inf")
        a = self.npy("A.npy", [[nan, 1.0], [2.0, inf]])
        b = self.npy("B.npy", [[1.0, 2.0], [3.0, 4.0]])
        for ranks in (1, 2):
            result = self.measure(a, b, "--ranks", ranks, "--check", "-o", self.path("C.npy"))
            self.assertTrue(result["checks"]["special_values"])
            first, second = npy.read(self.path("C.npy"))
            self.assertTrue(all(x != x for x in first), first)
            self.assertEqual(second, [inf, inf])
        told = self.succeed("mm", a, b, "--ranks", 2, "--check").stdout
        self.assertIn("the input holds NaN or infinities", told)

    def test_empty_matrices(self):
        for m, n, k in ((0, 5, 5), (5, 0, 5), (5, 5, 0), (0, 0, 0)):
            with self.subTest(m=m, n=n, k=k):
                self.measure("--m", m, "--n", n, "--k", k, "--ranks", 2, "--check")

    def test_empty_matrices_of_many_columns(self):
        self.measure("--m", 0, "--n", 10**15, "--k", 0, "--ranks", 1, "--beta", 2, "-o", self.path("C.npy"))

    def test_equal_seeds_give_equal_products(self):
        def written(name, ranks, seed):
            self.measure("--m", 20, "--n", 20, "--k", 1, "--ranks", ranks, "--seed", seed, "-o",
                         self.path(name))
            return npy.read(self.path(name))

        first = written("1.npy", 1, 7)
        self.assertEqual(first, written("2.npy", 3, 7))
        self.assertNotEqual(first, written("3.npy", 1, 8))

    def test_summary_for_people(self):
        text = self.succeed("mm", "--m", 32, "--n", 32, "--k", 32, "--ranks", 2, "--check").stdout
        for part in ("32 x 32 x 32", "ranks", "grid", "kernels", "GFLOP/s", "read", "distribute",
                     "broadcast", "gemm", "write", "right"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
