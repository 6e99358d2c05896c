/** An agent of LangChain over OpenAI's chat completions. */

import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { agentMemory } from "tarimba/langchain";
import { main } from "./asked.js";

await main(async ({ modelUrl, instructions, memory, write }) => {
  const model = new ChatOpenAI({ model: "gpt-5.6", useResponsesApi: false, configuration: { baseURL: `${modelUrl}/v1` } });
  const middleware = [await agentMemory({ agentMemory: memory, write })];
  const agent = createAgent({ model, tools: [], systemPrompt: instructions, middleware });
  return async (question) => {
    const said = await agent.invoke({ messages: [{ role: "user", content: question }] });
    // The endpoint gives all that it says one id, so what it says last stands in the place of what it said first.
    return said.messages.findLast((one) => one.type === "ai")?.text ?? "";
  };
});
