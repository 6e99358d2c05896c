/** Where the notes go in a request whose system prompt is a text or a list of parts. Pure. */

import { CUSTOMER, compose } from "../composing.js";
import { type Fields, fields } from "../json.js";
import type { Standing } from "./notes.js";

const OPENING = "<agent_notes>\n";

/** How a provider wants a text, and how it is told to cache everything up to the end of one. */
export interface Marking {
  readonly type: string;
  readonly mark: Fields;
}

/**
 * The system prompt with the notes behind the instructions and before the customer, as parts; as it was when there is
 * nothing to put there. Parts of the caller's stay as they are, with their marks; only the notes get one of ours.
 */
export function placed(system: unknown, standing: Standing, marking: Marking): unknown {
  if (standing.notes === "" && standing.context === "") {
    return system;
  }
  if (Array.isArray(system)) {
    return placedAmong(system, standing, marking);
  }
  const composed = compose(typeof system === "string" ? system : "", standing.notes, standing.context);
  const mark = standing.notes === "" ? {} : marking.mark;
  const parts = [
    { type: marking.type, text: composed.shared, ...mark },
    { type: marking.type, text: composed.customer },
  ];
  return parts.filter((part) => part.text !== "");
}

/** How many marks of that name a request has. */
export function counted(value: unknown, name: string): number {
  if (typeof value !== "object" || value === null) {
    return 0;
  }
  const own = Object.hasOwn(value, name) ? 1 : 0;
  return Object.values(value).reduce<number>((sum, one) => sum + counted(one, name), own);
}

function placedAmong(parts: readonly unknown[], standing: Standing, marking: Marking): readonly unknown[] {
  const split = parts.flatMap(splitAtCustomer);
  const at = split.findIndex((part) => textOf(part).startsWith(CUSTOMER));
  const [own, customer] = at < 0 ? [split, []] : [split.slice(0, at), split.slice(at)];
  const between = own.length > 0 ? "\n\n" : "";
  // Adapting twice is adapting once.
  const isThere = split.some((part) => textOf(part).includes(OPENING));
  const text = between + standing.notes;
  const notes = standing.notes === "" || isThere ? [] : [{ type: marking.type, text, ...marking.mark }];
  const context = standing.context === "" ? [] : [{ type: marking.type, text: `\n\n${standing.context}` }];
  return [...own, ...notes, ...customer, ...context];
}

/** A part whose text goes over into the customer's context, as two; a mark of the caller's stays at its end. */
function splitAtCustomer(part: unknown): readonly unknown[] {
  const text = textOf(part);
  const at = text.indexOf(CUSTOMER);
  if (at <= 0) {
    return [part];
  }
  const { type } = part as Fields;
  return [
    { type, text: text.slice(0, at) },
    { ...(part as Fields), text: text.slice(at) },
  ];
}

function textOf(part: unknown): string {
  const text = fields(part)?.text;
  return typeof text === "string" ? text : "";
}
