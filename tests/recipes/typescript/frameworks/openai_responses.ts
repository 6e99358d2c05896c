/** Responses of the OpenAI SDK. */

import OpenAI from "openai";
import { withAgentMemory } from "tarimba/openai";
import { main } from "./asked.js";

await main(({ modelUrl, instructions, memory, write }) => {
  const client = withAgentMemory(new OpenAI({ baseURL: `${modelUrl}/v1` }), { agentMemory: memory, write });
  return async (question) => {
    const said = await client.responses.create({ model: "gpt-5.6", instructions, input: question });
    return said.output_text;
  };
});
