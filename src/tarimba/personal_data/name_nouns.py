"""Nouns that say of what bears a name that it is a thing, and the words that stand between the two."""

from __future__ import annotations

from typing import Final

THINGS: Final = frozenset(
    "bot bots robo robos robot robots chatbot chatbots assistente assistentes asistente asistentes assistant "
    "assistants ura uras ivr voicebot servidor servidores server servers host hosts cluster clusters fila filas queue "
    "queues cola colas impressora impressoras impresora impresoras printer printers sala salas aula aulas room rooms "
    "navio navios buque buques ship ships vessel vessels boat boats furacao huracan hurricane hurricanes tempestade "
    "tormenta storm storms estacao estacoes estacion estaciones station stations hotel hoteis hoteles hotels escola "
    "escolas escuela escuelas school schools hospital hospitais hospitales hospitals loja lojas tienda tiendas store "
    "stores sistema sistemas system systems plataforma plataformas platform platforms modulo modulos module modules "
    "banco base ambiente ambientes environment environments marca marcas brand brands produto produtos producto "
    "productos product products modelo modelos model models variedade variedad variety varieties rua ruas calle "
    "calles street streets bairro bairros barrio barrios cidade cidades ciudad ciudades city cities town towns "
    "empresa empresas company companies servico servicos servicio servicios service services script scripts job jobs "
    "ferramenta ferramentas herramienta herramientas tool tools software app apps aplicativo aplicativos dataset "
    "datasets tabela tabelas tabla tablas table tables projeto projetos proyecto proyectos project projects personaje "
    "personajes personagem character ficticio ficticia ficticios fictional fake placeholder microservice "
    "microservices microsservico microservicio nodo nodos node nodes plano plan cartao tarjeta tempestades tormentas "
    "furacoes huracanes".split()
)
"""What an apposition or `is` must name, in small letters. Not teams and shops in parentheses: those follow persons."""
APPOSED: Final = frozenset(
    "bot bots robo robot chatbot assistente asistente assistant ura ivr voicebot servidor server host cluster fila "
    "queue cola impressora impresora printer sala room navio buque ship vessel furacao huracan hurricane storm "
    "estacao estacion station hotel ficticio ficticia fictional placeholder personagem personaje".split()
)
TRADES: Final = frozenset("servidor host".split())
"""Those that are a person's trade too: a civil servant, somebody who receives guests."""
OF_PEOPLE: Final = frozenset(
    "publico publicos federal estadual estatal municipal efetivo civil comissionado aposentado lotado concursado do da "
    "dos das desta deste of at family and".split()
)
"""What follows such a noun where it is a person's trade."""
VERBS: Final = frozenset(
    "sign ship ships store stores test tests score act acts host plan bank drive bridge rule chart dress chair award "
    "model queue script cards card lines line route deploy marca conta conto planes plan regra prova pauta fila".split()
)
"""Heads that are verbs as well: `ship Roberta's order`. Right before a name they count only after an article."""
MODIFIERS: Final = frozenset(
    "o a os as um uma uns umas el la los las un una unos unas the an our nosso nossa nuestro nuestra que which both "
    "ambos ambas all todos todas four five two three dois duas dos tres antigo antiga new old legacy meeting virtual "
    "on call outro outra nome nombre name apenas so solo only just also tambem tambien not nao no".split()
)
ENGLISH: Final = frozenset(
    "server servers queue queues printer printers room rooms ship ships storm storms station stations school schools "
    "store stores system systems platform platforms module modules environment environments brand brands product "
    "products street streets city cities town towns company companies service services tool tools software table "
    "tables project projects model models host hosts cluster clusters hotel hotels bot script job app dataset".split()
)
CONNECTORS: Final = frozenset(
    "that which in on of for at to and or not with from is are was were but so when if we de do da del que e y en no "
    "na para por com con".split()
)
PEOPLE: Final = frozenset(
    "person persons people human humans colleague customer customers passenger passengers pessoa pessoas gente humano "
    "colega colegas cliente clientes persona personas titular titulares passageiro passageiros pasajero "
    "pasajeros".split()
)
