"""My memory, my files and my skills: the member alone sees them, changes them, and loses nothing."""

from __future__ import annotations

import pytest

from tarimba.skills.report import WORDS
from tests.contract.console.seat import Own, hidden, query, shown_text
from tests.contract.console.visitor import Office

TEXT = "# How I work\n\n- Short answers.\n"
PAYLOAD = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def skill(name: str, description: str = "Use when it is needed.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\nDo it.\n"


@pytest.fixture
def own(office: Office) -> Own:
    return Own(office)


@pytest.mark.promise("console-own")
def test_two_tabs_write_and_neither_text_is_lost(own: Own) -> None:
    one = own.office.enter("member")
    one.open(f"/memory?{query()}")
    seen = hidden(one, "seen")
    sent = one.send(f"/memory?{query()}", text=TEXT, seen=seen)
    assert sent.headers["location"].startswith("/console/memory?seat=team~billing&done=memory.done_saved~")
    assert own.get("/v1/memory")["text"] == TEXT
    late = one.send(f"/memory?{query()}", text="- Written in the other tab.\n", seen=seen)
    assert late.status_code == 412
    assert "- Written in the other tab." in shown_text(one)
    assert "- Short answers." in shown_text(one)
    assert own.get("/v1/memory")["text"] == TEXT
    one.send(f"/memory?{query()}", text="- Both.\n", seen=hidden(one, "seen"))
    assert own.get("/v1/memory")["text"] == "- Both.\n"
    assert own.office.api.actions(own.office.company).count("member_memory.write") == 2


@pytest.mark.promise("console-own")
def test_an_older_version_is_compared_and_counts_again(own: Own) -> None:
    one = own.office.enter("member")
    one.open(f"/memory?{query()}")
    one.send(f"/memory?{query()}", text=TEXT, seen=hidden(one, "seen"))
    one.open(f"/memory?{query()}")
    one.send(f"/memory?{query()}", text="# How I work\n\n- Long answers.\n", seen=hidden(one, "seen"))
    page = one.open(f"/memory/versions/1?{query()}")
    assert "Short</del>" in page.text
    assert "Long</ins>" in page.text
    assert one.send(f"/memory/restore?{query()}", version="1", seen=hidden(one, "seen")).status_code == 303
    assert own.get("/v1/memory")["text"] == TEXT
    assert one.open(f"/memory/versions/x?{query()}").status_code == 404


@pytest.mark.promise("console-own")
def test_what_was_written_past_the_server_is_shown_and_answered(own: Own) -> None:
    one = own.office.enter("member")
    one.open(f"/memory?{query()}")
    one.send(f"/memory?{query()}", text=TEXT, seen=hidden(one, "seen"))
    own.agent_writes("memory/MEMORY_CUSTOM.md", f"{TEXT}- Added by the agent.\n")
    own.agent_writes("memory/MEMORY.md", "The agent's own notebook.\n")
    one.open(f"/memory?{query()}")
    assert "The file was changed from outside" in one.page
    assert "- Added by the agent.</ins>" in one.page
    assert "The agent&#39;s own notebook." in one.page
    one.send(f"/memory/keep?{query()}", seen=hidden(one, "seen"))
    assert own.get("/v1/memory")["changed_on_disk"] is None
    target = own.agent_writes("memory/MEMORY_CUSTOM.md", "gone")
    target.unlink()
    target.symlink_to("/etc/hostname")
    assert "Something else stands in the place of the file" in one.open(f"/memory?{query()}").text
    one.send(f"/memory?{query()}", text=TEXT, seen=hidden(one, "seen"))
    assert own.get("/v1/memory")["text"] == TEXT


@pytest.mark.promise("console-own")
def test_a_project_has_a_memory_and_files_of_its_own(own: Own) -> None:
    one = own.office.enter("member")
    one.open(f"/memory?{query()}")
    refused = one.send(f"/memory/projects?{query()}", project="No id", name="Roof")
    assert refused.status_code == 422
    assert 'value="No id"' in one.page
    made = one.send(f"/memory/projects?{query()}", project="roof", name="The roof")
    assert "The roof" in one.follow(made).text
    one.send("/memory?seat=team~billing~roof", text="- Only here.\n", seen=hidden(one, "seen"))
    assert own.get("/v1/memory", project="roof")["text"] == "- Only here.\n"
    assert own.get("/v1/memory")["text"] == ""
    assert one.open("/memory?seat=team~billing~cellar").status_code == 404


@pytest.mark.promise("console-own")
def test_what_the_agent_lays_out_is_listed_and_downloaded(own: Own) -> None:
    one = own.office.enter("member")
    assert "No file here" in one.open("/files").text
    own.agent_writes("public/reports/sum & more.csv", b"a,b\n\xff")
    own.agent_writes("public/link", b"").unlink()
    own.agent_writes("public/page.html", PAYLOAD)
    page = one.open("/files")
    assert "reports/" in page.text
    assert "sum &amp; more.csv" in one.open(f"/files?{query(path='reports')}").text
    sent = one.open(f"/files?{query(path='reports/sum & more.csv')}")
    assert sent.content == b"a,b\n\xff"
    assert sent.headers["content-disposition"].startswith("attachment")
    html = one.open(f"/files?{query(path='page.html')}")
    assert html.headers["content-type"] == "application/octet-stream"
    assert html.headers["x-content-type-options"] == "nosniff"
    assert one.open(f"/files?{query(path='../memory/MEMORY.md')}").status_code in {404, 409, 422}
    assert own.office.api.actions(own.office.company).count("member_file.read") >= 4


@pytest.mark.promise("console-own")
def test_skills_of_all_layers_are_shown_and_own_ones_written_and_mended(own: Own) -> None:
    own.call(
        "admin", "POST", "/v1/admin/skills", files={"body": skill("refunds", "Use for refunds.").encode()}
    )
    root = own.seat.profile.own_root
    own.agent_writes(f"{root}/refunds/SKILL.md", skill("refunds", "The agent's copy."))
    own.agent_writes(f"{root}/broken/SKILL.md", "no frontmatter\n")
    one = own.office.enter("member")
    one.open("/my-skills")
    said = shown_text(one)
    assert said.index("from administrators") < said.index("hidden by another")
    assert "not loaded" in said
    hidden_one = one.open(f"/my-skills/skill?{query(name='refunds', origin='member')}")
    assert "Another copy of the same name counts" in hidden_one.text
    assert "Use for refunds." in one.open(f"/my-skills/skill?{query(name='refunds')}").text
    refused = one.send(f"/my-skills/new?{query()}", name="mornings", text="no frontmatter")
    assert refused.status_code == 422
    assert "Line 1" in shown_text(one)
    known = [rule for rule, words in WORDS["en"].items() if words[0] in shown_text(one)]
    assert known
    assert 'value="mornings"' in one.page
    made = one.send(f"/my-skills/new?{query()}", name="mornings", text=skill("mornings"))
    one.follow(made)
    seen, where = hidden(one, "seen"), query(name="mornings", origin="member")
    assert one.send(f"/my-skills/skill?{where}", text=skill("mornings", "Use at 8."), seen=seen).is_redirect
    late = one.send(f"/my-skills/skill?{where}", text=skill("mornings", "Use at 9."), seen=seen)
    assert late.status_code == 412
    assert "Use at 9." in shown_text(one)
    assert "Use at 8." in shown_text(one)
    one.open(f"/my-skills/skill?{query(name='broken', origin='member')}")
    assert "Why it is not loaded" in one.page
    one.open("/account")
    one.send("/account/language", language="es")
    one.open(f"/my-skills/skill?{query(name='broken', origin='member')}")
    assert all(WORDS["es"][rule][0] in shown_text(one) for rule in known)
    one.open("/my-skills")
    assert any(WORDS["es"][rule][0] in shown_text(one) for rule in known)
    one.open(f"/my-skills/skill?{query(name='broken', origin='member')}")
    one.send(
        f"/my-skills/skill?{query(name='broken', origin='member')}",
        text=skill("broken"),
        seen=hidden(one, "seen"),
    )
    verdicts = {
        (row["name"], row["verdict"]) for row in own.get("/v1/skills")["items"] if row["origin"] == "member"
    }
    assert verdicts == {("broken", "ok"), ("mornings", "ok"), ("refunds", "ok")}


@pytest.mark.promise("console-own")
def test_files_of_a_skill_are_added_opened_and_deleted(own: Own) -> None:
    one = own.office.enter("member")
    one.open("/my-skills/new")
    one.send(f"/my-skills/new?{query()}", name="mornings", text=skill("mornings"))
    where = query(name="mornings", origin="member")
    one.open(f"/my-skills/skill?{where}")
    assert one.send(f"/my-skills/skill/files?{where}", path="../x.md", text="no").status_code == 422
    assert one.send(f"/my-skills/skill/files?{where}", path="references/list.md", text="One.\n").is_redirect
    page = one.open(f"/my-skills/skill?{where}&path=references/list.md")
    assert "One." in page.text
    one.open(f"/my-skills/delete?{query(name='mornings', path='references/list.md')}")
    assert one.send(f"/my-skills/delete?{query(name='mornings', path='references/list.md')}").is_redirect
    one.open(f"/my-skills/delete?{query(name='mornings')}")
    assert one.send(f"/my-skills/delete?{query(name='mornings')}").is_redirect
    assert not [row for row in own.get("/v1/skills")["items"] if row["origin"] == "member"]
    assert own.office.api.actions(own.office.company).count("member_skill.write") == 4


@pytest.mark.promise("console-own")
def test_nobody_but_the_member_opens_these_pages(own: Own) -> None:
    paths = ("/memory", "/graph", "/graph/map", "/graph/changes", "/my-skills", "/files")
    for who in ("owner", "auditor"):
        one = own.office.enter(who)
        for path in paths:
            assert one.open(f"{path}?{query()}").status_code == 403
        assert "yours" not in one.page
    other = own.office.enter("member")
    for path in paths:
        assert other.open(f"{path}?seat=another~billing").status_code == 404


def test_who_works_with_no_agent_is_told_what_these_pages_are(office: Office) -> None:
    one = office.enter("member")
    for path in ("/memory", "/graph", "/graph/map", "/my-skills", "/files"):
        page = one.open(path)
        assert page.status_code == 200
        assert "You do not work with any agent yet" in page.text


@pytest.mark.promise("console-inert")
def test_what_agents_write_for_a_member_is_text(own: Own) -> None:
    own.agent_writes("memory/MEMORY_CUSTOM.md", f"</textarea>{PAYLOAD}")
    own.agent_writes("memory/MEMORY.md", PAYLOAD)
    own.agent_writes(f"public/{PAYLOAD.replace('/', '')}", PAYLOAD)
    own.agent_writes(f"{own.seat.profile.own_root}/x/SKILL.md", skill("x", PAYLOAD) + f"</textarea>{PAYLOAD}")
    one = own.office.enter("member")
    for path in ("/memory", "/files", "/my-skills", f"/my-skills/skill?{query(name='x', origin='member')}"):
        page = one.open(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
