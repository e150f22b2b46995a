import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exampleActivity } from "../../build-scripts/examples/example-counts.ts";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { withheldClients } from "./activity.ts";
import { openSnapshot } from "./snapshot.ts";

const AS_OF = "2026-05-01T13:00:00Z";
const END = Date.parse("2026-05-01T00:00:00Z");

function town() {
  const town = new TestTown();
  town.city("toronto");
  const records = ["Alpha", "Beta"].map((name) => {
    const record = town.record(name);
    town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
    return record;
  });
  return { town, records };
}

test("the same activity gives the same bytes, another one another release, and none one more", () => {
  const { town: t } = town();
  using built = t;
  const size = built.seal();
  const activity = exampleActivity(END);
  const one = built.build(size, AS_OF, { activity });
  const again = built.build(size, AS_OF, { activity: structuredClone(activity) });
  expect(readFileSync(again.path).equals(readFileSync(one.path))).toBe(true);
  const other = built.build(size, AS_OF, { activity: { ...activity, previousExternalRequests: 801 } });
  const none = built.build(size, AS_OF);
  expect(new Set([one.releaseId, other.releaseId, none.releaseId]).size).toBe(3);
  const snapshot = openSnapshot(none.path);
  expect([snapshot.activity(), snapshot.release().activityHash]).toEqual([undefined, null]);
  snapshot.close();
});

test("a release knows its activity by the hash alone, so that its id can be made again without it", () => {
  const { town: t } = town();
  using built = t;
  const size = built.seal();
  const one = built.build(size, AS_OF, { activity: exampleActivity(END) });
  const snapshot = openSnapshot(one.path);
  const { activityHash } = snapshot.release();
  snapshot.close();
  expect(built.build(size, AS_OF, { activityHash }).releaseId).toBe(one.releaseId);
});

test("a day of fewer than three clients does not tell how many, nor does the sum of all days", () => {
  const [day] = exampleActivity(END).daily;
  if (day === undefined) throw new Error("no day");
  const published = (...clients: number[]) =>
    withheldClients(clients.map((clientInstances) => ({ ...day, clientInstances }))).map(
      ({ clientInstances, clientsWithheld }) => (clientsWithheld ? "withheld" : clientInstances),
    );
  expect(published(31, 3, 0)).toEqual([31, 3, 0]);
  expect(published(31, 2, 9, 0)).toEqual([31, "withheld", "withheld", 0]);
  expect(published(1, 31, 2)).toEqual(["withheld", 31, "withheld"]);
  expect(published(1)).toEqual(["withheld"]);
  const hidden = withheldClients([{ ...day, clientInstances: 1 }]);
  expect(hidden).toMatchObject([{ clientInstances: 0, clientsWithheld: true }]);
});

test("what the release does not have, and what hardly anyone asked for, is not in its file", () => {
  const { town: t } = town();
  using built = t;
  const size = built.seal();
  const names = openSnapshot(built.build(size, AS_OF).path);
  const [alpha = "", beta = ""] = names.publicIds();
  names.close();
  const one = built.build(size, AS_OF, {
    activity: {
      ...exampleActivity(END),
      topCities: [
        { value: "atlantis", requests: 900 },
        { value: "toronto", requests: 7 },
      ],
      topRecords: [
        { value: "demo_optedout", requests: 500 },
        { value: alpha, requests: 5 },
        { value: beta, requests: 4 },
      ],
    },
  });
  const snapshot = openSnapshot(one.path);
  expect(snapshot.activity()?.topCities).toEqual([{ value: "toronto", requests: 7 }]);
  expect(snapshot.activity()?.topRecords).toEqual([{ value: alpha, requests: 5 }]);
  snapshot.close();
  const bytes = readFileSync(one.path, "latin1");
  for (const text of ["atlantis", "demo_optedout"]) expect(bytes).not.toContain(text);
});
