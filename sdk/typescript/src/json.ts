/** Reading JSON that somebody else wrote. Fields of a newer server are passed over. */

import { badResponse } from "./errors.js";

export type Fields = Readonly<Record<string, unknown>>;

/** An object, or undefined. */
export function fields(value: unknown): Fields | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Fields) : undefined;
}

/** The value of a JSON text, undefined for what is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the fields of one object of an answer with `status`; what is missing or of another type throws. */
export class Reader {
  readonly #found: Fields;
  readonly #status: number;

  constructor(value: unknown, status: number) {
    const found = fields(value);
    if (found === undefined) {
      throw unexpected(status);
    }
    this.#found = found;
    this.#status = status;
  }

  text(name: string, instead?: string): string {
    return this.#read(name, "string", instead) as string;
  }

  optional(name: string): string | undefined {
    const value = this.#found[name];
    return value === null || value === undefined ? undefined : this.text(name);
  }

  number(name: string, instead?: number): number {
    return this.#read(name, "number", instead) as number;
  }

  flag(name: string, instead: boolean): boolean {
    return this.#read(name, "boolean", instead) as boolean;
  }

  list(name: string, instead?: readonly unknown[]): readonly unknown[] {
    const value = this.#found[name] ?? instead;
    if (!Array.isArray(value)) {
      throw unexpected(this.#status);
    }
    return value;
  }

  texts(name: string): readonly string[] {
    const found = this.list(name, []);
    if (!found.every((one) => typeof one === "string")) {
      throw unexpected(this.#status);
    }
    return found as readonly string[];
  }

  /** The object of that name, undefined when it is null or missing. */
  object(name: string): Reader | undefined {
    const value = this.#found[name];
    return value === null || value === undefined ? undefined : new Reader(value, this.#status);
  }

  objects(name: string, instead?: readonly unknown[]): readonly Reader[] {
    return this.list(name, instead).map((one) => new Reader(one, this.#status));
  }

  #read(name: string, type: string, instead: unknown): unknown {
    const value = this.#found[name] ?? instead;
    if (typeof value !== type) {
      throw unexpected(this.#status);
    }
    return value;
  }
}

function unexpected(status: number): Error {
  return badResponse("The answer is not the JSON that this call expects.", status);
}
