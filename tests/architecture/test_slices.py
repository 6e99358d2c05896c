"""Who may know whom: surfaces over slices over storage over the kernel; slices only through their doors."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.architecture.house import PACKAGE, ROOT, Module, modules, reach

# A slice may call the services of those after it, never of those before it.
ORDER = (
    # Puts everything aside and back, so it stands on everything.
    "backup",
    "erasure",
    "workspaces",
    "evolution",
    "distill",
    "conversations",
    "graph",
    "skills",
    "notes",
    # Below the notes: writing a note may end in a proposal, and approving one is a way to write a note.
    "proposals",
    "blocks",
    "personal_data",
    # What vouches for the log, above it: it is worked on as a job.
    "proof",
    "identity",
    # Below identity: an agent's harness is one of those that are shipped.
    "harnesses",
    "webhooks",
    "jobs",
    "receipts",
)
# `service` tells the story, `model` holds frozen values.
DOORS = frozenset({"service", "model"})
# What others need besides, each for its reason: an entry here is a decision, not a way out.
OTHER_DOORS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        # A note's line is rendered and counted when the note is written; people look at the block in the Console.
        "blocks": frozenset({"cache", "previewing", "query", "rules"}),
        # Every service asks what the principal may; the settings of a space are frozen values; the command
        # line acts for the host, who is nobody's principal. An administrative change runs in one way, and a list
        # of administration has one kind of page, whatever slice it belongs to. A seat is what all of a member hangs on.
        # The Console lets people in and out, and is where agents, keys, people and settings are kept.
        "identity": frozenset(
            {
                "rules",
                "settings",
                "hosting",
                "changes",
                "drafts",
                "fleet",
                "listing",
                "seats",
                "links",
                "members",
                "naming",
                "oidc",
                "people",
                "second_factor",
                "sessions",
                "setting_rules",
                "sign_in",
                "spaces",
            }
        ),
        # Whoever answers with a proposal shows it in one shape; what inflects a word is the same wherever words are
        # looked for.
        "notes": frozenset({"answers", "words"}),
        # What the tools of a customer's history take and answer, bound to a token.
        "conversations": frozenset({"bound"}),
        # The command line acts for the host.
        "evolution": frozenset({"hosting"}),
        # The tools write results in one way, by which reads are measured.
        "graph": frozenset({"hosting", "wire"}),
        # One reader and one writer of the format, for whoever holds a skill; the command line works on files. A
        # workspace has the flattened directory and the documents that come with the package mounted. The Console is
        # where members read and write their own.
        "skills": frozenset(
            {
                "disk",
                "disk_hosting",
                "folders",
                "format",
                "hosting",
                "lint",
                "member",
                "member_writing",
                "shipped",
                "skeletons",
                "syncing",
            }
        ),
        # The command line acts for the host; the Console shows members their memory and their files.
        "workspaces": frozenset(
            {
                "hosting",
                "launching",
                "memory",
                "memory_versions",
                "prompting",
                "public_files",
                "secret_hosting",
                "session_hosting",
            }
        ),
        # What a service is given to check with; the command line measures it, and acts for the host; the Console shows
        # the words of a space and how many customers it knows.
        "personal_data": frozenset({"detectors", "evaluation", "hosting", "known_customers", "vocabulary"}),
        # RFC 8785 and RFC 6962; a hot read waits for its batch without a hop to a thread; a new space begins
        # with a sealed, empty log; the command line verifies it, the Console proves and
        # tells; what vouches for it reads the tree.
        # The command line acts for the host, receives events where somebody develops, and sends those of the demo; the
        # Console manages them.
        "webhooks": frozenset({"hosting", "managing", "sending", "signing"}),
        "receipts": frozenset(
            {
                "activity",
                "audit",
                "bundle",
                "canonical",
                "checkpoint",
                "cold",
                "cold_places",
                "cosignature",
                "kept",
                "merkle",
                "pending",
                "proving",
                "reading",
                "report",
                "requests",
                "seal",
                "search",
                "stream",
                "telling",
                "tiles",
                "tree",
                "verify",
            }
        ),
    }
)
# These put the parts together, so they see them.
COMPOSITION = frozenset({"app", "background", "doctor", "figures", "kernel", "testing", "embedded"})
# fmt: off
IMPURE = frozenset(
    {
        "asyncio", "http", "httpx", "io", "logging", "os", "pathlib", "random", "secrets", "shutil",
        "socket", "sqlalchemy", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "time",
        "urllib"
    }
)
# fmt: on
NOT_FOR_RULES = frozenset(
    {"storage", "settings", "clock", "spaces", "kernel", "vault", "telemetry", "app", "background"}
)


@pytest.mark.promise("layers")
def test_import_linter_keeps_its_contracts() -> None:
    command: list[str | Path] = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.promise("slices-through-doors")
def test_a_slice_is_entered_through_its_service_or_its_model() -> None:
    wrong = [
        f"{module.name} imports {target}"
        for module, target, owner, inside in _foreign_imports()
        if inside and inside not in DOORS | OTHER_DOORS.get(owner, frozenset())
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.promise("slices-in-order")
def test_slices_call_each_other_along_the_declared_order() -> None:
    wrong = [
        f"{module.name} imports {target}, which comes before it"
        for module, target, owner, inside in _foreign_imports()
        if inside == "service"
        and module.parts[0] in ORDER
        and ORDER.index(owner) < ORDER.index(module.parts[0])
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.promise("slices-in-order")
def test_every_package_is_declared() -> None:
    surfaces = {"http", "mcp", "console", "cli", "client", "storage", "telemetry"}
    packages = {module.parts[0] for module in modules().values() if len(module.parts) > 1}
    assert packages <= surfaces | set(ORDER) | COMPOSITION


@pytest.mark.promise("no-import-cycles")
def test_no_modules_import_each_other_around_a_circle() -> None:
    early = {
        name: [item.name for item in module.imports if not item.late and item.name in modules()]
        for name, module in modules().items()
    }
    assert not _circle(early)


def test_a_circle_is_seen() -> None:
    assert _circle({"a": ["b"], "b": ["c"], "c": ["a"]}) == ["a", "b", "c"]
    assert not _circle({"a": ["b", "c"], "b": ["c"], "c": []})


@pytest.mark.promise("rules-pure")
def test_rules_know_no_storage_no_clock_no_settings_and_no_outside_world() -> None:
    wrong = []
    for name, module in modules().items():
        if module.parts[-1:] != ("rules",):
            continue
        ours = {part for part in reach(name, modules()) if _top_of_ours(part) in NOT_FOR_RULES}
        others = {item.name for item in module.imports} & IMPURE
        wrong += [f"{name} reaches {target}" for target in sorted(ours | others)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.promise("light-client")
def test_the_client_needs_only_what_the_base_package_installs() -> None:
    allowed = {"httpx", "pydantic", *sys.stdlib_module_names}
    wrong = []
    for name in modules():
        # An adapter exists to import its framework; nothing else in the client does.
        if name.split(".")[1:2] != ["client"] or ".integrations." in name:
            continue
        wrong += [f"{name} reaches {part}" for part in reach(name, modules()) if not _is_light(part, allowed)]
    assert not wrong, "\n".join(sorted(wrong))


def test_the_verifier_of_receipts_imports_nothing_of_the_server() -> None:
    verifier = (
        "answer bundle canonical checkpoint cosignature kept merkle note_comparison report tiles verify"
    )
    names = [f"{PACKAGE}.receipts.{name}" for name in verifier.split()]
    ours = {PACKAGE, f"{PACKAGE}.receipts", *names}
    others = {"cryptography", "rfc8785", *sys.stdlib_module_names}
    reached = frozenset(part for name in names for part in reach(name, modules()))
    wrong = {part for part in reached if part not in ours and part.split(".")[0] not in others}
    assert not wrong


def _foreign_imports() -> Iterator[tuple[Module, str, str, str]]:
    """(module, what it imports, the slice that owns that, the name inside the slice) over slice borders."""
    for module in modules().values():
        if not module.parts or module.parts[0] in COMPOSITION:
            continue
        for item in module.imports:
            owner, _, inside = item.name.removeprefix(f"{PACKAGE}.").partition(".")
            if item.name in modules() and owner in ORDER and owner != module.parts[0]:
                yield module, item.name, owner, inside


def _top_of_ours(name: str) -> str:
    package, _, rest = name.partition(".")
    return rest.split(".")[0] if package == PACKAGE else ""


def _is_light(name: str, allowed: set[str]) -> bool:
    top = name.split(".", maxsplit=1)[0]
    if top != PACKAGE:
        return top in allowed
    return name == PACKAGE or _top_of_ours(name) in {"client", "errors"}


def _circle(edges: Mapping[str, list[str]]) -> list[str]:
    """The modules that remain when all that import nothing remaining are taken away, time and again."""
    remaining = dict(edges)
    while True:
        free = [name for name, targets in remaining.items() if not any(t in remaining for t in targets)]
        if not free:
            return sorted(remaining)
        for name in free:
            del remaining[name]
