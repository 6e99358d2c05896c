"""Each harness's own file of configuration: our server in it, and everything else as it was."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.harnesses.configuring import SERVER, ConfigurationError, McpServer, configured, masked
from tarimba.harnesses.model import Profile
from tarimba.harnesses.service import profile, read, shipped

OURS = McpServer("https://memory.example.com/v1/mcp", "cGF5bG9hZA.c2lnbmF0dXJl")
BEARER = "Bearer cGF5bG9hZA.c2lnbmF0dXJl"
TOY = """
shared_root = "shared"
own_root = "own"
order = ["shared", "own"]
counts_bytes = false
reads_memory_each_turn = false
always_on = "RULES.md"
secrets = "files"
tool_prefix = "{server}/"
features = ["shared_skills"]
persona = []
config = ".toy/settings.json"
config_format = "json"
mcp_servers = ["remote", "tools"]
mcp_switches = ["remote.on"]

[mcp_server]
kind = "http"
url = "{url}"

[mcp_server.send]
Authorization = "{authorization}"
"""
PICO = {
    "servers": {
        "memory": {
            "enabled": True,
            "type": "http",
            "url": OURS.url,
            "headers": {"Authorization": BEARER},
        }
    },
    "enabled": True,
}
# The whole file that each harness gets where there was none, as its own documentation has it.
WHOLE: Mapping[str, Any] = {
    "ganglion": {"tools": {"mcp": PICO}},
    "picoclaw": {"tools": {"mcp": PICO}},
    "claude-code": {
        "mcpServers": {"memory": {"type": "http", "url": OURS.url, "headers": {"Authorization": BEARER}}}
    },
    "codex": {"mcp_servers": {"memory": {"url": OURS.url, "http_headers": {"Authorization": BEARER}}}},
    "generic": {
        "mcpServers": {"memory": {"type": "http", "url": OURS.url, "headers": {"Authorization": BEARER}}}
    },
    "nanobot": {
        "tools": {
            "mcpServers": {
                "memory": {"type": "streamableHttp", "url": OURS.url, "headers": {"Authorization": BEARER}}
            }
        }
    },
    "openclaw": {
        "mcp": {
            "servers": {
                "memory": {
                    "transport": "streamable-http",
                    "url": OURS.url,
                    "headers": {"Authorization": BEARER},
                }
            }
        }
    },
}
FOREIGN = b"""# What the operator wrote.
model = "large"  # kept

[mcp_servers.calendar]
command = "calendar"

[mcp_servers.memory]
command = "npx"

[mcp_servers.memory.env]
KEY = "value"

[profiles.night]
model = "small"
"""


def parsed(one: Profile, data: bytes | None) -> Any:
    assert data is not None
    return json.loads(data) if one.config_format == "json" else tomllib.loads(data.decode())


@pytest.mark.promise("harness-configuration")
@pytest.mark.parametrize("name", shipped())
def test_a_harness_gets_the_server_in_its_own_shape_and_loses_it_again(name: str) -> None:
    one = profile(name)
    made = configured(one, None, OURS)
    assert parsed(one, made) == WHOLE[name]
    assert configured(one, made, OURS) is made, "nothing differs, so the file stays"
    gone = configured(one, made, None)
    assert gone is not None
    assert b"memory.example.com" not in gone
    assert configured(one, gone, None) is gone
    empty = configured(one, None, None)
    assert parsed(one, configured(one, empty, OURS)) == WHOLE[name], (
        "a file that is made is one to go on with"
    )
    assert configured(one, empty, None) is empty
    assert BEARER not in json.dumps(masked(one, OURS))
    assert OURS.url in json.dumps(masked(one, OURS))
    path = PurePosixPath(one.config)
    assert path.is_absolute() == (name == "nanobot")
    assert ".." not in path.parts
    assert not path.is_relative_to(one.shared_root)


@pytest.mark.promise("harness-configuration")
@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=5,
    )
)
def test_every_other_key_of_a_json_file_stays(other: dict[str, Any]) -> None:
    one = profile("picoclaw")
    before = other | {"tools": {"exec": {"on": False}, "mcp": {"servers": {"calendar": {"command": "c"}}}}}
    try:
        data = json.dumps(before, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    made = parsed(one, configured(one, data, OURS))
    assert made["tools"]["mcp"]["servers"].pop(SERVER) == WHOLE["picoclaw"]["tools"]["mcp"]["servers"][SERVER]
    assert made["tools"]["mcp"].pop("enabled") is True
    assert made == before


@pytest.mark.promise("harness-configuration")
def test_every_other_line_of_a_toml_file_stays() -> None:
    one = profile("codex")
    before = FOREIGN.replace(b'command = "npx"', b'url = "https://before.example.com/v1/mcp"')
    made = configured(one, before, OURS)
    assert made is not None
    document = tomllib.loads(made.decode())
    assert document["mcp_servers"] == {"calendar": {"command": "calendar"}} | WHOLE["codex"]["mcp_servers"]
    assert document["profiles"] == {"night": {"model": "small"}}
    assert b'# What the operator wrote.\nmodel = "large"  # kept\n' in made
    assert configured(one, made, OURS) is made
    assert configured(one, FOREIGN, None) is FOREIGN, "another's server of that name is not ours to take out"


@pytest.mark.promise("harness-configuration")
@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("picoclaw", b"{broken"),
        ("picoclaw", b"\xff\xfe"),
        ("picoclaw", b"[]"),
        ("picoclaw", b'{"tools": []}'),
        ("picoclaw", b'{"a": 1, "a": 2}'),
        ("picoclaw", b'{"a": NaN}'),
        ("picoclaw", b'{"a": "\\ud800"}'),
        ("picoclaw", b"[" * 100_000),
        ("openclaw", b'{"a": 1} // a comment'),
        ("codex", b"model ="),
        ("codex", b"\xff"),
        ("codex", b'mcp_servers = {memory = {url = "https://npx.example/v1/mcp"}}\n'),
        ("codex", b'[mcp_servers]\nmemory.url = "https://npx.example/v1/mcp"\n'),
        ("codex", b'[mcp_servers.memory]\ncommand = "npx"\n'),
        ("picoclaw", b'{"tools": {"mcp": {"servers": {"memory": {"command": "npx"}}}}}'),
        ("claude-code", b'{"mcpServers": {"memory": {"type": "http", "url": "https://npx.example"}}}'),
        ("codex", b'mcp_servers = "none"\n'),
        ("codex", b'note = """\n[mcp_servers.memory]\n"""\n'),
    ],
)
def test_a_file_that_could_not_stay_as_it_is_is_refused_in_words_that_hold_nothing_of_it(
    name: str, before: bytes
) -> None:
    with pytest.raises(ConfigurationError, match=r"^(The file|In the file) .*\.$") as refused:
        configured(profile(name), before, OURS)
    assert "npx" not in str(refused.value)


@pytest.mark.promise("harness-configuration")
def test_one_file_is_one_harness_more() -> None:
    toy = read("toy", TOY)
    made = configured(toy, b'{"theme": "dark"}', OURS)
    assert parsed(toy, made) == {
        "theme": "dark",
        "remote": {
            "tools": {"memory": {"kind": "http", "url": OURS.url, "send": {"Authorization": BEARER}}},
            "on": True,
        },
    }
    with pytest.raises(ValueError, match="feature"):
        read("toy", TOY.replace("shared_skills", "telepathy"))
