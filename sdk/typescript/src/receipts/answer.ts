/** What proved receipts answer: which notes an agent had been given in a conversation, and who vouched for each. */

import { type Fields, fields } from "../json.js";

/** A receipt that is proved, with its place in the log. */
export type Proved = Fields & { readonly seq: number };

/** A receipt in brief: what was done, when, by whom and at which place of the log. */
export interface Act {
  readonly seq: number;
  readonly at: string;
  readonly action: string;
  readonly by: string;
}

/**
 * A note version that was given out: the act that vouches for its text, and those of its proposal.
 *
 * `kept` is undefined where no receipt of the bundle names the version: it may have been erased since.
 */
export interface Given {
  readonly noteId: string;
  readonly contentHash: string | undefined;
  readonly kept: Act | undefined;
  readonly proposed: Act | undefined;
  readonly approved: Act | undefined;
}

/** A read, and the notes that it gave out in their order. */
export interface Handed {
  readonly read: Act;
  readonly agent: string;
  readonly notes: readonly Given[];
}

/** What was given out under an id of the caller's own: a conversation or a task. */
export interface Answered {
  readonly value: string;
  readonly reads: readonly Handed[];
}

/** What the reads at these places gave out, as far as the proved receipts tell. */
export function answer(value: string, places: readonly number[], receipts: readonly Proved[]): Answered {
  const sources: Sources = { vouching: vouching(receipts), proposals: proposals(receipts) };
  const reads = receipts.filter((one) => places.includes(one.seq) && one.kind === "read");
  return { value, reads: reads.map((one) => handed(one, sources)) };
}

/** The detail of a receipt; empty where an altered one has none. */
export function detailOf(receipt: Fields): Fields {
  return fields(receipt.detail) ?? {};
}

interface Sources {
  readonly vouching: ReadonlyMap<string, { readonly receipt: Proved; readonly digest: string }>;
  readonly proposals: ReadonlyMap<string, Act>;
}

function handed(read: Proved, sources: Sources): Handed {
  const { notes } = detailOf(read);
  const ids = Array.isArray(notes) ? notes.map(String) : [];
  return { read: act(read), agent: text(read.agent), notes: ids.map((one) => given(one, sources)) };
}

function given(noteId: string, { vouching, proposals }: Sources): Given {
  const found = vouching.get(noteId);
  if (found === undefined) {
    return { noteId, contentHash: undefined, kept: undefined, proposed: undefined, approved: undefined };
  }
  const proposal = text(found.receipt.proposal_id);
  return {
    noteId,
    contentHash: found.digest,
    kept: act(found.receipt),
    proposed: proposals.get(`${proposal} proposal.create`),
    approved: proposals.get(`${proposal} proposal.approve`),
  };
}

/** By the id of a note version, the first act that bound its text to the log, and the hash of that. */
function vouching(receipts: readonly Proved[]): Sources["vouching"] {
  const found = new Map<string, { receipt: Proved; digest: string }>();
  for (const receipt of receipts) {
    const detail = detailOf(receipt);
    const pairs = [...Object.entries(fields(detail.notes) ?? {}), [receipt.note_id, detail.content_hash]];
    for (const [noteId, digest] of pairs) {
      if (typeof noteId === "string" && typeof digest === "string" && !found.has(noteId)) {
        found.set(noteId, { receipt, digest });
      }
    }
  }
  return found;
}

function proposals(receipts: readonly Proved[]): ReadonlyMap<string, Act> {
  const named = receipts.filter((one) => typeof one.proposal_id === "string");
  return new Map(named.map((one) => [`${one.proposal_id} ${one.action}`, act(one)]));
}

function act(receipt: Proved): Act {
  const actor = fields(receipt.actor);
  const by = actor === undefined ? "nobody" : `${text(actor.type)} ${text(actor.id)}`;
  return { seq: receipt.seq, at: text(receipt.at), action: text(receipt.action), by };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
