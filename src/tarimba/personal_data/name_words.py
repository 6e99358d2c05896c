"""Words around names: what announces a person, and what makes a name a place, a company or a system. Folded."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

PARTICLES: Final = frozenset(
    "de da do das dos del della di du la las los le van von der den ter ten y e bin ibn al el abu mac san santa".split()
)
"""Small words inside names. `e` and `y` join surnames too."""

TITLES: Final = frozenset(
    "sr sra srta srs sras senhor senhora senhorita dona seu dom dr dra drs doutor doutora prof profa profe professor "
    "professora mr mrs ms mx miss mister sir madam lady don doa sres senor senora senorita lic licenciado licenciada "
    "ing ingeniero ingeniera dn dna tia tio vovo vo padre pastor pastora frei irma reverend rev maestro maestra capt "
    "sgt dctr eng engenheiro engenheira arq adv".split()
)
ROLES: Final = frozenset(
    "cliente clienta paciente titular titulares segurado segurada beneficiario beneficiaria beneficiarios comprador "
    "compradora devedor devedora fiador fiadora avalista avalistas locatario locataria inquilino inquilina morador "
    "moradora hospede passageiro passageira aluno aluna motorista entregador entregadora vendedor vendedora corretor "
    "corretora gerente supervisor supervisora atendente operador operadora tecnico tecnica medico medica enfermeiro "
    "enfermeira advogado advogada contador contadora socio socia socios sindico sindica solicitante reclamante "
    "requerente responsavel dependente dependentes conjuge esposa esposo marido mulher filho filha mae pai irmao irma "
    "viuva viuvo mutuario mutuaria colega analista diretor diretora usuario usuaria assinante portador portadora "
    "destinatario remetente favorecido favorecida herdeiro herdeira herdeiros procurador preposto candidato candidata "
    "customer client patient claimant policyholder tenant guest passenger driver student buyer borrower cardholder "
    "subscriber caller manager agent nurse physician attorney lawyer wife husband son daughter mother father brother "
    "sister widow widower colleague coworker owner recipient attendee attendees employee applicant beneficiary "
    "asegurado asegurada huesped pasajero pasajera alumno alumna conductor conductora asesor asesora encargado "
    "encargada abogado abogada deudor deudora aval conyuge hijo hija hermano hermana madre padre viuda viudo "
    "companero companera empleado empleada contacto contato contact perito perita nome name nombre named chamado "
    "chamada called llamado llamada".split()
)
RELATIONS: Final = frozenset(
    "abuela abuelo accountant albanil alcalde alcaldesa aprendiz aunt avo barista bartender bibliotecaria "
    "bibliotecario bombeiro bombero boyfriend cabeleireira camarera camarero capataz carer caretaker carpenter "
    "carpinteiro carpintero cartero caseira caseiro cashier chofer cirujano cocinera cocinero comisario concejal "
    "condomino conserje constable coordenador coordenadora costureira councillor cousin cozinheira cozinheiro "
    "cuidador cuidadora cunada cunado cunhada cunhado delegada delegado dentist dentista diarista electrician "
    "electricista eletricista encanador enfermera enfermero estagiaria estagiario farmaceutica farmaceutico faxineira "
    "faxineiro fiance fiancee firefighter fisioterapeuta foreman garcom garconete gardener genro girlfriend "
    "granddaughter grandfather grandma grandmother grandpa grandson intendente intern janitor jardineiro jardinero "
    "judge juez jueza juiza landlady landlord librarian locksmith lodger madrasta maestro marceneiro mecanico "
    "mechanic midwife motoboy mover namorada namorado neighbor neighbour nephew neta neto niece nieta nieto ninera "
    "noiva noivo nora novia novio nuera padrasto paramedic parteira partera pasante pedagoga pedreiro pharmacist "
    "plomero plumber policia policial porteira porteiro portera portero postman prefeita prefeito professora promotor "
    "promotora psicologa psicologo repartidor repartidora secretario secretary sheriff sobrina sobrinha sobrinho "
    "sobrino sogra sogro soldador stepdaughter stepson suegra suegro surgeon teacher therapist tia tio trainee uncle "
    "vecina vecino vereador vereadora vet veterinaria veterinario vizinha vizinho waiter waitress welder yerno "
    "zelador zeladora".split()
)
"""What persons are to one another or do for a living: to the lists such a word announces a name as a role does."""
SPEECH: Final = frozenset(
    "disse diz falou fala pediu pede ligou liga avisou reclamou perguntou respondeu confirmou informou relatou "
    "escreveu mandou enviou quer queria prefere solicitou assinou aprovou autorizou recusou cancelou comentou "
    "explicou insiste contou lembrou paga pagou agradeceu voltou retornou trocou assumiu faleceu mora said says told "
    "asked wrote called replied confirmed wants wanted prefers approved signed complained insists mentioned noticed "
    "thinks agreed refused emailed dijo dice pidio pide llamo llama aviso pregunto respondio confirmo escribio mando "
    "quiere prefiere firmo aprobo autorizo rechazo cancelo comento pago reclamo acha sabe entende cuida esqueceu "
    "prometeu jura concorda discorda decide decidiu assina confere aprova autoriza orienta orientou explica ensina "
    "ensinou treinou gosta odeia costuma conhece reclama atende atendeu conferiu revisou revisa topou faltou viajou "
    "garante garantiu repassou repassa achou derrubou refez lancou estornou cadastrou digitou knows hates likes loves "
    "forgot promised swears reckons decides decided signs approves reviews reviewed handles covers rang rings phoned "
    "texted explained taught showed figured swapped suggested recommends recommended recalls remembers owes disputes "
    "disagrees agrees promises asks tells calls cree entiende olvido prometio decidio firma aprueba explico enseno "
    "atiende atendio falto viajo opina recuerda discute acepta acepto pregunta contesto".split()
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
    "logistics transport shipping trucking freight construction consulting industries airlines bank banco insurance "
    "foundation stores store supply plumbing dental bakery brewery realty properties energy pharma pharmacy labs "
    "technologies software solutions systems ferreteria panaderia muebles inmobiliaria construcciones bodega bodegas "
    "tienda tiendas almacenes textiles laboratorio laboratorios cargas fretes express encomendas hortifruti modas "
    "refrigeracao climatizacao ferragens perfumaria barbearia buffet seguradora financeira incorporadora sementes "
    "agro resort palace inn plaza suites arms grill diner haulage couriers removals builders joinery winery vineyards "
    "fletes encomiendas carniceria peluqueria repuestos zapateria libreria imprenta cementos pizzeria deli".split()
)
FACILITIES: Final = frozenset(
    "hospital clinica maternidade santa-casa santuario colegio escola escuela school college university universidade "
    "universidad faculdade facultad instituto institute fundacao fundacion igreja iglesia church paroquia parroquia "
    "capela catedral cathedral basilica teatro theatre estadio stadium arena ginasio aeroporto airport aeropuerto "
    "edificio residencial condominio torre tower shopping mall center centro biblioteca library museu museo museum "
    "parque park jardim cemiterio terminal estacao estacion station rodoviaria porto upa ubs creche unidade sede "
    "filial agencia sucursal branch campus sanatorio policlinica centre medical memorial laboratorio quartel forum "
    "presidio asilo abrigo ambulatorio hall building plaza cd galpao armazem loja posto predio predios bloco ala alas "
    "enfermaria pavilhao pabellon ward wards wing hospitais hospitales hospitals clinicas escolas escuelas schools "
    "colegios estacoes estaciones stations terminais terminales terminals unidades filiais agencias sucursales "
    "branches campuses edificios buildings leito leitos auditorio subestacao subestacoes subestacion substation aula "
    "aulas ubss upas paroquias cras creas caps".split()
)
STREETS: Final = frozenset(
    "rua avenida av travessa alameda praca largo rodovia estrada viaduto ponte ladeira beco vila bairro r calle avda "
    "carrera carretera paseo plaza callejon barrio colonia via camino street st road rd avenue ave blvd boulevard "
    "lane drive dr highway hwy square court bridge esquina cep km marginal elevado tunel linha linhas linea lineas "
    "line rota rotas ruta rutas route routes ruas calles streets avenidas avenues roads bairros barrios colonias "
    "rodovias trevo glorieta retorno trecho tramo entroncamento viadutos pedagio".split()
)
PLACES: Final = frozenset(
    "cidade municipio estado regiao comarca distrito city town county state village ciudad provincia departamento "
    "ilha isla island serra lago lake mount monte rio river aeroporto".split()
)
SYSTEMS: Final = frozenset(
    "sistema bot robo chatbot assistente asistente app aplicativo plataforma servidor server host fila queue modulo "
    "module api erp crm software ferramenta tool painel dashboard job script banco-de-dados database cluster ambiente "
    "environment tenant repo repositorio pipeline projeto project proyecto produto product plano plan campanha "
    "campaign impressora printer sala room skill agent ia ai modelo model versao version release branch linha servico "
    "service integracao conector connector plugin biblioteca library framework motor engine sistemas servidores "
    "servers hosts maquina maquinas machines filas queues colas cola clusters nodo nodos microsservico microservicio "
    "microservice microservices robos bots projetos proyectos projects impressoras printers tabela tabelas tabla "
    "tablas table tables modulos deploy container containers pod namespace namespaces node nodes topico topic bucket "
    "schema view ambientes environments assistentes rooms ura uras ivr aplicacao aplicativos apps virtual "
    "virtuais".split()
)

EPONYMS: Final = frozenset(
    "lei leis ley leyes law laws act acts statute decreto estatuto sumula doenca doencas sindrome sindromes mal "
    "enfermedad disease diseases syndrome disorder lymphoma escala escalas scale score escore teste testes test tests "
    "prueba pruebas exame sinal signo sign manobra maniobra maneuver manoeuvre metodo metodos method methods formula "
    "formulas algoritmo algorithm teorema theorem indice index curva curve diagrama grafico chart matriz matrix regra "
    "regla rule efeito efecto effect principio principle criterio criterios criteria classificacao clasificacion "
    "classification piramide distribuicao distribucion distribution coeficiente equacao ecuacion equation paradoxo "
    "premio prize award bolsa scholarship beca edital operacao operativo trofeu copa torneio torneo torneos doutrina "
    "doctrina doctrine reacao caligrafia cirurgia cirugia procedimento protocolo".split()
)
"""What is called after somebody long dead: laws, diseases, methods, prizes."""
NAMESAKES: Final = frozenset(
    "furacao furacoes hurricane hurricanes huracan huracanes tempestade tempestades tormenta storm storms typhoon "
    "tufao ciclone cyclone navio navios nave naves buque buques ship ships vessel vessels barco barcos boat boats "
    "lancha balsa ferry veleiro rebocador variedade variedades cultivar soja milho maiz apple apples manzana uva uvas "
    "colecao coleccion collection sofa sofas poltrona colchao colchon cama cadeira silla sillon lamp chair jacket "
    "dress vestido sandalia perfume marca marcas brand brands seguradoras aseguradoras insurers brokers bancos banks "
    "redes fornecedores proveedores suppliers vendors concorrentes competitors farmacias hoteis hoteles hotels usina "
    "usinas bacia barragem represa dam motores bombas valvulas pumps filtros taladros remedio remedios medicamento "
    "medicamentos drug drugs colirio lote lotes sprint tema theme fonte font planilha spreadsheet dataset datasets "
    "borrasca borrascas temporal nevasca cartao cartoes tarjeta tarjetas card cards plano planos plan planes seguro "
    "conta turma turmas talhao talhoes quadra linha berco estante armario comoda luminaria abajur crib wardrobe shelf "
    "lampara cuna turbina turbine aerogerador gerador generator caldeira caldera boiler trator tractor vaca cow egua "
    "yegua touro toro estates parcel merger edition edicao edicion cupom cupon coupon codinome codename".split()
)
"""Ships, storms, goods and brands: many bear a first name."""
CONTACTS: Final = frozenset(
    "fala falar fale falei falou chama chamar chame chamei pergunta perguntar pergunte perguntei avisa avisar avise "
    "avisei liga ligar ligue liguei pede pedir peca pedi procura procurar procure combinar combinei combinado alinhar "
    "alinhei escalar cobrar cobra cobre cutucar pingar pinga pingei ask asked asking tell told talk talked speak "
    "spoke spoken ping pinged page paged notify met meet reach loop cc thx ty kudos via pregunta preguntar "
    "preguntarle avisarle avisale llamar llamale pidele hable habla hablar decirle dile dije consultar "
    "escribirle buscar mandale nudge chase remind contactar contatar encaminhar passei repassei herdei aprendi".split()
)
"""What one does with a person: ask, tell, call."""
CHARGES: Final = frozenset(
    "requester approver approvers assignee reviewer reviewed author owner reporter submitter witness witnesses attn "
    "attention resp responsavel presentes asistentes participantes attendees attending scribe aprovador aprovadora "
    "autorizador revisor revisora revisado revisto aprovado autorizado assinado autor autora testemunha testemunhas "
    "firmado firmante firmantes signed signer testigo testigos plantao plantonista guardia oncall deputy suplente "
    "substituto substituta titular aprobador aprobado autoriza autorizou handover handoff quem quien quienes who whom "
    "whose inventariante executor perito escrivao todo fixme requerida notetaker visto combinado vistoriador "
    "despachante conferente elaborado preparado prepared atte assinatura assinaturas firma firmas signature "
    "signatures by por recebedor recibido recibio received receptor recebido entregue entregado comprador contratante "
    "outorgado testado".split()
)
"""What says that a person comes next: keys of forms and minutes, `who`."""
RUNNING: Final = frozenset(
    "cai caiu travou trava roda rodando reinicia reiniciar reiniciou restart restarted reboot rebooted bounce deploy "
    "deployed instalar instalado offline online down crashed crashes crash timeout lento lenta lotada lotado fechada "
    "fechado fechadas cerrada cerradas cerrado interditada interditado descarregar desvio obras transito "
    "congestionada alagada imprime exporta sincroniza processa suspended delayed flooded floods runs reads writes "
    "listens expired fails failing configurar configurado logar estoque stock validade cae cayo levantar atualizar "
    "atualizada atualizado actualizar actualizada upgrade upgraded installed drain drained merged pushed tagged toner "
    "disco disk porta puerto port backup copia zarpo atraca berth berths discontinued linha projetor proyector screen "
    "seats vagas leitos camas beds alta altas elevador bilheteria catraca plataforma switch balcao portal edi fax pdf "
    "tiff csv api indice schema boot deploys shards shard replica replicas pod pods proxy daemon kernel firmware "
    "driver drivers socket endpoint endpoints gateway firewall router roteador enrutador modem wifi fibra cabo cable "
    "vlan dns tls ssl certificado certificate checksum hash cache cpu gpu ram gb mb tb kb ssd latencia latency "
    "throughput memoria memory failover heartbeat cron logs changelog commit rollback runbook reiniciada reiniciado "
    "rebooting exportar exportacao exporte export exports importar importacao import imports parse parser parses json "
    "xml txt xls xlsx html sql etiqueta etiquetas label labels bobina cartucho cartridge ribbon bandeja tray led "
    "lampada bateria battery baterias batteries pilha pilas fusivel fuse fusible voltagem volts watts amperes bar psi "
    "graus grados degrees celsius litros litres liters metros meters metres milimetros polegadas inches pulgadas kg "
    "mm cm km porcento percent minutos segundos seconds ms fps pixels pressao presion pressure temperatura "
    "temperature vazao caudal nivel valvula valve tampa tapa manivela parafuso tornillo screw bolts rolamento polia "
    "correia oleo aceite filtro filter filtros filters vazamento leak leaks travando congela freezes froze hangs hang "
    "desconecta desliga ligada ligado apagada prendida plugged unplugged calibrar calibrada recalibrar calibrate "
    "empilha empilhar pallet pallets palete paletes conteiner conteineres contenedor contenedores reefer granel bulk "
    "doca dock docks berco muelle ramp rampa lacre romaneio remessa lotacao garantia warranty embalagem packaging "
    "desmontado tamanho sizes talla tecido fabric matte mate brilho aroma sabor sku preco price precos prices cupons "
    "coupons tarifa tariff roaming assento asfalto pista faixas lane lanes mao pedestre trem train tren metro onibus "
    "bus colectivo alagou inundada enchente congestionado bloqueada desviar detour diversion".split()
)
"""What systems, streets and wards do and have, and people don't."""

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
        "E": EPONYMS,
        "V": NAMESAKES,
        "K": CONTACTS,
        "N": CHARGES,
        "Z": RUNNING,
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
