/** Events over rows that later rows say otherwise of: what was told stays where and when it was. */
import { expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";

const AS_OF = "2026-05-20T12:00:00Z";

/** Of a release, which seals before. */
const eventsOf = (town: TestTown) => town.snapshot(AS_OF).eventsOf("toronto", { since: 0, limit: 100 });

test("a newcomer's record is told of once, when something of it counts, and a recount moves nothing", () => {
  using town = new TestTown();
  town.city("toronto");
  const record = town.record("r");
  const asset = town.asset(record);
  town.see(record, asset, "n", "2026-04-28T10:00:00Z", { counts: false });
  expect(eventsOf(town)).toEqual([]);
  town.at("2026-05-04T12:00:00Z");
  const counting = town.see(record, asset, "a", "2026-05-03T10:00:00Z");
  const [told, ...more] = eventsOf(town);
  expect(more).toEqual([]);
  expect(told).toMatchObject({ type: "new_public_record", evidenceCount: 1, confidence: 0.6 });
  town.at("2026-05-10T12:00:00Z");
  town.append({ kind: "recount", body: { counts: false, target: counting } });
  eventsOf(town);
  town.at("2026-05-11T12:00:00Z");
  town.see(record, asset, "b", "2026-05-10T10:00:00Z");
  expect(eventsOf(town)).toMatchObject([
    { id: told?.id, detectedAt: told?.detectedAt, evidenceCount: 0, confidence: 0 },
  ]);
});

test("an observation that is moved to another record leaves its events, and raises none", () => {
  using town = new TestTown();
  town.city("toronto");
  const [record, other] = [town.record("r"), town.record("o")];
  const asset = town.asset(record);
  const moved = town.see(record, asset, "a", "2026-04-28T10:00:00Z");
  town.see(record, town.asset(record), "b", "2026-04-28T10:00:00Z");
  const before = eventsOf(town);
  town.at("2026-05-04T12:00:00Z");
  const decider = { reason: "documents_checked", reviewer: "review-desk" } as const;
  town.append({
    kind: "reassign",
    body: { target: moved, record: other, asset, observer_tag: "a2", ...decider },
  });
  const told = ({ id, type, detectedAt, recordPublicId }: (typeof before)[number]) => ({
    id,
    type,
    detectedAt,
    recordPublicId,
  });
  expect(before.map(({ type }) => type)).toEqual(["new_public_record"]);
  const after = eventsOf(town);
  expect(after.map(told)).toEqual(before.map(told));
  expect(after).toMatchObject([{ evidenceCount: 1 }]);
});
