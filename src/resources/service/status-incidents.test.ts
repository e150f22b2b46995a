import { expect, test } from "vitest";
import { AS_OF } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { incidentsKnownAt } from "../../contract/service/operator-incidents.ts";
import { HOUR_MS, isoTime } from "../../kernel/time.ts";
import { isGiven, operatorIncident, operatorIncidents } from "./status-incidents.ts";
import { systemStatus } from "./system-status.ts";

const at = (hours: number) => isoTime(AS_OF + hours * HOUR_MS);
const outage = {
  started: at(-5),
  resolved: at(-2),
  title: "Outage",
  text: "Search was down.",
  updates: [
    { at: at(-4), text: "A disk failed." },
    { at: at(-3), text: "It was replaced." },
  ],
};
const late = {
  started: at(-40),
  resolved: at(-30),
  title: "Late",
  text: "It was late.",
  late_release: "2026-04-30",
};

test("an incident is open until its end, unknown before it began, and has the updates of the time", () => {
  const seen = (hours: number) => operatorIncidents(incidentsKnownAt([outage], AS_OF + hours * HOUR_MS));
  expect(seen(-6)).toEqual([]);
  expect(seen(-4.5)).toEqual([
    {
      id: seen(0)[0]?.id,
      title: "Outage",
      status: "open",
      started_at: at(-5),
      resolved_at: null,
      message: "Search was down.",
    },
  ]);
  expect(seen(-3.5)).toMatchObject([{ updates: [{ at: at(-4), message: "A disk failed." }] }]);
  expect(seen(0)).toMatchObject([{ status: "resolved", resolved_at: at(-2), updates: [{}, {}] }]);
});

test("a late release is given only once it has ended: before, the status tells it by the clock", () => {
  expect(incidentsKnownAt([{ ...late, resolved: null }], AS_OF)).toEqual([]);
  expect(incidentsKnownAt([late], AS_OF - 35 * HOUR_MS)).toEqual([]);
  expect(operatorIncidents(incidentsKnownAt([late], AS_OF))).toMatchObject([
    { id: "late-release-2026-04-30" },
  ]);
});

test("the status shows them, and they can be read back from there", () => {
  const { incidents } = systemStatus.read(fakeContext({ incidents: [outage, late] }), {}, {});
  expect(incidents.filter(isGiven).map(operatorIncident)).toEqual([outage, late]);
});
