"""The invented company of the demo: its file, and what its agents learned. Everything and everybody is made up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

OWNER: Final = "rita@acme.example"

SPACE: Final = f"""\
[space]
slug = "acme"
name = "Acme Distribuidora"
language = "pt"

[[vendor]]
slug = "norte"

[[vendor]]
slug = "sul"

[[agent]]
slug = "cobranca"
vendor = "norte"
[[agent.key]]
name = "demo"
scopes = ["agent_memory", "agent_memory:write"]

[[agent]]
slug = "atendimento"
vendor = "norte"
[[agent.key]]
name = "demo"
scopes = ["agent_memory", "agent_memory:write"]

[[agent]]
slug = "logistica"
vendor = "sul"
[[agent.key]]
name = "demo"
scopes = ["agent_memory", "agent_memory:write"]

[[person]]
slug = "rita"
email = "{OWNER}"
roles = ["owner"]
"""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one agent learned. `agent` is its slug."""

    agent: str
    kind: str
    title: str
    body: str
    tags: tuple[str, ...] = ()


HOLIDAY: Final = Lesson(
    "cobranca",
    "tool_note",
    "ERP recusa vencimento em feriado",
    "Se a nova data cair em feriado bancário, o ERP responde E-417. Use o próximo dia útil.",
    ("erp",),
)
CLEARING: Final = Lesson(
    "cobranca",
    "pitfall",
    "A baixa do boleto demora",
    "O pagamento leva até dois dias úteis para baixar. Não reabra a cobrança antes disso.",
    ("boleto",),
)
LESSONS: Final = (
    Lesson(
        "cobranca",
        "procedure",
        "Segunda via de boleto vencido",
        "Gere a segunda via no ERP, em Financeiro > Títulos, antes de falar em acordo: já sai com juros.",
        ("boleto", "erp"),
    ),
    HOLIDAY,
    CLEARING,
    Lesson(
        "cobranca",
        "process_note",
        "Acordo acima de três parcelas",
        "Passa pela supervisão. Abra o pedido na fila de alçada e só confirme depois do aceite.",
        ("acordo",),
    ),
    Lesson(
        "logistica",
        "procedure",
        "Reentrega após duas ausências",
        "Depois da segunda tentativa, reagende no painel da transportadora e registre o motivo no pedido.",
        ("entrega",),
    ),
    Lesson(
        "logistica",
        "pitfall",
        "Etiqueta reimpressa muda o rastreio",
        "Ao reimprimir a etiqueta, o código de rastreio muda. Atualize o pedido antes de despachar.",
        ("entrega", "etiqueta"),
    ),
)

# A telephone and an address that nobody has: digits in falling order, a domain kept for examples.
ABOUT_A_CUSTOMER: Final = Lesson(
    "cobranca",
    "procedure",
    "Boleto que não chega",
    "Se o boleto não chegar, ligue para (11) 98765-4321 ou escreva para fulano@cliente.example e avise.",
    ("boleto",),
)
FOR_ANY_CUSTOMER: Final = Lesson(
    "cobranca",
    "procedure",
    "Boleto que não chega",
    "Se o boleto não chegar, use o telefone ou o e-mail que estão no cadastro do cliente.",
    ("boleto",),
)
HOLIDAY_BETTER: Final = (
    "Se a nova data cair em feriado bancário, nacional ou da praça, o ERP responde E-417. "
    "Use o próximo dia útil."
)
