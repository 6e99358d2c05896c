/**
 * Mastra: `new Agent({ id, name, model, ...agentMemory("You collect what is due.") })`, and every run has the agent's notes
 * behind the instructions and before the customer's context.
 */

import type { Tool } from "../tools.js";
import { Notes, type NotesOptions } from "./notes.js";

export { customerContext, type NotesOptions } from "./notes.js";

/** A tool as Mastra takes it. */
export interface MastraTool {
  readonly id: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly execute: (given: unknown) => Promise<string>;
}

/** What an agent of Mastra 1 is made of: both are asked for before each run. */
export interface MastraMemory<T> {
  readonly instructions: () => Promise<string>;
  readonly tools: () => Promise<T & Record<string, MastraTool>>;
}

/** The instructions with the notes, and our tools beside `tools`, which win where names meet. */
export function agentMemory<T extends object = object>(
  instructions: string,
  options: NotesOptions & { readonly tools?: T } = {},
): MastraMemory<T> {
  const notes = Notes.of(options);
  return {
    instructions: async () => (notes ? (await notes.compose(instructions)).text : instructions),
    tools: async () => {
      const ours = (await notes?.tools()) ?? [];
      const named = Object.fromEntries(ours.map((tool) => [tool.name, offered(tool)]));
      return { ...named, ...options.tools } as T & Record<string, MastraTool>;
    },
  };
}

function offered({ name, description, parameters, run }: Tool): MastraTool {
  return { id: name, description, inputSchema: parameters, execute: run };
}
