import { expect, test } from "vitest";
import { HOUR_MS, isoTime } from "../../kernel/time.ts";
import { AS_OF } from "../../testing/release/fake-rows.ts";
import { fakeContext } from "../../testing/release/fake-snapshot.ts";
import { isOfOperator, operatorIncident, operatorIncidents } from "./status-incidents.ts";
import { systemStatus } from "./system-status.ts";

const at = (hours: number) => isoTime(AS_OF + hours * HOUR_MS);
const outage = { started: at(-5), resolved: at(-4), title: "Outage", text: "Search was down." };

test("an incident is open until its end, and unknown before it began", () => {
  const seen = (asOf: number) => operatorIncidents([outage], AS_OF + asOf * HOUR_MS);
  expect(seen(-6)).toEqual([]);
  expect(seen(-4.5)).toMatchObject([{ status: "open", resolved_at: null, message: "Search was down." }]);
  expect(seen(0)).toMatchObject([{ status: "resolved", resolved_at: at(-4), started_at: at(-5) }]);
  expect(seen(0)[0]?.id).toBe(seen(-4.5)[0]?.id);
});

test("the status shows it, and it can be read back from there", () => {
  const { incidents } = systemStatus.read(fakeContext({ incidents: [outage] }), {}, {});
  expect(incidents.filter(isOfOperator).map(operatorIncident)).toEqual([outage]);
});
