/** What the SDKs of OpenAI and Anthropic have in common. */

type Fetch = typeof fetch;

/** A client that makes another with other options. */
export interface Stainless {
  withOptions(options: { fetch?: (url: string | URL | Request, init?: RequestInit) => Promise<Response> }): Stainless;
}

/** A client like `client` that sends by what `wrap` makes of its own `fetch`. */
export function refetched<C extends Stainless>(client: C, wrap: (send: Fetch) => Fetch): C {
  // Its own one is private to its types, and stands there.
  const own = (client as { fetch?: unknown }).fetch;
  const send: Fetch = typeof own === "function" ? (url, init) => own.call(undefined, url, init) : fetch;
  return client.withOptions({ fetch: wrap(send) }) as C;
}
