/** Where the notes stand in a prompt: after the agent's instructions, before the customer's context. Pure. */

// The server's own context of a customer begins so; whoever brings another marks it the same way, or gives it apart.
export const CUSTOMER = "<customer_context>";
const BLOCK = /\n*<agent_notes>\n[\s\S]*?\n<\/agent_notes>\n*/g;
const BETWEEN = "\n\n";

/**
 * A system prompt in two pieces that joined are its `text`.
 *
 * `shared` ends with the notes (with the instructions, when there are none) and is the same bytes for every customer of
 * the agent: a provider's cache is told to keep it up to there. `customer` is what differs.
 */
export interface Composed {
  readonly shared: string;
  readonly customer: string;
  readonly text: string;
}

/**
 * Puts the text of a block between the instructions and the customer's context.
 *
 * A context that the instructions hold already, in `<customer_context>`, begins there. A block that they hold already
 * makes room for this one, so that composing twice is composing once.
 */
export function compose(instructions: string, notes = "", context = ""): Composed {
  const [own, customer] = split(instructions.replace(BLOCK, BETWEEN));
  const shared = joined(stripped(own), notes);
  const theirs = joined(stripped(customer), stripped(context));
  const behind = shared && theirs ? BETWEEN + theirs : theirs;
  return { shared, customer: behind, text: shared + behind };
}

function split(instructions: string): readonly [string, string] {
  const at = instructions.indexOf(CUSTOMER);
  return at < 0 ? [instructions, ""] : [instructions.slice(0, at), instructions.slice(at)];
}

function joined(first: string, second: string): string {
  return first && second ? first + BETWEEN + second : first || second;
}

function stripped(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === "\n") {
    start += 1;
  }
  while (end > start && text[end - 1] === "\n") {
    end -= 1;
  }
  return text.slice(start, end);
}
