/** The OpenAI SDK: `const client = withAgentMemory(new OpenAI())`, and every completion and response has the notes. */

import { remembering } from "./fetching.js";
import { CHAT, RESPONSES } from "./forms.js";
import { Notes, type NotesOptions } from "./notes.js";
import { refetched, type Stainless } from "./stainless.js";

export { customerContext, type NotesOptions } from "./notes.js";

/**
 * A client like `client` whose requests have the notes; `client` itself stays as it was.
 *
 * The notes go behind the first system or developer message, or `instructions`, and before the customer's context. The
 * model is offered `search_agent_memory`, but in streams; what it asks of it is answered here.
 */
export function withAgentMemory<C extends Stainless>(client: C, options: NotesOptions = {}): C {
  const notes = Notes.of(options);
  return notes === undefined ? client : refetched(client, (send) => remembering(send, notes, [CHAT, RESPONSES]));
}
