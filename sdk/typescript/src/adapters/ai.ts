/**
 * The AI SDK of Vercel: `wrapLanguageModel({ model, middleware: agentMemory() })`, and every call of the model has the
 * agent's notes behind the system prompt and before the customer's context.
 */

import { compose } from "../composing.js";
import { type Fields, fields } from "../json.js";
import { argumentsOf, type Tool } from "../tools.js";
import { Notes, type NotesOptions, type Standing } from "./notes.js";

export { customerContext, type NotesOptions } from "./notes.js";

const ROUNDS = 8;
// Each provider reads its own, and passes over the others'.
const MARKS = {
  anthropic: { cacheControl: { type: "ephemeral" } },
  bedrock: { cachePoint: { type: "default" } },
};

/** A middleware of the AI SDK, version 7. Calls that do not stream are offered `search_agent_memory`, answered here. */
export interface AgentMemoryMiddleware {
  readonly specificationVersion: "v4";
  readonly transformParams: <P>(call: { readonly params: P }) => Promise<P>;
  readonly wrapGenerate: <P, R>(call: {
    readonly params: P;
    readonly model: { doGenerate(params: P): PromiseLike<R> };
    readonly doGenerate: () => PromiseLike<R>;
  }) => Promise<R>;
}

/** The notes for one model; with `agentMemory: false` it changes nothing. */
export function agentMemory(options: NotesOptions = {}): AgentMemoryMiddleware {
  const notes = Notes.of(options);
  return {
    specificationVersion: "v4",
    transformParams: async ({ params }) => (notes ? withNotes(params, await notes.standing()) : params),
    wrapGenerate: async ({ params, model, doGenerate }) => {
      const tools = notes && isForTools(params as Fields) ? await notes.tools() : [];
      return tools.length > 0 ? rounds(params, tools, (next) => model.doGenerate(next)) : doGenerate();
    },
  };
}

function withNotes<P>(params: P, { notes, context }: Standing): P {
  const prompt = list((params as Fields).prompt);
  const first = fields(prompt[0]);
  const own = first?.role === "system" ? first : undefined;
  const { shared, customer } = compose(typeof own?.content === "string" ? own.content : "", notes, context);
  if (notes === "" && context === "") {
    return params;
  }
  const marks = notes === "" ? {} : MARKS;
  const providerOptions = merged(marks, fields(own?.providerOptions) ?? {});
  const said = [
    { role: "system", content: shared, providerOptions },
    { role: "system", content: customer },
  ];
  const messages = [...said.filter((one) => one.content !== ""), ...prompt.slice(own ? 1 : 0)];
  return { ...params, prompt: messages };
}

/** The caller's win. */
function merged(ours: Fields, theirs: Fields): Fields {
  const both = Object.keys(ours).map((name) => [name, { ...fields(ours[name]), ...fields(theirs[name]) }]);
  return { ...theirs, ...Object.fromEntries(both) };
}

function isForTools(params: Fields): boolean {
  return (fields(params.toolChoice)?.type ?? "auto") === "auto";
}

async function rounds<P, R>(first: P, tools: readonly Tool[], send: (params: P) => PromiseLike<R>): Promise<R> {
  let params = first;
  const named = new Set(list((first as Fields).tools).map((one) => fields(one)?.name));
  const added = tools.filter((tool) => !named.has(tool.name));
  for (let round = 1; round < ROUNDS; round += 1) {
    const result = await send(offering(params, added));
    const said = list((result as Fields).content).map((one) => fields(one) ?? {});
    const calls = said.filter((one) => one.type === "tool-call");
    const ours = calls.filter((call) => added.some((tool) => tool.name === call.toolName));
    if (ours.length === 0) {
      return result;
    }
    if (ours.length < calls.length) {
      return { ...result, content: said.filter((one) => !ours.includes(one)) };
    }
    params = await answered(params, said, ours, added);
  }
  return send(params);
}

function offering<P>(params: P, tools: readonly Tool[]): P {
  const added = tools.map(({ name, description, parameters }) => {
    return { type: "function", name, description, inputSchema: parameters };
  });
  return added.length > 0 ? { ...params, tools: [...list((params as Fields).tools), ...added] } : params;
}

async function answered<P>(
  params: P,
  said: readonly Fields[],
  calls: readonly Fields[],
  tools: readonly Tool[],
): Promise<P> {
  const results: Fields[] = [];
  for (const { toolCallId, toolName, input } of calls) {
    const tool = tools.find((one) => one.name === toolName);
    const value = (await tool?.run(argumentsOf(input))) ?? "";
    results.push({ type: "tool-result", toolCallId, toolName, output: { type: "text", value } });
  }
  const turn = said.map((one) => (one.type === "tool-call" ? { ...one, input: argumentsOf(one.input) } : one));
  const turns = [
    { role: "assistant", content: turn },
    { role: "tool", content: results },
  ];
  return { ...params, prompt: [...list((params as Fields).prompt), ...turns] };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
