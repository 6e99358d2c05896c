"""What a member changes in their graph: correcting, merging, putting away, deleting, undoing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tarimba.console.graph import ACT, PATH, changes_page, entity_page
from tarimba.console.page import Html, Page, Shown, Visit
from tarimba.console.seats import called, going, is_shown, no_seat, seated
from tarimba.errors import Refusal, invalid
from tarimba.graph import service as graph
from tarimba.graph.model import Addition, By, NewEntity, NewObservation, NewRelation, Scope
from tarimba.graph.service import EntityEdit, ObservationEdit
from tarimba.kernel import Kernel

_ENTITY: Final = f"{PATH}/entity"
_OFFERED: Final = 12


def _make(kernel: Kernel, visit: Visit) -> Shown:
    scope, by = _mine(kernel, visit)
    form = visit.form
    name = form.line("name")
    try:
        observations = (_observed(visit),) if form.line("text") else ()
        entity = NewEntity(name, form.line("type"), observations)
        made = graph.create_entities(kernel, scope, by, [entity])
    except Refusal as refusal:
        return _make_again(kernel, visit, refusal)
    if not made.entities:
        return _make_again(kernel, visit, Refusal("conflict", "name: there is an entity with it already."))
    return going(visit, _ENTITY, "graph.done_made", name=name)


def _make_page(kernel: Kernel, visit: Visit) -> Shown:
    return _make_again(kernel, visit, None)


def _make_again(kernel: Kernel, visit: Visit, refusal: Refusal | None) -> Html:
    if refusal is not None and not is_shown(refusal):
        raise refusal
    seat = seated(kernel, visit, PATH)
    if seat is None:
        return no_seat("graph", PATH)
    values = {"seat": seat, "typed": visit.form, "refusal": refusal}
    return Html("graph_new.html", values, 200 if refusal is None else refusal.status)


def _edit(kernel: Kernel, visit: Visit) -> Shown:
    name, form = visit.query.text("name"), visit.form
    new_name, new_type = form.line("new_name"), form.line("type")
    # A field of one line drops what a name may have besides: that is no wish for another name.
    is_same = new_name == " ".join(name.splitlines()).strip() or new_name == name.replace("\n", "").strip()
    edit = EntityEdit(name, None if is_same else new_name, new_type, form.line("seen") or None)

    def change(scope: Scope, by: By) -> None:
        graph.edit_entity(kernel, scope, by, edit)

    return _changed(
        kernel, visit, change, "graph.done_edited", name=name if is_same else new_name, form="edit"
    )


def _observe(kernel: Kernel, visit: Visit) -> Shown:
    name = visit.query.text("name")

    def change(scope: Scope, by: By) -> None:
        graph.add_observations(kernel, scope, by, [Addition(name, (_observed(visit),))])

    return _changed(kernel, visit, change, "graph.done_observed", name=name, form="observe")


def _reword(kernel: Kernel, visit: Visit) -> Shown:
    name, key = visit.query.text("name"), visit.query.line("id")

    def change(scope: Scope, by: By) -> None:
        edit = ObservationEdit(name, key, _observed(visit), visit.form.line("seen") or None)
        graph.edit_observation(kernel, scope, by, edit)

    return _changed(kernel, visit, change, "graph.done_edited", name=name, form="reword", key=key)


def _relate(kernel: Kernel, visit: Visit) -> Shown:
    name = visit.query.text("name")

    def change(scope: Scope, by: By) -> None:
        graph.create_relations(kernel, scope, by, [_relation(visit)])

    return _changed(kernel, visit, change, "graph.done_related", name=name, form="relate")


def _relation(visit: Visit) -> NewRelation:
    """A relation from the entity of the page, or with `way` = in to it."""
    name, other, type_ = visit.query.text("name"), visit.form.text("other"), visit.form.text("relation")
    if visit.form.choice("way", ("out", "in"), "out") == "in":
        return NewRelation(other, name, type_)
    return NewRelation(name, other, type_)


def _archive(kernel: Kernel, visit: Visit) -> Shown:
    name = visit.query.text("name")

    def change(scope: Scope, by: By) -> None:
        graph.archive_entity(kernel, scope, by, name)

    return _changed(kernel, visit, change, "graph.done_archived", name=name, form="archive")


def _unarchive(kernel: Kernel, visit: Visit) -> Shown:
    name = visit.query.text("name")

    def change(scope: Scope, by: By) -> None:
        graph.unarchive_entity(kernel, scope, by, name)

    return _changed(kernel, visit, change, "graph.done_unarchived", name=name, form="archive")


def _merge_page(kernel: Kernel, visit: Visit) -> Shown:
    return _merging(kernel, visit, None)


def _merging(kernel: Kernel, visit: Visit, refusal: Refusal | None) -> Html:
    """Where the target is chosen: by its name, or among what a search finds."""
    seat = seated(kernel, visit, PATH)
    if seat is None:
        return no_seat("graph", PATH)
    name, text = visit.query.text("name"), visit.query.line("text")
    scope, by = _mine(kernel, visit)
    if text:
        found = graph.search_nodes(
            kernel, scope, by, text, max_observations=1, limit=_OFFERED, with_relations=False
        ).entities
    else:
        hits = graph.semantic_search(kernel, scope, by, name, k=_OFFERED).hits
        found = tuple(hit.entity for hit in hits)
    values = {
        "seat": seat,
        "name": name,
        "text": text,
        "offered": [one for one in found if one.name != name],
        "target": visit.form.text("target"),
        "refusal": refusal,
    }
    return Html("graph_merge.html", values, 200 if refusal is None else refusal.status)


def _merge(kernel: Kernel, visit: Visit) -> Shown:
    name = visit.query.text("name")
    target = visit.form.text("target")
    scope, by = _mine(kernel, visit)
    try:
        graph.merge_entities(kernel, scope, by, name, target)
    except Refusal as refusal:
        if not (is_shown(refusal) or refusal.code == "not_found"):
            raise
        return _merging(kernel, visit, refusal)
    return going(visit, _ENTITY, "graph.done_merged", name=target)


def _ask(kernel: Kernel, visit: Visit) -> Shown:
    """Asks before an entity goes."""
    seat = seated(kernel, visit, PATH)
    if seat is None:
        return no_seat("graph", PATH)
    found = graph.open_entity(
        kernel, visit.principal, seat.called, visit.query.text("name"), after=0, limit=1
    )
    values = {"seat": seat, "entity": found.entity, "relations": len(found.relations)}
    return Html("graph_delete.html", values)


def _delete(kernel: Kernel, visit: Visit) -> Shown:
    scope, by = _mine(kernel, visit)
    graph.delete_entities(kernel, scope, by, [visit.query.text("name")])
    return going(visit, f"{PATH}/changes", "graph.done_deleted")


def _unobserve(kernel: Kernel, visit: Visit) -> Shown:
    name, key = visit.query.text("name"), visit.query.line("id")

    def change(scope: Scope, by: By) -> None:
        graph.delete_observation(kernel, scope, by, name, key)

    return _changed(kernel, visit, change, "graph.done_deleted", name=name, form="reword", key=key)


def _unrelate(kernel: Kernel, visit: Visit) -> Shown:
    name = visit.query.text("name")

    def change(scope: Scope, by: By) -> None:
        graph.delete_relations(kernel, scope, by, [_relation(visit)])

    return _changed(kernel, visit, change, "graph.done_deleted", name=name, form="relate")


def _undo(kernel: Kernel, visit: Visit) -> Shown:
    scope, by = _mine(kernel, visit)
    try:
        graph.undo(kernel, scope, by, visit.form.line("change"))
    except Refusal as refusal:
        if not is_shown(refusal):
            raise
        return changes_page(kernel, visit, refusal)
    return going(visit, f"{PATH}/changes", "graph.done_undone")


def _changed(
    kernel: Kernel,
    visit: Visit,
    change: Callable[[Scope, By], None],
    done: str,
    *,
    name: str,
    form: str,
    key: str = "",
) -> Shown:
    """Makes a change from the page of an entity; what is refused is said there, with what was typed."""
    try:
        change(*_mine(kernel, visit))
    except Refusal as refusal:
        if not is_shown(refusal):
            raise
        return entity_page(kernel, visit, refusal, form=form, key=key)
    return going(visit, _ENTITY, done, name=name)


def _mine(kernel: Kernel, visit: Visit) -> tuple[Scope, By]:
    with kernel.database.read() as connection:
        scope = graph.seat_of(connection, visit.principal, called(visit))
    return scope, graph.by_member(visit.principal)


def _observed(visit: Visit) -> NewObservation:
    """Raises 422 for a confidence that is no number of percent."""
    said = visit.form.line("confidence").replace(",", ".")
    try:
        sure = float(said) / 100 if said else None
    except ValueError:
        raise invalid("confidence", "must be a number from 0 to 100") from None
    if sure is not None and not 0 <= sure <= 1:
        raise invalid("confidence", "must be a number from 0 to 100")
    return NewObservation(visit.form.text("text").strip(), sure)


PAGES: Final = (
    Page("GET", f"{PATH}/new", _make_page, ACT),
    Page("POST", f"{PATH}/new", _make, ACT),
    Page("POST", _ENTITY, _edit, ACT),
    Page("POST", f"{_ENTITY}/observe", _observe, ACT),
    Page("POST", f"{_ENTITY}/observation", _reword, ACT),
    Page("POST", f"{_ENTITY}/observation/delete", _unobserve, ACT),
    Page("POST", f"{_ENTITY}/relate", _relate, ACT),
    Page("POST", f"{_ENTITY}/unrelate", _unrelate, ACT),
    Page("POST", f"{_ENTITY}/archive", _archive, ACT),
    Page("POST", f"{_ENTITY}/unarchive", _unarchive, ACT),
    Page("GET", f"{PATH}/merge", _merge_page, ACT),
    Page("POST", f"{PATH}/merge", _merge, ACT),
    Page("GET", f"{PATH}/delete", _ask, ACT),
    Page("POST", f"{PATH}/delete", _delete, ACT),
    Page("POST", f"{PATH}/undo", _undo, ACT),
)
