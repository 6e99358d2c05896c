"""Cue words: what the text says a number is. The nearest one decides."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

REACH: Final = 40
"""Characters between a cue and the value that it names."""

_AFTER: Final = 14
_LINE_REACH: Final = 24  # a cue on the line before, as in a form

_WORDS: Final = {
    "cpf": "cpf cpfs cic",
    "cnpj": "cnpj cnpjs cgc",
    "doc": "documento documentos doc document identificacao identificador identification",
    "phone": "telefone telefones fone fones tel tels cel celular celulares whatsapp whats zap zapzap wpp wapp ligar "
    "ligue ligou liguei telefonar telefonou discar disque sms phone phones telephone mobile cell cellphone call "
    "called calling dial text texted fax telefono telefonos movil moviles llamar llame llama llamame llamarle ddd "
    "telegram signal viber recado telemovel contatar fono ramal landline handset ring phoned msisdn",
    "contact": "contato contatos contacto contact reach atende falar hablar numero number",
    "rg": "rg rgs identidade cedula ssp cin",
    "cnh": "cnh habilitacao motorista",
    "pis": "pis pasep nis nit",
    "titulo": "eleitor eleitoral eleitora",
    "cns": "cns sus saude salud",
    "passport": "passaporte passaportes passport passports pasaporte pasaportes",
    "card": "cartao cartoes card cards tarjeta tarjetas visa mastercard amex pan elo hipercard",
    "iban": "iban ibans",
    "pix": "pix evp",
    "bank": "conta contas agencia ag account acct cuenta routing aba cbu clabe poupanca cc sucursal",
    "ssn": "ssn ssns",
    "itin": "itin itins tin",
    "nino": "nino ninos",
    "nif": "nif nifs",
    "nie": "nie nies",
    "dni": "dni dnis",
    "birth": "nascimento nascido nascida nasceu nascidos nasc dn aniversario aniversariante birth birthday birthdate "
    "born dob nacimiento nacido nacida nacio cumpleanos fdn",
    "plate": "placa placas plate plates matricula patente veiculo veiculos carro moto caminhao vehicle car truck van "
    "vehiculo coche camion auto",
    "order": "pedido pedidos protocolo protocolos os ordem ordens ticket tickets chamado chamados nota notas nfe "
    "nfse fatura faturas invoice invoices inv order orders case cases caso reference referencia ref protocol "
    "lote lotes batch sku skus ean gtin upc isbn codigo codigos code codes cod rastreio rastreamento tracking "
    "correlation request trace span task tasks job jobs hash commit build versao version release timestamp ts epoch "
    "cursor seq sequencia sequence nsu tid txid transacao transacoes transaction transactions transaccion "
    "autorizacao authorization boleto boletos digitavel barras barcode contrato contratos contract apolice policy "
    "sinistro claim processo processos process remessa rma orcamento quote cotacao cotizacion factura facturas orden "
    "ordenes guia folio expediente tramite serial serie imei iccid modelo model ncm cfop cep zip porta port host ip "
    "pid offset erro error sqlstate evento event registro record linha row item itens produto product material "
    "instalacao uuid guid session sessao titulo duplicata requisicao requisition shipment envio embarque manifesto "
    "romaneio conhecimento cte mdfe danfe incidente incident issue bug patch firmware part peca id_pedido resolucao "
    "resolution saldo valor preco price total amount importe monto bytes size tamanho duracao porcentagem nid oc po "
    "asn container conteiner lacre centro ticketid orderid protocolado reclamacao so",
}  # fmt: skip
_PAIRS: Final = {
    ("social", "security"): "ssn",
    ("seguro", "social"): "ssn",
    ("national", "insurance"): "nino",
    ("driver", "license"): "cnh",
    ("chave", "aleatoria"): "pix",
    ("clave", "aleatoria"): "pix",
    ("random", "key"): "pix",
    ("payment", "card"): "card",
    ("ordem", "servico"): "order",
    ("fecha", "nac"): "birth",
    ("wa", "me"): "phone",
}
_CUES: Final[Mapping[str, str]] = MappingProxyType(
    {word: kind for kind, words in _WORDS.items() for word in words.split()}
)
# Words between a cue and its value that change nothing: "CPF do cliente: ...", "protocolo de exemplo ...".
_FILLERS: Final = frozenset(
    "a as o os um uma de do da dos das no na nos nas n nr num numero numeros number numbers no. para pra pro por pelo "
    "com e eh ou em ao aos cliente clientes titular paciente dele dela deles sr sra senhor senhora customer client "
    "the of is are for to on at in by his her their my our el la los las del al es su sus mi con exemplo example "
    "ejemplo teste test id ids codigo externo interno fixo residencial comercial pessoal personal novo new nuevo "
    "antigo old principal contato contact primeiro segundo ser foi was esta seu sua meu minha user usuario where "
    "and not null eq hospede passageiro socio corrente bancaria holder owner me us him them dl ou or y o nro num "
    "geral mostra aberto gerado criado corporativo movel cell work home uk us br es usa brasil argentina".split()
)
# "R.G." and "c.p.f" are words too.
_WORD: Final = re.compile(r"[a-z](?:\.[a-z]){1,3}\b|[a-z]+")
_SENTENCE_END: Final = re.compile(r"(?<!\bno)(?<!\bnr)(?<!\bnum)(?<!\bn)(?<!\bnro)[.!?;]\s")
# An order word behind a value says what it was only as an explanation: "(pedido)", "é o protocolo".
_EXPLAINS: Final = re.compile(r"\s?(?:[(\[]|=|:|e [oa]\b|is the\b|es el\b)")


@dataclass(frozen=True, slots=True)
class Near:
    """What the words around a value say: kinds of cues, and which of them touch it but for filler words."""

    kinds: frozenset[str]
    tight: frozenset[str]
    ordered: bool
    """The value follows an order, protocol or version word, and no cue of a person's number is nearer."""

    def says(self, *kinds: str) -> bool:
        """A cue of one of these kinds is near, and the value is not an order number or the like."""
        return not self.ordered and not self.kinds.isdisjoint(kinds)

    def names(self, *kinds: str) -> bool:
        """Like `says`, with nothing but filler words in between."""
        return not self.ordered and not self.tight.isdisjoint(kinds)


@dataclass(frozen=True, slots=True)
class Cue:
    kind: str
    start: int
    end: int


class Cues:
    """The cue words of one text, found once. `text` is the folded text, `low` its plain form of equal length."""

    __slots__ = ("_cues", "_ends", "_low", "_starts")

    def __init__(self, text: str, low: str) -> None:
        self._low = low
        self._cues = list(_cues(text, low))
        self._starts = [cue.start for cue in self._cues]
        self._ends = [cue.end for cue in self._cues]

    def near(self, start: int, end: int) -> Near:
        """The cues around the value at [start, end)."""
        before = self._before(start)
        after = self._after(end)
        kinds = [cue.kind for cue in before + after]
        tight = {cue.kind for cue in before if self._fills(cue.end, start)} | {
            cue.kind for cue in after if self._fills(end, cue.start)
        }
        return Near(frozenset(kinds), frozenset(tight), self._ordered(before, after, start, end, tight))

    def _before(self, start: int) -> list[Cue]:
        """Nearest first."""
        first = bisect_left(self._ends, start - REACH)
        last = bisect_right(self._ends, start)
        return [cue for cue in self._cues[first:last][::-1] if self._same_breath(cue.end, start, REACH)]

    def _after(self, end: int) -> list[Cue]:
        first = bisect_left(self._starts, end)
        last = bisect_right(self._starts, end + _AFTER)
        return [cue for cue in self._cues[first:last] if self._same_breath(end, cue.start, _AFTER)]

    def _same_breath(self, start: int, end: int, reach: int) -> bool:
        gap = self._low[start:end]
        # From the second character on: the full stop of "tel. 11 ..." ends no sentence.
        if len(gap) > reach or _SENTENCE_END.search(gap, 1):
            return False
        return "\n" not in gap or len(gap) <= _LINE_REACH

    def _fills(self, start: int, end: int) -> bool:
        words = _WORD.findall(self._low[start:end])
        return all(word in _FILLERS or word in _CUES for word in words)

    def _ordered(self, before: list[Cue], after: list[Cue], start: int, end: int, tight: set[str]) -> bool:
        if "order" not in tight:
            return False
        rival = [start - cue.end for cue in before if cue.kind not in {"order", "contact", "doc"}]
        rival += [cue.start - end - 2 for cue in after if cue.kind not in {"order", "contact", "doc"}]
        orders = [start - cue.end for cue in before if cue.kind == "order" and self._fills(cue.end, start)]
        orders += [cue.start - end for cue in after if cue.kind == "order" and self._explains(end, cue.start)]
        return bool(orders) and (not rival or min(orders) <= min(rival))

    def _explains(self, start: int, end: int) -> bool:
        return self._fills(start, end) and _EXPLAINS.match(self._low, start, end) is not None


def _cues(text: str, low: str) -> Iterator[Cue]:
    previous = ""
    for word in _WORD.finditer(low):
        said = word[0].replace(".", "")
        kind = _CUES.get(said) or _PAIRS.get((previous, said))
        previous = said
        # "os" is an article and "so" a word, "OS" and "SO" are orders.
        if kind and not (said in {"os", "so", "po", "oc"} and text[word.start()].islower()):
            yield Cue(kind, word.start(), word.end())
