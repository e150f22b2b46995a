import { afterAll, beforeAll, expect, test } from "vitest";
import { Operator } from "../../tests/support/operations/operator.ts";
import { DAYS, foundTown, ndjson, townObservations } from "../../tests/support/towns/town.ts";
import { requestRecord } from "../activity/seen-request.ts";
import { writeNightlyStatus } from "../kernel/status-files.ts";
import { isoTime, utcDayStart } from "../kernel/time.ts";
import { openState } from "../state/open-state.ts";

const NOBODY = { isInternal: () => false, places: () => undefined };
const lines = [...townObservations({ seed: 3, observations: 60, records: 6 })];
const bad = lines.slice(0, 2).map((line, at) => ({ ...line, source_ref: `bad ${at}`, lat: 0, lng: 0 }));
const day = DAYS.ingest.slice(0, 10);

let operator: Operator;
beforeAll(async () => {
  operator = new Operator({ BASE_URL: "https://presence.example" });
  await foundTown(operator);
  const clock = ["--clock", DAYS.ingest];
  await operator.ok([
    "ingest",
    operator.write("a.ndjson", ndjson([...lines, ...bad])),
    "--synthetic",
    ...clock,
  ]);
});
afterAll(() => operator[Symbol.dispose]());

async function shown(...args: string[]) {
  return JSON.parse(await operator.ok(["today", ...args, "--json"]));
}

test("says what came in by source, what was refused and why, and what waits, before there is a release", async () => {
  const { came_in, waits, release, night, api } = await shown("--day", day);
  expect(came_in).toMatchObject({
    ...{ files: 1, read: 62, accepted: 60, rejected: 2 },
    rejected_by_reason: { zero_coordinates: 2 },
  });
  expect(Object.values(came_in.by_source).reduce((sum: number, each) => sum + Number(each), 0)).toBe(60);
  expect(waits).toMatchObject({ lines_for_the_night: 60, held_back_batches: [] });
  expect([release, night, api]).toEqual([null, null, null]);
  const text = await operator.ok(["today", "--day", day]);
  expect(text).toContain("came in    1 file: 62 read, 60 accepted, 0 known, 2 rejected\n");
  expect(text).toContain("refused: zero_coordinates 2");
  expect(text.split("\n").length).toBeLessThan(24);
  expect((await shown("--day", "2026-04-30")).came_in.files).toBe(0);
  expect(await operator.refused(["today", "--day", "yesterday"])).toContain("--day must be a date");
});

test("says what was published and changed, who asked, and what the night cost", async () => {
  await operator.ok(["seal", "--now", "--clock", DAYS.seal]);
  await operator.ok(["build"]);
  await using state = await openState(undefined, operator.home);
  const quotas = { dailyQuota: 10, monthlyQuota: 10 };
  const maps = { name: "Maps Ltd", contactEmail: null, portalAccess: false, ...quotas };
  const { publicId } = await state.partners.createClient(maps);
  const now = Date.now();
  writeNightlyStatus(operator.home.nightly, {
    ...{ state: "done", exit_code: 0, pid: 1, started_at: isoTime(now), finished_at: isoTime(now) },
    steps: [
      { name: "seal", outcome: "done", seconds: 1.5, facts: {} },
      { name: "build", outcome: "failed", seconds: 2, facts: { error: "no space" } },
    ],
  });
  const seen = { ...{ times: 1, at: now, method: "GET", url: "/api/v1/cities", status: 200, latencyMs: 1 } };
  const asked = { ...seen, userAgent: "maps/1", address: "192.0.2.1", clientId: publicId };
  const known = { timedOut: false, foundNothing: false, message: null };
  await state.usage.record([requestRecord({ ...asked, ...known }, NOBODY)]);
  const { release, night, api, outbox } = await shown("--day", isoTime(utcDayStart(now)).slice(0, 10));
  expect(release).toMatchObject({ against: null, held: null });
  expect(release.records).toBeGreaterThan(0);
  expect(night).toMatchObject({ seconds: { build: 2, seal: 1.5 }, failed: ["build"] });
  expect(api).toMatchObject({ requests: 1, errors: 0, partners: { "Maps Ltd": 1 } });
  expect(outbox).toEqual({ emails: 0, webhooks: 0 });
  expect(await operator.ok(["today"])).toMatch(
    /^night {6}done, from .*, 3\.5 s: build 2\.0 s, seal 1\.5 s$/m,
  );
});
