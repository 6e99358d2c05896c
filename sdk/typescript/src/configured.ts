/** Where the server is and the key for it. */

import { TarimbaError } from "./errors.js";

const LOCAL = "http://127.0.0.1:8750";

/** `problem` is why nothing can be sent. */
export interface Address {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly problem: TarimbaError | undefined;
}

/** Key and address as given, else of the environment. */
export function configured(apiKey: string | undefined, baseUrl: string | undefined): Address {
  const key = (apiKey ?? environment("TARIMBA_API_KEY") ?? "").trim();
  const address = baseUrl || environment("TARIMBA_BASE_URL") || LOCAL;
  return { baseUrl: address.replace(/\/+$/, ""), apiKey: key, problem: problem(key, address) };
}

/** Throws where a page or a worker of a browser would hand the key to everybody who opens it. */
export function refuseBrowsers(): void {
  const seen = globalThis as { window?: { document?: unknown }; importScripts?: unknown };
  if (seen.window?.document !== undefined || typeof seen.importScripts === "function") {
    throw new TarimbaError(
      "not_configured",
      "An agent's key is a secret, and a browser shows it to everybody: make the client on your server.",
    );
  }
}

/** The address for people: without a name, password or path that it may hold. */
export function shown(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  return url === undefined ? "unusable" : `${url.protocol}//${url.host}`;
}

function problem(key: string, address: string): TarimbaError | undefined {
  if (!/^[ -~]+$/.test(key)) {
    return new TarimbaError("not_configured", "Give apiKey or set TARIMBA_API_KEY.");
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && !url.search && !url.hash && url.port !== "0";
  return isUsable
    ? undefined
    : new TarimbaError("not_configured", "The base URL must look like https://host or http://host:port.");
}

function environment(name: string): string | undefined {
  const seen = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return seen.process?.env?.[name];
}
