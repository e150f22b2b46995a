import { afterAll, describe, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { MCP_LIMITS } from "../../contract/limits.ts";
import { NO_RESULT } from "../../contract/records/claim-boundary.ts";
import { silentLog } from "../../kernel/log.ts";
import { contextOf } from "../../resources/release-store.ts";
import { finishedCalls } from "../call-notes.ts";
import { finishCall } from "../call-tool.ts";
import { tools } from "./tools.ts";

/** What the tools answer when no city is passed, and which other cities they name. */

const CHAIN_CITIES = 14;
const town = new TestTown();

function add(city: string, name: string, times = 1): void {
  for (let at = 0; at < times; at += 1) {
    const record = town.record(name, { city, public_id: `demo_${city}_${name.replace(/\W/g, "")}_${at}` });
    town.see(record, town.asset(record), "scout", "2026-04-28T10:00:00Z", { city });
  }
}

for (const city of ["toronto", "guelph", "girona"]) town.city(city);
add("toronto", "Only Here");
add("toronto", "Twin", 2);
add("guelph", "Café Roma");
add("toronto", "CAFE ROMA");
add("girona", "Café Roma Nova");
add("toronto", "Kiosk", 40);
add("guelph", "Kiosk");
for (let at = 0; at < CHAIN_CITIES; at += 1) {
  town.city(`chain-${at}`);
  add(`chain-${at}`, "Chain");
}
const CITIES = CHAIN_CITIES + 3;
const context = contextOf(town.snapshot("2026-05-20T12:00:00Z"));
afterAll(() => town[Symbol.dispose]());

const call = (name: string, given: object) => {
  const tool = tools.find(({ contract }) => contract.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.contract.output.parse(tool.parse(given).run(context));
};
const presence = (business_name: string, city?: string | null) =>
  call("get_physical_presence", { business_name, city });
const check = (business_name: string, city?: string) =>
  call("check_physical_evidence", { business_name, city });

describe("without a city", () => {
  test("one record is the match, with the city that it is in and that city's coverage", () => {
    const found = presence("only here");
    expect(found).toMatchObject({
      found: true,
      match: { name: "Only Here", city: "TORONTO", city_slug: "toronto", matched_by: "normalized_name" },
      coverage_context: { note: expect.not.stringContaining("cities") },
    });
    expect(found).toEqual(presence("only here", "toronto"));
    expect(presence("only here", null)).toEqual(found);
    expect(check("Only Here")).toEqual(check("Only Here", "toronto"));
  });

  test("a public_id alone is enough", () => {
    const public_id = "demo_toronto_OnlyHere_0";
    for (const [name, member] of [
      ["get_physical_presence", "match"],
      ["check_physical_evidence", "entity"],
      ["check_business_reality", "entity"],
    ] as const)
      expect(call(name, { public_id })).toMatchObject({ [member]: { public_id, city_slug: "toronto" } });
  });

  test("several are candidates with slug and coverage, and no spelling chooses between cities", () => {
    for (const given of ["Café Roma", "CAFE ROMA", "cafe roma"]) {
      const { found, match, candidates, note } = presence(given);
      expect([found, match]).toEqual([false, undefined]);
      expect(candidates).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: "Café Roma", city_slug: "guelph", coverage_tier: "seed" }),
          expect.objectContaining({ name: "CAFE ROMA", city_slug: "toronto", coverage_tier: "seed" }),
        ]),
      );
      expect(note).toMatch(`2 Presence Records in the ${CITIES} covered cities match that name. `);
    }
    expect(presence("Café Roma", "guelph")).toMatchObject({ found: true, same_name_in: ["toronto"] });
  });

  test("several of one city are candidates, too, and the coverage is that city's", () => {
    expect(presence("Twin")).toMatchObject({
      found: false,
      candidates: [{ city_slug: "toronto" }, { city_slug: "toronto" }],
      coverage_context: presence("Twin", "toronto")["coverage_context"],
    });
    expect(presence("Twin")).not.toHaveProperty("same_name_in");
  });

  test("the coverage is that of the least observed city of the candidates", () => {
    expect(presence("Café Roma")["coverage_context"]).toMatchObject({
      note: expect.stringMatching(/^Of 2 cities, \w+ has the lowest coverage\. /),
    });
  });

  test("nothing found is said of the covered cities alone, with their number, and proves nothing", () => {
    const { verdict, summary, citation, coverage_context } = check("Nobody's Bakery");
    const only = `Only the ${CITIES} covered cities were searched.`;
    expect(verdict).toBe("record_not_found");
    expect(summary).toMatch(
      `No Presence Record in the ${CITIES} covered cities has that name, which proves nothing about the business. ${NO_RESULT.limitation} ${only} Of ${CITIES} cities, `,
    );
    expect(citation).toBe(
      `No accepted physical citation of "Nobody's Bakery" in the ${CITIES} covered cities is published, which proves nothing about it. Physical Presence Evidence Service, data as of 2026-05-20, https://example.org/coverage/`,
    );
    expect(coverage_context).toMatchObject({ note: expect.stringMatching(`^Of ${CITIES} cities, `) });
    expect(presence("Nobody's Bakery")["note"]).toMatch(new RegExp(`${only}$`));
  });

  test("a name of hostile or no letters is searched like any other", () => {
    for (const name of ["'; DROP TABLE records;--", "%", "\u200b", "__proto__", "x".repeat(200)])
      expect(presence(name)).toMatchObject({ found: false });
  });

  test("compare_presence and get_pulse need one", () => {
    expect(() => call("compare_presence", { business_names: ["a", "b"] })).toThrow(/^city is required/);
    expect(() => call("get_pulse", {})).toThrow(/^city is required/);
  });

  test("the call is counted with its record and without a city or a search", () => {
    const deps = {
      context: () => context,
      log: silentLog,
      newFailureId: () => "x",
      finished: finishedCalls(),
    };
    const noteOf = (business_name: string) =>
      finishCall(deps, "get_physical_presence", { business_name })?.note;
    const note = { tool: "get_physical_presence", city: null, search: null, isRefused: false };
    expect(noteOf("Only Here")).toEqual({ ...note, record: "demo_toronto_OnlyHere_0" });
    expect(noteOf("Nobody")).toEqual({ ...note, record: null });
  });
});

describe("same_name_in", () => {
  test("names the other cities of a record that was found, and of a name that was not", () => {
    expect(presence("Café Roma", "toronto")).toMatchObject({ found: true, same_name_in: ["guelph"] });
    expect(check("cafe roma", "chain-0")).toMatchObject({
      verdict: "record_not_found",
      same_name_in: expect.arrayContaining(["guelph", "toronto"]),
    });
    expect(presence("Only Here", "toronto")).not.toHaveProperty("same_name_in");
    expect(presence("Roma", "chain-0")).not.toHaveProperty("same_name_in"); // a part of a name is another name
    expect(call("get_physical_presence", { public_id: "demo_guelph_CafRoma_0" })["same_name_in"]).toEqual([
      "toronto",
    ]);
  });

  test("is cut where there are many, and is right where one city has very many", () => {
    expect(presence("Chain", "chain-0")["same_name_in"]).toHaveLength(MCP_LIMITS.sameNameCities);
    expect(presence("Chain", "chain-0")["same_name_in"]).not.toContain("chain-0");
    expect(presence("Kiosk", "toronto")).toMatchObject({ found: false, same_name_in: ["guelph"] });
    const { comparison } = call("compare_presence", { business_names: ["Chain", "Twin"], city: "girona" });
    expect(comparison).toMatchObject([
      { found: false, same_name_in: { length: MCP_LIMITS.comparedCandidates } },
      { found: false, same_name_in: ["toronto"] },
    ]);
  });

  test("names the cities that the candidates leave out", () => {
    const { candidates, same_name_in } = presence("Chain");
    const cities = [candidates, same_name_in].flat().map((each) => Object(each).city_slug ?? each);
    expect(cities).toHaveLength(CHAIN_CITIES);
    expect(new Set(cities).size).toBe(CHAIN_CITIES);
  });
});

describe("city_index without a city", () => {
  test("lists the covered cities, page by page, and no record", () => {
    const first = call("city_index", { limit: 10 });
    const second = call("city_index", { limit: 10, cursor: first["next_cursor"] });
    expect(first).toMatchObject({
      returned_count: 10,
      total_count: CITIES,
      has_more: true,
      rankings: [],
      cities: [
        { slug: "toronto", name: "TORONTO", record_count: 44, tier: "seed" },
        { slug: "guelph", record_count: 2 },
        { slug: "girona", record_count: 1 },
        ...Array.from({ length: 7 }, (_, at) => ({ slug: `chain-${at}` })),
      ],
      ranking_summary: { eligible: 0, evidence_building: 47 + CHAIN_CITIES, integrity_review: 0 },
      coverage_context: { note: expect.stringMatching(`^Of ${CITIES} cities, `) },
    });
    expect(first).not.toHaveProperty("city");
    expect(second).toMatchObject({ returned_count: CITIES - 10, has_more: false });
    expect(second).not.toHaveProperty("next_cursor");
  });

  test("takes no filter, and no cursor of a city's index", () => {
    expect(() => call("city_index", { industry: "I", claim_status: "claimed" })).toThrow(
      /^pass city with industry, claim_status, or no filters to list the cities\. /,
    );
    const { next_cursor } = call("city_index", { city: "toronto", limit: 1 });
    expect(() => call("city_index", { cursor: next_cursor })).toThrow(/^cursor .*other filters/);
  });
});
