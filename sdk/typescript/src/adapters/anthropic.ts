/** The Anthropic SDK: `const client = withAgentMemory(new Anthropic())`, and every message has the agent's notes. */

import { remembering } from "./fetching.js";
import { MESSAGES } from "./forms.js";
import { Notes, type NotesOptions } from "./notes.js";
import { refetched, type Stainless } from "./stainless.js";

export { customerContext, type NotesOptions } from "./notes.js";

/**
 * A client like `client` whose requests have the notes; `client` itself stays as it was.
 *
 * The notes go behind the system prompt and before the customer's context, with a cache breakpoint right after them,
 * unless the request has four of its own. The model is offered `search_agent_memory`, but in streams; what it asks of it is
 * answered here.
 */
export function withAgentMemory<C extends Stainless>(client: C, options: NotesOptions = {}): C {
  const notes = Notes.of(options);
  return notes === undefined ? client : refetched(client, (send) => remembering(send, notes, [MESSAGES]));
}
