/**
 * LangChain: `createAgent({ model, tools, middleware: [await agentMemory()] })`, and every call of the model has the
 * agent's notes behind the system prompt and before the customer's context.
 */

import { SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { compose } from "../composing.js";
import type { Tool } from "../tools.js";
import { Notes, type NotesOptions, type Standing } from "./notes.js";
import { placed } from "./placing.js";

export { customerContext, type NotesOptions } from "./notes.js";

/**
 * A middleware of LangChain 1. The tools are those that the server lists for the key when this is called: where it can't
 * be asked, `search_agent_memory` alone.
 */
export async function agentMemory(options: NotesOptions = {}): Promise<AgentMiddleware> {
  const notes = Notes.of(options);
  const tools = notes === undefined ? [] : await notes.tools();
  return createMiddleware({
    name: "TarimbaAgentMemory",
    tools: tools.map(offered),
    wrapModelCall: async (request, handler) => {
      const standing = await notes?.standing();
      const systemMessage = standing ? withNotes(request.systemMessage, standing) : request.systemMessage;
      return handler({ ...request, systemMessage });
    },
  });
}

function withNotes(message: SystemMessage, standing: Standing): SystemMessage {
  const { content } = message;
  if (typeof content === "string") {
    return new SystemMessage(compose(content, standing.notes, standing.context).text);
  }
  const parts = placed(content, standing, { type: "text", mark: {} });
  return new SystemMessage({ content: parts as typeof content });
}

function offered({ name, description, parameters, run }: Tool) {
  return tool((given: unknown) => run(given), { name, description, schema: { ...parameters, type: "object" } });
}
