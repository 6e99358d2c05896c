/** What the program of each framework reads and prints. */

import { text } from "node:stream/consumers";
import { Tarimba } from "tarimba";
import { customerContext } from "tarimba/openai";

export type Answer = (question: string) => Promise<string>;

/** `memory` is for the adapter: roomy in its budgets where the server answers, as delivered where it does not. */
export interface Asked {
  readonly modelUrl: string;
  readonly instructions: string;
  readonly write: boolean;
  readonly memory: Tarimba;
}

/** Makes the one agent, asks it what came on standard input, and prints what it answered. */
export async function main(makeAgent: (asked: Asked) => Answer | Promise<Answer>): Promise<void> {
  const document = JSON.parse(await text(process.stdin));
  const milliseconds = document.budget === null ? undefined : document.budget * 1000;
  const budgets = milliseconds ? { block: milliseconds, search: milliseconds, remember: milliseconds } : {};
  const asked: Asked = {
    modelUrl: document.model_url,
    instructions: document.instructions,
    write: document.write,
    memory: new Tarimba({ budgets }),
  };
  const answer = await makeAgent(asked);
  const answers: string[] = [];
  for (const { customer, question } of document.turns) {
    answers.push(await customerContext(customer, () => answer(question)));
  }
  process.stdout.write(`\n${JSON.stringify({ answers })}\n`);
}
