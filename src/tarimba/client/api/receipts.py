"""Calls of `client.api.receipts`."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from tarimba.client.api.calls import UNSET, Call, Unset, every, placed, request

if TYPE_CHECKING:
    from tarimba.client.api.receipts_shapes import (
        CheckpointAnswer,
        ConsistencyAnswer,
        CosignedAnswer,
        KeyList,
        ProofAnswer,
        ReceiptPage,
        WitnessAnswer,
        WitnessList,
    )


class Receipts:
    """See `docs/reference/http-api.md`. Raises a TarimbaError; `receipts` of `client.api`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def search(
        self,
        *,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        source_id: str | Unset | None = UNSET,
        note_id: str | Unset | None = UNSET,
        proposal_id: str | Unset | None = UNSET,
        kind: Literal["read", "admin"] | Unset | None = UNSET,
        action: str | Unset | None = UNSET,
        actor: str | Unset | None = UNSET,
        from_: str | Unset | None = UNSET,
        to: str | Unset | None = UNSET,
        cursor: str | Unset | None = UNSET,
        limit: int | Unset = UNSET,
    ) -> ReceiptPage:
        """Find receipts by conversation, task, agent, note, proposal, actor, action or time.

        `POST /v1/receipts/search`; receipt `receipts.search`.
        """
        answer: ReceiptPage = self._call(
            request(
                "POST",
                "/v1/receipts/search",
                body={
                    "conversation_id": conversation_id,
                    "task_id": task_id,
                    "source_id": source_id,
                    "note_id": note_id,
                    "proposal_id": proposal_id,
                    "kind": kind,
                    "action": action,
                    "actor": actor,
                    "from": from_,
                    "to": to,
                    "cursor": cursor,
                    "limit": limit,
                },
            )
        )
        return answer

    def each_search(
        self,
        *,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        source_id: str | Unset | None = UNSET,
        note_id: str | Unset | None = UNSET,
        proposal_id: str | Unset | None = UNSET,
        kind: Literal["read", "admin"] | Unset | None = UNSET,
        action: str | Unset | None = UNSET,
        actor: str | Unset | None = UNSET,
        from_: str | Unset | None = UNSET,
        to: str | Unset | None = UNSET,
        limit: int | Unset = UNSET,
    ) -> Iterator[dict[str, Any]]:
        """Every entry of `search`, page by page."""
        return every(
            lambda cursor: self.search(
                conversation_id=conversation_id,
                task_id=task_id,
                source_id=source_id,
                note_id=note_id,
                proposal_id=proposal_id,
                kind=kind,
                action=action,
                actor=actor,
                from_=from_,
                to=to,
                limit=limit,
                cursor=cursor or UNSET,
            ),
            "items",
        )

    def stream(
        self,
        *,
        after: int | None = None,
        limit: int | None = None,
        leaf: str | None = None,
        wait: int | None = None,
    ) -> bytes:
        """Follow the log from a place on, in its order, one receipt a line.

        `GET /v1/receipts/stream`; receipt `receipts.search`.
        """
        answer: bytes = self._call(
            request(
                "GET",
                "/v1/receipts/stream",
                query={"after": after, "limit": limit, "leaf": leaf, "wait": wait},
            )
        )
        return answer

    def get(self, receipt_id: str) -> Mapping[str, Any]:
        """Read one receipt with its place in the log.

        `GET /v1/receipts/{receipt_id}`; receipt `receipts.search`.
        """
        answer: Mapping[str, Any] = self._call(request("GET", f"/v1/receipts/{placed(receipt_id)}"))
        return answer

    def keys(self) -> KeyList:
        """Read the public keys that sign checkpoints.

        `GET /v1/receipts/key`.
        """
        answer: KeyList = self._call(request("GET", "/v1/receipts/key"))
        return answer

    def checkpoint(self, *, cosigned: bool | None = None) -> CheckpointAnswer:
        """Read the newest signed checkpoint.

        `GET /v1/receipts/checkpoint`.
        """
        answer: CheckpointAnswer = self._call(
            request("GET", "/v1/receipts/checkpoint", query={"cosigned": cosigned})
        )
        return answer

    def cosign(self, *, note: str) -> CosignedAnswer:
        """Hand in what witnesses say of a checkpoint.

        `POST /v1/receipts/checkpoint/cosignatures`.
        """
        answer: CosignedAnswer = self._call(
            request("POST", "/v1/receipts/checkpoint/cosignatures", body={"note": note})
        )
        return answer

    def witnesses(self) -> WitnessList:
        """List the witnesses of the log.

        `GET /v1/receipts/witnesses`.
        """
        answer: WitnessList = self._call(request("GET", "/v1/receipts/witnesses"))
        return answer

    def add_witness(self, *, key: str, idempotency_key: str | None = None) -> WitnessAnswer:
        """Take the cosignatures of a witness.

        `POST /v1/receipts/witnesses`; receipt `settings.change`.
        """
        answer: WitnessAnswer = self._call(
            request("POST", "/v1/receipts/witnesses", body={"key": key}, once=idempotency_key)
        )
        return answer

    def remove_witness(self, key_id: str, *, idempotency_key: str | None = None) -> WitnessAnswer:
        """Take no more cosignatures of a witness.

        `DELETE /v1/receipts/witnesses/{key_id}`; receipt `settings.change`.
        """
        answer: WitnessAnswer = self._call(
            request("DELETE", f"/v1/receipts/witnesses/{placed(key_id)}", once=idempotency_key)
        )
        return answer

    def consistency(self, *, from_: int, to: int) -> ConsistencyAnswer:
        """Prove that the log only grew between two sizes.

        `GET /v1/receipts/consistency`.
        """
        answer: ConsistencyAnswer = self._call(
            request("GET", "/v1/receipts/consistency", query={"from": from_, "to": to})
        )
        return answer

    def entries(self, tile: str) -> bytes:
        """Read the receipts under a tile of the log.

        `GET /v1/receipts/tile/entries/{tile}`; receipt `receipts.search`.
        """
        answer: bytes = self._call(request("GET", f"/v1/receipts/tile/entries/{placed(tile, whole=True)}"))
        return answer

    def tile(self, level: str, tile: str) -> bytes:
        """Read a tile of the log.

        `GET /v1/receipts/tile/{level}/{tile}`.
        """
        answer: bytes = self._call(
            request("GET", f"/v1/receipts/tile/{placed(level)}/{placed(tile, whole=True)}")
        )
        return answer

    def proof(self, receipt_id: str) -> ProofAnswer:
        """Prove one receipt up to a signed checkpoint.

        `GET /v1/receipts/{receipt_id}/proof`; receipt `receipts.search`.
        """
        answer: ProofAnswer = self._call(request("GET", f"/v1/receipts/{placed(receipt_id)}/proof"))
        return answer

    def bundle(
        self,
        *,
        conversation_id: str | Unset | None = UNSET,
        task_id: str | Unset | None = UNSET,
        source_id: str | Unset | None = UNSET,
        note_id: str | Unset | None = UNSET,
        proposal_id: str | Unset | None = UNSET,
        kind: Literal["read", "admin"] | Unset | None = UNSET,
        action: str | Unset | None = UNSET,
        actor: str | Unset | None = UNSET,
        from_: str | Unset | None = UNSET,
        to: str | Unset | None = UNSET,
    ) -> Mapping[str, Any]:
        """Get receipts with all that an outsider needs to verify them.

        `POST /v1/receipts/bundle`; receipt `receipts.search`.
        """
        answer: Mapping[str, Any] = self._call(
            request(
                "POST",
                "/v1/receipts/bundle",
                body={
                    "conversation_id": conversation_id,
                    "task_id": task_id,
                    "source_id": source_id,
                    "note_id": note_id,
                    "proposal_id": proposal_id,
                    "kind": kind,
                    "action": action,
                    "actor": actor,
                    "from": from_,
                    "to": to,
                },
            )
        )
        return answer
