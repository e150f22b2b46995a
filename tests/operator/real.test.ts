import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { configFrom } from "../../src/kernel/config/config.ts";
import { systemUser } from "../../src/kernel/home.ts";
import { systemRandom } from "../../src/kernel/ids.ts";
import { systemClock } from "../../src/kernel/time.ts";
import type { CommandContext } from "../../src/operations/context.ts";
import { isTrial } from "../support/trial.ts";
import { dataFolders, missingFiles } from "../trial/real/data-sets.ts";
import { buildTwice, realContext, takeInAll } from "../trial/real/run.ts";

const silent = { write: () => true };
const base: CommandContext = {
  config: configFrom({}),
  project: join(import.meta.dirname, "../.."),
  clock: systemClock,
  random: systemRandom,
  user: systemUser(),
  stdout: silent,
  stderr: silent,
};
const missing = missingFiles(dataFolders(base.project));
const home = mkdtempSync(join(tmpdir(), "presence-real-test-"));

afterAll(() => rmSync(home, { recursive: true, force: true }));

const needsData = (context: { skip(note: string): void }) => {
  if (missing.length > 0)
    context.skip(`the public records are not beside the project: ${missing.join(", ")}`);
};

test("every line of the real files is accounted for, and a second run adds nothing", async (context) => {
  needsData(context);
  if (!isTrial) context.skip("npm run trial reads the whole files");
  const taken = await takeInAll(realContext(base, join(home, "whole")));
  expect(taken.flatMap(({ faults }) => faults)).toEqual([]);
  const counts = Object.fromEntries(taken.map(({ name, summary }) => [name, summary]));
  expect(counts["Toronto"]?.read).toBe(97_010);
  expect(counts["Chicago"]?.read).toBe(27_600);
  expect(counts["San Francisco"]?.read).toBe(32_083);
  expect(counts["San Francisco"]?.rejectedByReason.zero_coordinates).toBe(67);
  expect(counts["San Francisco"]?.rejectedByReason.missing_field).toBe(7_735);
  expect(counts["Chicago"]?.rejectedByReason.missing_field).toBe(110);
  expect(counts["San Francisco trucks"]?.read).toBe(488);
});

/** A part of each file: enough for every kind of record, few enough pages for a test. `npm run trial -- real` builds all of it. */
const LINES = 150;

test("a release of real records is valid by its own schema and the same from two folders", async (context) => {
  needsData(context);
  const part = realContext(base, join(home, "part"));
  const taken = await takeInAll(part, LINES);
  const built = await buildTwice(part, taken, "ignore");
  expect([...taken.flatMap(({ faults }) => faults), ...built.faults]).toEqual([]);
  expect(built.release.cities).toBe(3);
  expect(built.documents).toBeGreaterThan(built.release.records * 4);
});
