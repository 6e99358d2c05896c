"""The page of the frameworks, from the docstrings of the adapters and the versions with which each is tried."""

from __future__ import annotations

import re
from typing import Final

from adapter_list import Adapter, adapters, example, prose, versions

_INTRO: Final = """\
# Give the agents of a framework their notes

For each of these frameworks there is an adapter, one small module over one core, imported from
`tarimba.client.integrations`. It needs a server and a key of the agent: `TARIMBA_BASE_URL` and `TARIMBA_API_KEY`. What
is the same for all:

- The notes stand behind the agent's instructions and before the customer's context. That is what you give to
  `customer_context`, what the instructions hold from `<customer_context>` on, or what the framework itself adds to them
  for a run. Up to the end of the notes all customers of an agent have [the same bytes](../concepts/same-bytes.md), and
  where the provider takes a mark there, its cache is told so: never more than four in a request, and yours stay where
  they are.
- The notes are read for each run, from the client's cache as long as nothing changed, and stay out of what the
  framework keeps of a conversation.
- `search_agent_memory` is among the agent's tools, and with `write=True` and a key that may write, `remember` too.
  Where a framework leaves tools to the program, its section shows how to pass them on.
- Without the server, or when it is slow or refuses, the agent answers without notes: nothing raises, and nothing waits
  longer than the client's [budgets](../reference/python-client.md#options).
- `agent_memory` says whose notes, how much of them and by which client: a client of your own, or
  [`Notes`](../reference/python-client.md#what-adapters-take). `False` leaves everything as it was.

```python shown
from tarimba.client.integrations.notes import customer_context

with customer_context("<customer_context>\\nPays on Fridays.\\n</customer_context>"):
    ...  # a run of the agent
```

Each was tried with the versions beside it: a program of the framework asked a scripted model on the same machine, and
what the model was really sent was read. `scripts/adapters` tries them again. TypeScript has [adapters of its
own](typescript.md#adapters)."""
_HEAD: Final = "| framework | module | tried with |\n| --- | --- | --- |"


def page() -> str:
    """Markdown."""
    listed = sorted(adapters(), key=lambda one: (_title(one).casefold(), one.module))
    rows = [
        f"| [{_title(one)}](#{_anchor(_title(one))}) | `{one.module.stem}` | {_tried(one)} |"
        for one in listed
    ]
    return "\n\n".join([_INTRO, "\n".join([_HEAD, *rows]), *map(_section, listed)])


def _section(adapter: Adapter) -> str:
    code = example(adapter.guide)
    if not code:
        raise SystemExit(
            f"{adapter.module}: a guide of an adapter has an example, and this docstring has none"
        )
    first, *others = prose(adapter.guide)
    words = [first.partition(": ")[2], f"```python shown\n{code}\n```", *others]
    return "\n\n".join([f"## {_title(adapter)}", *words])


def _title(adapter: Adapter) -> str:
    said = prose(adapter.guide)[0].partition(": ")[0].removeprefix("The ")
    return said if adapter.module.stem == adapter.framework else f"{said} (`{adapter.module.stem}`)"


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _tried(adapter: Adapter) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions(adapter.framework))
