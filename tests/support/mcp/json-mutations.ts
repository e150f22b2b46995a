/** Changes that make a valid JSON message almost valid. */

import fc from "fast-check";

type Junk = string | number | boolean | null | object;
const junk: fc.Arbitrary<Junk | undefined> = fc.oneof(
  fc.constantFrom<Junk>(
    null,
    true,
    0,
    -0,
    1e308,
    "1",
    "NaN",
    "",
    [],
    {},
    [[]],
    "x".repeat(3000),
    "\u202e\ufeff",
  ),
  fc.constant({ toString: null, valueOf: 1, constructor: {}, length: -1 }),
  fc.nat(60).map(nested),
  fc.jsonValue({ maxDepth: 3 }).map((value) => value ?? null),
);

function nested(levels: number): Junk {
  return levels === 0 ? "deep" : levels % 2 === 0 ? [nested(levels - 1)] : { a: nested(levels - 1) };
}

const mutation = fc.record({
  way: fc.constantFrom("replace", "remove", "add"),
  at: fc.nat(200),
  key: fc.constantFrom(
    "__proto__",
    "constructor",
    "id",
    "_meta",
    "jsonrpc",
    "extra",
    "0",
    "arguments",
    "result",
    "error",
  ),
  value: junk,
});

type Mutation = typeof mutation extends fc.Arbitrary<infer M> ? M : never;

interface Place {
  readonly holder: object;
  readonly key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)]);
}

/** A copy of a message, changed in some of its places. */
export function mutated(message: object, mutations: readonly Mutation[]): object {
  const copy = structuredClone(message);
  for (const { way, at, key, value } of mutations) {
    const places = placesIn(copy);
    const place = places[at % Math.max(places.length, 1)];
    if (place === undefined) continue;
    if (way === "remove") Reflect.deleteProperty(place.holder, place.key);
    // Defined, because setting `__proto__` would not make a member of that name.
    else
      Object.defineProperty(place.holder, way === "add" ? key : place.key, {
        value: structuredClone(value), // a junk object may be put into itself
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return copy;
}

/** None in two of five cases, else up to three. */
export const mutations = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Mutation[]>([]) },
  { weight: 3, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 3 }) },
);
