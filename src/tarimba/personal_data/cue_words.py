"""The cue words of the three languages and the filler words that may stand between one and its value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

_WORDS: Final = {
    "cpf": "cpf cpfs cic",
    "cnpj": "cnpj cnpjs cgc",
    "doc": "documento documentos doc document identificacao identificador identification",
    "phone": "telefone telefones fone fones tel tels cel celular celulares whatsapp whats zap zapzap "
    "wpp wapp ligar llamen llamad llamarla llamarte llamarme liguem marcar marque discou "
    "ligue ligou liguei telefonar telefonou discar disque sms phone phones telephone mobile cell "
    "cellphone call "
    "called calling dial text texted fax telefono telefonos movil moviles llamar llame llama llamame "
    "llamarle llamale llamarlo llamarla ligamos ligaram ddd "
    "celu llamalo llamala llamarnos llamalos avisale avisarle tlf tlfs tlfno tfno tfnos telf tlfn telem movel "
    "telegram signal viber recado telemovel contatar fono "
    "ramal landline handset ring phoned msisdn",
    "contact": "contato contatos contacto contact reach atende falar hablar numero number",
    "rg": "rg rgs identidade cedula ssp cin",
    "cnh": "cnh habilitacao motorista hab",
    "pis": "pis pasep nis nit",
    "titulo": "eleitor eleitoral eleitora",
    "cns": "cns sus saude salud",
    "passport": "ppt pspt pport passaporte passaportes passport passports pasaporte pasaportes",
    "card": "cartao cartoes card cards tarjeta tarjetas visa mastercard amex pan elo hipercard",
    "iban": "iban ibans",
    "pix": "pix evp",
    "bank": "conta contas agencia ag account acct cuenta routing aba cbu clabe poupanca cc sucursal",
    "ssn": "ssn ssns",
    "itin": "itin itins tin",
    "nino": "nino ninos",
    "nif": "nif nifs",
    "nie": "nie nies",
    "dni": "dni dnis identidad du",
    "birth": "nascimento nascido nascida nasceu nascidos nasc dn aniversario aniversariante birth "
    "birthday birthdate "
    "born dob dobs bday nascto nascim nacim fnac fnasc dtnasc datanasc fechanac birthdt nacimiento nacido nacida "
    "nacio cumpleanos fdn nac",
    "plate": "placa placas plate plates matricula patente veiculo veiculos carro moto caminhao vehicle "
    "car truck van "
    "vehiculo vehiculos coche coches camion camiones camioneta furgoneta furgon auto bitrem rodotrem carreta carretas "
    "cavalo reboque semirreboque remolque trailer lorry dominio chapa onibus utilitario trator tractor taxi frota rego",
    "order": "pedido pedidos protocolo protocolos os ordem ordens ticket tickets chamado chamados nota "
    "notas nfe "
    "nfse fatura faturas invoice invoices inv order orders case cases caso reference referencia ref protocol "
    "lote lotes batch sku skus ean gtin upc isbn codigo codigos code codes cod rastreio rastreamento "
    "tracking "
    "correlation request trace span task tasks job jobs hash commit build versao version release "
    "timestamp ts epoch "
    "cursor seq sequencia sequence nsu tid txid transacao transacoes transaction transactions transaccion "
    "autorizacao authorization boleto boletos digitavel barras barcode contrato contratos contract rota rotas "
    "ruta route "
    "apolice policy "
    "sinistro claim processo processos process remessa rma orcamento quote cotacao cotizacion factura "
    "facturas orden "
    "ordenes guia folio expediente tramite serial serie imei iccid modelo model ncm cfop cep zip porta "
    "port host ip "
    "pid offset erro error sqlstate evento event registro record linha row item itens produto product "
    "material "
    "instalacao uuid guid session sessao titulo duplicata chg pn rfc ped pmt requisicao requisition shipment envio "
    "embarque manifesto "
    "romaneio conhecimento cte mdfe danfe incidente incident issue bug patch firmware part peca "
    "id_pedido resolucao "
    "resolution saldo valor preco price total amount importe monto bytes size tamanho duracao "
    "porcentagem nid oc po "
    "asn container conteiner lacre memoria memory limite limit centro ticketid orderid protocolado "
    "reclamacao so",
}  # fmt: skip
PAIRS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("social", "security"): "ssn",
        ("seguro", "social"): "ssn",
        ("national", "insurance"): "nino",
        ("ni", "no"): "nino",
        ("ni", "number"): "nino",
        ("ni", "num"): "nino",
        ("travel", "document"): "passport",
        ("pp", "no"): "passport",
        ("pp", "number"): "passport",
        ("b", "day"): "birth",
        ("social", "sec"): "ssn",
        ("soc", "sec"): "ssn",
        ("nat", "ins"): "nino",
        ("documento", "nacional"): "dni",
        ("documento", "nac"): "dni",
        ("documento", "unico"): "dni",
        ("documento", "viagem"): "passport",
        ("vehicle", "reg"): "plate",
        ("car", "reg"): "plate",
        ("reg", "plate"): "plate",
        ("driver", "license"): "cnh",
        ("chave", "aleatoria"): "pix",
        ("clave", "aleatoria"): "pix",
        ("random", "key"): "pix",
        ("payment", "card"): "card",
        ("ordem", "servico"): "order",
        ("fecha", "nac"): "birth",
        ("ao", "mundo"): "birth",
        ("al", "mundo"): "birth",
        ("cnh", "registro"): "cnh",
        ("wa", "me"): "phone",
        ("meu", "numero"): "phone",
        ("seu", "numero"): "phone",
        ("su", "numero"): "phone",
        ("mi", "numero"): "phone",
        ("my", "number"): "phone",
        ("his", "number"): "phone",
        ("her", "number"): "phone",
        ("numero", "dele"): "phone",
        ("numero", "dela"): "phone",
    }
)
# Labels are typed in a hurry: `passprte`, `nascimetno`, `telefnoe`. Only long ones, that slip into no other word.
_SLIPS: Final = (
    "telefone telefono telephone celular whatsapp identidade habilitacao eleitoral passaporte passport pasaporte "
    "nascimento nacimiento aniversario birthday birthdate matricula documento"
)


def _slips(word: str) -> Iterator[str]:
    """A word with one letter left out, doubled, or changed for its neighbour; its first letter stays."""
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at] + word[at:]
        yield word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]


_SAID: Final = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_MISSPELT: Final = {
    slip: _SAID[word] for word in _SLIPS.split() for slip in _slips(word) if slip not in _SAID
}
CUES: Final[Mapping[str, str]] = MappingProxyType({**_MISSPELT, **_SAID})
# Words between a cue and its value that change nothing: "CPF do cliente: ...", "protocolo de exemplo ...".
FILLERS: Final = frozenset(
    "a as o os um uma de do da dos das no na nos nas n nr num numero numeros number numbers no. para "
    "pra pro por pelo "
    "com e eh ou em ao aos cliente clientes titular paciente dele dela deles sr sra senhor senhora "
    "customer client "
    "the of is are for to on at in by his her their my our el la los las del al es su sus mi con "
    "exemplo example "
    "ejemplo teste test id ids codigo externo interno fixo residencial comercial pessoal personal novo "
    "new nuevo "
    "antigo old principal contato contact primeiro segundo ser foi was esta seu sua meu minha user "
    "usuario where "
    "and not null eq hospede passageiro socio corrente bancaria holder owner me us him them dl ou or y "
    "o nro num "
    "geral mostra aberto gerado criado corporativo movel cell work home uk us br es usa brasil "
    "argentina argentino espanol espanola brasileiro brasileira americano "
    "responsavel dependente aluno aluna funcionario funcionaria segurado segurada comprador vendedor devedor fiador "
    "inquilino locatario morador visitante candidato candidata colaborador estagiario beneficiario conjuge mae "
    "pai filho "
    "filha esposa marido tutor responsable empleado empleada alumno alumna huesped pasajero asegurado madre padre hijo "
    "hija guest employee patient tenant member insured applicant candidate student mother father spouse wife "
    "husband son "
    "daughter informado informada cadastrado cadastrada correto correta errado errada certo certa veio era fue figura "
    "llego reads shows given entered typed digitado digitada capturado dictado dicto digitou digitaram informou "
    "res resid particular laboral trabajo casa trabalho venezolano italiano frances francesa aleman alema holandes "
    "sr sra que como sem sin without".split()
)
