/**
 * A `fetch` that puts the notes into what an SDK sends to its model.
 *
 * Below the SDK, so that all of its calls have them: those that parse, stream or run tools too. What the model asks of our
 * tools is answered here, and the caller only sees what is the caller's.
 */

import { type Fields, fields, parsed } from "../json.js";
import type { Tool } from "../tools.js";
import type { Call, Form } from "./forms.js";
import type { Notes } from "./notes.js";

// A model that asks again and again is at last asked without our tools.
const ROUNDS = 8;

type Fetch = typeof fetch;
type Sent = Parameters<Fetch>;

/** Like `send`, with the notes in the requests of these forms. */
export function remembering(send: Fetch, notes: Notes, forms: readonly Form[]): Fetch {
  return async (...[url, init]: Sent) => {
    const form = forms.find((one) => one.fits(pathOf(url)));
    const request = typeof init?.body === "string" ? fields(parsed(init.body)) : undefined;
    if (form === undefined || request === undefined || init?.method?.toUpperCase() !== "POST") {
      return send(url, init);
    }
    const asked = form.asked(request, await notes.standing());
    const again = (next: Fields) =>
      // What is the caller's alone goes out as it came.
      next === request
        ? send(url, init)
        : send(url, { ...init, headers: resized(init.headers), body: JSON.stringify(next) });
    return isForTools(asked) ? rounds(form, asked, await notes.tools(), again) : again(asked);
  };
}

/** Whether the model may be offered our tools: a stream goes on to the caller as it comes, and a choice is a choice. */
function isForTools(request: Fields): boolean {
  const choice = fields(request.tool_choice)?.type ?? request.tool_choice ?? "auto";
  return request.stream !== true && choice === "auto" && (request.n ?? 1) === 1;
}

async function rounds(
  form: Form,
  first: Fields,
  tools: readonly Tool[],
  send: (request: Fields) => Promise<Response>,
): Promise<Response> {
  let request = first;
  for (let round = 1; round < ROUNDS; round += 1) {
    const response = await send(form.offering(request, tools));
    const told = await response.clone().text();
    const answer = response.ok ? fields(parsed(told)) : undefined;
    const calls = answer === undefined ? [] : form.calls(answer);
    const ours = calls.filter((call) => tools.some((tool) => tool.name === call.name));
    if (answer === undefined || ours.length === 0) {
      return response;
    }
    if (ours.length < calls.length) {
      return rewritten(response, form.without(answer, new Set(tools.map((tool) => tool.name))));
    }
    request = form.answered(request, answer, await results(ours, tools));
  }
  return send(request);
}

async function results(calls: readonly Call[], tools: readonly Tool[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const call of calls) {
    const tool = tools.find((one) => one.name === call.name);
    found.set(call.id, (await tool?.run(call.given)) ?? "");
  }
  return found;
}

/** The same answer with another body. */
function rewritten(response: Response, answer: Fields): Response {
  const { status, statusText } = response;
  return new Response(JSON.stringify(answer), { status, statusText, headers: resized(response.headers) });
}

/** Headers without what was true of the body before. */
function resized(headers: RequestInit["headers"]): Headers {
  const kept = new Headers(headers);
  kept.delete("content-length");
  kept.delete("content-encoding");
  return kept;
}

function pathOf(url: Sent[0]): string {
  const text = typeof url === "string" ? url : url instanceof URL ? url.href : url.url;
  return new URL(text).pathname;
}
