/** Chat completions of the OpenAI SDK. */

import OpenAI from "openai";
import { withAgentMemory } from "tarimba/openai";
import { main } from "./asked.js";

await main(({ modelUrl, instructions, memory, write }) => {
  const client = withAgentMemory(new OpenAI({ baseURL: `${modelUrl}/v1` }), { agentMemory: memory, write });
  return async (question) => {
    const messages = [
      { role: "system" as const, content: instructions },
      { role: "user" as const, content: question },
    ];
    const said = await client.chat.completions.create({ model: "gpt-5.6", messages });
    return said.choices[0]?.message.content ?? "";
  };
});
