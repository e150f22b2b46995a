import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { ReadContext } from "../../resources/define.ts";
import { contextOf } from "../../resources/release-store.ts";
import { foldName } from "../../snapshot/search/search-terms.ts";
import { findCity } from "../release-facts.ts";
import { candidatesOf, findRecord, type Lookup, severalText } from "./find-record.ts";

const AS_OF = "2026-05-20T12:00:00Z";

const NAMES = [
  "Café Roma",
  "CAFE ROMA",
  "Roma Pizza",
  "Joe's Diner Inc.",
  "Blue Door Books",
  "Blue Door Bakery",
  "Ox",
  "Oxen",
  "7",
  "🍕",
  "🍕 Pizza Planet",
  "東京寿司",
  "東京寿司 本店",
  "Ελληνική Ταβέρνα",
  "###",
  "Same Name",
  "Same Name",
  "same name",
  ...Array.from({ length: 12 }, (_, at) => `Chain Store at ${at} Street`),
  "L".repeat(120),
];

/** Names that are easily mistaken for each other: few words, in several spellings. */
const word = fc.constantFrom("bar", "Bar", "bár", "barn", "the", "inc", "&", "🍕", "東京", "7", "#3", "a");
const confusing = fc
  .array(word, { minLength: 1, maxLength: 3 })
  .map((words) => words.join(" ").normalize("NFC"));
const TOWNS = 25;
const nameSets = fc.sample(fc.array(confusing, { minLength: 1, maxLength: 8 }), { numRuns: TOWNS, seed: 7 });

const town = new TestTown();
let context: ReadContext;

function addCity(slug: string, names: readonly string[]): void {
  town.city(slug);
  for (const [at, name] of names.entries()) {
    const record = town.record(name, { city: slug, public_id: `demo_${slug}_${at}` });
    town.see(record, town.asset(record), "scout", "2026-04-28T10:00:00Z", { city: slug });
  }
}

beforeAll(() => {
  addCity("toronto", NAMES);
  for (const [at, names] of nameSets.entries()) addCity(`random-${at}`, names);
  addCity("lonely", ["Bakery"]);
  addCity("chains", [...Array(12).fill("Franchise"), "franchise", ...Array(101).fill("Kiosk")]);
  const snapshot = town.snapshot(AS_OF);
  context = contextOf(snapshot);
});

afterAll(() => town[Symbol.dispose]());

/** `exact_name: Café Roma`, or the candidates, or `none`. */
function shown(found: Lookup): string | string[] {
  if (found.kind === "one") return `${found.matchedBy}: ${found.record.name}`;
  return found.kind === "none" ? "none" : candidatesOf(context, found).map(({ name }) => name);
}

const find = (name: string) => shown(findRecord(context, "toronto", name));

describe("from the surest way to the least", () => {
  test.each([
    ["Café Roma", "exact_name: Café Roma"],
    ["CAFE ROMA", "exact_name: CAFE ROMA"],
    ["Cafe\u0301 Roma", "exact_name: Café Roma"],
    ["joes diner", "normalized_name: Joe's Diner Inc."],
    ["ROMA PIZZA Ltd.", "normalized_name: Roma Pizza"],
    ["Door Books", "unique_substring: Blue Door Books"],
    ["pizza planet", "normalized_name: 🍕 Pizza Planet"],
    ["東京寿司", "exact_name: 東京寿司"],
    ["寿司 本店", "unique_substring: 東京寿司 本店"],
    ["ελληνικη ταβερνα", "normalized_name: Ελληνική Ταβέρνα"],
    ["🍕", "exact_name: 🍕"],
    ["7", "exact_name: 7"],
    ["Ox", "exact_name: Ox"],
    ["###", "exact_name: ###"],
    ["L".repeat(120), `exact_name: ${"L".repeat(120)}`],
    ["Blue\u200bDoor\u200b Books", "normalized_name: Blue Door Books"],
  ])("%s", (given, expected) => {
    expect(find(given)).toBe(expected);
  });
});

describe("never a guess", () => {
  test("of two spellings of one name", () => {
    expect(find("cafe roma")).toEqual(["Café Roma", "CAFE ROMA"]);
  });

  test("of records of one and the same name", () => {
    expect(find("Same Name")).toEqual(["Same Name", "Same Name"]);
    expect(find("SAME NAME")).toEqual(["Same Name", "Same Name", "same name"]);
  });

  test("of a part that several have", () => {
    expect(find("blue door")).toEqual(["Blue Door Books", "Blue Door Bakery"]);
  });

  test("at most ten candidates are listed", () => {
    expect(find("chain store")).toHaveLength(10);
  });

  test.each([
    ["Franchise", "12 Presence Records", "of this spelling alone"],
    ["FRANCHISE", "13 Presence Records", "of all spellings"],
    ["ranch", "13 Presence Records", "of all that hold it"],
    ["KIOSK", "101 Presence Records", "of all spellings"],
    ["Kiosk", "At least 100 Presence Records", "as a lower bound where one spelling fills the longest page"],
  ])("%s: %s, counted %s", (given, count) => {
    const found = findRecord(context, "chains", given);
    expect(shown(found)).toHaveLength(10);
    expect(found.kind === "several" && severalText(found, findCity(context, "chains"))).toMatch(
      new RegExp(`^${count} in CHAINS match that name\\. `),
    );
  });

  test.each([
    "o",
    "ox ",
    "or",
    "🍕🍕",
    "\u200b",
    "\u200b\u200b\u200b",
    "\u0000",
    "x".repeat(200),
    "%",
    "_",
    "'",
    "*",
  ])("%j leads nowhere, or to its own name", (given) => {
    expect(["none", "normalized_name: Ox"]).toContain(find(given));
  });

  test("a name is looked for in its city alone", () => {
    expect(shown(findRecord(context, "random-0", "Café Roma"))).toBe("none");
  });
});

/** What must be answered, worked out from the names of the city alone. */
function answerFrom(names: readonly string[], given: string): string | string[] {
  const key = nameKey(given);
  const isPart = [...given.replace(/[\p{M}\s]/gu, "")].length >= 3;
  const ways = {
    exact_name: names.filter((name) => name === given),
    normalized_name: names.filter((name) => key !== "" && nameKey(name) === key),
    unique_substring: names.filter((name) => isPart && foldName(name).includes(foldName(given))),
  };
  for (const [way, [first, ...others]] of Object.entries(ways))
    if (first !== undefined) return others.length === 0 ? `${way}: ${first}` : [first, ...others].sort();
  return "none";
}

test("random names: found is the one that has the name, by the surest way that anyone has it", () => {
  const asked = fc.record({
    at: fc.nat(TOWNS - 1),
    given: fc.oneof(
      confusing,
      fc.tuple(confusing, fc.nat(4), fc.nat(9)).map(([name, from, to]) => name.slice(from, from + to).trim()),
    ),
  });
  const ways = new Set<string>();
  fc.assert(
    fc.property(asked, ({ at, given }) => {
      fc.pre(given.trim() !== "" && given.isWellFormed());
      const found = shown(findRecord(context, `random-${at}`, given));
      ways.add(typeof found === "string" ? (found.split(":")[0] ?? "") : "several");
      const sorted = typeof found === "string" ? found : found.toSorted();
      expect(sorted).toEqual(answerFrom(nameSets[at] ?? [], given));
    }),
    { numRuns: 1500 },
  );
  expect([...ways].sort()).toEqual(["exact_name", "none", "normalized_name", "several", "unique_substring"]);
});

test.each(["\u0301\u0301\u0301", "b\u0301\u0302\u0303", "\ufe0f\ufe0f\ufe0f"])(
  "marks without letters are no part of a name, even where there is only one: %j",
  (given) => {
    expect(shown(findRecord(context, "lonely", given))).toBe("none");
  },
);
