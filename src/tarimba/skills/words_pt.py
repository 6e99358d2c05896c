"""What each rule says in Portuguese: what is wrong, and how to mend it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

WORDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "anchor": ("Há uma âncora ou um alias de YAML.", "Escreva o valor por extenso onde ele é usado."),
        "bidi": ("Caracteres que reordenam o texto escondem o que ele diz.", "Retire os controles bidirecionais."),
        "bom": ("O arquivo começa com uma marca de ordem de bytes (BOM).", "Salve como UTF-8 sem ela."),
        "colon": ("Há dois-pontos e espaço em um valor sem aspas.", "Ponha o valor entre aspas."),
        "comment": ("O que vem depois do # ficou fora do nome.", "Retire-o."),
        "description-bytes": (
            "A descrição tem {size} bytes, e {harnesses} aceita no máximo 1024.",
            "Encurte: letras com acento contam mais de uma vez.",
        ),
        "description-empty": ("A descrição está vazia.", "Diga em que situação a skill é necessária."),
        "description-kind": ("A descrição é uma lista, um mapa ou null.", "Escreva um texto único, entre aspas."),
        "description-long": (
            "A descrição tem mais de 1024 caracteres e foi cortada em uma palavra.",
            "Encurte-a; o resto cabe no corpo.",
        ),
        "description-missing": (
            "Não há descrição.",
            "Acrescente uma linha `description:` com a situação em que a skill é necessária.",
        ),
        "description-title": (
            "A descrição é um título, não uma situação: o agente não sabe quando abrir a skill.",
            "Comece por quando ela é necessária, como `Use quando ...`.",
        ),
        "encoding": ("Os bytes não são UTF-8.", "Salve o arquivo como UTF-8."),
        "escape": ("Uma barra invertida não inicia nenhum escape de YAML.", "Dobre-a ou use aspas simples."),
        "fence-space": ("Há espaço depois de `---`.", "Retire-o."),
        "file-name": ("O arquivo não se chama SKILL.md.", "Dê-lhe o nome SKILL.md, exatamente assim."),
        "file-too-large": ("O arquivo tem mais de 1 MiB.", "Leve material para `references/`, ao lado dele."),
        "hash": (
            "Há um # depois de espaço em um valor sem aspas: a maioria dos leitores descarta o resto; ele foi mantido.",
            "Ponha o valor entre aspas.",
        ),
        "keys-left-out": (
            "Estas chaves do cabeçalho não são publicadas: {keys}.",
            "Diga no corpo o que um agente precisa saber.",
        ),
        "leading-blank": ("Há linhas em branco antes do primeiro `---`.", "Comece o arquivo por `---`."),
        "line-ends": ("As linhas terminam em CR ou CRLF.", "Salve o arquivo com LF."),
        "missing-space": ("Falta o espaço depois dos dois-pontos.", "Escreva um espaço."),
        "name-directory": ("O nome difere do nome do diretório.", "Dê aos dois o mesmo nome."),
        "name-kind": ("O nome é uma lista ou um mapa.", "Escreva uma só palavra."),
        "name-missing": ("Não há nome: vale o do diretório.", "Acrescente uma linha `name: {name}`."),
        "name-reserved": ("O nome é reservado a um documento do Tarimba.", "Escolha outro."),
        "name-slug": ("O nome não é aceito como está: vale {name}.", "Escreva `name: {name}`."),
        "name-style": ("Estes harnesses não verão o nome: {harnesses}.", "Escreva `name: {name}`."),
        "name-too-long": ("O nome tem mais de 64 caracteres.", "Escolha um mais curto."),
        "name-unsavable": (
            "Nenhum nome aceito está próximo deste.",
            "Use a-z, 0-9 e hifens; a descrição pode estar em qualquer idioma.",
        ),
        "no-closing-fence": ("O frontmatter não tem o `---` final.", "Acrescente a linha depois da descrição."),
        "no-opening-fence": (
            "O arquivo não começa por `---`.",
            "Comece por um frontmatter com `name` e `description`.",
        ),
        "not-looked-at": (
            "A skill tem muito texto: neste arquivo ninguém procurou segredos nem dados pessoais.",
            "Publique menos texto em uma skill.",
        ),
        "nul": ("O arquivo contém um caractere NUL.", "Retire-o."),
        "outside": ("Um link simbólico sai da skill.", "Ponha uma cópia no lugar dele."),
        "override": (
            "Uma frase manda o leitor desconsiderar as instruções que tem.",
            "Retire-a: uma skill soma às instruções, não as substitui.",
        ),
        "personal-data": ("Isto parece dado pessoal ({kind}).", "Retire-o: muitos leem as skills."),
        "pipe-to-shell": (
            "Algo baixado é executado sem ser visto.",
            "Baixe, confira um digest e só então execute.",
        ),
        "quote": ("As aspas não cercam o valor inteiro: ele ficou como está.", "Ponha tudo entre aspas."),
        "repeated-key": ("`{key}` aparece mais de uma vez.", "Deixe uma só."),
        "secret": ("Isto parece uma chave ou uma senha ({kind}).", "Retire-a e troque o segredo."),
        "stray-line": ("Esta linha não pertence a nenhuma chave e ficou de fora.", "Recue-a ou retire-a."),
        "tab-indent": ("O recuo usa tabulação.", "Use espaços."),
        "tag-character": ("Caracteres de etiqueta invisíveis podem levar texto escondido.", "Retire-os."),
        "too-many-files": ("A skill tem mais arquivos ou bytes do que pode.", "Deixe de fora o que for dispensável."),
        "typed": ("Outros leitores entendem um número, uma data ou um valor lógico.", "Ponha entre aspas."),
        "unprintable": ("Caracteres de controle ficaram de fora.", "Retire-os."),
        "unreadable": ("O arquivo não pôde ser lido.", "Deve ser um arquivo comum que você possa ler."),
        "yaml-sign": ("O valor começa com um sinal que o YAML reserva para si.", "Ponha o valor entre aspas."),
        "zero-width": ("Caracteres sem largura escondem o que o texto diz.", "Retire-os."),
    }
)  # fmt: skip
