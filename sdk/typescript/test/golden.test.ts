/** This client agrees with the one in Python, case by case. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SEARCH_DEFINITION } from "../src/definitions.js";
import { TarimbaError } from "../src/errors.js";
import { compose } from "../src/index.js";
import { pauseAfter, RETRIES } from "../src/retries.js";
import { verifyWebhook } from "../src/webhooks.js";
import { golden, type Vector } from "./golden.js";
import { Script } from "./scripted.js";

const client = golden("client");
const NULL_FOR_NONE = (value: unknown) => value ?? null;

for (const [at, one] of golden("compose").entries()) {
  test(`compose, case ${at}`, () => {
    const made = compose(one.instructions, one.notes, one.context);
    assert.deepEqual(made, { shared: one.shared, customer: one.customer, text: one.text });
  });
}

for (const one of golden("blocks")) {
  test(`the bytes of a block, ${one.etag}`, async () => {
    const memory = await new Script({ body: one.answer }).client().agentMemory();
    assert.equal(Buffer.from(memory.text, "utf8").toString("hex"), one.utf8);
    assert.deepEqual(
      [memory.notes, memory.etag, memory.tokens, memory.enabled, memory.leftOut, memory.receiptId],
      [one.notes, one.etag, one.tokens, one.enabled, one.left_out, one.receipt_id],
    );
    assert.equal(memory.source, "network");
  });
}

test("the tool that needs no server is the server's", () => {
  assert.deepEqual(SEARCH_DEFINITION, client.definitions[0]);
});

test("the tools that the server lists are given on as they are", async () => {
  const tools = await new Script({ body: client.definitions }).client().tools({ write: true });
  assert.deepEqual(
    tools.map((tool) => tool.definition),
    client.definitions,
  );
});

for (const [at, one] of client.requests.entries()) {
  test(`request ${at}: ${one.call}`, async () => {
    const script = new Script({ body: {} });
    await asked(script, one);
    const [sent] = script.sent;
    assert.ok(sent);
    const url = new URL(sent.url);
    assert.equal(sent.method, one.method);
    assert.equal(url.pathname, one.path);
    assert.deepEqual([...url.searchParams], one.query);
    assert.deepEqual(sent.body === undefined ? null : JSON.parse(sent.body), one.body);
  });
}

async function asked(script: Script, one: Vector): Promise<void> {
  const memory = script.client();
  const { query, ...options } = one.given;
  const calls: Record<string, () => Promise<unknown>> = {
    block: () => memory.agentMemory(options),
    search: () => memory.searchAgentMemory(query, options),
    remember: () => memory.remember(one.given),
    tools: () => memory.definitions(),
  };
  await calls[one.call]?.();
}

for (const [at, one] of client.failures.entries()) {
  test(`failure ${at}: ${one.status} ${one.code}`, async () => {
    const answer = { status: one.status, headers: one.headers, body: one.body };
    const memory = new Script(answer).client({ strict: true, retries: { attempts: 1 } });
    await assert.rejects(memory.searchAgentMemory("q"), (error: unknown) => {
      assert.ok(error instanceof TarimbaError);
      const { retryAfter, requestId, kinds = [], findings = [] } = error.facts;
      assert.deepEqual(
        [error.code, error.message, error.passing, retryAfter, requestId, kinds, findings].map(NULL_FOR_NONE),
        [one.code, one.detail, one.passing, one.retry_after, one.request_id, one.kinds, one.findings],
      );
      return true;
    });
  });
}

for (const [at, one] of client.retries.entries()) {
  test(`pause ${at}`, () => {
    const facts = { status: one.status ?? undefined, retryAfter: one.retry_after ?? undefined };
    const pause = pauseAfter(RETRIES, new TarimbaError(one.code, "-", facts), one.made, one.left, one.draw);
    if (one.pause === null) {
      assert.equal(pause, undefined);
    } else {
      assert.ok(pause !== undefined && Math.abs(pause - one.pause) < 1e-6, `${pause} is not ${one.pause}`);
    }
  });
}

for (const [at, one] of client.told.entries()) {
  test(`what a model is told, case ${at}: ${one.tool}`, async () => {
    const { status, body, headers = {} } = one;
    const script = new Script({ body: client.definitions }, { status, body, headers });
    const tools = await script.client().tools({ write: true });
    const given = { query: "q", kind: "pitfall", title: "T", body: "B" };
    assert.equal(await tools.find((tool) => tool.name === one.tool)?.run(given), one.text);
  });
}

for (const one of golden("webhooks")) {
  test(`webhook: ${one.case}`, async () => {
    for (const headers of [one.headers, new Headers(one.headers)]) {
      for (const payload of [one.payload, Buffer.from(one.payload)]) {
        const verified = verifyWebhook(one.secret, headers, payload, one.now);
        if (one.refused === null) {
          assert.equal(await verified, one.id);
        } else {
          await assert.rejects(verified, { name: "NotGenuineError", message: one.refused });
        }
      }
    }
  });
}
