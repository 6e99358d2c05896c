/** The forms of providers' requests and answers, as far as notes and tools need them. Pure. */

import { type Fields, fields } from "../json.js";
import { argumentsOf, type Tool } from "../tools.js";
import type { Standing } from "./notes.js";
import { counted, type Marking, placed } from "./placing.js";

/** A call of a tool that a model asks for. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly given: Fields;
}

/** What our tools answered, by the ids of the calls. */
export type Results = ReadonlyMap<string, string>;

/** One provider's API. */
export interface Form {
  /** Whether a path is one of this form. */
  fits(path: string): boolean;
  /** The request with the notes in it. */
  asked(request: Fields, standing: Standing): Fields;
  /** The request with our tools among the caller's, which win where names meet. */
  offering(request: Fields, tools: readonly Tool[]): Fields;
  calls(answer: Fields): readonly Call[];
  /** The request of the next round: what the model said, and what our tools answered. */
  answered(request: Fields, answer: Fields, results: Results): Fields;
  /** The answer without calls of these names: nobody but us can answer those. */
  without(answer: Fields, names: ReadonlySet<string>): Fields;
}

const MARKS_MAX = 4;
const INSTRUCTING: ReadonlySet<unknown> = new Set(["system", "developer"]);
const BREAKPOINT = { prompt_cache_breakpoint: { mode: "explicit" } };
const EPHEMERAL = { cache_control: { type: "ephemeral" } };
// Models before refuse a request with a breakpoint.
const TAKES_BREAKPOINTS = /^(?:[\w.-]+\/)?gpt-(?:5\.(?:[6-9]|\d\d)|[6-9]|\d\d)/;

/** Chat completions of OpenAI, and of whoever speaks as it does. */
export const CHAT: Form = {
  fits: (path) => path.endsWith("/chat/completions"),
  asked: (request, standing) => {
    const messages = list(request.messages);
    const [first] = messages;
    const own = INSTRUCTING.has(fields(first)?.role) ? fields(first) : undefined;
    const content = placed(own?.content, standing, openai(request, "text"));
    const said = own === undefined ? { role: "system", content } : { ...own, content };
    return content === own?.content ? request : { ...request, messages: [said, ...messages.slice(own ? 1 : 0)] };
  },
  offering: (request, tools) => {
    const named = new Set(list(request.tools).map((one) => fields(fields(one)?.function)?.name));
    return offered(
      request,
      tools.filter((one) => !named.has(one.name)).map((one) => one.definition),
    );
  },
  calls: (answer) =>
    list(chatMessage(answer).tool_calls).map((one) => {
      const { id, function: called } = fields(one) ?? {};
      return { id: String(id), name: String(fields(called)?.name), given: argumentsOf(fields(called)?.arguments) };
    }),
  answered: (request, answer, results) => {
    const told = [...results].map(([id, content]) => ({ role: "tool", tool_call_id: id, content }));
    return { ...request, messages: [...list(request.messages), chatMessage(answer), ...told] };
  },
  without: (answer, names) => {
    const { tool_calls, ...message } = chatMessage(answer);
    const left = list(tool_calls).filter((one) => !names.has(String(fields(fields(one)?.function)?.name)));
    const [choice, ...more] = list(answer.choices);
    const kept = left.length > 0 ? { ...message, tool_calls: left } : message;
    const ended = left.length > 0 ? {} : { finish_reason: "stop" };
    return { ...answer, choices: [{ ...fields(choice), ...ended, message: kept }, ...more] };
  },
};

/** OpenAI's responses. Notes in `instructions`, which take no mark, else in the first message. */
export const RESPONSES: Form = {
  fits: (path) => path.endsWith("/responses"),
  asked: (request, standing) => {
    const input = list(request.input);
    const first = fields(input[0]);
    if (typeof request.instructions !== "string" && INSTRUCTING.has(first?.role)) {
      const content = placed(first?.content, standing, openai(request, "input_text"));
      return { ...request, input: [{ ...first, content }, ...input.slice(1)] };
    }
    const parts = placed(request.instructions, standing, { type: "input_text", mark: {} });
    const isPlaced = Array.isArray(parts);
    return isPlaced ? { ...request, instructions: parts.map((part) => part.text).join("") } : request;
  },
  offering: (request, tools) => {
    const named = new Set(list(request.tools).map((one) => fields(one)?.name));
    const added = tools.filter((one) => !named.has(one.name));
    return offered(
      request,
      added.map((one) => ({ type: "function", ...one.definition.function, strict: false })),
    );
  },
  calls: (answer) =>
    list(answer.output).flatMap((one) => {
      const { type, call_id, name, arguments: given } = fields(one) ?? {};
      return type === "function_call" ? [{ id: String(call_id), name: String(name), given: argumentsOf(given) }] : [];
    }),
  answered: (request, answer, results) => {
    const asked = typeof request.input === "string" ? [{ role: "user", content: request.input }] : list(request.input);
    const told = [...results].map(([call_id, output]) => ({ type: "function_call_output", call_id, output }));
    return { ...request, input: [...asked, ...list(answer.output), ...told] };
  },
  without: (answer, names) => ({
    ...answer,
    output: list(answer.output).filter((one) => {
      const { type, name } = fields(one) ?? {};
      return type !== "function_call" || !names.has(String(name));
    }),
  }),
};

/** Anthropic's messages. */
export const MESSAGES: Form = {
  fits: (path) => path.endsWith("/messages"),
  asked: (request, standing) => {
    // A fifth mark would be refused, and the caller's stay where they are.
    const mark = counted(request, "cache_control") < MARKS_MAX ? EPHEMERAL : {};
    const system = placed(request.system, standing, { type: "text", mark });
    return system === request.system ? request : { ...request, system };
  },
  offering: (request, tools) => {
    const named = new Set(list(request.tools).map((one) => fields(one)?.name));
    const added = tools.filter((one) => !named.has(one.name));
    return offered(
      request,
      added.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    );
  },
  calls: (answer) =>
    list(answer.content).flatMap((one) => {
      const { type, id, name, input } = fields(one) ?? {};
      return type === "tool_use" ? [{ id: String(id), name: String(name), given: argumentsOf(input) }] : [];
    }),
  answered: (request, answer, results) => {
    const told = [...results].map(([id, content]) => ({ type: "tool_result", tool_use_id: id, content }));
    const turns = [
      { role: "assistant", content: answer.content },
      { role: "user", content: told },
    ];
    return { ...request, messages: [...list(request.messages), ...turns] };
  },
  without: (answer, names) => {
    const content = list(answer.content).filter((one) => {
      const { type, name } = fields(one) ?? {};
      return type !== "tool_use" || !names.has(String(name));
    });
    const isCalling = content.some((one) => fields(one)?.type === "tool_use");
    return { ...answer, content, ...(isCalling ? {} : { stop_reason: "end_turn" }) };
  },
};

function openai(request: Fields, type: string): Marking {
  const takes = typeof request.model === "string" && TAKES_BREAKPOINTS.test(request.model);
  const isFree = counted(request, "prompt_cache_breakpoint") < MARKS_MAX;
  return { type, mark: takes && isFree ? BREAKPOINT : {} };
}

function offered(request: Fields, added: readonly unknown[]): Fields {
  return added.length > 0 ? { ...request, tools: [...list(request.tools), ...added] } : request;
}

function chatMessage(answer: Fields): Fields {
  return fields(fields(list(answer.choices)[0])?.message) ?? {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
