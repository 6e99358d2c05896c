/** The AI SDK of Vercel over OpenAI's chat completions. */

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, wrapLanguageModel } from "ai";
import { agentMemory } from "tarimba/ai";
import { main } from "./asked.js";

await main(({ modelUrl, instructions, memory, write }) => {
  const provider = createOpenAI({ baseURL: `${modelUrl}/v1` });
  const middleware = agentMemory({ agentMemory: memory, write });
  const model = wrapLanguageModel({ model: provider.chat("gpt-5.6"), middleware });
  return async (question) => (await generateText({ model, system: instructions, prompt: question })).text;
});
