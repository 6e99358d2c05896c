"""`tarimba vocabulary`, `tarimba known-customers` and the sections of `tarimba apply`, on both databases."""

from __future__ import annotations

import json
from pathlib import Path

from tests.contract.test_cli import FILE, Host, host  # noqa: F401

NAME = "Otacília da Rocha Bramante"


def test_words_are_listed_added_and_removed(host: Host) -> None:  # noqa: F811
    host.apply(FILE + '[[vocabulary]]\nterm = "Zuleide Sistemas"\nreason = "company"\n')
    made = host.json("vocabulary", "add", "Maria", "--reason", "system_name", "--confirmed")
    assert (made["term"], made["confirmed"], made["created_by"]) == ("Maria", True, "cli")
    listed = host.json("vocabulary", "list")
    assert [(one["term"], one["reason"]) for one in listed] == [
        ("Zuleide Sistemas", "company"),
        ("Maria", "system_name"),
    ]
    gone = host.json("vocabulary", "remove", "MARIA")
    assert gone == {"entry_id": made["entry_id"]}
    assert host.json("vocabulary", "list") == listed[:1]
    assert host.json("vocabulary", "rescan") == {"scanned": 0, "retired": 0}
    assert host.json("receipts", "verify")["ok"] is True


def test_a_bad_word_is_one_sentence(host: Host) -> None:  # noqa: F811
    host.apply()
    code, sentence = host.refused("vocabulary", "add", "Maria", "--reason", "company")
    assert (code, sentence.startswith("confirmed: must be true")) == (2, True)
    code, sentence = host.refused("vocabulary", "add", "11 98765-4321", "--reason", "branch")
    assert (code, "98765" in sentence) == (2, False)
    assert host.refused("vocabulary", "remove", "Nothing")[0] == 1
    text = FILE + '[[vocabulary]]\nterm = "11 98765-4321"\nreason = "branch"\n'
    code, sentence = host.refused("apply", host.write(text))
    assert (code, sentence) == (2, "vocabulary[0].term: must hold no personal data (found: phone)")


def test_customers_come_from_a_file_and_go_by_one(host: Host, tmp_path: Path) -> None:  # noqa: F811
    host.apply()
    file = tmp_path / "customers.csv"
    rows = [
        f"{NAME},11 98765-4321,",
        "Sozinha,,s@loja.example",
        *(f"Nome Inventado N{n},," for n in range(600)),
    ]
    # As spreadsheets write it.
    file.write_text("\ufeff" + "\r\n".join(["name,phone,email", *rows]), encoding="utf-8")
    taken = host.json("known-customers", "import", str(file))
    assert taken["added"] == {"email": 1, "name": 2, "phone": 1}
    assert [(one["index"], one["field"]) for one in taken["skipped"]] == [(1, "name")]
    code, output, _ = host.run("known-customers", "import", str(file))
    assert (code, "Otac" in output, "customer 2 skipped: name must be a full name" in output) == (
        0,
        False,
        True,
    )
    counts = {"customers": 3, "entries": {"email": 1, "name": 2, "phone": 1}}
    assert host.json("known-customers", "list") == counts
    one = tmp_path / "one.jsonl"
    one.write_text(json.dumps({"name": NAME.upper()}), encoding="utf-8")
    assert host.json("known-customers", "remove", str(one)) == {"removed": 1}
    assert host.json("known-customers", "list")["entries"] == {"email": 1, "name": 1, "phone": 1}


def test_a_bad_file_names_its_line_and_no_value(host: Host, tmp_path: Path) -> None:  # noqa: F811
    host.apply()
    for name, content in (
        ("a.csv", f"nome,phone\n{NAME},1\n"),
        ("a.csv", f"name,phone\n{NAME},1,2,3\n"),
        ("a.csv", f'name\n"{NAME}'),
        ("a.csv", ""),
        ("a.jsonl", f'{{"name": "{NAME}", "age": 3}}'),
        ("a.jsonl", f'\n["{NAME}"]'),
        ("a.jsonl", f'{{"handles": [{{"type": "fax", "value": "{NAME}"}}]}}'),
        ("a.jsonl", f'{{"name": "{NAME}'),
        ("a.txt", NAME),
    ):
        file = tmp_path / name
        file.write_text(content, encoding="utf-8")
        code, sentence = host.refused("known-customers", "import", str(file))
        assert code == 2
        assert "Otac" not in sentence
    assert host.json("known-customers", "list")["customers"] == 0
    file = tmp_path / "a.csv"
    file.write_bytes(b"name\n\xff\xfe\n")
    assert host.refused("known-customers", "import", str(file)) == (1, "The file is not UTF-8.")
