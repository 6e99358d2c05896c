"""Patterns of companies, branches, streets, facilities and products, by language. `<first>` and the like are drawn."""

from __future__ import annotations

from typing import Final

Patterns = dict[str, tuple[str, ...]]


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.replace("\n", "|").split("|") if part.strip())


COMPANY_THINGS: Final[Patterns] = {
    "pt": _split(
        "Transportes|Transportadora|Logística|Materiais de Construção|Móveis|Imóveis|Advogados"
        "|Contabilidade|Consultoria|Engenharia|Construtora|Tecnologia|Sistemas|Alimentos|Bebidas"
        "|Supermercados|Farmácia|Seguros|Veículos|Calçados|Confecções|Papelaria|Turismo|Distribuidora"
        "|Comércio|Indústria|Serviços|Laticínios|Autopeças|Pneus|Telecom|Energia|Agropecuária|Cosméticos"
        "|Joias|Eventos|Embalagens|Metalúrgica|Gráfica|Editora|Corretora"
    ),
    "en": _split(
        "Logistics|Trucking|Construction|Plumbing|Consulting|Industries|Motors|Insurance|Foundation"
        "|Supply|Dental|Bakery|Properties|Energy|Pharma|Labs|Technologies|Software|Solutions|Freight"
        "|Partners|Capital|Holdings|Stores|Foods|Associates|Law|Brothers|Airlines|Media|Realty|Electric"
        "|Roofing|Auto Parts|Hardware|Wines"
    ),
    "es": _split(
        "Transportes|Logística|Muebles|Inmobiliaria|Construcciones|Seguros|Abogados|Asesores|Consultores"
        "|Textiles|Alimentos|Bodegas|Ferretería|Panadería|Laboratorios|Farmacia|Automotriz|Autopartes"
        "|Comercial|Sistemas|Ingeniería|Turismo|Distribuidora|Imprenta|Electrónica|Joyería|Óptica"
        "|Agropecuaria|Papelera|Cementos"
    ),
}
DRUG_PARTS: Final = (
    _split(
        "Clo|Lora|Losar|Meto|Ami|Ome|Panto|Carve|Dia|Hidro|Pred|Azi|Cefa|Flu|Ser|Parox|Quetia|Risperi|Halo|Ate|Enala"
        "|Vera|Nife|Furo|Espiro|Sinva|Rosu|Ator|Levo|Mida|Alpra|Brom|Tra|Dipi|Para|Ibu|Nime|Keto|Ranit|Onda|Met|Gli"
    ),
    _split(
        "zapina|zepam|tana|prolol|triptilina|prazol|dilol|mazol|nisona|micina|xina|oxetina|tralina|dona|peridol|nolol"
        "|pril|pamil|dipina|semida|lactona|statina|floxacino|zolam|madol|rona|cetamol|profeno|sulida|fenaco|idina"
        "|setrona|formina|clazida|pine|zole|olol|statin|cillin|mycin|azine|ine|ide|arin|ezina|ceptor|vir|mab"
    ),
)
COMPANIES: Final[Patterns] = {
    "pt": _split(
        "<last> <thing> Ltda|<last> <thing>|<last> & <last> <thing>|<last> e <last> <thing> Ltda."
        "|Grupo <last>|Construtora <last>|Transportadora <last>|Imobiliária <last>|Irmãos <last>"
        "|Padaria <first>|Drogaria <last>|Drogaria São <first>|Casa <last>|Casas <first>|Lojas <first>"
        "|Loja <first> Modas|Banco <last>|Viação <city>|<first> Modas|<first> <last> ME"
        "|<first> <last> Comércio Ltda|<person> EIRELI|<last> S.A.|<last> & Filhos|Supermercado <last>"
        "|Mercado <first>|Mercearia do <first>|Pizzaria <first>|Restaurante da <first>|Bar do <first>"
        "|Auto Peças <last>|Posto <last>|Hotel <city>|Pousada <first>|Laboratório <last>|Ótica <first>"
        "|Cafe <last>|Escritório <last> Advogados|Fazenda Santa <first>|Fazenda São <first>"
        "|Usina Santa <first>|Cerâmica <last>|Instituto <person>|Fundação <person>|<city> <thing>"
        "|<city> <thing> Ltda|Dona <first> Alimentos|Tia <first> Doces|Vovó <first> Biscoitos"
        "|Salão da <first>|Studio <first>|Clínica <last>|Colégio <last>|Santa <first> <thing>"
    ),
    "en": _split(
        "<last> <thing>|<last> <thing> Inc.|<last> & <last>|<last> & <last> LLP|<last> & Sons"
        "|<last> Brothers|<last> LLC|<first> <last> LLC|<first>'s <thing>|<first>'s Diner|<last> Group"
        "|<last> Corp|The <last> Company|Bank of <city>|<last>, <last> & <last>|<first> <last> <thing>"
        "|<city> <thing>|<last>-<last> <thing>|St. <first> <thing>|Mama <first>'s|Uncle <first>'s"
        "|<last> and Partners|<last> Foundation|<last> Bank|Miss <first> Boutique"
    ),
    "es": _split(
        "<last> <thing> S.A.|<thing> <last>|<thing> <last> S.L.|Grupo <last>|Hermanos <last>"
        "|<last> Hermanos|<last> e Hijos|<last> & Asociados|Casa <first>|Bar <first>|Tienda <first>"
        "|Tiendas <last>|Banco <last>|Bodegas <last>|<first> Modas|Clínica <last>|Laboratorios <last>"
        "|<last> y <last> Abogados|Transportes <last> S.A. de C.V.|Farmacia <last>|Farmacia San <first>"
        "|Restaurante Doña <first>|Fundación <person>|<city> <thing>|Almacenes <last>|Hotel <first>"
        "|Panadería Doña <first>|Café <last>|Editorial <last>|Seguros <last>|La Casa de <first>"
        "|Instituto <person>"
    ),
}
BRANCHES: Final[Patterns] = {
    "pt": _split(
        "Filial <city>|filial de <city>|Loja <n>|loja <city>|CD <city>|unidade <city>|Unidade <last>"
        "|Agência <last>|agência <person>|Centro de Distribuição <city>|Regional Sul|Matriz|polo <city>"
        "|Shopping <last>|Vila <last>|Jardim <first>|Jardim <last>|Vila <first>|Parque <last>"
        "|bairro <last>|galpão <first>|Conjunto <person>"
    ),
    "en": _split(
        "<city> branch|Store <n>|<city> warehouse|<last> Street branch|<last> Plaza|Fort <last>"
        "|Mount <last>|<last> Mall|the <city> office|Depot <n>|North region|<last> campus|<last> Heights"
        "|Port <last>|<last>ville|<last> Center"
    ),
    "es": _split(
        "Sucursal <city>|sucursal <last>|tienda <city>|oficina de <city>|Agencia <last>|Centro <city>"
        "|bodega <first>|Plaza <last>|colonia <last>|Villa <first>|barrio San <first>|Almacén <n>"
        "|Delegación Norte|sede <city>"
    ),
}
STREET_NAMES: Final[Patterns] = {
    "pt": _split(
        "<figure>|<person>|<person>|<person>|<first> <last>|Doutor <person>|Dr. <first> <last>"
        "|Professor <person>|Dona <first>|Coronel <last>|General <last>|Marechal <first> <last>"
        "|Padre <first>|Dom <first>|São <first>|Santa <first>|Barão de <city>|Presidente <last>"
        "|Senador <last>|Desembargador <person>|Engenheiro <last>|das Flores|XV de Novembro|7 de Setembro"
        "|da Consolação|dos Andradas|Marquês de <last>|Governador <last>|Almirante <last>"
    ),
    "en": _split(
        "<last>|<last>|<first>|Martin <last>|Saint <first>|<first> <last>|<last> Hill|Old <last>"
        "|North <last>|General <last>"
    ),
    "es": _split(
        "<figure>|<person>|<person>|<first> <last>|San <first>|Santa <first>|General <last>|Doctor <last>"
        "|Coronel <last>|<last>|Presidente <last>|Almirante <last>|9 de Julio|de la Constitución"
        "|Padre <last>|Maestro <person>|Doña <first>"
    ),
}
STREETS: Final[Patterns] = {
    "pt": _split(
        "Rua <street>|rua <street>|R. <street>|Avenida <street>|Av. <street>|av <street>"
        "|Travessa <street>|Alameda <street>|Praça <street>|Largo <street>|Rodovia <street>"
        "|Viaduto <street>|Ponte <street>|Rua <street>, <n>|Ladeira <street>"
    ),
    "en": _split(
        "<street> Street|<street> St|<street> Ave|<street> Avenue|<street> Road|<street> Blvd"
        "|<street> Drive|<street> Lane|<n> <street> St|<street> Square|<street> Bridge"
        "|<n> <street> Avenue|<street> Highway"
    ),
    "es": _split(
        "Calle <street>|calle <street>|Avenida <street>|Av. <street>|Avda. <street>|Plaza <street>"
        "|Paseo <street>|Calzada <street>|Boulevard <street>|Callejón <street>|Carretera <street>"
        "|c/ <street>|Glorieta <street>"
    ),
}
FACILITY_NAMES: Final[Patterns] = {
    "pt": _split(
        "<figure>|<person>|<person>|São <first>|Santa <first>|Santo <first>|Nossa Senhora de <first>"
        "|Nossa Senhora da Conceição|Dom <first>|Padre <first> <last>|Dr. <person>|Prof. <person>"
        "|Professora <person>|Irmã <first>|<last>|<first>|das Clínicas|da Luz|Madre <first>"
        "|Sagrada Família|Bom Jesus|Coronel <last>|<city>|Tia <first>"
    ),
    "en": _split(
        "<figure>|<person>|<last>|St. <first>|St. <first>'s|Saint <first>|Mount <last>|<first> <last>"
        "|General|Good Samaritan|<city>|<last> Memorial|Our Lady of <first>|Holy Cross|President <last>"
        "|<last> County"
    ),
    "es": _split(
        "<figure>|<person>|<person>|San <first>|Santa <first>|Nuestra Señora de <first>|Doctor <last>"
        "|Dr. <person>|<last>|General <last>|Sagrado Corazón|Divina Providencia|Padre <last>|Fray <first>"
        "|Madre <first>|<city>|Niño Jesús|Sor <first>"
    ),
}
FACILITIES: Final[Patterns] = {
    "pt": _split(
        "Hospital <named>|Hospital <named>|hospital <named>|Hospital Municipal <named>"
        "|Hospital e Maternidade <named>|Maternidade <named>|Clínica <named>|Santa Casa de <city>"
        "|Colégio <named>|Escola Estadual <named>|E.E. <named>|Escola Municipal <named>|Faculdade <named>"
        "|Universidade <named>|Igreja <named>|Paróquia <named>|Teatro <named>|Estádio <named>"
        "|Aeroporto <named>|Terminal <named>|Estação <named>|Biblioteca <named>|UPA <named>|UBS <named>"
        "|Edifício <named>|Residencial <named>|Condomínio <named>|Instituto <named>|Fundação <named>"
        "|Creche <named>|Ginásio <named>|Laboratório <named>|Auditório <named>|Centro Médico <named>"
        "|Fórum <named>|sala <named>"
    ),
    "en": _split(
        "<named> Hospital|<named> Medical Center|<named> Elementary|<named> High School"
        "|<named> University|<named> Church|<named> Clinic|<named> College|University of <city>"
        "|<named> Library|<named> Airport|<named> Stadium|<named> Hall|<named> Park|<named> Foundation"
        "|Hospital <named>|the <named> Building|<named> Tower|<named> Institute"
    ),
    "es": _split(
        "Hospital <named>|Hospital <named>|Clínica <named>|Sanatorio <named>|Colegio <named>"
        "|Escuela <named>|Instituto <named>|Universidad <named>|Iglesia <named>|Parroquia <named>"
        "|Estadio <named>|Aeropuerto <named>|Teatro <named>|Edificio <named>|Torre <named>"
        "|Biblioteca <named>|Estación <named>|Centro Médico <named>|Auditorio <named>"
    ),
}
PRODUCTS: Final[Patterns] = {
    "pt": _split(
        "Plano Família|Plano Ouro|plano Essencial <n>|Cartão Platinum|Conta Digital|Seguro Vida"
        "|Seguro Auto Mulher|Consignado Fácil|Crédito Rural|Fibra <n> Mega|Combo Total|Pacote Prata"
        "|Previdência Jovem|Capitalização Premiada|Linha <first>|sandália <first>|Sofá <first>"
        "|colchão <last>|vinho Dom <first>|café <last>|bolo da Vovó|Cesta Básica|Maquininha Pro"
        "|Residencial Completo|vestido <first>|Cadeira <first>|Kit Festa|biscoito Maria|Conta Salário"
        "|Câmera X<n>|Poltrona <first> Premium|Tênis Air|Perfume <first>|Edição Limitada"
    ),
    "en": _split(
        "Premier Plus|Gold Plan|Starter Plan|Fiber <n>|Family Bundle|Home Shield|Auto Protect"
        "|Travel Guard|Team Plan|Pro Max|the <first> collection|<first> sofa|<last> chair|Model <n>"
        "|Galaxy S<n>|Enterprise Suite|Flex Card|Rewards Visa|<first> lamp|<last> jacket|Prime Saver"
        "|Student Checking|the <last> edition|Gift Card|<first> dress"
    ),
    "es": _split(
        "Plan Familiar|Plan Oro|Cuenta Nómina|Tarjeta Clásica|Seguro de Vida|Crédito Hipotecario"
        "|Fibra <n>|Paquete Premium|Ahorro Joven|Seguro Hogar|silla <first>|sofá <first>|vino Don <first>"
        "|galletas Marías|línea <first>|Colección <first>|Cuenta Digital|Plan Empresas|Combo Total"
        "|Crédito Auto|Tarjeta Joven|vestido <first>|mesa <last>"
    ),
}
ROLES: Final[Patterns] = {
    "pt": _split(
        "supervisor|supervisora|gerente|coordenador|coordenadora|analista|atendente|diretora|técnico"
        "|líder de equipe|plantonista|farmacêutico|motorista|corretor|estagiário|advogado|contador"
        "|auditor|gestora|Gerente Regional|Analista de Crédito|Supervisor de Operações"
        "|Coordenadora de Cobrança|consultor|vendedora|síndico|médico auditor"
    ),
    "en": _split(
        "supervisor|manager|team lead|analyst|account executive|dispatcher|nurse|pharmacist|driver|broker"
        "|director|auditor|Branch Manager|Account Manager|Customer Success Manager|shift lead"
        "|engineer on call|VP of Sales|controller"
    ),
    "es": _split(
        "supervisor|supervisora|gerente|coordinadora|analista|asesor|ejecutivo de cuenta|director|técnico"
        "|jefe de turno|encargada|farmacéutico|conductor|corredor|auditora|Gerente de Zona"
        "|Jefa de Operaciones|perito|contador"
    ),
}
TEAMS: Final[Patterns] = {
    "pt": _split(
        "Financeiro|Jurídico|equipe de Cobrança|Retenção|Suporte N2|time de Dados|Fiscal|Recursos Humanos"
        "|Logística|TI|SAC|Ouvidoria|Backoffice|Mesa de Crédito|Comercial|Contas a Pagar|Expedição"
        "|Prevenção a Fraudes|Cadastro|Compras"
    ),
    "en": _split(
        "Billing|Legal|Tier 2|Customer Success|Risk|Fraud Ops|HR|IT|Logistics|Sales Ops|Accounts Payable"
        "|Compliance|Data|Platform team|the Retention desk|Finance|Claims|Security|Growth"
        "|Support Engineering"
    ),
    "es": _split(
        "Cobranzas|Jurídico|Finanzas|Soporte N2|Recursos Humanos|Sistemas|Fraudes|Retención"
        "|Atención al Cliente|Logística|Compras|Cumplimiento|Tesorería|Mesa de Ayuda|Operaciones"
        "|Siniestros|Ventas|Auditoría|equipo de Datos"
    ),
}
NAMED: Final[Patterns] = {
    "pt": _split(
        "sala <figure>|a sala <figure>|sala <person>|Sala <first>|projeto <first>|Projeto <last>"
        "|servidor <first>|cluster <first>|navio <first>|Sprint <first>|campanha <first>|turma <person>"
        "|prêmio <person>|Prêmio <last>|bolsa <person>|edital <person>|Operação <last>|fila <first>"
        "|impressora <first>|ala <first>|enfermaria <last>|auditório <person>|barco <first>|linha <last>"
        "|ambiente <first>|relatório <first>|lote <first>|plano <first>|módulo <last>|torneio <person>"
        "|laboratório <last>|pavilhão <last>"
    ),
    "en": _split(
        "Room <figure>|the <figure> room|the <first> cluster|Room <last>|the <last> room|Project <first>"
        "|project <last>|server <first>|Hurricane <first>|Storm <first>|the <last> award"
        "|the <person> scholarship|the <first> queue|printer <first>|ward <last>|the <last> wing"
        "|Sprint <first>|the <last> report|release <first>|the <first> environment|the <last> fund"
        "|vessel <first>|the <first> dataset"
    ),
    "es": _split(
        "sala <figure>|aula <figure>|sala <person>|Sala <last>|Proyecto <first>|proyecto <last>"
        "|servidor <first>|clúster <first>|huracán <first>|buque <first>|beca <person>|premio <person>"
        "|Operativo <last>|fila <first>|impresora <first>|pabellón <last>|ala <last>|auditorio <person>"
        "|campaña <first>|ambiente <first>|reporte <first>|torneo <person>|fondo <last>|aula <last>"
        "|lote <first>"
    ),
}
EPONYMS: Final[Patterns] = {
    "pt": _split(
        "<figure>|a escala <figure>|o diagrama de Ishikawa|o diagrama de Gantt|o princípio de Pareto"
        "|a curva de Gauss|a sequência de Fibonacci|a Lei <person>|a escala de <last>|a escala de Glasgow"
        "|o teste de <last>|o algoritmo de <last>|o método <last>|a síndrome de <last>|a doença de <last>"
        "|doença de Parkinson|doença de Crohn|síndrome de Down|o protocolo de Manchester"
        "|a matriz de Eisenhower|a Lei Maria da Penha|a Lei Rouanet|a lei de Murphy|o índice de <last>"
        "|a tabela Price|o critério de <last>|a manobra de <last>|o modelo de <last>|a fórmula de <last>"
        "|o efeito <last>|a pirâmide de Maslow|o sistema Kanban|o teorema de <last>|mal de Alzheimer"
    ),
    "en": _split(
        "<figure>|the <figure> method|Pareto analysis|a Gantt chart|Bayes' rule|the <last> Act"
        "|the <last> scale|the <last> test|the <last> method|<last>'s law|Moore's Law|Murphy's Law"
        "|Parkinson's disease|Crohn's disease|<last> syndrome|the <last> index|the <last> algorithm"
        "|the Glasgow scale|Dodd-Frank|Sarbanes-Oxley|the <last>-<last> model|the <last> rule"
        "|Fibonacci points|Maslow's pyramid|the <last> effect|Monte Carlo|the <last> procedure"
        "|a Pap smear|Hodgkin's lymphoma|the <last> doctrine|the Turing test"
    ),
    "es": _split(
        "<figure>|la escala <figure>|el diagrama de Pareto|la escala de <last>|la escala de Glasgow"
        "|el test de <last>|el método <last>|la ley <last>|el síndrome de <last>|la enfermedad de <last>"
        "|mal de Chagas|mal de Parkinson|el índice de <last>|el algoritmo de <last>|la campana de Gauss"
        "|la Ley <person>|el triage de Manchester|la fórmula de <last>|el modelo <last>"
        "|la regla de <last>|la matriz de Eisenhower|el efecto <last>|la prueba de <last>"
        "|la maniobra de <last>|ley de Murphy|el teorema de <last>"
    ),
}
