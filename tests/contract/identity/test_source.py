"""What a caller may ask about itself."""

from tests.contract.identity.company import Company

EIGHT = (
    "space_id",
    "tenant_id",
    "region",
    "environment",
    "source_id",
    "key_id",
    "audience",
    "verification_ceiling",
)


def test_an_agent_learns_who_it_is(company: Company) -> None:
    answer = company.ask("agent", "GET", "/v1/sources/me")
    assert answer.json() == {
        "space_id": company.space_id,
        "tenant_id": company.space_id,
        "region": "local",
        "environment": "live",
        "source_id": company.source_id,
        "key_id": company.bearers["agent"].split("_")[3],
        "audience": "customer_agent",
        "verification_ceiling": "V0",
        "source_name": "Agente de cobrança",
        "vendor": "norte",
        "scopes": ["agent_memory", "agent_memory:write"],
        "agent_memory": False,
    }
    company.ask("owner", "PATCH", "settings", {"agent_memory": {"enabled": True}})
    assert company.ask("agent", "GET", "/v1/sources/me").json()["agent_memory"] is True


def test_eight_strings_are_always_there(company: Company) -> None:
    for who in ("owner", "member", "admin", "agent"):
        shown = company.ask(who, "GET", "/v1/sources/me").json()
        assert all(isinstance(shown[name], str) for name in EIGHT)
        assert (shown["source_id"] == "") == (who != "agent")


def test_the_clients_profile_has_no_features_yet(company: Company) -> None:
    assert company.ask("agent", "GET", "/v1/sdk/profile").json() == {"features": [], "valid_for_s": 300}
