"""Notes as agents write them, in Portuguese and English, from templates and seeded chance. No person is in them.

Names of systems follow a long-tailed distribution: some stand in many notes, most in a few, as words do.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

SEED = 20_240_607
_KINDS = ("procedure", "tool_note", "process_note", "pitfall")
_SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi zo lar mer tin dor vel pra cri sto gra fle".split()
_PREFIXES = ("erp", "crm", "wms", "svc")
_NAMES = 4000

_TITLES = (
    "{verb_en} the {object_en} in {name}",
    "{name}: {object_en} {state_en}",
    "When {name} answers {code}",
    "{verb_pt} {object_pt} no {name}",
    "{name}: {object_pt} {state_pt}",
    "Quando {name} responde {code}",
)
_SENTENCES = (
    "Open {name}, choose the {object_en} and {verb_en} it before the {moment_en}.",
    "If {name} shows {code}, the {object_en} is {state_en}: wait {number} minutes and {verb_en} it once more.",
    "Never {verb_en} a {object_en} that is {state_en}, because {other} counts it twice.",
    "The field {field} takes {number} characters; what is longer is cut without a warning.",
    "Ask {other} for the {object_en} first, since {name} only sees it after the {moment_en}.",
    "Abra {name}, escolha {object_pt} e mande {verb_pt} antes do {moment_pt}.",
    "Se {name} mostrar {code}, o registro está {state_pt}: espere {number} minutos e tente de novo.",
    "Não mande {verb_pt} {object_pt} que esteja {state_pt}, porque {other} conta duas vezes.",
    "O campo {field} aceita {number} caracteres; o que passar disso é cortado sem aviso.",
    "Peça {object_pt} ao {other} primeiro, pois {name} só enxerga depois do {moment_pt}.",
)
_WORDS = {
    "verb_en": "void reopen approve export split merge cancel reprint forward archive recalculate post".split(),
    "object_en": "invoice ledger shipment refund contract ticket payment order receipt quote batch claim".split(),
    "state_en": "blocked pending overdue duplicated locked rejected expired settled partial disputed".split(),
    "moment_en": "closing cut-off audit night-run reconciliation hand-over settlement month-end".split(),
    "verb_pt": "cancelar reabrir aprovar exportar dividir juntar estornar reimprimir enviar arquivar lançar".split(),
    "object_pt": "a fatura,o lançamento,a remessa,o reembolso,o contrato,o chamado,o pagamento,o pedido".split(","),
    "state_pt": "bloqueado pendente vencido duplicado travado rejeitado liquidado parcial contestado".split(),
    "moment_pt": "fechamento,corte,processamento noturno,acerto,repasse,fim do mês".split(","),
    "field": "post_credit due_date cost_center batch_no tax_code branch_id ship_to doc_type".split(),
}  # fmt: skip
_TAGS = "billing ledger shipping refunds contracts support erp.v2 portal reports month-end".split()


@dataclass(frozen=True, slots=True)
class Text:
    """What an agent would send to keep a note."""

    kind: str
    title: str
    body: str
    tags: tuple[str, ...]


class Writer:
    """An endless source of texts and queries; equal seeds write equal texts."""

    def __init__(self, seed: int = SEED) -> None:
        self._chance = random.Random(seed)
        self._names = [self._new_name() for _ in range(_NAMES)]
        # Zipf: the n-th name is n times rarer than the first.
        self._weights = list(accumulate(1 / (rank + 1) for rank in range(_NAMES)))

    def text(self) -> Text:
        chance = self._chance
        body = " ".join(self._fill(chance.choice(_SENTENCES)) for _ in range(chance.randint(2, 5)))
        tags = tuple(sorted(chance.sample(_TAGS, chance.randint(0, 3))))
        return Text(chance.choice(_KINDS), self._fill(chance.choice(_TITLES)), body, tags)

    def query(self) -> str:
        """Two to four words: what is to be done with what, mostly where."""
        language = self._chance.choice(("en", "pt"))
        words = [self._pick(f"verb_{language}"), self._pick(f"object_{language}").split()[-1]]
        if self._chance.random() < 0.7:
            words.append(self._name())
        if self._chance.random() < 0.3:
            words.append(self._pick(f"state_{language}"))
        return " ".join(words)

    def _fill(self, template: str) -> str:
        words = {name: self._pick(name) for name in _WORDS if f"{{{name}}}" in template}
        numbers = {"code": f"E{self._chance.randint(100, 999)}", "number": self._chance.randint(2, 90)}
        return template.format(**words, **numbers, name=self._name(), other=self._name())

    def _pick(self, name: str) -> str:
        choices: Sequence[str] = _WORDS[name]
        return self._chance.choice(choices)

    def _name(self) -> str:
        return self._chance.choices(self._names, cum_weights=self._weights)[0]

    def _new_name(self) -> str:
        # Like the code of a system: an invented word can read like somebody's name, which no note may hold.
        word = "".join(self._chance.choices(_SYLLABLES, k=self._chance.randint(2, 4)))
        return f"{self._chance.choice(_PREFIXES)}{self._chance.randint(2, 9)}{word}"
