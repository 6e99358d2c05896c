"""Words around names: what announces a person, and what makes a name a place, a company or a system. Folded."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

PARTICLES: Final = frozenset(
    "de da do das dos del della di du la las los le van "
    "von der den ter ten y e bin ibn al el abu mac san santa".split()
)
"""Small words inside names. `e` and `y` join surnames too."""

TITLES: Final = frozenset(
    "sr sra srta srs sras senhor senhora senhorita dona seu dom dr dra drs doutor doutora prof profa profe professor "
    "professora mr mrs ms mx miss mister sir madam lady don dona doa sres senor senora senorita lic licenciado "
    "licenciada ing ingeniero ingeniera dn dna tia tio vovo vo padre pastor pastora frei irma reverend rev "
    "maestro maestra capt sgt dctr eng engenheiro engenheira arq adv".split()
)
ROLES: Final = frozenset(
    "cliente clienta paciente titular titulares segurado segurada beneficiario beneficiaria beneficiarios comprador "
    "compradora devedor devedora fiador fiadora avalista avalistas locatario locataria inquilino inquilina morador "
    "moradora hospede passageiro passageira aluno aluna motorista entregador entregadora vendedor vendedora corretor "
    "corretora gerente supervisor supervisora atendente operador operadora tecnico tecnica medico medica enfermeiro "
    "enfermeira advogado advogada contador contadora socio socia socios sindico sindica solicitante reclamante "
    "requerente responsavel dependente dependentes conjuge esposa esposo "
    "marido mulher filho filha mae pai irmao irma "
    "viuva viuvo mutuario mutuaria colega analista diretor diretora usuario usuaria assinante portador portadora "
    "destinatario remetente favorecido favorecida herdeiro "
    "herdeira herdeiros procurador preposto candidato candidata "
    "customer client patient claimant policyholder tenant guest passenger driver student buyer borrower cardholder "
    "subscriber caller manager supervisor agent nurse physician "
    "attorney lawyer wife husband son daughter mother father "
    "brother sister widow widower colleague coworker "
    "owner recipient attendee attendees employee applicant beneficiary "
    "asegurado asegurada beneficiaria huesped pasajero pasajera alumno alumna conductor conductora vendedora asesor "
    "asesora encargado encargada abogado abogada deudor deudora aval conyuge hijo hija hermano hermana madre padre "
    "viuda viudo companero companera empleado empleada usuaria solicitante contacto contato contact perito perita "
    "nome name nombre named chamado chamada called llamado llamada".split()
)
SPEECH: Final = frozenset(
    "disse diz falou fala pediu pede ligou liga "
    "avisou reclamou perguntou respondeu confirmou informou relatou escreveu "
    "mandou enviou quer queria prefere solicitou assinou "
    "aprovou autorizou recusou cancelou comentou explicou insiste "
    "contou lembrou paga pagou agradeceu voltou retornou trocou "
    "assumiu faleceu mora said says told asked wrote called "
    "replied confirmed wants wanted prefers approved signed "
    "complained insists mentioned noticed thinks agreed refused "
    "emailed dijo dice pidio pide llamo llama aviso pregunto respondio confirmo escribio mando quiere prefiere firmo "
    "aprobo autorizo rechazo cancelo comento insiste paga pago reclamo".split()
)
ADDRESSES: Final = frozenset(
    "ola oi prezado prezada caro cara querido querida hi hello hey dear thanks thank hola estimado estimada gracias "
    "obrigado obrigada valeu att cheers regards saludos abracos abs atenciosamente sincerely cordialmente".split()
)
COMPANY_ENDS: Final = frozenset(
    "ltda eireli epp inc llc llp ltd corp corporation gmbh plc pty srl sl sas slu cia co company companhia compania "
    "group grupo holding associados asociados associates partners filhos hijos sons hermanos irmaos brothers bros "
    "advogados abogados".split()
)
TRADES: Final = frozenset(
    "transportes transporte transportadora logistica comercio comercial industria industrias industrial engenharia "
    "construtora construcoes materiais moveis imoveis imobiliaria confeccoes calcados alimentos bebidas supermercado "
    "supermercados mercado mercearia padaria pizzaria restaurante lanchonete hotel pousada farmacia drogaria otica "
    "joalheria livraria papelaria autopecas veiculos motors automoveis oficina consultoria contabilidade tecnologia "
    "sistemas servicos seguros corretora distribuidora atacado varejo magazine lojas loja casas boutique cosmeticos "
    "eletro moda tecidos laticinios frigorifico fazenda sitio haras usina cafe cervejaria telecom energia foods "
    "logistics transport shipping trucking freight construction consulting industries motors airlines bank banco "
    "insurance foundation stores store supply plumbing dental bakery brewery realty properties energy pharma "
    "pharmacy labs technologies software solutions systems transportes ferreteria panaderia muebles inmobiliaria "
    "construcciones seguros bodega bodegas tienda tiendas almacenes textiles laboratorio laboratorios".split()
)
FACILITIES: Final = frozenset(
    "hospital clinica maternidade santa-casa santuario colegio escola escuela school college university universidade "
    "universidad faculdade facultad instituto institute fundacao fundacion igreja iglesia church paroquia parroquia "
    "capela catedral cathedral basilica teatro theatre estadio stadium arena ginasio aeroporto airport aeropuerto "
    "edificio residencial condominio torre tower shopping mall center centro biblioteca library museu museo museum "
    "parque park jardim cemiterio terminal estacao estacion station rodoviaria porto upa ubs creche unidade sede "
    "filial agencia sucursal branch campus sanatorio policlinica centre medical memorial laboratorio quartel forum "
    "presidio asilo abrigo ambulatorio hall building plaza cd galpao armazem loja posto".split()
)
STREETS: Final = frozenset(
    "rua avenida av travessa alameda praca largo rodovia estrada viaduto ponte ladeira beco vila bairro r calle "
    "avda carrera carretera paseo plaza callejon barrio colonia via "
    "camino street st road rd avenue ave blvd boulevard "
    "lane drive dr highway hwy square court bridge esquina cep km marginal elevado tunel linha".split()
)
PLACES: Final = frozenset(
    "cidade municipio estado regiao comarca distrito city town county state village ciudad provincia departamento "
    "ilha isla island serra lago lake mount monte rio river aeroporto".split()
)
SYSTEMS: Final = frozenset(
    "sistema bot robo chatbot assistente asistente app aplicativo plataforma servidor server host fila queue modulo "
    "module api erp crm software ferramenta tool "
    "painel dashboard job script banco-de-dados database cluster ambiente "
    "environment tenant repo repositorio pipeline projeto project "
    "proyecto produto product plano plan campanha campaign "
    "impressora printer sala room skill agent ia ai modelo model versao version release branch linha modulo servico "
    "service integracao conector connector plugin biblioteca library framework motor engine".split()
)

CLASSES: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "T": TITLES,
        "R": ROLES,
        "S": SPEECH,
        "A": ADDRESSES,
        "C": COMPANY_ENDS,
        "I": TRADES,
        "F": FACILITIES,
        "W": STREETS,
        "P": PLACES,
        "Y": SYSTEMS,
    }
)
"""Each class under the letter that stands for it in the model's features."""

CUES: Final[Mapping[str, str]] = MappingProxyType(
    {
        word: "".join(letter for letter, words in CLASSES.items() if word in words)
        for word in frozenset().union(*CLASSES.values())
    }
)
"""The letters of the classes that a word belongs to."""
