"""What each rule says in Spanish: what is wrong, and how to mend it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

WORDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "anchor": ("Hay un ancla o un alias de YAML.", "Escriba el valor completo donde se usa."),
        "bidi": ("Caracteres que reordenan el texto ocultan lo que dice.", "Quite los controles bidireccionales."),
        "bom": ("El archivo empieza con una marca de orden de bytes (BOM).", "Guárdelo como UTF-8 sin ella."),
        "colon": ("Hay dos puntos y un espacio en un valor sin comillas.", "Ponga el valor entre comillas."),
        "comment": ("Lo que sigue al # quedó fuera del nombre.", "Quítelo."),
        "description-bytes": (
            "La descripción tiene {size} bytes, y {harnesses} admite como máximo 1024.",
            "Acórtela: las letras con acento cuentan más de una vez.",
        ),
        "description-empty": ("La descripción está vacía.", "Diga en qué situación hace falta la skill."),
        "description-kind": ("La descripción es una lista, un mapa o null.", "Escriba un solo texto, entre comillas."),
        "description-long": (
            "La descripción tiene más de 1024 caracteres y se cortó en una palabra.",
            "Acórtela; el resto cabe en el cuerpo.",
        ),
        "description-missing": (
            "No hay descripción.",
            "Añada una línea `description:` con la situación en que hace falta la skill.",
        ),
        "description-title": (
            "La descripción es un título, no una situación: el agente no sabe cuándo abrir la skill.",
            "Empiece por cuándo hace falta, como `Use cuando ...`.",
        ),
        "encoding": ("Los bytes no son UTF-8.", "Guarde el archivo como UTF-8."),
        "escape": ("Una barra invertida no inicia ningún escape de YAML.", "Duplíquela o use comillas simples."),
        "fence-space": ("Hay espacio después de `---`.", "Quítelo."),
        "file-name": ("El archivo no se llama SKILL.md.", "Llámelo SKILL.md, exactamente así."),
        "file-too-large": ("El archivo tiene más de 1 MiB.", "Lleve material a `references/`, junto a él."),
        "hash": (
            "Hay un # tras un espacio en un valor sin comillas: muchos lectores descartan el resto; se conservó.",
            "Ponga el valor entre comillas.",
        ),
        "keys-left-out": (
            "Estas claves de la cabecera no se publican: {keys}.",
            "Diga en el cuerpo lo que un agente debe saber.",
        ),
        "leading-blank": ("Hay líneas en blanco antes del primer `---`.", "Empiece el archivo con `---`."),
        "line-ends": ("Las líneas terminan en CR o CRLF.", "Guarde el archivo con LF."),
        "missing-space": ("Falta el espacio después de los dos puntos.", "Escriba un espacio."),
        "name-directory": ("El nombre difiere del nombre del directorio.", "Dé a ambos el mismo nombre."),
        "name-kind": ("El nombre es una lista o un mapa.", "Escriba una sola palabra."),
        "name-missing": ("No hay nombre: vale el del directorio.", "Añada una línea `name: {name}`."),
        "name-reserved": ("El nombre está reservado para un documento de Tarimba.", "Elija otro."),
        "name-slug": ("El nombre no se acepta como está: vale {name}.", "Escriba `name: {name}`."),
        "name-style": ("Estos harnesses no verán el nombre: {harnesses}.", "Escriba `name: {name}`."),
        "name-too-long": ("El nombre tiene más de 64 caracteres.", "Elija uno más corto."),
        "name-unsavable": (
            "Ningún nombre aceptado está cerca de este.",
            "Use a-z, 0-9 y guiones; la descripción puede estar en cualquier idioma.",
        ),
        "no-closing-fence": ("El frontmatter no tiene el `---` final.", "Añada la línea tras la descripción."),
        "no-opening-fence": (
            "El archivo no empieza con `---`.",
            "Empiece con un frontmatter que tenga `name` y `description`.",
        ),
        "not-looked-at": (
            "La skill tiene mucho texto: en este archivo nadie buscó secretos ni datos personales.",
            "Publique menos texto en una skill.",
        ),
        "nul": ("El archivo contiene un carácter NUL.", "Quítelo."),
        "outside": ("Un enlace simbólico sale de la skill.", "Ponga una copia en su lugar."),
        "override": (
            "Una frase manda al lector ignorar sus instrucciones.",
            "Quítela: una skill se suma a las instrucciones, no las reemplaza.",
        ),
        "personal-data": ("Esto parece un dato personal ({kind}).", "Quítelo: muchos leen las skills."),
        "pipe-to-shell": (
            "Algo descargado se ejecuta sin verlo.",
            "Descárguelo, compruebe un digest y solo entonces ejecútelo.",
        ),
        "quote": ("Las comillas no encierran todo el valor: quedó como está.", "Ponga todo entre comillas."),
        "repeated-key": ("`{key}` aparece más de una vez.", "Deje una sola."),
        "secret": ("Esto parece una clave o una contraseña ({kind}).", "Quítela y cambie el secreto."),
        "stray-line": ("Esta línea no pertenece a ninguna clave y quedó fuera.", "Sángrela o quítela."),
        "tab-indent": ("La sangría usa tabuladores.", "Use espacios."),
        "tag-character": ("Caracteres de etiqueta invisibles pueden llevar texto oculto.", "Quítelos."),
        "too-many-files": ("La skill tiene más archivos o bytes de lo permitido.", "Deje fuera lo prescindible."),
        "typed": ("Otros lectores entienden un número, una fecha o un valor lógico.", "Póngalo entre comillas."),
        "unprintable": ("Los caracteres de control quedaron fuera.", "Quítelos."),
        "unreadable": ("El archivo no se pudo leer.", "Debe ser un archivo normal que usted pueda leer."),
        "yaml-sign": ("El valor empieza con un signo que YAML reserva para sí.", "Ponga el valor entre comillas."),
        "zero-width": ("Caracteres sin anchura ocultan lo que dice el texto.", "Quítelos."),
    }
)  # fmt: skip
