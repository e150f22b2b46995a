import { mkdirSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SOUND_SERVICE, TestPatient } from "../../../tests/support/operations/patient.ts";
import { TestSite } from "../../../tests/support/release/site.ts";
import { holdRelease, writeReview } from "../../build/stages/held.ts";
import { prepareStaging } from "../../build/stages/publish.ts";
import { configFrom } from "../../kernel/config/config.ts";
import { releasePaths, systemUser } from "../../kernel/home.ts";
import { writeNightlyStatus } from "../../kernel/status-files.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import type { ReadContext } from "../../resources/define.ts";
import { contextAt } from "../../resources/release-store.ts";
import { systemStatus } from "../../resources/service/system-status.ts";
import { type CheckName, findingsOf } from "./checks.ts";

function contextOf(directory: string): { context: ReadContext } & Disposable {
  const context = contextAt(releasePaths(directory).snapshot);
  return { context, [Symbol.dispose]: () => context.close() };
}

describe("the published release", () => {
  let site: TestSite;
  let release: string;
  beforeEach(() => {
    site = new TestSite("production");
    release = site.publish("2026-05-20T12:00:00Z");
  });
  afterEach(() => site[Symbol.dispose]());

  async function problems(check: CheckName, now = "2026-05-20T13:00:00Z"): Promise<string[]> {
    const findings = await findingsOf(check, {
      config: configFrom({}),
      home: { ...site.home, ledger: site.town.ledger.path },
      now: Date.parse(now),
      isFull: false,
      user: systemUser(),
      systemctl: () => undefined,
      serverUnit: "",
      settingsFolder: "",
      ...SOUND_SERVICE,
      freeBytes: () => 0,
      openState: async () => undefined,
    });
    return findings.map(({ problem }) => problem.replaceAll(site.home.root, "HOME"));
  }

  test("no release, one that is gone, and one with holes", async () => {
    expect(await problems("release")).toEqual([expect.stringMatching(/manifest\.json is missing/)]); // the made-up release has none
    rmSync(releasePaths(release).snapshot);
    expect((await problems("release"))[0]).toMatch(/snapshot\.db is missing/);
    rmSync(release, { recursive: true });
    expect(await problems("release")).toEqual([
      "HOME/night/current points at a release that no longer exists",
    ]);
    rmSync(site.home.current);
    expect(await problems("release")).toEqual(["there is no release yet"]);
  });

  test("a snapshot of another version", async () => {
    expect(await problems("snapshot version")).toEqual([]);
    const db = new Database(releasePaths(release).snapshot);
    db.pragma("user_version = 99");
    db.close();
    expect(await problems("snapshot version")).toEqual([
      expect.stringMatching(/another version of this program/),
    ]);
    expect(await problems("age of the release")).toEqual([]);
  });

  test("a release that is late, at the second at which the status says so", async () => {
    site.addRecord("Delta");
    release = site.publish("2026-05-02T12:00:00Z");
    using snapshot = contextOf(release);
    const statusAt = (now: string) =>
      systemStatus.read({ ...snapshot.context, now: Date.parse(now) }, {}, {}).current_status;
    expect(await problems("age of the release", "2026-05-03T06:00:00Z")).toEqual([]);
    expect(statusAt("2026-05-03T06:00:00Z")).toBe("operational");
    expect(await problems("age of the release", "2026-05-03T06:00:01Z")).toEqual([
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
    expect(await problems("age of the release", "2031-01-01T00:00:00Z")).toEqual([]);
  });

  test("what a build that was cut off left behind, and not what one that runs works on", async () => {
    expect(await problems("leftovers of builds")).toEqual([]);
    mkdirSync(join(site.home.releases, ".building-7"));
    const lock = acquireLock(join(site.home.night, "build.lock"), "building");
    expect(await problems("leftovers of builds")).toEqual([]);
    lock.release();
    expect(await problems("leftovers of builds")).toEqual([
      "HOME/night/releases has .building-7: a build was interrupted",
    ]);
  });

  test("a night that failed or was cut off", async () => {
    expect(await problems("last night")).toEqual([]);
    const night = { exit_code: null, pid: 7, started_at: "2026-05-20T00:10:00Z", finished_at: null };
    const step = { name: "build", outcome: "running" as const, seconds: null, facts: {} };
    writeNightlyStatus(site.home.nightly, { ...night, state: "running", steps: [step] });
    const lock = acquireLock(join(site.home.night, "nightly.lock"), "running the night");
    expect(await problems("last night")).toEqual([]);
    lock.release();
    expect(await problems("last night")).toEqual([
      "the night that began at 2026-05-20T00:10:00Z was interrupted in the step build",
    ]);
    const failed = { ...step, outcome: "failed" as const, facts: { error: "no space" } };
    writeNightlyStatus(site.home.nightly, { ...night, state: "failed", steps: [failed] });
    expect(await problems("last night")).toEqual([expect.stringMatching(/build failed: no space$/)]);
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
      expect(await problems("held release")).toEqual([]);
      hold();
      const since = "r2 is held since 2026-05-20T00:10:00Z";
      expect(await problems("held release")).toEqual([`${since}: the operator holds releases`]);
      expect(await problems("leftovers of builds")).toEqual([]);
      site.addRecord("Delta");
      site.publish("2026-05-20T12:30:00Z");
      expect(await problems("held release")).toEqual([
        `${since}: another release was published after it was built`,
      ]);
      site.town.redact([1]);
      expect(await problems("held release")).toEqual([expect.stringMatching(/row \d+ erased rows after it/)]);
    });

    test("of the operator's own is named with the note", async () => {
      writeReview(site.home, { hold: { since: "2026-05-20T09:00:00Z", note: "audit" } });
      expect(await problems("held release")).toEqual([
        "every release is held since 2026-05-20T09:00:00Z (audit)",
      ]);
    });
  });

  test("a dangling link is seen as such", async () => {
    rmSync(site.home.current);
    symlinkSync("releases/gone", site.home.current);
    expect(await problems("release")).toEqual([
      "HOME/night/current points at a release that no longer exists",
    ]);
  });
});

describe("the machine", () => {
  let service: TestPatient;
  beforeEach(() => {
    service = new TestPatient();
  });
  afterEach(() => service[Symbol.dispose]());

  const block = (task: string, load: string, active: string) =>
    `Id=presence-${task}.timer\nLoadState=${load}\nActiveState=${active}\n`;

  test("a timer that is installed and off is found; one that is not installed, and no systemd, say nothing", async () => {
    expect(await service.problems("timers")).toEqual([]);
    service.systemctl = () =>
      [
        block("nightly", "loaded", "inactive"),
        block("outbox", "loaded", "active"),
        block("check", "not-found", "inactive"),
      ].join("\n");
    expect(await service.problems("timers")).toEqual(["presence-nightly.timer is installed and off"]);
  });

  test("with backups their timers are asked for", async () => {
    const asked: string[] = [];
    service.systemctl = (args) => {
      asked.push(args.join(" "));
      return "";
    };
    await service.problems("timers");
    service.env = { ...service.env, BACKUP_HOOK: "/usr/local/bin/presence-backup" };
    await service.problems("timers");
    expect(asked.map((line) => line.includes("presence-backup-prune.timer"))).toEqual([false, true]);
  });
  test("a disk that is nearly full", async () => {
    expect(await service.problems("disk space")).toEqual([]);
    service.freeBytes = 300 * (1 << 20);
    expect(await service.problems("disk space")).toEqual([
      "HOME/night: 300 MiB are free, but the next nights may need 1024 MiB",
    ]);
  });
  test("a large ledger, which no erasure rebuilds, needs no more room", async () => {
    truncateSync(service.home.ledger, 8 * (1 << 30)); // most of it a hole
    service.freeBytes = 2 * (1 << 30);
    expect(await service.problems("disk space")).toEqual([]);
  });
});
