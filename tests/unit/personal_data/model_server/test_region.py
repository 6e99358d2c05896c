"""Where text may be sent."""

import pytest
from pydantic import ValidationError

from tarimba.region import hosts_of, problem_of
from tarimba.settings import Settings

NEAR = (
    "http://127.0.0.1:5002",
    "http://localhost:5002",
    "http://LOCALHOST.:5002/presidio",
    "http://127.8.9.10",
    "http://10.0.0.8:3000",
    "http://172.16.0.1",
    "http://172.31.255.254",
    "http://192.168.1.1",
    "http://[::1]:3000",
    "http://[fd00::5]:3000",
    "http://[::ffff:10.0.0.1]",
    "https://10.0.0.8",
)
FAR = (
    "https://8.8.8.8",
    "https://names.example",
    "https://172.32.0.1",
    "https://192.0.2.1",
    # Link-local: where clouds hand out credentials.
    "http://169.254.169.254",
    "http://[fe80::1]",
    "http://0.0.0.0:5002",
    # The same address as 127.0.0.1 to some resolvers, and a name to us.
    "http://2130706433",
    "http://127.1",
    "http://10.0.0.8.names.example",
    "http://localhost.names.example",
)
NO_URL = (
    "",
    "names.example",
    "//127.0.0.1",
    "ftp://127.0.0.1",
    "http://",
    "http://127.0.0.1:0",
    "http://127.0.0.1:70000",
    "http://somebody@127.0.0.1",
    "http://127.0.0.1@names.example",
    "http://127.0.0.1?to=names.example",
    "http://127.0.0.1#x",
    "http://127.0.0.1\n.names.example",
    "http://127.0.0.1 .names.example",
    "http://[::1",
)


@pytest.mark.parametrize("url", NEAR)
def test_this_machine_and_private_networks_may_be_asked(url: str) -> None:
    assert problem_of(url) is None


@pytest.mark.promise("text-stays-in-region")
@pytest.mark.parametrize("url", FAR)
def test_other_hosts_may_not(url: str) -> None:
    assert (
        problem_of(url)
        == "leads to neither a loopback nor a private address nor a host of TARIMBA_REGION_HOSTS"
    )


@pytest.mark.promise("text-stays-in-region")
@pytest.mark.parametrize("url", NO_URL)
def test_what_is_no_plain_address_may_not(url: str) -> None:
    assert problem_of(url) is not None


@pytest.mark.promise("text-stays-in-region")
def test_a_host_of_the_region_needs_tls() -> None:
    hosts = hosts_of(" Names.Example , 203.0.113.7,,[2001:db8::7]")
    assert problem_of("https://names.example/presidio", hosts) is None
    assert problem_of("https://203.0.113.7", hosts) is None
    assert problem_of("https://[2001:db8::7]", hosts) is None
    assert problem_of("https://sub.names.example", hosts) is not None
    for url in ("http://names.example", "http://203.0.113.7"):
        assert (
            problem_of(url, hosts) == "must be https: plain http is for loopback and private addresses only"
        )


@pytest.mark.parametrize("listed", ["https://names.example", "names.example:443", "a b", "names.example/x"])
def test_a_list_of_hosts_holds_hosts(listed: str) -> None:
    with pytest.raises(ValueError, match="must be host names"):
        hosts_of(listed)


@pytest.mark.promise("text-stays-in-region")
@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"detectors_url": "https://names.example"}, "detectors_url"),
        ({"detectors_url": "http://names.example", "region_hosts": "names.example"}, "detectors_url"),
        ({"region_hosts": "https://names.example"}, "region_hosts"),
    ],
)
def test_settings_that_lead_out_of_the_region_are_refused_by_their_name(
    options: dict[str, str], name: str
) -> None:
    with pytest.raises(ValidationError) as raised:
        Settings.model_validate(options)
    first = raised.value.errors()[0]
    assert first["loc"] == (name,)
    assert "names.example" not in first["msg"]


def test_settings_take_a_host_of_the_region() -> None:
    url = "https://names.example"
    assert (
        Settings.model_validate({"detectors_url": url, "region_hosts": "names.example"}).detectors_url == url
    )
