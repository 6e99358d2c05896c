r"""What no note may say whoever wrote it: orders to a model, approvals, marks of a prompt. Pure.

A conversation is written by anybody. What comes out of one is read by agents as something they may rely on, so a
text that speaks to them instead of about the work is dropped, however sensible it sounds. A lost note costs a request.

One pattern a line, over a text without accents and case and with single spaces.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ENGLISH: Final = r"""
\b(ignore|disregard|forget|override|bypass) ((all|any|every|the|your|of|these|those|previous|prior|above|earlier) )*\
(instructions?|rules?|prompts?|guidelines?|guardrails?|polic(y|ies)|context|everything)
\b(ignore|disregard|forget) (everything|anything)\b
\byou are (now|no longer|from now)\b|\bfrom now on\b|\bact as (if|an?|the)\b|\bpretend (to be|that|you)\b
\b(new|updated) (system )?instructions?\b|\b(system|developer) (prompt|message|mode|override)\b|\bjailbreak\w*
\b(all|every|other|any|each|fellow) (ai )?(agents?|assistants?|models?|bots?)\b[\w ,]{0,20}\
\b(must|should|shall|will|need|have|are|is)\b
\b(tell|inform|instruct|order|warn) ((all|every|the|other|ai) )*(agents|assistants|bots|models)\b
\b(do not|don'?t|never|without) (tell|inform|mention|report|log|reveal)\w* ((to|this|it) )*\
(anyone|anybody|the (user|customer|reviewer|human|operator|owner))\b
\b(already|pre|auto\w*)[ -]?(been )?approved\b|\bauto[ -]?approve\b|\bapprove (this|the) (note|proposal|memory)\b
\b(note|proposal|procedure|memory|text|instruction) (is|was|has been|were) (already )?approved\b
\bsign(ed|s)?[ -]off (on )?(this|the) (text|note|proposal|procedure)\b|\bsigned off on (this|that)\b
\b(peers?|colleagues?|whoever|everyone|anyone|readers?) ((who|that|is|are) )*(reads?|reading|sees?) this\b
\bignore[zr]? ((toutes?|tous|les|tes|vos|ces) )+(instructions?|regles?|consignes?)\b
\b(no|without|skip|bypass|needs? no|requires? no) ((the|any|further|human) )*(approval|review|confirmation)\b
\b(approval|review|confirmation) (is |was )?(not|un|no longer) ?(required|needed|necessary)\b
"""
_PORTUGUESE: Final = r"""
\b(ignor[ae]|ignorar|ignorem|desconsider[ae]|desconsiderar|esquec[ae]|esquecer|descarte) \
(tudo|todas?|todos|qualquer|as|os|suas?|estas?|essas?|quaisquer)\b[\w ]{0,30}\
\b(instruc\w+|regras?|orientac\w+|antes|anterior\w*)
\bnao (siga|obedeca) (as|suas|nenhuma)\b
\bvoce agora e\b|\bagora voce e\b|\bvoce (nao e|deixou de ser)\b|\ba partir de agora\b|\bfinja (ser|que)\b
\bnov[ao]s (instruco\w*|ordens|regras)\b|\bprompt (do|de) sistema\b|\bmodo (desenvolvedor|de desenvolvedor)\b
\b(todos|outros|demais|qualquer|cada|os) (os |dos )?(agentes?|assistentes?|robos|bots)( de ia)?\b[\w ,]{0,20}\
\b(dev\w+|precis\w+|te[mn]\w*|ha\w*|vao|sao|estao)\b
\b(diga|avise|informe|instrua|ordene) ((a|aos|todos|os|demais|outros) )*(agentes|assistentes|robos|bots)\b
\b(nao|sem|nunca) (cont\w+|diga|dizer|avis\w+|inform\w+|revel\w+|mencion\w+) (isso |isto )?(a|ao|para|pra) \
(o )?(ninguem|cliente|usuario|revisor)\b
\b(ja|pre|auto)[ -]?(foi |esta |se encontra )?aprovad[ao]s?\b|\baprove (esta|essa|a|este|o) (nota|proposta|texto)\b
\b(nota|proposta|procedimento|texto|instrucao) (ja )?(foi|esta|e) (ja )?aprovad[ao]\b
\b(sem|dispensa|nao (precisa|requer|exige|necessita)( de)?|pule|pula) ((a|de|qualquer|necessidade) )*\
(aprovacao|revisao|confirmacao)\b
"""
_SPANISH: Final = r"""
\b(ignora|ignore|ignorar|olvida|olvide|olvidar|descarta|descarte|desestima) \
(todo|todas?|todos|cualquier|las?|los|tus|sus|estas|esas)\b[\w ]{0,30}\
\b(instrucc\w+|reglas?|indicac\w+|antes|anterior\w*)
\bhaz caso omiso\b|\bno (hagas|haga) caso\b
\b(eres|es usted) ahora\b|\bahora (eres|usted es)\b|\bya no eres\b|\ba partir de ahora\b|\bfinge (ser|que)\b
\bnuev[ao]s (instruccion\w*|ordenes|reglas)\b|\bprompt del sistema\b|\bmodo (de )?desarrollador\b
\b(todos|otros|demas|cualquier|cada|los) (los |de los )?(agentes?|asistentes?|bots)\b[\w ,]{0,20}\
\b(deb\w+|tien\w+|tendran|han|son|estan|necesit\w+)\b
\b(di|diga|avisa|avise|informa|informe|ordena|instruye) ((a|los|todos|demas|otros) )*(agentes|asistentes|bots)\b
\b(no|sin|nunca) (cuent|cont|dig|dec|avis|inform|revel)\w+ (esto |eso )?(a|al) \
(el )?(nadie|cliente|usuario|revisor)\b
\b(ya|pre|auto)[ -]?(fue |esta |ha sido )?aprobad[ao]s?\b|\baprueb[ae] (esta|la|este|el) (nota|propuesta|texto)\b
\b(nota|propuesta|procedimiento|texto|instruccion) (ya )?(fue|esta|ha sido) (ya )?aprobad[ao]\b
\b(sin|omite|omita|salta|no (necesita|requiere|hace falta)) ((la|de|ninguna|necesidad) )*\
(aprobacion|revision|confirmacion)\b
"""
# The marks that models are told by who speaks, also at the start of a line.
_MARKS: Final = r"""
<\s{0,9}\||\|\s{0,9}>|\[/?inst\]|<<\s{0,9}/?sys\s{0,9}>>
<\s{0,9}/?\s{0,9}(system|assistant|user|instructions?|prompt|tool_(call|result))\b
<\s{0,9}/?\s{0,9}(agent[\w. -]*notes|customer[\w. -]*context)\b|\b(agent|customer)[ _.-]*(notes|context) *>
^[ \t]*#{1,6} *(system|assistant|instruc\w+)\b
^[ \t]*(system|assistant|developer) *:
"""


def _patterns(lines: str) -> tuple[re.Pattern[str], ...]:
    joined = lines.replace("\\\n", "").strip()
    return tuple(re.compile(line, re.MULTILINE) for line in joined.split("\n"))


_PHRASES: Final = _patterns(_ENGLISH) + _patterns(_PORTUGUESE) + _patterns(_SPANISH)
_LINES: Final = _patterns(_MARKS)


def speaks_to_agents(text: str) -> bool:
    """Whether a text orders a model about, claims an approval or imitates the marks of a prompt (pt, en, es)."""
    folded = fold(text)
    flat = " ".join(folded.split())
    return any(one.search(flat) for one in _PHRASES) or any(one.search(folded) for one in _LINES)


def fold(text: str) -> str:
    """Without case, accents, width and invisible characters; line breaks stay."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if unicodedata.category(char) not in {"Mn", "Cf"})
