/** What calls return. */

import type { Finding } from "./errors.js";

/** Where a note came from: ids of 1 to 512 characters, never text. */
export interface Evidence {
  readonly conversationId?: string | undefined;
  readonly taskId?: string | undefined;
}

/** One version of a note. `kind` is procedure, tool_note, process_note or pitfall; others may follow. */
export interface Note {
  readonly noteId: string;
  readonly sourceId: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  readonly visibility: string;
  readonly evidence: Evidence | undefined;
  readonly origin: string;
  readonly version: number;
  readonly supersedesNoteId: string | undefined;
  readonly status: string;
  /** RFC 3339. */
  readonly validUntil: string | undefined;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly createdBy: string;
}

/** The block as the server sends it. `notes` are ids; `tokens` counts `text` in o200k_base. */
export interface Block {
  readonly text: string;
  readonly notes: readonly string[];
  readonly etag: string;
  readonly tokens: number;
  readonly enabled: boolean;
  readonly leftOut: number;
  readonly receiptId: string | undefined;
}

/**
 * The notes for the prompt: put `text` after your instructions and before the customer's context.
 *
 * `source` is `network`, `cache` (revalidated, or not older than the time to live, or the last good one when `error`
 * is set) or `empty`. `error` is a code.
 */
export interface AgentMemory extends Block {
  readonly source: "network" | "cache" | "empty";
  readonly error: string | undefined;
}

/** The notes that a search found, best first. With `error`, a code, there are none and `detail` is a sentence. */
export interface Found {
  readonly notes: readonly Note[];
  readonly receiptId: string | undefined;
  readonly error: string | undefined;
  readonly detail: string;
}

/** What is stored but could be better, for example a long body. */
export interface NoteWarning {
  readonly code: string;
  readonly field: string | undefined;
  readonly detail: string;
}

/**
 * What became of a note: stored (`note`), waiting for a person (`proposalId`), or not (`error`).
 *
 * After `personal_data_in_agent_memory`, `kinds` and `findings` say what to remove; `retryAfter` (seconds) says when a
 * limited agent may write again. `detail` is the server's sentence about an error; it never holds what was sent.
 */
export interface Remembered {
  readonly note: Note | undefined;
  readonly proposalId: string | undefined;
  readonly warnings: readonly NoteWarning[];
  readonly error: string | undefined;
  readonly detail: string;
  readonly kinds: readonly string[];
  readonly findings: readonly Finding[];
  readonly retryAfter: number | undefined;
}

/** What became of a batch of events: `refused` items broke a rule. */
export interface Recorded {
  readonly accepted: number;
  readonly duplicates: number;
  readonly refused: number;
}

/** A tool in the form of function calling. */
export interface ToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export const EMPTY: AgentMemory = {
  text: "",
  notes: [],
  etag: "",
  tokens: 0,
  enabled: true,
  leftOut: 0,
  receiptId: undefined,
  source: "empty",
  error: undefined,
};
