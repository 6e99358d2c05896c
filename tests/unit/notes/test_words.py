import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.notes.words import (
    MAX_NOTE_TERMS,
    MAX_QUERY_WORDS,
    STOP_WORDS,
    VERSION,
    Words,
    rarity,
    tag_term,
    term_id,
)

WORDS = Words()

PORTUGUESE = """
fatura faturas, fatura faturamento, fatura faturado, ação acao, ações acao, acoes ação, acoes acao, AÇÕES
ação, cobrança cobranças, cobranca cobranças, cobrar cobrando, cobrar cobrado, cobrar cobrou, cobrar
cobrará, cancelar cancelamento, cancelou cancelado, pagamento pagamentos, pagar pagamento, pago pagar,
estorno estornos, estornar estorno, estornado estornar, papel papéis, nível níveis, nivel níveis, fácil
fáceis, facil faceis, móvel móveis, perfil perfis, fiscal fiscais, mensagem mensagens, ordem ordens, item
itens, erro erros, valor valores, vez vezes, mês meses, análise análises, analisar análise, atualização
atualizar, atualizações atualizado, atualizacao atualizar, importação importar, devolução devoluções,
devolucao devoluções, pão pães, pao pães, mão mãos, irmão irmãos, cliente clientes, gerente gerentes,
emissão emissões, emissao emissões, enviar enviado, enviar enviaria, prazo prazos, reembolso reembolsar,
urgência urgências, urgencia urgências, disponível disponíveis, disponivel disponíveis, rapidamente
rápido, automático automáticos, boleto boletos, útil úteis, regra regras, país países, processar
processamento, atender atendimento, vencer vencimento, orçamento orcamentos, limite limites, hífen hifen
"""
ENGLISH = """
invoice invoices, invoice invoiced, refund refunds, refund refunding, refunded refund, policy policies,
cancel cancelled, canceled cancel, cancel cancellation, payment payments, pay paying, order orders,
ordered ordering, customer customers, customer customer's, customer customer’s, error errors, retry
retries, retrying retry, box boxes, shipping shipped, approve approved, approving approves, query
queries, timeout timeouts, address addresses, update updated, Résumé resume
"""
SPANISH = """
factura facturas, facturación facturar, facturacion facturar, facturación facturaciones, acción acciones,
accion acciones, devolución devoluciones, devolucion devolución, envío envíos, envio envíos, enviar
enviado, enviaría enviar, cobro cobros, cobrar cobrado, luz luces, vez veces, papel papeles, pedido
pedidos, error errores, mes meses, cliente clientes, rápido rápidamente, cancelación cancelar,
cancelacion cancelado, reembolso reembolsos, dirección direcciones, direccion direcciones, almacén
almacenes, almacen almacenes, pago pagos, año años, ano años, señal señales
"""
COMPOUNDS = """
post_credit post_credit, post_credit POST-CREDIT, post_credit credit, post_credit credits, e-mail email,
e-mails email, pre-edit pre-edit, pre-edit edit, pre-edit preedit, gpt-4o GPT-4o, gpt-4o gpt, v2.1 v2.1,
v2.1 V2, segunda-feira segunda, ｆａｔｕｒａ fatura,
ﬁscal fiscal, __init__ init, straße STRASSE, smørrebrød
smorrebrod
"""
APART = """
fatura fratura, prazo preço, conta contrato, order border, pagar pegar, vale valor, ação acaso, pão pau,
boleto bolo, papel papa, invoice voice, refund fund, ship shop, retry entry, policy police, address
dress, limit lime, error mirror, factura fractura, envío viento, pedido piedra, luz lucha, error terror,
cliente caliente, mano mono, carta carro, pedido perdido, fiscal físico, mensal mensagem, processo
progresso, sistema sintoma, banco branco, custo curto, tela telha, senha sanha, estoque estorno, v2.1
v2.10, gpt-4o gpt-4
"""


def pairs(listed: str) -> list[tuple[str, ...]]:
    return [tuple(pair.split()) for pair in listed.replace("\n", " ").split(",")]


def found(query: str, *, title: str = "", body: str = "", tags: tuple[str, ...] = ()) -> int:
    """How many words of the query the note has."""
    note = WORDS.weighted(title, body, tags)
    return sum(any(term in note for term in group) for group in WORDS.query_terms(query))


@pytest.mark.parametrize(
    "pair", pairs(PORTUGUESE) + pairs(ENGLISH) + pairs(SPANISH) + pairs(COMPOUNDS), ids="-".join
)
def test_words_that_find_each_other(pair: tuple[str, str]) -> None:
    assert found(pair[0], body=f"x {pair[1]}, y")
    assert found(pair[1], body=f"x {pair[0]}, y")


@pytest.mark.parametrize("pair", pairs(APART), ids="-".join)
def test_words_that_do_not_find_each_other(pair: tuple[str, str]) -> None:
    whole = [WORDS.query_terms(word)[0] for word in pair]
    assert not set(whole[0]) & set(whole[1])


def test_a_compound_is_a_word_of_its_own_before_its_parts() -> None:
    assert WORDS.terms("post_credit") == ["post_credit", "post", "credit"]
    assert WORDS.terms("v2.1") == ["v2_1", "v2", "1"]
    assert len(WORDS.query_terms("post_credit")) == 3
    assert found("post_credit", body="use post_credit") == 3
    assert found("post_credit", body="post a credit") == 2


def test_stop_words_count_only_when_there_is_nothing_else() -> None:
    assert WORDS.terms("o estorno de uma fatura") == WORDS.terms("estorno fatura")
    assert WORDS.query_terms("what is the refund") == WORDS.query_terms("refund")
    assert WORDS.terms("o que é isso?") == ["o", "que", "e", "isso"]
    assert found("que é isso", body="Não sei o que é isso.") == 3
    assert all(word.isascii() and word == word.lower() for word in STOP_WORDS)


def test_the_title_counts_more_than_tags_and_these_more_than_the_body() -> None:
    word = WORDS.query_terms("refund")[0][0]
    title = WORDS.weighted("refund refund", "", ())[word]
    tag = WORDS.weighted("", "", ("refund",))[word]
    body = WORDS.weighted("", "refund refund refund refund", ())[word]
    assert title > tag > body > WORDS.weighted("", "refund", ())[word] == 1
    assert WORDS.weighted("refund", "refund " * 9, ("refund",))[word] == title + tag + body == 13


def test_a_tag_is_found_exactly_by_its_own_term() -> None:
    note = WORDS.weighted("a title", "a body", ("order:line", "erp"))
    assert {tag_term("order:line"), tag_term("erp")} <= note.keys()
    assert tag_term("order") not in note
    assert tag_term("erp") not in WORDS.weighted("erp", "tag erp", ())
    assert found("line", tags=("order:line",)) == 1


def test_word_order_does_not_matter() -> None:
    one = WORDS.weighted("limite de crédito", "uma fatura", ())
    assert one == WORDS.weighted("crédito de limite", "fatura uma", ())


def test_ids_are_the_same_on_every_machine() -> None:
    assert term_id("fatur") == -8224192905140951713
    assert VERSION == "1"
    # Another release of the stemmers that changes this needs another VERSION, which rebuilds what is stored.
    stems = (
        "atualiz atualizac atualizaco fatur fatura retrying retri invoic invoiz facturacion factur envi envio"
    )
    assert WORDS.terms("As atualizações da fatura: retrying invoices, facturación de envíos") == stems.split()


@pytest.mark.parametrize(
    "query",
    ["", " ", '"', "*", "NEAR(a b)", "a AND NOT b", "%", "title:x", "'; DROP TABLE note",
     "\0", "\ud800", "-", "_._",
     "\u0301" * 500, "a" * 500, "a-" * 250, "\U0001f600", "\u202e", "(" * 500, "ﷺ" * 500, "क्ष", "漢字"],
)  # fmt: skip
def test_no_query_is_an_error(query: str) -> None:
    for group in WORDS.query_terms(query):
        assert group
        assert all(-(2**63) <= term < 2**63 for term in group)
    assert WORDS.weighted(query, query, ()).keys() >= {
        term for group in WORDS.query_terms(query) for term in group
    }


@given(text=st.text(st.characters(), max_size=200))
def test_a_text_always_finds_itself(text: str) -> None:
    note = WORDS.weighted("", text, ())
    assert all(set(group) <= note.keys() for group in WORDS.query_terms(text))


@given(text=st.text(st.sampled_from("aáàãçéñoõü -_."), max_size=40))
def test_case_and_accents_decide_nothing(text: str) -> None:
    plain = text.translate(str.maketrans("áàãçéñõü", "aaacenou")).upper()
    assert set(WORDS.terms(plain)) <= set(WORDS.terms(text))


def test_queries_and_notes_are_bounded() -> None:
    many = " ".join(f"word{at}" for at in range(5000))
    assert len(WORDS.query_terms(many)) == MAX_QUERY_WORDS
    note = WORDS.weighted("title", many, ("tag",))
    assert len(note) == MAX_NOTE_TERMS
    assert {tag_term("tag"), WORDS.query_terms("title")[0][0]} <= note.keys()


def test_one_instance_serves_many_threads() -> None:
    texts = [
        f"{stem}{end}" for stem in ("fatur", "cobr", "cancel", "import") for end in ("ação", "ando", "aria")
    ] * 50
    expected = [WORDS.terms(text) for text in texts]
    shared = Words(remembered=0)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(shared.terms, texts)) == expected
    finally:
        sys.setswitchinterval(interval)


def test_rarity_is_a_small_integer_that_grows_as_words_get_rarer() -> None:
    assert rarity(1000, 1000) == 1
    assert rarity(10**9, 1) == 20
    assert [rarity(0, 0), rarity(1, 5), rarity(5, 0)] == [1, 1, 5]
    ranks = [rarity(500, having) for having in range(1, 501)]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) > 10


@pytest.mark.parametrize(
    "query", ["refund", "the refunds of an order-line", "limites de crédito e-mail", "a o", "ação"]
)
def test_counting_tells_what_the_stored_terms_of_a_text_would(query: str) -> None:
    count = WORDS.counting(query)
    assert count is not None
    groups = WORDS.query_terms(query)
    for text in (
        "",
        "Refund of order lines, refunded",
        "o limite do crédito, por email",
        "a",
        "acoes order_line",
        query,
    ):
        terms = WORDS.weighted("", text, ()).keys()
        assert count(text) == sum(not terms.isdisjoint(forms) for forms in groups)


def test_a_query_without_words_counts_nothing() -> None:
    assert WORDS.counting("  ?! ") is None
