/** Messages of the Anthropic SDK. */

import Anthropic from "@anthropic-ai/sdk";
import { withAgentMemory } from "tarimba/anthropic";
import { main } from "./asked.js";

await main(({ modelUrl, instructions, memory, write }) => {
  const client = withAgentMemory(new Anthropic({ baseURL: modelUrl }), { agentMemory: memory, write });
  return async (question) => {
    const messages = [{ role: "user" as const, content: question }];
    const said = await client.messages.create({ model: "claude", max_tokens: 100, system: instructions, messages });
    return said.content.map((one) => (one.type === "text" ? one.text : "")).join("");
  };
});
