/** An agent of Mastra over chat completions. */

import { Agent } from "@mastra/core/agent";
import { agentMemory } from "tarimba/mastra";
import { main } from "./asked.js";

await main(({ modelUrl, instructions, memory, write }) => {
  const model = { id: "openai/gpt-5.6" as const, url: `${modelUrl}/v1`, apiKey: "none" };
  const agent = new Agent({ id: "billing", name: "billing", model, ...agentMemory(instructions, { agentMemory: memory, write }) });
  return async (question) => (await agent.generate(question)).text;
});
