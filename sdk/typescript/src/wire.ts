/** Requests and answers as values, and reading them. No network. */

import type { BlockKey } from "./cache.js";
import { badResponse, type Finding, TarimbaError } from "./errors.js";
import type { Item } from "./events.js";
import { type Fields, fields, parsed, Reader } from "./json.js";
import type { Block, Evidence, Found, Note, Recorded, Remembered, ToolDefinition } from "./models.js";

const BLOCK = "/v1/agent-memory/block";
const SEARCH = "/v1/agent-memory/search";
const NOTES = "/v1/agent-memory/notes";
const TOOLS = "/v1/agent-memory/tools";
const BATCH = "/v1/batch";

/** `target` is path and query; `body` is JSON. */
export interface Request {
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer with all of its body. `header` takes names in any case. */
export interface Response {
  readonly status: number;
  readonly body: string;
  readonly header: (name: string) => string | undefined;
}

/** Which conversation or task a read belongs to: it goes into the read's receipt. */
export interface Occasion {
  readonly conversationId?: string | undefined;
  readonly taskId?: string | undefined;
}

/** A note to keep. `validUntil` has a time zone. */
export interface NewNote {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly tags?: readonly string[];
  readonly evidence?: Evidence;
  readonly visibility?: string;
  readonly validUntil?: Date | string;
}

/** `GET /block`; with an `etag` the server may answer 304. */
export function blockRequest(key: BlockKey, etag: string, occasion: Occasion): Request {
  const query = new URLSearchParams({ max_tokens: String(key.maxTokens) });
  for (const tag of key.tags) {
    query.append("tags", tag);
  }
  for (const [name, value] of Object.entries({ view: key.view, ...named(occasion) })) {
    if (value !== undefined) {
      query.append(name, value);
    }
  }
  const headers: Record<string, string> = etag ? { "if-none-match": `"${etag}"` } : {};
  return { method: "GET", target: `${BLOCK}?${query}`, headers };
}

export function searchRequest(query: string, tags: readonly string[], limit: number, occasion: Occasion): Request {
  return post(SEARCH, { query, tags, limit, ...named(occasion) }, {});
}

export function noteRequest(note: NewNote, idempotencyKey: string): Request {
  const { kind, title, body, tags = [], visibility } = note;
  const evidence = note.evidence && named(note.evidence);
  const until = note.validUntil instanceof Date ? note.validUntil.toISOString() : note.validUntil;
  const document = { kind, title, body, tags, evidence, visibility, valid_until: until };
  return post(NOTES, document, { "idempotency-key": idempotencyKey });
}

export function toolsRequest(): Request {
  return { method: "GET", target: TOOLS, headers: {} };
}

export function batchRequest(items: readonly Item[]): Request {
  return post(BATCH, { items }, {});
}

export function readBlock(response: Response): Block {
  const read = new Reader(parsed(response.body), response.status);
  return {
    text: read.text("text", ""),
    notes: read.texts("notes"),
    etag: read.text("etag", ""),
    tokens: read.number("tokens", 0),
    enabled: read.flag("enabled", true),
    leftOut: read.number("left_out", 0),
    receiptId: read.optional("receipt_id"),
  };
}

export function readFound(response: Response): Found {
  const read = new Reader(parsed(response.body), response.status);
  const receiptId = read.optional("receipt_id") ?? receiptOf(response);
  return { notes: read.objects("notes").map(note), receiptId, error: undefined, detail: "" };
}

export function readRemembered(response: Response): Remembered {
  const read = new Reader(parsed(response.body), response.status);
  const kept = read.object("note");
  const warnings = read.objects("warnings", []).map((one) => ({
    code: one.text("code"),
    field: one.optional("field"),
    detail: one.text("detail", ""),
  }));
  return {
    note: kept && note(kept),
    proposalId: read.optional("proposal_id"),
    warnings,
    error: undefined,
    detail: "",
    kinds: [],
    findings: [],
    retryAfter: undefined,
  };
}

export function readRecorded(response: Response): Recorded {
  const read = new Reader(parsed(response.body), response.status);
  return {
    accepted: read.number("accepted", 0),
    duplicates: read.number("duplicates", 0),
    refused: read.list("errors", []).length,
  };
}

/** The definitions of tools that the server lists. */
export function readTools(response: Response): readonly ToolDefinition[] {
  const listed = parsed(response.body);
  const isListed = Array.isArray(listed) && listed.every(isDefinition);
  if (!isListed) {
    throw badResponse("The answer is no list of tools.", response.status);
  }
  return listed;
}

/** The id in the `Tarimba-Receipt` header: `<id>; seq=...; leaf=...`. */
export function receiptOf(response: Response): string | undefined {
  return response.header("tarimba-receipt")?.split(";")[0]?.trim() || undefined;
}

/** The error that the answer stands for; undefined for 2xx and for 304. */
export function failure(response: Response): TarimbaError | undefined {
  const { status } = response;
  if ((status >= 200 && status < 300) || status === 304) {
    return undefined;
  }
  if (status < 400) {
    return badResponse("The server redirects; no key is sent there.", status);
  }
  const problem = fields(parsed(response.body)) ?? {};
  return new TarimbaError(text(problem, "code") || `http_${status}`, sentence(problem), {
    status,
    retryAfter: retryAfter(response.header("retry-after")),
    requestId: text(problem, "request_id") || undefined,
    kinds: list(problem, "kinds").filter((one) => typeof one === "string"),
    findings: list(problem, "findings").filter(isFinding),
  });
}

function note(read: Reader): Note {
  const from = read.object("evidence");
  return {
    noteId: read.text("note_id"),
    sourceId: read.text("source_id"),
    kind: read.text("kind"),
    title: read.text("title"),
    body: read.text("body"),
    tags: read.texts("tags"),
    visibility: read.text("visibility"),
    evidence: from && { conversationId: from.optional("conversation_id"), taskId: from.optional("task_id") },
    origin: read.text("origin"),
    version: read.number("version"),
    supersedesNoteId: read.optional("supersedes_note_id"),
    status: read.text("status"),
    validUntil: read.optional("valid_until"),
    createdAt: read.text("created_at"),
    createdBy: read.text("created_by"),
  };
}

function named(occasion: Occasion | Evidence): { conversation_id?: string | undefined; task_id?: string | undefined } {
  return { conversation_id: occasion.conversationId, task_id: occasion.taskId };
}

function post(target: string, document: Fields, headers: Readonly<Record<string, string>>): Request {
  const body = JSON.stringify(document);
  return { method: "POST", target, body, headers: { "content-type": "application/json", ...headers } };
}

function isDefinition(tool: unknown): tool is ToolDefinition {
  const described = fields(fields(tool)?.function);
  return typeof described?.name === "string" && fields(described.parameters) !== undefined;
}

function isFinding(value: unknown): value is Finding {
  const found = fields(value);
  const isPlaced = Number.isInteger(found?.start) && Number.isInteger(found?.end);
  return isPlaced && typeof found?.kind === "string" && typeof found.field === "string";
}

function sentence(problem: Fields): string {
  return text(problem, "detail") || "The server gave no reason.";
}

function text(problem: Fields, name: string): string {
  const value = problem[name];
  return typeof value === "string" ? value : "";
}

function list(problem: Fields, name: string): readonly unknown[] {
  const value = problem[name];
  return Array.isArray(value) ? value : [];
}

/** Seconds from either form of the header (RFC 9110, 10.2.3); undefined when it can't be read. */
function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (/^\s*[0-9]+\s*$/.test(value)) {
    return Number(value);
  }
  const moment = Date.parse(value);
  return Number.isNaN(moment) ? undefined : Math.max(0, (moment - Date.now()) / 1000);
}
