/** What a client promises: it ends in time, it never breaks an agent, it asks no more than it must. */

import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { Tarimba, TarimbaError } from "../src/index.js";
import { block, KEY, NOT_MODIFIED, problem, Script } from "./scripted.js";

test("a block answers from memory, is revalidated, and outlives a server that is gone", async () => {
  const script = new Script(block());
  const memory = script.client();
  assert.equal((await memory.agentMemory()).source, "network");
  assert.equal((await memory.agentMemory()).source, "cache");
  assert.equal(script.sent.length, 1);
  script.now += 60_000;
  script.goOn(NOT_MODIFIED);
  const same = await memory.agentMemory();
  assert.deepEqual([same.source, same.receiptId, script.sent[1]?.headers["if-none-match"]], ["cache", "r2", '"am-1"']);
  script.now += 60_000;
  script.goOn(problem(400, "invalid_input"));
  const last = await memory.agentMemory();
  assert.deepEqual([last.text, last.source, last.error], [same.text, "cache", "invalid_input"]);
});

test("tags are a set, and other questions are asked for themselves", async () => {
  const script = new Script(block());
  const memory = script.client();
  await memory.agentMemory({ tags: ["b", "a", "b"] });
  await memory.agentMemory({ tags: ["a", "b"] });
  assert.equal(script.sent.length, 1);
  await memory.agentMemory({ tags: ["a"] });
  await memory.agentMemory({ tags: ["a"], maxTokens: 400 });
  assert.equal(script.sent.length, 3);
});

for (const status of [401, 403]) {
  test(`after ${status} nothing is read from memory any more`, async () => {
    const script = new Script(block());
    const memory = script.client();
    await memory.agentMemory();
    script.goOn(problem(status, "no"));
    await memory.searchAgentMemory("q");
    const gone = await memory.agentMemory();
    assert.deepEqual([gone.text, gone.source, gone.error], ["", "empty", "no"]);
    assert.deepEqual(await memory.tools(), []);
  });
}

test("after a note the block is read anew, also when nobody knows whether it was kept", async () => {
  const script = new Script(block());
  const memory = script.client();
  await memory.agentMemory();
  script.goOn(problem(400, "invalid_input"));
  assert.equal((await memory.remember({ kind: "pitfall", title: "T", body: "B" })).error, "invalid_input");
  script.goOn(block({ etag: "am-2" }));
  assert.equal((await memory.agentMemory()).etag, "am-2");
});

test("a note is retried under one idempotency key, and another note has another", async () => {
  const script = new Script(problem(503, "unavailable"), problem(429, "rate_limited", { "retry-after": "1" }), {
    status: 201,
    body: { proposal_id: "p-1" },
  });
  const memory = script.client();
  const kept = await memory.remember({ kind: "pitfall", title: "T", body: "B" });
  assert.deepEqual([kept.proposalId, kept.error], ["p-1", undefined]);
  assert.deepEqual(script.pauses, [50, 1100]);
  await memory.remember({ kind: "pitfall", title: "T", body: "B" });
  const keys = script.sent.map((one) => one.headers["idempotency-key"]);
  assert.equal(new Set(keys.slice(0, 3)).size, 1);
  assert.notEqual(keys[0], keys[3]);
});

test("a pause that outlasts the budget is not begun", async () => {
  const script = new Script(problem(429, "rate_limited", { "retry-after": "5" }));
  const kept = await script.client().remember({ kind: "pitfall", title: "T", body: "B" });
  assert.deepEqual([kept.error, kept.retryAfter, script.pauses.length], ["rate_limited", 5, 0]);
});

test("a connection that breaks is tried again, four times in all", async () => {
  const script = new Script(new TypeError("fetch failed"));
  const found = await script.client().searchAgentMemory("q");
  assert.deepEqual([found.error, found.notes, script.sent.length], ["connection_failed", [], 4]);
});

test("strict throws what else is told", async () => {
  const script = new Script(problem(404, "not_found"));
  const strict = script.client({ strict: true });
  const isNotFound = (error: unknown) => error instanceof TarimbaError && error.code === "not_found";
  await assert.rejects(strict.agentMemory(), isNotFound);
  await assert.rejects(strict.searchAgentMemory("q"), isNotFound);
  await assert.rejects(strict.remember({ kind: "pitfall", title: "T", body: "B" }), isNotFound);
});

test("the tool of a strict client tells the model all the same", async () => {
  const script = new Script({
    body: [{ type: "function", function: { name: "search_agent_memory", parameters: {} } }],
  });
  const [tool] = await script.client({ strict: true }).tools();
  script.goOn(problem(500, "internal"));
  assert.match((await tool?.run({ query: "q" })) ?? "", /Go on without them/);
  assert.match((await tool?.run("nonsense")) ?? "", /takes query as text/);
});

test("without a key nothing is sent, and the key is in no text", async () => {
  const script = new Script(block());
  const memory = script.client({ apiKey: " " });
  assert.equal((await memory.agentMemory()).error, "not_configured");
  assert.equal(script.sent.length, 0);
  assert.throws(() => script.client({ apiKey: "", strict: true }), { code: "not_configured" });
  const named = script.client({ baseUrl: "https://name:word@tarimba.example/path" });
  assert.equal(String(named), "Tarimba(https://tarimba.example)");
  script.goOn(problem(500, "internal"));
  await script.client().searchAgentMemory("what nobody may read");
  assert.ok(script.warnings.length > 0);
  assert.ok(!script.warnings.join().includes(KEY) && !script.warnings.join().includes("nobody may read"));
});

test("a browser is refused, whatever the key", () => {
  const seen = globalThis as { window?: unknown; importScripts?: unknown };
  for (const [name, value] of [
    ["window", { document: {} }],
    ["importScripts", () => undefined],
  ] as const) {
    seen[name] = value;
    try {
      assert.throws(() => new Tarimba({ apiKey: KEY }), { code: "not_configured", message: /browser/ });
    } finally {
      delete seen[name];
    }
  }
});

test("what is recorded arrives in order, once, and is counted", async () => {
  const script = new Script(problem(503, "unavailable"), { body: { accepted: 5, errors: [{ index: 4 }] } });
  const memory = script.client();
  const injected = await new Script(block()).client().agentMemory();
  const talk = memory.conversation("c-1", { customer: [{ type: "crm_id", value: "77" }] });
  talk.customer("Hello");
  talk.injected(injected);
  talk.agent("Good day");
  talk.action("refund", { result: "done" });
  talk.end(true);
  talk.end();
  memory.task("t-1").end(false);
  assert.equal(await memory.flush(), true);
  assert.deepEqual(memory.recorded, { waiting: 0, sent: 4, dropped: 1 });
  assert.equal(script.sent[0]?.body, script.sent[1]?.body);
  const { items } = JSON.parse(script.sent[1]?.body ?? "{}");
  assert.deepEqual(
    items.map((one: { type: string }) => one.type),
    ["event", "event", "event", "conversation.ended", "task.ended"],
  );
  assert.equal(items[1].context_stamp.receipt_id, "r1");
  assert.deepEqual(items[0].handles, [{ type: "crm_id", value: "77" }]);
  assert.equal(new Set(items.map((one: { idempotency_key: string }) => one.idempotency_key)).size, 5);
});

test("a full queue drops what is new, and a closed one takes nothing", async () => {
  const script = new Script({ body: { accepted: 2 } });
  const memory = script.client({ eventsWaiting: 2 });
  const talk = memory.conversation("c-1");
  for (const text of ["1", "2", "3"]) {
    talk.customer(text);
  }
  await memory.close();
  talk.customer("4");
  assert.deepEqual(memory.recorded, { waiting: 0, sent: 2, dropped: 2 });
  assert.equal((await memory.agentMemory()).error, "closed");
});

test("events that are refused for good are given up and told by their number", async () => {
  const script = new Script(problem(403, "forbidden"));
  const memory = script.client();
  memory.conversation("c-1").customer("Hello");
  await memory.flush();
  assert.deepEqual(memory.recorded, { waiting: 0, sent: 0, dropped: 1 });
  assert.deepEqual(script.warnings, ["1 events were given up: forbidden"]);
});

const SILENT: RequestListener = () => undefined;
const DRIPPING: RequestListener = (_, answer) => {
  answer.writeHead(200, { "content-type": "application/json" });
  const drops = setInterval(() => answer.write(" "), 10);
  answer.on("close", () => clearInterval(drops));
};

for (const [name, listener] of Object.entries({ SILENT, DRIPPING })) {
  test(`a server that is ${name.toLowerCase()} is left in time`, async () => {
    await serving(listener, async (baseUrl) => {
      const memory = new Tarimba({ apiKey: KEY, baseUrl, warn: () => undefined });
      const found = await memory.agentMemory();
      assert.deepEqual([found.source, found.error], ["empty", "timeout"]);
    });
  });
}

test("a redirection is not followed, and too long an answer is not read", async () => {
  const elsewhere: RequestListener = (request, answer) => {
    const isFirst = request.url?.startsWith("/v1/agent-memory/block");
    answer.writeHead(isFirst ? 302 : 200, { location: "/elsewhere" });
    answer.end(isFirst ? "" : JSON.stringify({ text: " ".repeat(9 * 1024 * 1024) }));
  };
  await serving(elsewhere, async (baseUrl) => {
    const memory = new Tarimba({
      apiKey: KEY,
      baseUrl,
      warn: () => undefined,
      budgets: { block: 60_000, search: 60_000 },
    });
    assert.equal((await memory.agentMemory()).error, "bad_response");
    assert.match((await memory.searchAgentMemory("q")).detail, /too long/);
  });
});

async function serving(listener: RequestListener, use: (baseUrl: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
