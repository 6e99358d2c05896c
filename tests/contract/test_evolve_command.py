"""`tarimba evolve` on both databases."""

from __future__ import annotations

from tests.contract.test_cli import FILE, Host, host  # noqa: F401


def test_a_round_is_asked_for(host: Host) -> None:  # noqa: F811
    host.apply(FILE + '[evolution]\nmode = "draft"\n')
    assert host.json("evolve") == {"draft_ids": [], "has_more": False}
    assert host.json("evolve", "--agent", "cobranca", "--again") == {"draft_ids": [], "has_more": False}
    assert host.run("evolve") == (0, "0 drafts are being made.\n", "")
    assert host.refused("evolve", "--agent", "nobody") == (1, "There is no such agent that you can read.")
    assert host.json("receipts", "verify")["ok"] is True


def test_where_no_drafts_are_made_the_setting_is_named(host: Host) -> None:  # noqa: F811
    host.apply()
    code, sentence = host.refused("evolve")
    assert code == 1
    assert "evolution.mode" in sentence
