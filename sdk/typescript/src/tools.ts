/**
 * The function tools of the notes, ready for any framework: a definition, and what a call answers as text.
 *
 * A call never throws: what went wrong is told to the model in words that it can act on.
 */

import { REMEMBER, SEARCH } from "./definitions.js";
import { type Fields, fields } from "./json.js";
import type { Found, Remembered, ToolDefinition } from "./models.js";
import type { NewNote } from "./wire.js";

const AWAY = "The notes can't be read now. Go on without them.";
const NOT_KEPT = "The note was not kept.";
const WITHOUT = "Say the same without them, so that it helps with every customer, or keep nothing.";

/** A tool: `parameters` is JSON Schema; `run` takes the model's arguments and gives the text for it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly definition: ToolDefinition;
  readonly run: (given: unknown) => Promise<string>;
}

/** What carries tools out: the calls of a client. */
export interface Calls {
  readonly search: (query: string, tags: readonly string[]) => Promise<Found>;
  readonly remember: (note: NewNote) => Promise<Remembered>;
}

/** Those of the defined tools that are known here; `remember` only where it is asked for. */
export function toolsOf(calls: Calls, definitions: readonly ToolDefinition[], write: boolean): readonly Tool[] {
  const runs: Record<string, (given: Fields) => Promise<string>> = { [SEARCH]: (given) => searching(calls, given) };
  if (write) {
    runs[REMEMBER] = (given) => remembering(calls, given);
  }
  return definitions.flatMap((definition) => {
    const { name, description, parameters } = definition.function;
    const run = Object.hasOwn(runs, name) ? runs[name] : undefined;
    return run ? [{ name, description, parameters, definition, run: (given) => run(fields(given) ?? {}) }] : [];
  });
}

/** The arguments as an object, from the text in which most models send them; empty for what is none. */
export function argumentsOf(text: unknown): Fields {
  try {
    return fields(typeof text === "string" ? JSON.parse(text) : text) ?? {};
  } catch {
    return {};
  }
}

async function searching(calls: Calls, given: Fields): Promise<string> {
  const { query } = given;
  if (typeof query !== "string" || query.trim() === "") {
    return asksFor("query");
  }
  return told(AWAY, async () => found(await calls.search(query, tags(given))));
}

async function remembering(calls: Calls, given: Fields): Promise<string> {
  const { kind, title, body } = given;
  if (!isText(kind) || !isText(title) || !isText(body)) {
    return asksFor("kind, title and body");
  }
  return told(NOT_KEPT, async () => kept(await calls.remember({ kind, title, body, tags: tags(given) })));
}

/** A strict client throws: the model is told all the same. */
async function told(instead: string, call: () => Promise<string>): Promise<string> {
  try {
    return await call();
  } catch {
    return JSON.stringify({ error: "client_error", detail: instead });
  }
}

/** What a model is told of a search: JSON, best first; or a sentence. */
export function found(found: Found): string {
  if (found.error !== undefined) {
    return JSON.stringify({ error: found.error, detail: found.detail || AWAY, notes: [] });
  }
  const notes = found.notes.map((one) => ({
    note_id: one.noteId,
    kind: one.kind,
    title: one.title,
    body: one.body,
    tags: one.tags,
  }));
  return JSON.stringify({ notes });
}

/** What a model is told of a note that it wrote: what became of it, and what to mend. */
export function kept(note: Remembered): string {
  if (note.error !== undefined) {
    return JSON.stringify({ error: note.error, detail: refused(note) });
  }
  const warnings = note.warnings.map((one) => one.detail);
  return JSON.stringify({
    note_id: note.note?.noteId || undefined,
    proposal_id: note.proposalId || undefined,
    warnings: warnings.length > 0 ? warnings : undefined,
  });
}

function refused(note: Remembered): string {
  if (note.kinds.length > 0) {
    return `${NOT_KEPT} It holds personal data: ${note.kinds.join(", ")}. ${WITHOUT}`;
  }
  const again = note.retryAfter ? ` Try again in ${Math.round(note.retryAfter)} seconds.` : "";
  return `${note.detail || NOT_KEPT}${again}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Models send a lone string, or null, in the place of a list. */
function tags(given: Fields): readonly string[] {
  const listed = typeof given.tags === "string" ? [given.tags] : given.tags;
  return Array.isArray(listed) ? listed.filter((tag) => isText(tag)) : [];
}

function asksFor(names: string): string {
  return JSON.stringify({ error: "invalid_input", detail: `This tool takes ${names} as text.` });
}
