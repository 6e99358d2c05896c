"""What is handed out to run Tarimba gives it no right that it does not need, and says what the program understands."""

from __future__ import annotations

import re
from typing import Any

import pytest
from click import Group

from tarimba.cli import cli
from tarimba.draining import DRAIN_SECONDS
from tarimba.settings import Settings
from tests.recipes.deploy.files import (
    COMPOSE,
    DEPLOY,
    KUBERNETES,
    UNITS,
    objects,
    options_of_cluster,
    pods,
    read,
    unit,
)

USER = 10001
OWN = ("tarimba.service", "tarimba-worker.service", "tarimba-verify.service", "tarimba-backup.service")
SECRETS = {"TARIMBA_MASTER_KEY", "TARIMBA_DB"}
# The kinds of volumes that the profile "restricted" of the pod security standards takes.
VOLUMES = {
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
}
HOST = {"hostNetwork", "hostPID", "hostIPC", "hostUsers", "initContainers", "ephemeralContainers"}
services: dict[str, Any] = read(COMPOSE)[0]["services"]


def is_command(arguments: list[str]) -> bool:
    """Whether the command line begins with a command of ours."""
    at: Any = cli
    for word in arguments:
        if word.startswith("-"):
            break
        if isinstance(at, Group):
            if word not in at.commands:
                return False
            at = at.commands[word]
    return not isinstance(at, Group) or at.invoke_without_command


@pytest.mark.promise("deploy-least-rights")
@pytest.mark.parametrize(("name", "pod"), [pytest.param(*one, id=one[0]) for one in pods()])
def test_a_pod_keeps_to_the_restricted_profile(name: str, pod: dict[str, Any]) -> None:
    assert not HOST & pod.keys()
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": USER,
        "runAsGroup": USER,
        "fsGroup": USER,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert all(len(volume.keys() - {"name"} - VOLUMES) == 0 for volume in pod["volumes"])
    for container in pod["containers"]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert not any("hostPort" in port for port in container.get("ports", []))
        assert container["resources"]["limits"]["memory"]
    # Nothing asks the cluster, and the cluster sets no TARIMBA_PORT for the Service.
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False


@pytest.mark.promise("deploy-least-rights")
def test_the_namespace_holds_pods_to_that_profile() -> None:
    (namespace,) = (one for one in objects() if one["kind"] == "Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


@pytest.mark.promise("deploy-least-rights")
def test_every_pod_is_behind_the_network_policy() -> None:
    (policy,) = (one["spec"] for one in objects() if one["kind"] == "NetworkPolicy")
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    for one in objects():
        spec = one.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template:
            assert policy["podSelector"]["matchLabels"].items() <= template["metadata"]["labels"].items()


@pytest.mark.promise("deploy-understood")
def test_a_cluster_runs_what_the_command_line_knows_with_options_that_exist() -> None:
    assert all(is_command(container["args"]) for _, pod in pods() for container in pod["containers"])
    assert options_of_cluster().keys() | SECRETS <= Settings.variables()
    given = {name.removeprefix("TARIMBA_").lower(): value for name, value in options_of_cluster().items()}
    # The folder is the cluster's.
    settings = Settings(**{name: value for name, value in given.items() if name != "secrets_dir"})  # type: ignore[arg-type]
    mounts = [mount for _, pod in pods() for one in pod["containers"] for mount in one["volumeMounts"]]
    assert options_of_cluster()["TARIMBA_SECRETS_DIR"] in {mount["mountPath"] for mount in mounts}
    ports = {
        port["name"]: port["containerPort"]
        for _, pod in pods()
        for one in pod["containers"]
        for port in one.get("ports", [])
    }
    assert ports == {"http": settings.port, "metrics": settings.metrics_port}


@pytest.mark.promise("deploy-understood")
def test_a_pod_has_the_time_to_end_in_order() -> None:
    delay = int(options_of_cluster()["TARIMBA_DRAIN_DELAY_S"])
    graces = {
        name: pod.get("terminationGracePeriodSeconds", 30) for name, pod in pods() if "Deployment" in name
    }
    assert graces["Deployment/tarimba-api"] > delay + DRAIN_SECONDS
    assert graces["Deployment/tarimba-worker"] > DRAIN_SECONDS


@pytest.mark.promise("deploy-understood")
def test_every_manifest_is_listed_once() -> None:
    for listing in KUBERNETES.rglob("kustomization.yaml"):
        (listed,) = read(listing)
        there = {path.name for path in listing.parent.glob("*.yaml")} - {"kustomization.yaml"}
        assert sorted(listed["resources"]) == sorted(there)


@pytest.mark.promise("deploy-least-rights")
@pytest.mark.parametrize("name", sorted(services))
def test_a_service_of_the_compose_file_has_no_rights(name: str) -> None:
    service = services[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", service["user"])
    assert not {"privileged", "cap_add", "network_mode", "pid", "devices"} & service.keys()
    # On this machine alone: TLS is somebody else's.
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


@pytest.mark.promise("deploy-understood")
def test_the_compose_file_runs_what_the_command_line_knows_with_secrets_in_files() -> None:
    ours = {name: service for name, service in services.items() if name != "database"}
    assert all(is_command(service["command"]) for service in ours.values())
    for service in ours.values():
        assert service["environment"].keys() <= Settings.variables()
        assert not SECRETS & service["environment"].keys()
        assert set(service["secrets"]) == SECRETS
    assert not [name for name in services["database"]["environment"] if name.endswith("PASSWORD")]


@pytest.mark.promise("deploy-least-rights")
@pytest.mark.parametrize("name", OWN)
def test_a_unit_has_no_rights(name: str) -> None:
    found = unit(name)
    assert found["CapabilityBoundingSet"] == found["AmbientCapabilities"] == [""]
    assert found["User"] == ["tarimba"]
    assert found["ProtectSystem"] == ["strict"]
    assert found["LimitCORE"] == ["0"]
    for directive in (
        "NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices", "PrivateUsers", "ProtectKernelTunables",
        "RestrictNamespaces", "MemoryDenyWriteExecute", "LockPersonality", "RestrictRealtime",
    ):  # fmt: skip
        assert found[directive] == ["yes"], directive
    assert found["SystemCallFilter"] == ["@system-service", "~@privileged @resources"]
    # It would take openat2 away, and with it every workspace.
    assert "RestrictSUIDSGID" not in found


@pytest.mark.promise("deploy-least-rights")
def test_only_the_unit_of_an_agent_makes_namespaces_and_it_has_no_capability_either() -> None:
    found = unit("tarimba-workspace@.service")
    assert found["CapabilityBoundingSet"] == [""]
    assert found["NoNewPrivileges"] == ["yes"]
    assert "RestrictNamespaces" not in found
    assert {"MemoryMax", "TasksMax", "CPUQuota"} <= found.keys()


@pytest.mark.promise("deploy-understood")
@pytest.mark.parametrize("path", sorted(UNITS.glob("*.service")), ids=lambda path: str(path.name))
def test_a_unit_runs_what_the_command_line_knows(path: Any) -> None:
    found = unit(path.name)
    (command,) = found["ExecStart"]
    words = command.partition("/opt/tarimba/bin/tarimba ")[2].split()
    assert is_command(words)
    assert "TARIMBA_SECRETS_DIR=%d" in found["Environment"][0]
    (credential,) = found["LoadCredential"]
    assert credential.partition(":")[0] in Settings.variables()
    if "TimeoutStopSec" in found:
        assert int(found["TimeoutStopSec"][0]) > DRAIN_SECONDS


@pytest.mark.promise("deploy-least-rights")
def test_the_image_is_built_from_hashes_and_ends_as_nobody_in_particular() -> None:
    text = (DEPLOY / "container" / "Containerfile").read_text(encoding="utf-8")
    assert text.count("pip install ") + text.count(" install --no-cache-dir --no-compile") == 2
    assert text.count("--require-hashes --only-binary :all:") == 2
    last = text.rpartition("\nFROM ")[2]
    assert f"\nUSER {USER}:{USER}\n" in last
    assert "\nRUN " not in last
    assert "\nSTOPSIGNAL SIGTERM\n" in last
