/** A ledger that version 1.1.0 wrote: it opens, is verified and replayed, and its rows become those of registered sources. They are
 * a year old when they come, so only collective sources can count them. */
import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { SourceType } from "../../src/contract/enums.ts";
import { releasePaths } from "../../src/kernel/home.ts";
import { DAY_MS, isoTime } from "../../src/kernel/time.ts";
import { placeEarlierHome } from "../../src/testing/earlier/earlier-home.ts";
import { Operator } from "../../src/testing/operations/operator.ts";
import { benchSource } from "../../src/testing/towns/observations.ts";
import { TOWN_SLUG } from "../../src/testing/towns/town.ts";

const ACCEPTED = "2026-05-01";
const FIRST_NIGHT = Date.parse("2026-05-03T00:20:00Z");
const MAX_DELAY_DAYS = 14;

function restored(): Operator {
  const operator = new Operator();
  placeEarlierHome("1.1.0", operator.home);
  return operator;
}

const Index = z.object({ rankings: z.array(z.object({ independent_observer_count: z.int() })) });

function mostObservers({ home }: Operator): number {
  const { site } = releasePaths(join(home.root, readlinkSync(home.current)));
  const index = JSON.parse(readFileSync(join(site, `api/v1/city/${TOWN_SLUG}/index.json`), "utf8"));
  return Math.max(...Index.parse(index).rankings.map((record) => record.independent_observer_count));
}

async function publish(operator: Operator, night: number): Promise<void> {
  const clock = isoTime(FIRST_NIGHT + night * DAY_MS);
  await operator.ok(["seal", "--clock", clock]);
  await operator.ok(["build", "--as-of", clock]);
}

async function check(operator: Operator): Promise<void> {
  const { site } = releasePaths(join(operator.home.root, readlinkSync(operator.home.current)));
  await operator.ok(["verify", "--release", site]);
  await operator.ok(["replay", "--release", site]);
}

const TEST_MS = 300_000; // two releases and 16 nights

test("its observers are one principal until their rows are assigned, and then become theirs", {
  timeout: TEST_MS,
}, async () => {
  using operator = restored();
  await publish(operator, 0);
  await check(operator);
  expect(mostObservers(operator)).toBe(1);

  for (const kind of SourceType.options) {
    const papers = ["--operator", "bench", "--licence", "invented", "--consent", "invented"];
    const clock = ["--clock", isoTime(FIRST_NIGHT + DAY_MS / 2)];
    const source = benchSource(kind);
    await operator.ok([
      "source",
      "add",
      source,
      "--kind",
      kind,
      "--vetting",
      "collective",
      ...papers,
      ...clock,
    ]);
    const days = ["--type", kind, "--from", ACCEPTED, "--until", ACCEPTED];
    await operator.ok(["source", "assign", source, ...days, ...clock]);
  }
  for (let night = 1; night <= MAX_DELAY_DAYS + 1; night += 1)
    await operator.ok(["seal", "--clock", isoTime(FIRST_NIGHT + night * DAY_MS)]);
  await publish(operator, MAX_DELAY_DAYS + 2);
  await check(operator);
  expect(mostObservers(operator)).toBeGreaterThanOrEqual(3);
});
