"""A file of a space: what it may say, and how a mistake is named."""

import pytest

from tarimba.errors import Refusal
from tarimba.identity.manifest import Manifest

SPACE = '[space]\nslug = "acme"\n'
VENDOR = '[[vendor]]\nslug = "norte"\n'
AGENT = '[[agent]]\nslug = "cobranca"\nvendor = "norte"\n'
PERSON = '[[person]]\nslug = "rita"\nemail = "rita@acme.example"\n'


def test_the_least_file_names_a_space() -> None:
    manifest = Manifest.parse(SPACE)
    assert manifest.space.slug == "acme"
    assert (manifest.settings, manifest.agents, manifest.people) == ({}, (), ())


def test_settings_are_named_as_everywhere() -> None:
    text = (
        SPACE + "[agent_memory]\nenabled = true\nbody_max = 20_000\ntasks.refund.object_types = ['invoice']\n"
    )
    assert Manifest.parse(text).settings == {
        "agent_memory.enabled": True,
        "agent_memory.body_max": 20_000,
        "agent_memory.tasks.refund.object_types": ["invoice"],
    }


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        (SPACE + "colour = 1\n", "space.colour: there is no such key."),
        (SPACE + "[agent_memory]\nenable = true\n", "agent_memory.enable: there is no such key."),
        (SPACE + VENDOR + AGENT + "colour = 1\n", "agent[0].colour: there is no such key."),
        (
            SPACE + VENDOR + AGENT + '[[agent.key]]\nname = "p"\nscope = ["track"]\nscopes = ["track"]\n',
            "agent[0].key[0].scope: there is no such key.",
        ),
        (SPACE + "[people]\n", "people: there is no such key."),
        ("", "space: is needed."),
        (SPACE + '[[person]]\nslug = "rita"\n', "person[0].email: is needed."),
        (SPACE + "[agent_memory]\ntitle_max = '9'\n", "agent_memory.title_max: should be a valid integer."),
    ],
)
def test_a_key_that_is_not_known_is_named_by_its_path(text: str, detail: str) -> None:
    with pytest.raises(Refusal) as refused:
        Manifest.parse(text)
    assert (refused.value.code, refused.value.detail) == ("invalid_input", detail)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[space]\nslug = "Acme"\n', "space.slug"),
        (SPACE + 'language = "fr"\n', "space.language"),
        (SPACE + 'environment = "prod"\n', "space.environment"),
        (SPACE + "[agent_memory]\ntitle_max = 999\n", "agent_memory.title_max"),
        (SPACE + VENDOR + VENDOR, "vendor[1].slug"),
        (SPACE + VENDOR + AGENT + AGENT, "agent[1].slug"),
        (SPACE + PERSON + PERSON.replace('"rita"', '"r2"'), "person[1].email"),
        (SPACE + PERSON + 'roles = ["king"]\n', "person[0].roles"),
        (SPACE + '[[key]]\nname = "ops"\nscopes = ["track"]\n', "key[0].scopes"),
        (
            SPACE + VENDOR + AGENT + '[[agent.key]]\nname = "p"\nscopes = ["admin"]\n',
            "agent[0].key[0].scopes",
        ),
        (
            SPACE + VENDOR + AGENT + '[[agent.key]]\nname = "p"\nscopes = ["track"]\n' * 2,
            "agent[0].key[1].name",
        ),
    ],
)
def test_a_value_that_breaks_a_rule_is_named_by_its_place(text: str, place: str) -> None:
    with pytest.raises(Refusal) as refused:
        Manifest.parse(text)
    assert refused.value.detail.startswith(f"{place}: ")


def test_what_is_no_toml_is_said_with_its_line() -> None:
    with pytest.raises(Refusal, match=r"not readable as TOML: .*line 2"):
        Manifest.parse("[space]\nslug = \n")
