import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../deploy/systemd");
const SERVICES = readdirSync(FOLDER).filter((name) => name.endsWith(".service"));
const PUBLIC = ["presence.service", "presence-deliver.service", "presence-outbox.service"];
const TIMERS = readdirSync(FOLDER).filter((name) => name.endsWith(".timer"));

/** The highest exposure level that a unit may have, in tenths; install.md states it. */
const MAX_EXPOSURE = 20;
const analyze = (...args: string[]) => spawnSync("systemd-analyze", args, { encoding: "utf8" });
const canAnalyze = analyze("security", "--offline=true", "--help").status === 0;

/** All values of a setting of a unit. */
function values(name: string, setting: string): string[] {
  const lines = readFileSync(join(FOLDER, name), "utf8").split("\n");
  return lines.flatMap((line) =>
    line.startsWith(`${setting}=`) ? line.slice(setting.length + 1).split(" ") : [],
  );
}

test.each(PUBLIC)("%s runs as another user than the night, and cannot reach ledger and keys", (name) => {
  expect(values(name, "User")).toEqual(["presence-web"]);
  expect(values("presence-nightly.service", "User")).toEqual(["presence"]);
  expect(values(name, "InaccessiblePaths")).toEqual(
    ["keys", "ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.lock", "ledger.db-kept"].map(
      (path) => `-/srv/presence/${path}`,
    ),
  );
  expect(values(name, "ReadWritePaths")).toEqual(["/srv/presence/state"]);
  expect(values(name, "ProtectSystem")).toEqual(["strict"]);
});

/** What follows the first of these settings protects the machine from the program. */
const hardening = (name: string) => {
  const text = readFileSync(join(FOLDER, name), "utf8");
  return text.slice(text.indexOf("NoNewPrivileges=")).split("\n\n[Install]")[0]?.trimEnd();
};

test.each(SERVICES)("%s is hardened like the others", (name) => {
  expect(hardening(name)).toBe(hardening("presence-nightly.service"));
});

test("night, delivery, backup, check and log import have timers, and each timer its unit", () => {
  const of = (task: string) => `presence-${task}.timer`;
  const backup = ["backup-check", "backup-upkeep", "backup"];
  expect(TIMERS.sort()).toEqual([...backup, "check", "log-import", "nightly", "outbox"].map(of));
  for (const name of TIMERS) {
    expect(SERVICES).toContain(name.replace(".timer", ".service"));
    expect(values(name, "WantedBy")).toEqual(["timers.target"]);
  }
});

test.skipIf(!canAnalyze).each(TIMERS)("systemd reads the calendar of %s", (name) => {
  const { status, stderr } = analyze("calendar", values(name, "OnCalendar").join(" "));
  expect(status, stderr).toBe(0);
});

/** What the shell of a unit runs, with `echo` in place of the program. systemd doubles `$` and `%`. */
function wouldRun(name: string, logs = ""): string {
  const line = readFileSync(join(FOLDER, name), "utf8").match(/^ExecStart=(.*)$/m)?.[1] ?? "";
  const command = line.replaceAll("$$", "$").replaceAll("%%", "%").replaceAll("/var/log/nginx", logs);
  const { stdout, stderr, status } = spawnSync("sh", [
    "-c",
    command.replace("exec /opt/presence/bin/presence", "echo"),
  ]);
  expect(status, stderr.toString()).toBe(0);
  return stdout.toString().trim();
}

test("the log that was rotated is read first, where there is one", () => {
  const folder = mkdtempSync(join(tmpdir(), "logs-"));
  const run = () => wouldRun("presence-log-import.service", folder).replaceAll(folder, "LOGS");
  expect(run()).toBe("activity import LOGS/presence.log --json");
  writeFileSync(join(folder, "presence.log.1"), "");
  expect(run()).toBe("activity import LOGS/presence.log.1 LOGS/presence.log --json");
  rmSync(folder, { recursive: true });
});

test("each unit that backs up reaches the repositories", () => {
  const units = ["nightly", "backup", "backup-upkeep", "backup-check"];
  for (const task of units)
    expect(values(`presence-${task}.service`, "ReadWritePaths")).toEqual(["/srv/presence", "-/backup"]);
});

test("base images of the container are pinned by digest", () => {
  const lines = readFileSync(join(FOLDER, "../container/Containerfile"), "utf8").split("\n");
  const images = lines.filter((line) => line.startsWith("FROM "));
  expect(images).toHaveLength(2);
  for (const image of images)
    expect(image).toMatch(/^FROM docker\.io\/library\/[\w.:-]+@sha256:[0-9a-f]{64}( AS \w+)?$/);
});

test("the night waits for a synchronized clock", () => {
  expect(values("presence-nightly.service", "After")).toContain("time-sync.target");
  expect(values("presence-nightly.service", "Wants")).toContain("time-sync.target");
});

// Debian's package `systemd` has systemd-analyze; --offline came with systemd 250.
describe.skipIf(!canAnalyze)("systemd-analyze security", () => {
  test.each(SERVICES)("%s stays below the stated exposure", (name) => {
    const { status, stdout, stderr } = analyze(
      "security",
      "--offline=true",
      `--threshold=${MAX_EXPOSURE}`,
      join(FOLDER, name),
    );
    expect(status, `${stdout.split("\n").slice(-3).join("\n")}${stderr}`).toBe(0);
  });
});
