/** Canonical JSON (RFC 8785): the one form in which a receipt is hashed, by us and by anybody else. */

// From here on a number is written with an exponent: whoever reads it sees that it is no integer.
const EXPONENT = 1e21;

/**
 * The canonical text of a JSON value.
 *
 * Throws `TypeError` for what another reader of JSON might see differently: integers beyond 2**53 - 1 either way, NaN
 * and infinities, unpaired surrogates, other types. It never quotes the value.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  switch (typeof value) {
    case "string":
      return text(value);
    case "number":
      return number(value);
    case "boolean":
      return String(value);
    case "object":
      return value === null ? "null" : object(value);
    default:
      throw new TypeError("the value has no canonical JSON form");
  }
}

function object(value: object): string {
  const pairs = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${pairs.map(([name, one]) => `${text(name)}:${canonical(one)}`).join(",")}}`;
}

function text(value: string): string {
  if (/\p{Surrogate}/u.test(value)) {
    throw new TypeError("the value has no canonical JSON form");
  }
  return JSON.stringify(value);
}

function number(value: number): string {
  if (!Number.isFinite(value)) {
    throw new TypeError("a number is not finite and has no JSON form");
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < EXPONENT) {
    throw new TypeError("an integer is beyond 2**53 - 1 and has no exact JSON form");
  }
  return JSON.stringify(value);
}
