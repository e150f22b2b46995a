import { afterAll, describe, expect, test } from "vitest";
import { NO_RESULT } from "../contract/claim-boundary.ts";
import type { AssetType } from "../contract/enums.ts";
import { TestTown } from "../snapshot/test-town.ts";
import { checkEvidence } from "./evidence-check.ts";

const town = new TestTown();
town.city("toronto");

/** Ledger rows of the sightings of a new record, one on each of the days. */
function seen(name: string, days: readonly string[], is_synthetic = false): number[] {
  const record = town.record(name, { is_synthetic });
  const asset = town.asset(record);
  return days.map((day, at) =>
    town.see(record, asset, `observer-${at}`, `${day}T10:00:00Z`, { is_synthetic }),
  );
}

function seenOn(type: AssetType, name: string): void {
  const record = town.record(name);
  town.see(record, town.asset(record, type), "observer", "2026-04-28T00:00:00Z", { asset_type: type });
}

function reject(rows: readonly number[]): void {
  for (const row of rows) town.review("reject", row);
}

const [once = 0] = seen("Once", ["2026-04-28"]);
const late = town.record("Late");
const lateAsset = town.asset(late);
const lateNewest = town.see(late, lateAsset, "scout", "2026-04-29T10:00:00Z");
seen("Invented", ["2026-04-28"], true);
reject(seen("Rejected", ["2026-04-26", "2026-04-27"]));
const mixed = seen("Mixed", ["2026-04-20", "2026-04-21", "2026-04-22"]);
reject(mixed.slice(2));
const days = Array.from({ length: 20 }, (_, at) => `2026-04-${10 + at}`);
reject(seen("Faded", ["2026-03-01", ...days]).slice(1));
seenOn("vehicle_wrap", "Van");
seenOn("temp_sign", "Poster");
seen("Twin Shop", ["2026-04-28"]);
seen("Twin Shops", ["2026-04-28"]);
for (const public_id of ["demo_same_1", "demo_same_2"]) {
  const record = town.record("Same Name", { public_id });
  town.see(record, town.asset(record), "scout", "2026-04-28T10:00:00Z");
}
town.seal();
town.at("2026-05-03T12:00:00Z");
town.see(late, lateAsset, "slow scout", "2026-04-20T10:00:00Z"); // it comes in after the newer one
const snapshot = town.snapshot("2026-05-20T12:00:00Z");

afterAll(() => town[Symbol.dispose]());

const context = { snapshot, citySnapshot: () => undefined };
const check = (name: string) => checkEvidence(context, name, "toronto");

describe("a record with accepted citations", () => {
  test("is cited by name, city, date, kind, state, row and address", () => {
    const { coverage_context: _, ...found } = check("Once");
    expect(found).toMatchInlineSnapshot(`
      {
        "citation": ""Once" was physically observed in TORONTO once, on 2026-04-28 (local date), by one observer (location presence), and this observation is not yet corroborated. Physical Presence Evidence Service, data as of 2026-05-20, ledger row 4, signed tree of 86 rows. https://example.org/cite/demo_once.4.86.2026-05-20.v2.c843dgzc/",
        "citation_count": 1,
        "citation_url": "https://example.org/cite/demo_once.4.86.2026-05-20.v2.c843dgzc/",
        "cited_observation": {
          "id": 4,
          "ledger_hash": "2da2f4fb9d07ae9c7961c27159e82bd094feef1ec8ac060dfa739030011987c5",
          "observed_at": "2026-04-28T10:00:00Z",
          "presence_kind": "location_presence",
          "proof_url": "https://example.org/ledger/proof/4",
          "published_at": "2026-05-01T12:00:00Z",
          "verif_state": "provisional",
        },
        "data_as_of": "2026-05-20T12:00:00Z",
        "entity": {
          "city": "TORONTO",
          "identity_hierarchy": {
            "brand": null,
            "note": "Only reviewed relationships are published. An unreviewed value means that nothing has been published, not that no relationship exists.",
            "organizations": [],
            "review_state": "unreviewed",
            "scope": {
              "methodology_version": "entity-scope-v2",
              "review_state": "unreviewed",
              "value": null,
            },
          },
          "matched_by": "exact_name",
          "name": "Once",
          "public_id": "demo_once",
          "record_type": "presence_record",
          "record_url": "https://example.org/record/demo_once/",
        },
        "evidence_url": "https://example.org/api/v1/entity/demo_once/evidence",
        "summary": "One accepted physical citation of "Once" in TORONTO. The newest: A fixed-location asset was observed at that place. No ownership, tenancy, licensing or continued operation is implied.",
        "verdict": "physical_citations_found",
      }
    `);
  });

  test("the cited row is the one that the proof is of", () => {
    const { cited_observation } = check("Once");
    const [row] = snapshot.observationsOf(snapshot.record("demo_once")?.id ?? 0, { limit: 1 });
    expect(cited_observation).toMatchObject({ id: once, ledger_hash: row?.ledgerHash });
    expect(cited_observation?.proof_url).toBe(`https://example.org/ledger/proof/${once}`);
  });

  test("the newest is the one observed last, whenever it came in", () => {
    const { cited_observation, citation, citation_count } = check("Late");
    expect(citation_count).toBe(2);
    expect(cited_observation).toMatchObject({ id: lateNewest, observed_at: "2026-04-29T10:00:00Z" });
    expect(citation).toContain("The newest observation (location presence), of 2026-04-29 (local date), is");
    expect(citation).toContain(`ledger row ${lateNewest},`);
  });

  test("rejected rows are neither counted nor cited", () => {
    const { cited_observation, citation_count } = check("Mixed");
    expect([citation_count, cited_observation?.id]).toEqual([2, mixed[1]]);
  });

  test("whose listed rows were all rejected is cited by what is older", () => {
    const { verdict, citation_count, cited_observation, citation, summary } = check("Faded");
    expect([verdict, citation_count, cited_observation]).toEqual(["physical_citations_found", 1, undefined]);
    expect(citation).toMatch(/^"Faded" was physically observed in TORONTO once, on 2026-03-01 /);
    expect(summary).toBe('One accepted physical citation of "Faded" in TORONTO.');
  });

  test.each([
    ["Van", "mobile presence", "No owner, home base, operating address or route is implied."],
    ["Poster", "brand mention", "No ownership, operation, affiliation or endorsement is implied."],
  ])("of %s is cited as %s, and the summary says what that does not imply", (name, kind, limit) => {
    const { citation, summary } = check(name);
    expect(citation).toContain(`(${kind})`);
    expect(summary).toContain(limit);
  });

  test("that is invented is marked in the sentence itself", () => {
    expect(check("Invented").citation).toMatch(
      /^Demonstration data, not a real observation: "Invented" was /,
    );
    expect(check("Once").citation).not.toMatch(/Demonstration/);
  });
});

describe("nothing found is never called absence", () => {
  test("a record whose sightings were all rejected", () => {
    const { verdict, citation_count, cited_observation, citation, entity } = check("Rejected");
    expect([verdict, citation_count, cited_observation]).toEqual(["no_accepted_citation", 0, undefined]);
    expect(entity?.name).toBe("Rejected");
    expect(citation).toMatch(
      /^No accepted physical citation of "Rejected" in TORONTO is published as of 2026-05-20, which proves nothing about it\./,
    );
  });

  test("a name that nobody has", () => {
    expect(check("Nobody’s Bakery")).toMatchObject({
      verdict: "record_not_found",
      citation:
        'No accepted physical citation of "Nobody’s Bakery" in TORONTO is published, which proves nothing about it. Physical Presence Evidence Service, data as of 2026-05-20, https://example.org/city/toronto/',
    });
  });

  test.each(["Rejected", "Nobody"])("%s: the summary says what follows, with the coverage", (name) => {
    const { summary, coverage_context } = check(name);
    expect(summary).toContain(NO_RESULT.limitation);
    expect(summary).toContain(coverage_context.note);
  });
});

test("a part of several names is not guessed", () => {
  const { verdict, candidates, entity, citation_count } = check("twin");
  expect([verdict, entity, citation_count]).toEqual(["ambiguous_name", undefined, undefined]);
  expect(candidates?.map(({ name }) => name).sort()).toEqual(["Twin Shop", "Twin Shops"]);
});

test("records of the very same name are told apart by their addresses, and the answer says so", () => {
  const { verdict, candidates, summary } = check("Same Name");
  expect(verdict).toBe("ambiguous_name");
  expect(candidates?.map(({ record_url }) => record_url).sort()).toEqual([
    "https://example.org/record/demo_same_1/",
    "https://example.org/record/demo_same_2/",
  ]);
  expect(summary).toContain("those that share a name are told apart by record_url");
});
