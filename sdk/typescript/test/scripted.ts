/** A client over a script: what the server answers in turn, a clock that only pauses move, and what was sent. */

import { Tarimba } from "../src/index.js";
import type { TarimbaOptions } from "../src/options.js";

export const URL_OF_NONE = "https://tarimba.example";
export const KEY = "tar_sk_test_0123456789abcdef_aSecretThatIsNoSecretOfAnybody12";

export interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Gives the answers in turn, the last one for ever after; an `Error` breaks the connection. */
export class Script {
  readonly sent: Sent[] = [];
  readonly pauses: number[] = [];
  readonly warnings: string[] = [];
  now = 1000;
  #answers: (Answer | Error)[];

  constructor(...answers: (Answer | Error)[]) {
    this.#answers = answers;
  }

  goOn(...answers: (Answer | Error)[]): void {
    this.#answers = answers;
  }

  client(options: TarimbaOptions = {}): Tarimba {
    const platform = { clock: () => this.now, sleep: (pause: number) => this.#pause(pause), draw: () => 1 };
    return new Tarimba({
      apiKey: KEY,
      baseUrl: URL_OF_NONE,
      fetch: (url, init) => this.#answer(String(url), init),
      warn: (sentence) => this.warnings.push(sentence),
      platform,
      ...options,
    });
  }

  async #pause(milliseconds: number): Promise<void> {
    this.pauses.push(milliseconds);
    this.now += milliseconds;
  }

  async #answer(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = init.headers as Record<string, string>;
    this.sent.push({ url, method: init.method ?? "GET", headers, body: init.body as string | undefined });
    const answer = (this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0]) as Answer | Error;
    if (answer instanceof Error) {
      throw answer;
    }
    const { status = 200, body = {} } = answer;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return new Response(status === 304 ? null : text, { status, headers: answer.headers ?? {} });
  }
}

export function block(more: Record<string, unknown> = {}): Answer {
  const text = "<agent_notes>\n...\n</agent_notes>";
  const body = { text, notes: ["n1"], etag: "am-1", tokens: 30, enabled: true, left_out: 2, receipt_id: "r1" };
  return { body: { ...body, ...more } };
}

export const NOT_MODIFIED: Answer = { status: 304, headers: { "Tarimba-Receipt": "r2; seq=4; leaf=00" } };

export function problem(status: number, code: string, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: { code, detail: "A rule.", status } };
}
