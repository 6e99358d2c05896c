"""A graph of synthetic work facts: sixty written by hand, the others put together by a seeded generator.

The generated ones speak of the same things as the written ones (deliveries, invoices, rooms, contracts), so that a
question has many near misses. No people.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from measure.graph_facts import FACTS, Fact

ENTITIES: Final = 2_000
_SEED: Final = 20_260
_PLACES: Final = (
    "Itajaí", "Joinville", "Campinas", "Londrina", "Uberlândia", "Sorocaba", "Canoas", "Olinda", "Niterói", "Palmas",
    "Betim", "Maringá",
)  # fmt: skip
_MARKS: Final = (
    "Norte Sul Leste Oeste Aurora Serra Ponte Farol Mirante Lagoa Cedro Ipê Rio Campo Vale Torre".split()
)
_DAYS: Final = (
    "às segundas",
    "às terças",
    "às quartas",
    "às quintas",
    "às sextas",
    "todo dia útil",
    "no fim do mês",
)
_KINDS: Final = {
    "sistema": (
        "Painel Monitor Portal Integrador Módulo Registro Coletor Fila Agenda Consulta".split(),
        (
            "de estoque",
            "de faturas",
            "de pedidos",
            "de transporte",
            "de contratos",
            "de chamados",
            "de vendas",
            "de pontos",
        ),
        (
            "Sincroniza {thing} {day} com o sistema central",
            "Mostra {thing} por região e por período",
            "Roda no servidor de {place} e avisa quando falha",
            "Importa {thing} de planilhas enviadas pelas filiais",
            "Exporta {thing} em CSV para a auditoria",
        ),
    ),
    "regra": (
        "Regra Política Norma Limite Critério Prazo".split(),
        (
            "de pagamento",
            "de crédito",
            "de entrega",
            "de atendimento",
            "de compras",
            "de viagem",
            "de acesso",
            "de garantia",
        ),
        (
            "Vale para {thing} da unidade de {place}",
            "Acima de {number} unidades é preciso autorização da diretoria",
            "O prazo é de {number} dias úteis para {thing}",
            "Não se aplica a {thing} feitos {day}",
            "Exceções são registradas com justificativa",
        ),
    ),
    "fornecedor": (
        "Comercial Distribuidora Indústria Serviços Oficina Embalagens Logística Química".split(),
        (
            "Três Irmãos",
            "Boa Vista",
            "Santa Clara",
            "Novo Rumo",
            "Alto Padrão",
            "Primavera",
            "Litoral",
            "Planalto",
        ),
        (
            "Fornece {thing} para a filial de {place}",
            "Entrega {day} e fatura em {number} dias",
            "O contrato com a empresa vence em {number} meses",
            "Atende {place} e região com frota própria",
            "Vende {thing} com desconto por volume",
        ),
    ),
    "local": (
        "Sala Galpão Doca Pátio Depósito Unidade Oficina Balcão".split(),
        ("A", "B", "C", "1", "2", "3", "Principal", "Anexa"),
        (
            "Fica em {place} e funciona {day}",
            "Comporta {number} pessoas ou {thing}",
            "Guarda {thing} até a coleta",
            "Acesso só com crachá depois das {hour}h",
            "Reservas com {number} dias de antecedência",
        ),
    ),
    "processo": (
        "Conferência Aprovação Revisão Rotina Auditoria Fechamento Cadastro Inspeção".split(),
        (
            "de notas",
            "de pedidos",
            "de clientes",
            "de lotes",
            "de despesas",
            "de equipamentos",
            "de acessos",
            "de cargas",
        ),
        (
            "Começa {day} às {hour}h e termina no mesmo turno",
            "A equipe de {place} confere {thing} antes do envio",
            "Leva em média {number} dias",
            "Se houver divergência em {thing}, abre um chamado",
            "O resultado fica registrado no painel da área",
        ),
    ),
}
_THINGS: Final = (
    "os boletos", "as notas fiscais", "os pedidos urgentes", "os produtos frágeis", "as peças de reposição",
    "os documentos", "os equipamentos", "as embalagens", "as cargas refrigeradas", "os contratos", "as devoluções",
    "os materiais de limpeza", "os uniformes", "as amostras", "os relatórios", "as parcelas", "os cadastros",
    "os veículos", "os chamados", "as garantias", "as comissões", "os treinamentos", "os anúncios", "as senhas",
)  # fmt: skip


def graph(entities: int = ENTITIES) -> list[Fact]:
    """All facts of the graph, those with questions spread among the others."""
    chance = random.Random(_SEED)  # noqa: S311 - the same graph for everybody
    facts = [*FACTS, *_generated(chance, entities - len(FACTS))]
    chance.shuffle(facts)
    return facts


def _generated(chance: random.Random, count: int) -> Iterator[Fact]:
    names = {fact.name for fact in FACTS}
    while count:
        kind = chance.choice(list(_KINDS))
        heads, tails, sentences = _KINDS[kind]
        name = (
            f"{chance.choice(heads)} {chance.choice(tails)} {chance.choice(_MARKS)} {chance.choice(_PLACES)}"
        )
        if name in names:
            continue
        names.add(name)
        count -= 1
        said = chance.sample(sentences, chance.randint(1, 3))
        yield Fact(name, kind, tuple(_filled(chance, sentence) for sentence in said))


def _filled(chance: random.Random, sentence: str) -> str:
    return sentence.format(
        thing=chance.choice(_THINGS),
        place=chance.choice(_PLACES),
        day=chance.choice(_DAYS),
        number=chance.randint(2, 60),
        hour=chance.randint(6, 21),
    )
