import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../deploy/systemd");
const SERVICES = readdirSync(FOLDER).filter((name) => name.endsWith(".service"));
const PUBLIC = ["presence.service", "presence-deliver.service"];

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
    ["keys", "ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.lock"].map(
      (path) => `-/srv/presence/${path}`,
    ),
  );
  expect(values(name, "ReadWritePaths")).toEqual(["/srv/presence/state"]);
  expect(values(name, "ProtectSystem")).toEqual(["strict"]);
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
