/** The tool that every key with notes may use, as the server defines it: for when the server can't be asked. */

import type { ToolDefinition } from "./models.js";

export const SEARCH = "search_agent_memory";
export const REMEMBER = "remember";

export const SEARCH_DEFINITION: ToolDefinition = {
  type: "function",
  function: {
    name: SEARCH,
    description:
      "Looks into the working notes of this agent: how procedures go, how tools and processes of the " +
      "company behave, what tends to go wrong. Call it before a step you are not sure how to do. Do not " +
      "call it to learn about a customer: there is nothing about customers in it, " +
      "search_customer_history has that.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", maxLength: 500, description: "What you want to know how to do." },
        tags: {
          type: "array",
          maxItems: 8,
          items: { type: "string", pattern: "^[a-z0-9][a-z0-9_.:-]{0,63}$" },
          description: "Object types, operations or systems it concerns, such as `invoice`, `refund`, `erp`.",
        },
      },
      required: ["query"],
      additionalProperties: false,
    },
  },
};
