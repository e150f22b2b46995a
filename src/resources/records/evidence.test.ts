import { expect, test } from "vitest";
import { fakeObservation } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { contextOf } from "../release-store.ts";
import { evidence } from "./evidence.ts";

const record = { public_id: "demo_1" };

test("rejected rows are in the mix of states and in no other count", () => {
  const { observations, citations } = evidence.read(fakeContext(), record, {});
  expect(observations).toMatchObject({ total_public: 3, total_rows: 4 });
  expect(observations.verification_mix).toEqual([
    { value: "corroborated", count: 3, share: 0.75 },
    { value: "rejected", count: 1, share: 0.25 },
  ]);
  expect(observations.source_mix).toEqual([
    { value: "fleet_cam", count: 1, share: 0.3333 },
    { value: "scout", count: 2, share: 0.6667 },
  ]);
  expect(observations.presence_mix).toEqual([{ value: "location_presence", count: 3, share: 1 }]);
  expect(citations).toMatchObject({ location_presence: 3, mobile_presence: 0, brand_mention: 0 });
});

test("the suggested citation dates by the city's day, and claims what was observed and no more", () => {
  const { citations } = evidence.read(fakeContext(), record, {});
  expect(citations.suggested_citation).toBe(
    'Demonstration data, not a real observation: "Record 1" was physically observed in Alpha 2 times ' +
      "between 2026-03-21 and 2026-06-27 (local solar dates) by 2 independent observers; " +
      "of these observations 1 is verified in review, 1 is not yet corroborated. " +
      "The newest observation (location presence), of 2026-06-27 (local solar date), is not yet corroborated. " +
      "Physical Presence Evidence Service, data as of 2026-06-30, ledger row 7, signed tree of 100 rows. " +
      citations.citation_url,
  );
  expect(citations).toMatchObject({
    citation_id: expect.stringMatching(/^demo_1\.7\.100\.2026-06-30\.v1\.[0-9a-z]{8}$/),
    citation_url: `https://presence.test/cite/${citations.citation_id}/`,
    cited_row: 7,
    evidence_state: {
      strongest: "verified",
      independent_observers: 2,
      provisional: 1,
      corroborated: 0,
      verified: 1,
    },
  });
});

test("without an accepted citation there is none to suggest", () => {
  using town = new TestTown();
  town.city("toronto");
  const rejected = town.record("Alpha");
  const row = town.see(rejected, town.asset(rejected), "a", "2026-04-28T10:00:00Z");
  town.review("reject", row);
  const context = contextOf(town.snapshot("2026-05-20T12:00:00Z"));
  const { citations } = evidence.read(context, { public_id: "demo_alpha" }, {});
  expect(citations.suggested_citation).toMatch(/^No accepted physical citation of "Alpha"/);
  expect(citations).toMatchObject({ cited_row: null, evidence_state: { strongest: null } });
});

test("shows the 20 latest rows", () => {
  const context = fakeContext({
    observations: Array.from({ length: 30 }, (_, at) => fakeObservation(50 - at, at)),
  });
  const { recent } = evidence.read(context, record, {}).observations;
  expect(recent.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, at) => 50 - at));
});
