import { afterAll, describe, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { MAX_NAME_LENGTH, MCP_LIMITS } from "../../contract/limits.ts";
import { SIMILAR_NAMES_NOTE } from "../../contract/records/claim-boundary.ts";
import type { ReadContext } from "../../resources/define.ts";
import { contextOf } from "../../resources/release-store.ts";
import { toolByName } from "../call-tool.ts";
import { findRecord } from "./find-record.ts";

/** What the tools answer to a name that nothing has, and others look like. */

const town = new TestTown();

function add(city: string, name: string, at = 0): void {
  const record = town.record(name, {
    city,
    public_id: `demo_${city}_${name.replace(/\W/g, "").slice(0, 12)}_${at}`,
  });
  town.see(record, town.asset(record), "scout", "2026-04-28T10:00:00Z", { city });
}

for (const city of ["toronto", "napier"]) town.city(city);
add("toronto", "Inkpen Bakery");
add("napier", "Zoë & Søren’s Smørrebrød");
for (let at = 0; at < 10; at += 1)
  add("napier", "Lamplighters of Hawke ".repeat(6).slice(0, MAX_NAME_LENGTH - 1) + at, at);
const context = contextOf(town.snapshot("2026-05-20T12:00:00Z"));
afterAll(() => town[Symbol.dispose]());

function call(name: string, given: object, within: ReadContext = context) {
  const tool = toolByName.get(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.contract.output.parse(tool.parse(given).run(within));
}
const tokens = (answer: unknown) => JSON.stringify(answer).length / 4;

const BAKERY = {
  public_id: "demo_toronto_InkpenBakery_0",
  name: "Inkpen Bakery",
  city: "toronto",
  city_name: "TORONTO",
  is_synthetic: false,
  record_url: "https://example.org/record/demo_toronto_InkpenBakery_0/",
};

describe("a name that nothing has", () => {
  test.each(["Inkpen Bakrey", "the bakery inkpen", "Inkpen's Bakery Toronto"])("%s", (business_name) => {
    for (const city of ["toronto", undefined]) {
      const checked = call("check_physical_evidence", { business_name, city });
      expect(checked).toMatchObject({
        verdict: "record_not_found",
        summary: expect.stringMatching(`which proves nothing about the business.*${SIMILAR_NAMES_NOTE}$`),
        citation: expect.stringContaining(`No accepted physical citation of "${business_name}" in `),
        similar_names: [BAKERY],
      });
      for (const member of ["entity", "citation_url", "candidates", "citation_count"])
        expect(checked).not.toHaveProperty(member);
      expect(call("get_physical_presence", { business_name, city })).toMatchObject({
        found: false,
        note: expect.stringMatching(`${SIMILAR_NAMES_NOTE}$`),
        similar_names: [BAKERY],
      });
      expect(call("check_business_reality", { name_or_address: business_name, city })).toMatchObject({
        verdict: "record_not_found",
        similar_names: [BAKERY],
      });
    }
  });

  test("is looked for in the city that was passed", () => {
    for (const [city, found] of [
      ["toronto", false],
      ["napier", true],
    ] as const) {
      const answer = call("get_physical_presence", { business_name: "Zoe Sorens Smorrebrod", city });
      expect("similar_names" in answer).toBe(found);
      expect(String(answer["note"]).includes(SIMILAR_NAMES_NOTE)).toBe(found);
    }
  });

  test("of which a part or all was found, or that resembles nothing, has none", () => {
    for (const business_name of ["Inkpen Bakery", "inkpen", "Nobody's Motors", "Ox"])
      expect(call("get_physical_presence", { business_name })).not.toHaveProperty("similar_names");
  });

  test("keeps the budgets, however long the names are", () => {
    const long = "lamplighetrs of hwake";
    for (const name of ["get_physical_presence", "check_physical_evidence"]) {
      const answer = call(name, { business_name: long, city: "napier" });
      expect(answer["similar_names"]).toHaveLength(5);
      expect(tokens(answer)).toBeLessThan(2000);
    }
    const business_names = Array.from({ length: 10 }, (_, at) => `${long} ${at}`);
    const compared = call("compare_presence", { business_names, city: "napier" });
    expect(compared).toMatchObject({
      comparison: business_names.map((query) => ({
        query,
        found: false,
        similar_names: { length: MCP_LIMITS.comparedSimilar },
      })),
      note: expect.stringMatching(`${SIMILAR_NAMES_NOTE}$`),
    });
    expect(tokens(compared)).toBeLessThan(2800);
  });
});

test("names that look alike are looked for once a name, and never where it was found", () => {
  let looked = 0;
  const { snapshot } = context;
  const counting: ReadContext = {
    ...context,
    snapshot: {
      ...snapshot,
      similar: (...asked) => {
        looked += 1;
        return snapshot.similar(...asked);
      },
    },
  };
  const lookedFor = (name: string) => {
    looked = 0;
    findRecord(counting, "toronto", name);
    return looked;
  };
  expect(["Inkpen Bakery", "INKPEN BAKERY", "inkp", "Inkpen Bakrey", "x"].map(lookedFor)).toEqual([
    0, 0, 0, 1, 0,
  ]);
});
