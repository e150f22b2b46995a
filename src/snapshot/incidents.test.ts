import { expect, test } from "vitest";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { openSnapshot } from "./snapshot.ts";

const AS_OF = "2026-05-01T13:00:00Z";
const first = { started: "2026-04-01T00:00:00Z", resolved: null, title: "First", text: "Text" };
const second = { ...first, started: "2026-04-02T00:00:00Z", title: "Second" };

test("incidents are stored newest first, and are an input of the release whatever their order in the file", () => {
  using town = new TestTown();
  town.city("toronto");
  const size = town.seal();
  const built = town.build(size, AS_OF, { incidents: [first, second] });
  const ids = [
    town.build(size, AS_OF, { incidents: [second, first] }),
    town.build(size, AS_OF),
    town.build(size, AS_OF, { incidents: [first] }),
    town.build(size, AS_OF, { incidents: [{ ...first, text: "Other" }, second] }),
  ].map(({ releaseId }) => releaseId);
  expect(ids[0]).toBe(built.releaseId);
  expect(new Set([built.releaseId, ...ids]).size).toBe(4);
  const snapshot = openSnapshot(built.path);
  expect(snapshot.incidents().map(({ title }) => title)).toEqual(["Second", "First"]);
  const { incidentsHash } = snapshot.release();
  snapshot.close();
  // A replay knows those that are shown, and the hash of all.
  expect(town.build(size, AS_OF, { incidents: [first], incidentsHash }).releaseId).toBe(built.releaseId);
});
