"""Published skills over MCP (SEP-2640), with the official client, in both eras of the protocol."""

import base64
import hashlib
from typing import Any

import pytest
from mcp import Client
from mcp.types import BlobResourceContents, ReadResourceResult, TextResourceContents

from tarimba.skills import offering, removing
from tarimba.skills.access import Asked
from tarimba.skills.format import read
from tests.contract.mcp.served import ERAS, Served
from tests.contract.mcp.skill_client import publish, refused, request, subscribe

pytestmark = [pytest.mark.parametrize("era", ERAS), pytest.mark.promise("skills-over-mcp")]

FILES = {
    "references/forms/tax note.md": "Só em português.\n".encode(),
    "scripts/fill.py": b"print('filled')\n",
    "assets/stamp.png": bytes(range(256)),
}


def listed(served: Served, era: str, key: str = "billing") -> dict[str, dict[str, Any]]:
    """The entries by address, through every page."""
    found: dict[str, dict[str, Any]] = {}
    page: dict[str, Any] = request(served, era, "skills/list", key=key)
    while True:
        found |= {entry["uri"]: entry for entry in page["skills"]}
        if "nextCursor" not in page:
            return found
        page = request(served, era, "skills/list", key=key, cursor=page["nextCursor"])


def content(served: Served, era: str, uri: str, key: str = "billing") -> bytes:
    async def talk(client: Client) -> ReadResourceResult:
        return await client.read_resource(uri)

    (one,) = served.ask(key, era, talk).contents
    assert one.uri == uri
    if isinstance(one, BlobResourceContents):
        return base64.b64decode(one.blob, validate=True)
    assert isinstance(one, TextResourceContents)
    return one.text.encode()


def test_the_extension_is_declared_with_the_resources_it_stands_on(served: Served, era: str) -> None:
    async def talk(client: Client) -> Any:
        return client.server_capabilities

    if era == "legacy":
        # The older protocol has no word for extensions: there they are resources.
        assert served.ask("billing", era, talk).resources is not None
    else:
        declared = request(served, era, "server/discover")["capabilities"]
        assert declared["extensions"] == {"io.modelcontextprotocol/skills": {"directoryRead": True}}
        assert "resources" in declared
    assert request(served, era, "skills/list")["skills"] == []
    assert request(served, era, "resources/templates/list")["resourceTemplates"] == []


def test_every_file_is_listed_and_is_read_with_the_bytes_that_its_digest_promises(
    served: Served, era: str
) -> None:
    publish(served.world, "tax-forms", "Use when a tax form: any, is to be filled.", FILES)
    (entry,) = listed(served, era).values()
    assert entry["uri"] == "skill://tenant/tax-forms/SKILL.md"
    assert {file["uri"] for file in entry["resources"]} == {
        "skill://tenant/tax-forms/SKILL.md",
        "skill://tenant/tax-forms/references/forms/tax%20note.md",
        "skill://tenant/tax-forms/scripts/fill.py",
        "skill://tenant/tax-forms/assets/stamp.png",
    }
    for file in entry["resources"]:
        data = content(served, era, file["uri"])
        assert (file["size"], file["digest"]) == (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}")
    # What a host compares field by field: the frontmatter holds these two, and nothing that was not told.
    reading = read(content(served, era, entry["uri"]), directory="tax-forms")
    assert entry["frontmatter"] == {"name": reading.name, "description": reading.description}
    assert "license" not in content(served, era, entry["uri"]).decode()
    assert request(served, era, "skills/get", uri=entry["uri"])["skill"] == entry


def test_hosts_that_know_only_resources_see_each_skill(served: Served, era: str) -> None:
    publish(served.world, "tax-forms", "Use when a tax form is to be filled.", FILES)
    (found,) = request(served, era, "resources/list")["resources"]
    assert found.pop("size") == listed(served, era)[found["uri"]]["resources"][0]["size"]
    assert found == {
        "uri": "skill://tenant/tax-forms/SKILL.md",
        "name": "tax-forms",
        "description": "Use when a tax form is to be filled.",
        "mimeType": "text/markdown",
    }


def test_a_directory_names_what_lies_directly_in_it(served: Served, era: str) -> None:
    publish(served.world, "tax-forms", files=FILES)
    publish(served.world, "other")

    def names(uri: str) -> list[tuple[str, str]]:
        found = request(served, era, "resources/directory/read", uri=uri)["resources"]
        return [(child["uri"].removeprefix(uri), child["mimeType"]) for child in found]

    directory = "inode/directory"
    assert names("skill://tenant") == [("/other", directory), ("/tax-forms", directory)]
    assert names("skill://tenant/tax-forms") == [
        ("/SKILL.md", "text/markdown"),
        ("/assets", directory),
        ("/references", directory),
        ("/scripts", directory),
    ]
    assert names("skill://tenant/tax-forms/references") == [("/forms", directory)]
    assert names("skill://tenant/tax-forms/references/forms") == [("/tax%20note.md", "text/markdown")]
    assert names("skill://subscription") == []


NOWHERE = (
    "skill://tenant/absent/SKILL.md",
    "skill://tenant/tax-forms/absent.md",
    "skill://subscription/tax-forms/SKILL.md",
    "skill://tenant/tax-forms/../tax-forms/SKILL.md",
    "skill://tenant//tax-forms/SKILL.md",
    "skill://tenant/tax%2Dforms/SKILL.md",
    "skill://tenant/tax-forms/%FF",
    "skill://other/tax-forms/SKILL.md",
    "file:///etc/passwd",
    "secretive",
)


NOT_OF = {
    "skills/get": "skill://tenant/tax-forms/scripts/fill.py",
    "resources/read": "skill://tenant/tax-forms/scripts",
    "resources/directory/read": "skill://tenant/tax-forms/SKILL.md",
}


@pytest.mark.parametrize("method", NOT_OF)
def test_what_is_not_served_is_an_error_that_repeats_nothing(served: Served, era: str, method: str) -> None:
    publish(served.world, "tax-forms", files=FILES)
    uris = [*NOWHERE, NOT_OF[method]]
    for uri, told in zip(uris, refused(served, era, method, *({"uri": uri} for uri in uris)), strict=True):
        assert uri not in told


def test_an_agent_gets_its_own_layers_and_of_each_name_the_one_that_wins(served: Served, era: str) -> None:
    subscribe(served.world, "north-east")
    publish(served.world, "shared", "Use when all do it.")
    publish(served.world, "shared", "Use when billing does it.", agent="billing")
    publish(served.world, "shared", "Use when north-east does it.", where="subscription", within="north-east")
    publish(served.world, "couriers", agent="courier")
    told = {key: listed(served, era, key) for key in ("billing", "support", "courier")}
    uri = "skill://tenant/shared/SKILL.md"
    assert [sorted(found) for found in told.values()] == [
        [uri],
        [uri],
        ["skill://tenant/couriers/SKILL.md", uri],
    ]
    assert [found[uri]["frontmatter"]["description"] for found in told.values()] == [
        "Use when billing does it.",
        "Use when all do it.",
        "Use when all do it.",
    ]
    refused(served, era, "skills/get", {"uri": "skill://tenant/couriers/SKILL.md"})
    # The address names a subscription: then the layers of that come on top.
    served.url += "?subscription=north-east"
    (won,) = listed(served, era).values()
    assert won["uri"] == "skill://subscription/shared/SKILL.md"
    assert won["frontmatter"]["description"] == "Use when north-east does it."
    assert b"north-east" in content(served, era, won["uri"])
    refused(served, era, "skills/get", {"uri": uri})


def test_a_subscription_that_there_is_not_is_an_error(served: Served, era: str) -> None:
    served.url += "?subscription=secretive"
    (told,) = refused(served, era, "skills/list", {})
    assert "secretive" not in told


def test_what_is_published_or_removed_counts_at_once(served: Served, era: str) -> None:
    publish(served.world, "tax-forms", "Use when the old form is filled.", FILES)
    uri = "skill://tenant/tax-forms/SKILL.md"
    before = listed(served, era)[uri]
    publish(served.world, "tax-forms", "Use when the new form is filled.")
    after = listed(served, era)[uri]
    assert (len(before["resources"]), len(after["resources"])) == (4, 1)
    assert after["frontmatter"]["description"] == "Use when the new form is filled."
    refused(served, era, "resources/read", {"uri": "skill://tenant/tax-forms/scripts/fill.py"})
    removing.remove(served.world.kernel, served.world.caller("admin"), Asked(), "tax-forms")
    assert listed(served, era) == {}
    refused(served, era, "resources/read", {"uri": uri})


def test_a_name_that_the_protocol_does_not_allow_is_not_served(served: Served, era: str) -> None:
    publish(served.world, "tax_forms.2026")
    publish(served.world, "tax-forms")
    assert sorted(listed(served, era)) == ["skill://tenant/tax-forms/SKILL.md"]
    refused(served, era, "skills/get", {"uri": "skill://tenant/tax_forms.2026/SKILL.md"})


def test_a_list_goes_on_where_its_page_ended_and_begins_anew_when_the_set_changed(
    served: Served, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offering, "PAGE", 2)
    for name in "abcde":
        publish(served.world, name)
    assert sorted(listed(served, era)) == [f"skill://tenant/{name}/SKILL.md" for name in "abcde"]
    cursor = request(served, era, "skills/list")["nextCursor"]
    refused(served, era, "skills/list", {"cursor": "secretive"})
    refused(served, era, "skills/list", {"cursor": cursor}, key="support")
    publish(served.world, "f")
    refused(served, era, "skills/list", {"cursor": cursor})


def test_each_access_leaves_a_receipt_of_ids_and_hashes(served: Served, era: str) -> None:
    skill_id = publish(served.world, "tax-forms", files=FILES)
    (entry,) = listed(served, era).values()
    request(served, era, "skills/get", uri=entry["uri"])
    content(served, era, "skill://tenant/tax-forms/scripts/fill.py")
    receipts = served.world.receipts("skill.index")
    mine = served.world.sources["billing"]
    assert {(one["via"], one["actor"]["id"], one["agent"]) for one in receipts} == {("mcp", mine, mine)}
    of_list, of_skill, of_file = receipts
    assert (of_list["detail"]["skills"], of_list["detail"]["count"]) == ([skill_id], 1)
    assert (of_skill["skill_id"], of_skill["detail"]["version"]) == (skill_id, 1)
    script = hashlib.sha256(FILES["scripts/fill.py"]).hexdigest()
    assert of_file["detail"]["file"] == script
    assert "tax-forms" not in str(receipts)
