import { afterAll, describe, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import type { AssetType } from "../../contract/enums.ts";
import { NO_RESULT, NOTHING_COUNTS } from "../../contract/records/claim-boundary.ts";
import { contextOf } from "../../resources/release-store.ts";
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

const ONCE_ROW = town.writer.nextId();
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
const [firstIn = 0] = seen("Outlived", ["2026-05-01", ...days.map((day) => day.replace("2026", "2025"))]);
seenOn("vehicle_wrap", "Van");
seenOn("temp_sign", "Poster");
seen("Twin Shop", ["2026-04-28"]);
seen("Twin Shops", ["2026-04-28"]);
for (const public_id of ["demo_same_1", "demo_same_2"]) {
  const record = town.record("Same Name", { public_id });
  town.see(record, town.asset(record), "scout", "2026-04-28T10:00:00Z");
}
for (let at = 0; at < 12; at += 1) seen(`Chain Store ${at}`, ["2026-04-28"]);
seen("Both", ["2026-04-27", "2026-04-28"]);
seen("Apart", ["2026-01-05", "2026-04-28"]);
const [reviewed = 0] = seen("Reviewed", ["2026-04-28"]);
town.review("verify", reviewed);
const gone = town.record("Gone", { public_id: "demo_gone" });
town.review("merge", gone, { into: ONCE_ROW });
town.review("verify", firstIn);
town.seal();
town.at("2026-05-03T12:00:00Z");
town.see(late, lateAsset, "slow scout", "2026-04-20T10:00:00Z"); // it comes in after the newer one
const own = town.record("Uncounted");
town.see(own, town.asset(own), "newcomer", "2026-05-02T10:00:00Z", { counts: false });
const snapshot = town.snapshot("2026-05-20T12:00:00Z");

afterAll(() => town[Symbol.dispose]());

const context = contextOf(snapshot);
const check = (name: string) => checkEvidence(context, { name }, "toronto");

test("a record of which nothing counts says so", () => {
  expect(check("Uncounted").summary).toContain(NOTHING_COUNTS);
  expect(check("Once").summary).not.toContain(NOTHING_COUNTS);
  expect(
    snapshot.eventsOf("toronto", { since: 0, limit: 100 }).map(({ recordName }) => recordName),
  ).not.toContain("Uncounted");
});

const checkId = (publicId: string, city = "toronto") => checkEvidence(context, { publicId }, city);

describe("a record with accepted citations", () => {
  test("is cited by name, city, date, kind, state, row and address", () => {
    const { coverage_context: _, ...found } = check("Once");
    expect(found).toMatchInlineSnapshot(`
      {
        "citation": ""Once" was physically observed in TORONTO once, on 2026-04-28 (local solar date), by one observer (location presence), and this observation is not yet corroborated. Physical Presence Evidence Service, data as of 2026-05-20, ledger row 5, signed tree of 193 rows. https://example.org/cite/demo_once.5.193.2026-05-20.v1.9t9cgb8s/",
        "citation_count": 1,
        "citation_url": "https://example.org/cite/demo_once.5.193.2026-05-20.v1.9t9cgb8s/",
        "cited_observation": {
          "counts_as_independent": true,
          "id": 5,
          "ledger_hash": "59375092e1d97926facc2fadcd20844a5f7b61a52980d5da876df4115f05e112",
          "observed_at": "2026-04-28T05:00:00Z",
          "observed_on": "2026-04-28",
          "presence_kind": "location_presence",
          "proof_url": "https://example.org/ledger/proof/5",
          "published_at": "2026-05-01T12:00:00Z",
          "set_aside": null,
          "verif_state": "provisional",
        },
        "data_as_of": "2026-05-20T12:00:00Z",
        "entity": {
          "city": "TORONTO",
          "city_slug": "toronto",
          "identity_hierarchy": {
            "review_state": "unreviewed",
          },
          "is_synthetic": false,
          "matched_by": "exact_name",
          "name": "Once",
          "place_precision": "cell",
          "public_id": "demo_once",
          "record_type": "presence_record",
          "record_url": "https://example.org/record/demo_once/",
        },
        "evidence_url": "https://example.org/api/v1/entity/demo_once/evidence",
        "last_seen": {
          "asset_status": "active",
          "last_observed_on": "2026-04-28",
          "months_looked_since": 0,
          "note": "Once was last seen on 28 Apr 2026 (seen once by one observer and not yet corroborated); no later month of visits to its area is published.",
        },
        "summary": "One accepted physical citation of "Once" in TORONTO: seen once by one observer and not yet corroborated. The newest is a location presence. This does not show who owns or rents it, whether it is licensed, or whether it is open.",
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
    expect(cited_observation).toMatchObject({
      id: lateNewest,
      observed_on: "2026-04-29",
      observed_at: "2026-04-29T05:00:00Z",
    });
    expect(citation).toContain(
      "The newest observation (location presence), of 2026-04-29 (local solar date), is",
    );
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
    expect(summary).toBe(
      'One accepted physical citation of "Faded" in TORONTO: seen once by one observer and not yet corroborated.',
    );
  });

  test.each([
    ["Van", "mobile presence", "This does not show its owner, home base, operating address or route."],
    [
      "Poster",
      "brand mention",
      "This does not show who owns or runs the place, or any affiliation or endorsement.",
    ],
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

describe("several records", () => {
  test("a part of several names is not guessed", () => {
    const { verdict, candidates, entity, citation_count } = check("twin");
    expect([verdict, entity, citation_count]).toEqual(["ambiguous_name", undefined, undefined]);
    expect(candidates?.map(({ name }) => name).sort()).toEqual(["Twin Shop", "Twin Shops"]);
  });

  test("the citation counts them and quotes none, though each has citations", () => {
    expect(check("Same Name").citation).toBe(
      '2 Presence Records in TORONTO have the name "Same Name", and this sentence quotes none of them. Physical Presence Evidence Service, data as of 2026-05-20, https://example.org/city/toronto/',
    );
    expect(check("twin").citation).toMatch(/^2 Presence Records in TORONTO have names that contain "twin", /);
  });

  test("more than are listed are counted", () => {
    const { citation, summary, candidates } = check("chain store");
    expect(candidates).toHaveLength(10);
    expect(citation).toMatch(/^12 Presence Records in TORONTO have names that contain "chain store", /);
    expect(summary).toMatch(/^12 Presence Records in TORONTO match that name\. /);
  });

  test("are told apart by their ids, and the answer says so", () => {
    const { verdict, candidates = [], summary } = check("Same Name");
    expect(verdict).toBe("ambiguous_name");
    expect(candidates.map(({ public_id }) => public_id).sort()).toEqual(["demo_same_1", "demo_same_2"]);
    expect(summary).toContain("again with the public_id of one of the candidates");
    for (const { public_id, record_url } of candidates)
      expect(checkId(public_id)).toMatchObject({
        verdict: "physical_citations_found",
        entity: { public_id, record_url, matched_by: "public_id" },
      });
  });
});

describe("by public id", () => {
  test("a record is answered as by its name", () => {
    const byName = check("Once");
    expect(checkId("demo_once")).toEqual({
      ...byName,
      entity: { ...byName.entity, matched_by: "public_id" },
    });
    expect(checkId("demo_once", "TORONTO, Ontario").verdict).toBe("physical_citations_found");
  });

  test.each(["guelph", "Atlantis"])("a city that is not the record's (%s) is put right", (city) => {
    expect(() => checkId("demo_once", city)).toThrow(
      /^The record demo_once belongs to another city: pass city toronto \(TORONTO, /,
    );
  });

  test("a merged record leads to the one that stays", () => {
    expect(() => checkId("demo_gone")).toThrow(
      "The record demo_gone was merged into demo_once: pass public_id demo_once.",
    );
  });

  test("an unknown id claims nothing", () => {
    expect(() => checkId("demo_nowhere")).toThrow(
      /^The public_id demo_nowhere matches no record in this release, and nothing follows from that: /,
    );
  });
});

describe("the summary says how certain the evidence is", () => {
  test.each([
    ["Once", ": seen once by one observer and not yet corroborated. The newest is a location presence."],
    ["Both", ": seen by 2 independent observers. "],
    ["Reviewed", ": seen once by one observer and verified in review. "],
    ["Outlived", ": seen by 21 independent observers, the newest time verified in review."],
    ["Apart", ": seen by 2 independent observers, the newest time not yet corroborated. "],
  ])("%s", (name, words) => {
    expect(check(name).summary).toContain(words);
  });
});
