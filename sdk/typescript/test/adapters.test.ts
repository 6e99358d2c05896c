/** What adapters do to requests and answers beside what frameworks show. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { remembering } from "../src/adapters/fetching.js";
import { CHAT, type Form, MESSAGES, RESPONSES } from "../src/adapters/forms.js";
import { Notes } from "../src/adapters/notes.js";
import { SEARCH_DEFINITION } from "../src/definitions.js";
import { block, problem, Script } from "./scripted.js";

const NOTES = "<agent_notes>\n...\n</agent_notes>";
const CUSTOMER = "<customer_context>\nPays on Fridays.\n</customer_context>";
const STANDING = { notes: NOTES, context: "" };
const MARK = { cache_control: { type: "ephemeral" } };

test("parts of the caller's stay as they are, and the notes go between them", () => {
  const own = { type: "text", text: "Be brief.", ...MARK };
  const asked = MESSAGES.asked({ system: [own, { type: "text", text: CUSTOMER }] }, STANDING);
  assert.deepEqual(asked.system, [
    own,
    { type: "text", text: `\n\n${NOTES}`, ...MARK },
    { type: "text", text: CUSTOMER },
  ]);
});

test("a part that goes over into the customer is divided there", () => {
  const asked = MESSAGES.asked({ system: [{ type: "text", text: `Be brief.\n\n${CUSTOMER}`, ...MARK }] }, STANDING);
  assert.deepEqual(asked.system, [
    { type: "text", text: "Be brief.\n\n" },
    { type: "text", text: `\n\n${NOTES}`, ...MARK },
    { type: "text", text: CUSTOMER, ...MARK },
  ]);
});

test("there is never a fifth mark", () => {
  const four = [1, 2, 3, 4].map((at) => ({ type: "text", text: `Part ${at}.`, ...MARK }));
  const asked = MESSAGES.asked({ system: four }, STANDING);
  assert.deepEqual(asked.system, [...four, { type: "text", text: `\n\n${NOTES}` }]);
});

test("adapting twice is adapting once", () => {
  for (const system of ["Be brief.", [{ type: "text", text: "Be brief." }]]) {
    const once = MESSAGES.asked({ system }, STANDING);
    assert.deepEqual(MESSAGES.asked(once, STANDING), once);
  }
});

test("only models that take a breakpoint get one", () => {
  const messages = [{ role: "developer", content: "Be brief." }];
  for (const [model, takes] of [
    ["gpt-5.6", true],
    ["gpt-6", true],
    ["gpt-5.5", false],
    ["gpt-4o", false],
    ["llama", false],
  ] as const) {
    const asked = JSON.stringify(CHAT.asked({ model, messages }, STANDING));
    assert.equal(asked.includes("prompt_cache_breakpoint"), takes, model);
  }
});

test("without notes a request is the caller's, byte by byte", async () => {
  const script = new Script(problem(500, "internal"));
  const body = '{ "messages": [],  "model": "m", "tool_choice": "none" }';
  const sent = await through(CHAT, script, body, [{ choices: [] }]);
  assert.deepEqual(sent, [body]);
});

test("calls of ours beside the caller's are left out for the caller", async () => {
  const script = new Script(block(), { body: [SEARCH_DEFINITION] });
  const call = (name: string) => ({ id: name, type: "function", function: { name, arguments: "{}" } });
  const message = { role: "assistant", tool_calls: [call("search_agent_memory"), call("theirs")] };
  const answers = [{ choices: [{ finish_reason: "tool_calls", message }] }];
  const seen: unknown[] = [];
  await through(CHAT, script, '{"messages": [], "model": "m"}', answers, seen);
  assert.deepEqual(seen, [
    { choices: [{ finish_reason: "tool_calls", message: { ...message, tool_calls: [call("theirs")] } }] },
  ]);
});

test("a model that asks without end is asked without our tools at last", async () => {
  const script = new Script(block(), { body: [SEARCH_DEFINITION] }, { body: { notes: [] } });
  const call = { type: "function_call", call_id: "c1", name: "search_agent_memory", arguments: '{"query": "q"}' };
  const sent = await through(RESPONSES, script, '{"input": "Hello", "model": "m"}', [{ output: [call] }]);
  assert.equal(sent.length, 8);
  assert.ok(sent.slice(0, 7).every((one) => one.includes("search_customer_history")));
  assert.ok(!sent[7]?.includes('"tools"'));
});

test("streams, and choices of the caller's, are offered no tool", async () => {
  for (const more of [{ stream: true }, { tool_choice: { type: "any" } }, { n: 2 }]) {
    const script = new Script(block());
    const body = JSON.stringify({ messages: [], model: "m", ...more });
    const [sent = ""] = await through(MESSAGES, script, body, [{ content: [] }]);
    assert.ok(sent.includes("agent_notes") && !sent.includes('"tools"'));
  }
});

/** What was sent to the model; `seen` takes what the caller got. */
async function through(form: Form, script: Script, body: string, answers: unknown[], seen: unknown[] = []) {
  const sent: string[] = [];
  const paths = new Map([
    [CHAT, "chat/completions"],
    [RESPONSES, "responses"],
    [MESSAGES, "messages"],
  ]);
  const send: typeof fetch = async (_, init) => {
    sent.push(String(init?.body));
    return Response.json(answers.length > 1 ? answers.shift() : answers[0]);
  };
  const fetching = remembering(send, new Notes(script.client(), {}), [form]);
  const answer = await fetching(`https://model.example/v1/${paths.get(form)}`, { method: "POST", body });
  seen.push(await answer.json());
  return sent;
}
