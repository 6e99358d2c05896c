/** The AI SDK of Vercel over Anthropic's messages. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, wrapLanguageModel } from "ai";
import { agentMemory } from "tarimba/ai";
import { main } from "./asked.js";

await main(({ modelUrl, instructions, memory, write }) => {
  const provider = createAnthropic({ baseURL: `${modelUrl}/v1` });
  const middleware = agentMemory({ agentMemory: memory, write });
  const model = wrapLanguageModel({ model: provider("claude"), middleware });
  return async (question) => (await generateText({ model, system: instructions, prompt: question })).text;
});
