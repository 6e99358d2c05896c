/** The notes of an agent, from Node: `new Tarimba()` and its calls. */

export type { BlockOptions, SearchOptions } from "./client.js";
export { Tarimba } from "./client.js";
export { type Composed, compose } from "./composing.js";
export { Conversation } from "./conversation.js";
export { type Facts, type Finding, TarimbaError } from "./errors.js";
export type { Handle } from "./events.js";
export type { AgentMemory, Block, Evidence, Found, Note, NoteWarning, Remembered, ToolDefinition } from "./models.js";
export type { Budgets, Platform, TarimbaOptions } from "./options.js";
export type { Tally } from "./recording.js";
export type { Retries } from "./retries.js";
export type { Tool } from "./tools.js";
export type { NewNote, Occasion } from "./wire.js";
