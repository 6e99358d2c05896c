/** The items of a batch, as `POST /v1/batch` takes them; each gets an idempotency key when it is made. */

import type { Fields } from "./json.js";
import type { Block } from "./models.js";

export type Item = Fields;

/** What names a customer: a type such as `phone_e164`, `email`, `wa_id` or `crm_id`, and the value. */
export interface Handle {
  readonly type: string;
  readonly value: string;
}

/** What all items of a conversation or task have in common. */
export interface Scene {
  readonly conversationId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly channel: string;
  readonly customer: readonly Handle[];
}

/** What somebody said. `stamp` tells which read the agent had before it spoke. */
export function message(scene: Scene, role: string, text: string, stamp?: Item): Item {
  const said = { ...event(scene, "message", role), content: { type: "text", text } };
  return stamp === undefined ? said : { ...said, context_stamp: stamp };
}

/** What the agent did in a system. */
export function action(scene: Scene, operation: string, told: { result?: string; purpose?: string }): Item {
  const done = { operation, result: told.result, purpose: told.purpose };
  return { ...event(scene, "action", "ai_agent"), action: done };
}

/** The end of the task, else of the conversation. */
export function ended(scene: Scene, succeeded: boolean | undefined): Item {
  const [name, value] = scene.taskId ? ["task", scene.taskId] : ["conversation", scene.conversationId];
  const item = { type: `${name}.ended`, idempotency_key: crypto.randomUUID(), [`${name}_id`]: value };
  return succeeded === undefined ? item : { ...item, succeeded };
}

/** The block that stands in a prompt from now on, undefined for one without a receipt. */
export function stampOf(memory: Block): Item | undefined {
  const { receiptId, etag } = memory;
  return receiptId === undefined ? undefined : { receipt_id: receiptId, etag, injected_at: new Date().toISOString() };
}

function event(scene: Scene, kind: string, role: string): Item {
  const handles = scene.customer.length > 0 ? scene.customer.map(({ type, value }) => ({ type, value })) : undefined;
  return {
    type: "event",
    kind,
    idempotency_key: crypto.randomUUID(),
    channel: scene.channel,
    speaker: { role },
    conversation_id: scene.conversationId,
    task_id: scene.taskId,
    handles,
  };
}
