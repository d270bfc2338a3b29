"""Nodes as namespaces: makes, enters, queries and removes them.

A node owns a network, a host name (UTS) and an IPC namespace, pinned as files in the lab's folder. A process that
enters also gets a mount namespace, with the node's own /sys (where UCX looks for devices), /etc/hosts and /dev/shm.
None of the machine's own files is touched, and the mounts vanish with the last process.
"""

import errno
import time
from pathlib import Path

from .errors import LabError
from .host import run, run_all
from .processes import end_processes

NAMESPACES = ("net", "uts", "ipc")

ENTER = """\
#!/bin/sh
# enter NODE COMMAND [ARGUMENT...]: run a command as a process of the node.
node={folder}/nodes/$1
shift
exec nsenter --net="$node/net" --uts="$node/uts" --ipc="$node/ipc" \\
    unshare --mount --propagation slave sh -c '
        mount -t sysfs lab /sys && mount --bind {folder}/hosts /etc/hosts && mount --bind "$0/shm" /dev/shm && exec "$@"
    ' "$node" "$@"
"""

AGENT = """\
#!/bin/sh
# agent NODE COMMAND LINE: what launchers call in place of ssh.
node=$1
shift
exec {folder}/enter "$node" sh -c "$*"
"""

# Connections do not remember earlier runs.
# Without IPv6 and its own messages an idle cable counts no byte. A kernel without IPv6 has no such file.
BECOME_NODE = """\
echo {name} > /proc/sys/kernel/hostname
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 0 > /proc/sys/net/ipv4/conf/all/rp_filter
echo 0 > /proc/sys/net/ipv4/conf/default/rp_filter
echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save
for file in /proc/sys/net/ipv6/conf/*/disable_ipv6; do [ ! -e "$file" ] || echo 1 > "$file"; done
"""


# `--tcp default`: Linux's own settings, whatever this machine's settings are: windows that grow to megabytes by
# themselves, and Cubic if a namespace may choose it, else Reno.
DEFAULT_TCP = """\
echo 1048576 > /proc/sys/net/ipv4/tcp_limit_output_bytes
{{ echo cubic > /proc/sys/net/ipv4/tcp_congestion_control; }} 2>/dev/null ||
  echo reno > /proc/sys/net/ipv4/tcp_congestion_control
echo 4096 131072 6291456 > /proc/sys/net/ipv4/tcp_rmem
echo 4096 16384 4194304 > /proc/sys/net/ipv4/tcp_wmem
"""

# `--tcp tuned`: nodes whose TCP is similar to a torus. A torus loses nothing, because its senders wait for space.
# A sender may queue only a little on a cable: the acknowledgements of the other direction wait behind the queue. With
# the kernel's default of a megabyte, a cable that is busy in both directions carries only two thirds of its rate.
# Congestion control is Reno, which every kernel has and lets namespaces use, whatever the host uses. BBR, for example,
# sends nearly nothing for 200 ms every ten seconds.
# Windows are small. With the kernel's windows of megabytes, a connection that began early fills a cable's queue, other
# connections get the rest, and a loss at the end of a message is noticed only after 200 ms.
TUNED_TCP = """\
echo 65536 > /proc/sys/net/ipv4/tcp_limit_output_bytes
echo reno > /proc/sys/net/ipv4/tcp_congestion_control
echo 4096 {window} {window} > /proc/sys/net/ipv4/tcp_rmem
"""


def claim_folder(folder):
    """Make the folder of a new lab; of two makers one wins."""
    folder.parent.mkdir(exist_ok=True)
    try:
        folder.mkdir()
    except FileExistsError:
        raise LabError(f"lab '{folder.name}' exists already: remove it with 'lab down --name {folder.name}' "
                       "or choose another --name") from None


def fill_folder(folder, hosts):
    """Make the folder a file system of its own, with the files that all nodes share."""
    run(["mount", "-t", "tmpfs", "-o", "mode=755", "cuboid-lab", str(folder)])
    (folder / "tmp").mkdir()
    (folder / "hosts").write_text(hosts, encoding="utf-8")
    for name, text in (("enter", ENTER), ("agent", AGENT)):
        (folder / name).write_text(text.format(folder=folder), encoding="utf-8")
        (folder / name).chmod(0o755)


def receive_buffer(network):
    """Bytes for windows of 64 KiB, or of 5 ms of the fastest cable. The kernel takes half of them for itself."""
    fastest = max((cable.rate for cable in network.cables), default=0)
    return 2 * max(65536, fastest // 8 // 200)


def set_up_tcp(lab):
    """Set TCP up in all nodes as `lab up --tcp` tells, with windows that suit the cables."""
    settings = TUNED_TCP if lab.tcp == "tuned" else DEFAULT_TCP
    text = settings.format(window=receive_buffer(lab.network))
    run_all([(inside(lab, node, "sh", "-e"), text) for node in lab.survivors()])


def make_nodes(lab):
    """The namespaces of all nodes."""
    jobs = []
    for node, name in enumerate(lab.network.names):
        folder = lab.node_folder(node)
        (folder / "shm").mkdir(parents=True)
        (folder / "shm").chmod(0o1777)
        for namespace in NAMESPACES:
            (folder / namespace).touch()
        pins = [f"--{namespace}={folder}/{namespace}" for namespace in NAMESPACES]
        jobs.append((["unshare", *pins, "sh", "-e"], BECOME_NODE.format(name=name)))
    run_all(jobs)
    set_up_tcp(lab)


def lay_cables(lines):
    """Make the cables. Each end is made directly in the namespace of its node, never in this process's own."""
    run(["ip", "-batch", "-"], "\n".join(lines) + "\n")


def network_namespace(lab, node):
    """The pinned network namespace of a node."""
    return lab.node_folder(node) / "net"


def tell(lab, nodes, tool, lines_of):
    """Pass each node its own lines, which `ip` or `tc` reads inside the node."""
    run_all([(inside(lab, node, tool, "-batch", "-"), "\n".join(lines_of(node)) + "\n") for node in nodes])


def ask(lab, nodes, *command):
    """The outputs of a command that runs in each of the nodes."""
    return run_all([(inside(lab, node, *command), "") for node in nodes])


def inside(lab, node, *command):
    """A command line that runs in a node's network namespace only, which is all that `ip` and `tc` need."""
    return ["nsenter", f"--net={network_namespace(lab, node)}", *command]


def remove(folder):
    """End the processes of a lab and remove its folder, even if the lab is incomplete."""
    end_processes(folder.glob("nodes/*/net"))
    last_try = time.monotonic() + 10
    while folder.is_dir():
        while is_mounted(folder):
            run(["umount", "--lazy", str(folder)])
        try:
            folder.rmdir()
        except OSError as error:
            # A mount that an interruption cut short may take effect only now.
            if error.errno != errno.EBUSY or time.monotonic() > last_try:
                raise
            time.sleep(0.01)
    if folder.parent.is_dir() and not any(folder.parent.iterdir()):
        folder.parent.rmdir()


def is_mounted(folder):
    """True if something is mounted on the folder."""
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    return any(line.split()[4] == str(folder) for line in mounts.splitlines())
