import { expect, test } from "vitest";
import { installDebianPackages } from "../../build-scripts/ensure-browser.ts";
import { SHARED_CACHES } from "../support/towns/shared-caches.ts";
import { hasMovedClock } from "../trial/year/moved-clock.ts";
import { SHORT } from "../trial/year/plan.ts";
import { runYear } from "../trial/year/run.ts";

/** The year of `npm run year`, in six nights around a leap day. */

if (!hasMovedClock()) await installDebianPackages("faketime");

const PATIENCE_MS = 1_800_000; // it ends only what hangs
test.skipIf(!hasMovedClock())(
  "what goes wrong in a year loses nothing and repeats nothing",
  {
    timeout: PATIENCE_MS,
  },
  async () => {
    const report = await runYear(SHORT, { say: () => undefined, pages: SHARED_CACHES.COMPILED_PAGES });
    expect(report.faults).toEqual([]);
    const expected = Object.values(SHORT.events).flat();
    expect(report.events).toHaveLength(expected.length);
    expect(report.erased).toBe(1);
    expect(report.rows).toBeGreaterThan(100);
    expect(report.arrived.events).toBeGreaterThan(0);
    expect(report.arrived.emails).toBeGreaterThan(0);
  },
);
