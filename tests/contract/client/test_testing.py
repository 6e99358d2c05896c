"""What tests of agents get: a company in their own process."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tarimba.client import Tarimba
from tarimba.testing import Company

pytest_plugins = ["pytester"]

AGENTS_TESTS = """
import asyncio
from tarimba.client import Tarimba

def test_an_agent_learns(tarimba_client):
    tarimba_client.remember("pitfall", "Clearing takes time", "Two working days.")
    assert "Two working days." in tarimba_client.agent_memory().text

def test_companies_are_apart(tarimba_company):
    assert tarimba_company.client().agent_memory().notes == ()
    assert tarimba_company.owner().agent_memory is not None

def test_programs_of_asyncio(tarimba_company):
    async def ask():
        async with tarimba_company.async_client("courier") as client:
            return await client.search_agent_memory("anything")
    assert asyncio.run(ask()).error is None

def test_a_program_with_a_client_of_its_own(tarimba_server):
    from tarimba.client import Budgets, Options
    with Tarimba(options=Options(budgets=Budgets(block=60))) as client:
        assert client.agent_memory().error is None
"""


@pytest.fixture(autouse=True)
def _own_logs() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.mark.promise("testing-company")
def test_fixtures_give_each_test_a_company_of_its_own(pytester: pytest.Pytester) -> None:
    pytester.makeconftest('pytest_plugins = ["tarimba.testing"]')
    pytester.makepyfile(AGENTS_TESTS)
    pytester.runpytest_subprocess("-p", "no:randomly", "-p", "no:cacheprovider").assert_outcomes(passed=4)


@pytest.mark.promise("testing-company")
def test_nobody_loads_it_who_did_not_ask(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\ndef test(): assert 'tarimba' not in sys.modules")
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


@pytest.mark.promise("testing-company")
def test_a_company_needs_no_pytest_and_leaves_nothing() -> None:
    with Company() as company:
        folder = Path(company._own.name) if company._own else Path()
        with company.client("billing", scopes=["agent_memory"]) as reader:
            assert reader.remember("pitfall", "t", "b").error == "scope_missing"
        with company.listening() as base_url, Tarimba(company.key(), base_url) as client:
            assert client.settled.address.shown == base_url
        assert asyncio.run(company.async_client().agent_memory()).error is None
    assert not folder.exists()
