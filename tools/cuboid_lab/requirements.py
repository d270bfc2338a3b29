"""Checks what the lab needs of the machine before anything is changed. Errors name the remedy."""

import os
import shutil

from .errors import LabError
from .host import run

PACKAGES = {"ip": "iproute2", "tc": "iproute2", "mount": "mount", "umount": "mount", "nsenter": "util-linux",
            "unshare": "util-linux", "setpriv": "util-linux"}

SCRATCH = ["unshare", "--net", "--uts", "--ipc", "--mount", "--propagation", "slave"]
FEATURES = [
    ("network, host name, IPC and mount namespaces", "true",
     "use a kernel with CONFIG_NET_NS, CONFIG_UTS_NS and CONFIG_IPC_NS; a container must be privileged"),
    ("mounting sysfs", "mount -t sysfs lab /sys", "a container must be privileged"),
    ("bridge devices", "ip link add br0 type bridge", "modprobe bridge"),
    ("veth devices", "ip link add eth0 type veth peer name eth1", "modprobe veth"),
    ("the tbf queueing discipline", "tc qdisc add dev lo root tbf rate 1mbit burst 128kb limit 1mb",
     "modprobe sch_tbf"),
]


def check_root():
    """Every command uses namespaces, which only root may enter."""
    if os.geteuid() != 0:
        raise LabError("the lab needs root (CAP_SYS_ADMIN and CAP_NET_ADMIN): run it with sudo")


def check_tools():
    """The programs that the lab needs."""
    for tool, package in PACKAGES.items():
        if shutil.which(tool) is None:
            raise LabError(f"the lab needs the program '{tool}': install the package {package}")


def check_kernel():
    """Try each kernel feature in namespaces that end with the trial."""
    for feature, trial, remedy in FEATURES:
        try:
            run(SCRATCH + ["sh", "-c", trial])
        except LabError as error:
            raise LabError(f"the kernel lacks {feature} ({error}): {remedy}") from None
