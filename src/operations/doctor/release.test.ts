import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestSite } from "../../../tests/support/release/site.ts";
import { holdRelease, writeReview } from "../../build/stages/held.ts";
import { prepareStaging } from "../../build/stages/publish.ts";
import { configFrom } from "../../kernel/config/config.ts";
import { releasePaths } from "../../kernel/home.ts";
import { writeNightlyStatus } from "../../kernel/nightly-status.ts";
import { systemUser } from "../../kernel/system-user.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import type { ReadContext } from "../../resources/define.ts";
import { contextAt } from "../../resources/release-store.ts";
import { systemStatus } from "../../resources/service/system-status.ts";
import type { Check } from "./check.ts";
import {
  heldReleases,
  lastNight,
  leftovers,
  releaseAge,
  releasePointer,
  snapshotVersion,
} from "./release.ts";

function contextOf(directory: string): { context: ReadContext } & Disposable {
  const context = contextAt(releasePaths(directory).snapshot);
  return { context, [Symbol.dispose]: () => context.close() };
}

let site: TestSite;
let release: string;
beforeEach(() => {
  site = new TestSite("production");
  release = site.publish("2026-05-20T12:00:00Z");
});
afterEach(() => site[Symbol.dispose]());

async function problems(check: Check, now = "2026-05-20T13:00:00Z"): Promise<string[]> {
  const findings = await check.find({
    config: configFrom({}),
    home: { ...site.home, ledger: site.town.ledger.path },
    now: Date.parse(now),
    isFull: false,
    user: systemUser(),
    systemctl: () => undefined,
    serverUnit: "",
    freeBytes: () => 0,
    openState: async () => undefined,
  });
  return findings.map(({ problem }) => problem.replaceAll(site.home.root, "HOME"));
}

test("no release, one that is gone, and one with holes", async () => {
  expect(await problems(releasePointer)).toEqual([expect.stringMatching(/manifest\.json is missing/)]); // the made-up release has none
  rmSync(releasePaths(release).snapshot);
  expect((await problems(releasePointer))[0]).toMatch(/snapshot\.db is missing/);
  rmSync(release, { recursive: true });
  expect(await problems(releasePointer)).toEqual([
    "HOME/night/current points at a release that no longer exists",
  ]);
  rmSync(site.home.current);
  expect(await problems(releasePointer)).toEqual(["there is no release yet"]);
});

test("a snapshot of another version", async () => {
  expect(await problems(snapshotVersion)).toEqual([]);
  const db = new Database(releasePaths(release).snapshot);
  db.pragma("user_version = 99");
  db.close();
  expect(await problems(snapshotVersion)).toEqual([expect.stringMatching(/another version of this program/)]);
  expect(await problems(releaseAge)).toEqual([]);
});

test("a release that is late, at the second at which the status says so", async () => {
  site.addRecord("Delta");
  release = site.publish("2026-05-02T12:00:00Z");
  using snapshot = contextOf(release);
  const statusAt = (now: string) =>
    systemStatus.read({ ...snapshot.context, now: Date.parse(now) }, {}, {}).current_status;
  expect(await problems(releaseAge, "2026-05-03T06:00:00Z")).toEqual([]);
  expect(statusAt("2026-05-03T06:00:00Z")).toBe("operational");
  expect(await problems(releaseAge, "2026-05-03T06:00:01Z")).toEqual([
    expect.stringMatching(
      /as of 2026-05-02T12:00:00Z; .* due at 2026-05-03T00:00:00Z .* since 2026-05-03T06:00:00Z/,
    ),
  ]);
  expect(statusAt("2026-05-03T06:00:01Z")).toBe("degraded");
});

test("a demonstration is never late", async () => {
  site[Symbol.dispose]();
  site = new TestSite();
  site.publish("2026-05-20T12:00:00Z");
  expect(await problems(releaseAge, "2031-01-01T00:00:00Z")).toEqual([]);
});

test("what a build that was cut off left behind, and not what one that runs works on", async () => {
  expect(await problems(leftovers)).toEqual([]);
  mkdirSync(join(site.home.releases, ".building-7"));
  const lock = acquireLock(join(site.home.night, "build.lock"), "building");
  expect(await problems(leftovers)).toEqual([]);
  lock.release();
  expect(await problems(leftovers)).toEqual(["HOME/night/releases has .building-7: a build was interrupted"]);
});

test("a night that failed or was cut off", async () => {
  expect(await problems(lastNight)).toEqual([]);
  const night = { exit_code: null, pid: 7, started_at: "2026-05-20T00:10:00Z", finished_at: null };
  const step = { name: "build", outcome: "running" as const, seconds: null, facts: {} };
  writeNightlyStatus(site.home.nightly, { ...night, state: "running", steps: [step] });
  const lock = acquireLock(join(site.home.night, "nightly.lock"), "running the night");
  expect(await problems(lastNight)).toEqual([]);
  lock.release();
  expect(await problems(lastNight)).toEqual([
    "the night that began at 2026-05-20T00:10:00Z was interrupted in the step build",
  ]);
  const failed = { ...step, outcome: "failed" as const, facts: { error: "no space" } };
  writeNightlyStatus(site.home.nightly, { ...night, state: "failed", steps: [failed] });
  expect(await problems(lastNight)).toEqual([expect.stringMatching(/build failed: no space$/)]);
});

describe("a held release", () => {
  const hold = () =>
    holdRelease(site.home, prepareStaging(site.home), {
      release_id: "r2",
      held_at: "2026-05-20T00:10:00Z",
      against: basename(release),
      findings: [],
    });

  test("is named with its reason or its problem, and is no leftover of a build", async () => {
    expect(await problems(heldReleases)).toEqual([]);
    hold();
    const since = "r2 is held since 2026-05-20T00:10:00Z";
    expect(await problems(heldReleases)).toEqual([`${since}: the operator holds releases`]);
    expect(await problems(leftovers)).toEqual([]);
    site.addRecord("Delta");
    site.publish("2026-05-20T12:30:00Z");
    expect(await problems(heldReleases)).toEqual([
      `${since}: another release was published after it was built`,
    ]);
    site.town.redact([1]);
    expect(await problems(heldReleases)).toEqual([expect.stringMatching(/row \d+ erased rows after it/)]);
  });

  test("of the operator's own is named with the note", async () => {
    writeReview(site.home, { hold: { since: "2026-05-20T09:00:00Z", note: "audit" } });
    expect(await problems(heldReleases)).toEqual([
      "every release is held since 2026-05-20T09:00:00Z (audit)",
    ]);
  });
});

test("a dangling link is seen as such", async () => {
  rmSync(site.home.current);
  symlinkSync("releases/gone", site.home.current);
  expect(await problems(releasePointer)).toEqual([
    "HOME/night/current points at a release that no longer exists",
  ]);
});
