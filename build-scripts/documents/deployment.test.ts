import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { settings } from "../../src/kernel/config/config.ts";
import { deskPaths, homePaths } from "../../src/kernel/home.ts";

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
  const closed = ["keys", "ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.lock", "ledger.db-cache"];
  for (const path of closed)
    expect(values(name, "InaccessiblePaths")).toContain(`-${join(homePaths("/srv/presence").night, path)}`);
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
  const backup = ["backup-prove", "backup-prune", "backup"];
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

test("the desk reaches nothing but its own folders, and decisions become rows without a network", () => {
  const [desk, apply] = ["presence-desk.service", "presence-desk-apply.service"] as const;
  expect([values(desk, "User"), values(apply, "User")]).toEqual([["presence-desk"], ["presence"]]);
  const { folder, own, decisions, view } = deskPaths({ root: "/srv/presence" });
  expect(values(desk, "ReadWritePaths")).toEqual([own, decisions]);
  for (const closed of ["night", "state", "inbox"])
    expect(values(desk, "InaccessiblePaths")).toContain(`-/srv/presence/${closed}`);
  expect(values(apply, "PrivateNetwork")).toEqual(["yes"]);
  expect(values(apply, "InaccessiblePaths")).toContain(`-${own}`);
  expect(values(apply, "ReadWritePaths").filter((path) => path.startsWith(folder))).toEqual([
    view,
    decisions,
  ]);
  expect(values("presence-desk-apply.path", "DirectoryNotEmpty")).toEqual([decisions]);
  expect(values("presence-desk-apply.path", "Unit")).toEqual([apply]);
});

test("the log that was rotated is read first, where there is one", () => {
  const folder = mkdtempSync(join(tmpdir(), "logs-"));
  const run = () => wouldRun("presence-log-import.service", folder).replaceAll(folder, "LOGS");
  expect(run()).toBe("activity import LOGS/presence.log --json");
  writeFileSync(join(folder, "presence.log.1"), "");
  expect(run()).toBe("activity import LOGS/presence.log.1 LOGS/presence.log --json");
  rmSync(folder, { recursive: true });
});

test("a timer of the log import that elapses before nginx has a log raises no alarm", () => {
  expect(values("presence-log-import.service", "ConditionPathExists")).toEqual([
    wouldRun("presence-log-import.service", "/var/log/nginx").split(" ")[2],
  ]);
});

test.each(SERVICES)("%s survives a call that its filter denies", (name) => {
  expect(values(name, "SystemCallErrorNumber")).toEqual(["EPERM"]);
});

test.each(SERVICES)("%s gets common settings and those of its user, and nothing of the other", (name) => {
  const [user = ""] = values(name, "User");
  const [other] = ["presence", "presence-web"].filter((each) => each !== user);
  expect(["presence", "presence-web", "presence-desk"]).toContain(user);
  expect(values(name, "EnvironmentFile")).toEqual([`-/etc/presence/${user}/environment`]);
  expect(values(name, "Environment")).toContain("PRESENCE_SETTINGS=/etc/presence/presence.toml");
  expect(values(name, "InaccessiblePaths")).toContain(`-/etc/presence/${other}`);
  const given = [...values(name, "Environment"), ...values(name, "LoadCredential")].join(" ");
  for (const secret of settings().filter(({ isSecret }) => isSecret))
    expect(given).not.toContain(secret.name);
});

test("every folder that a unit writes to is one that tmpfiles makes for a user of its own", () => {
  const files = ["presence.conf", "presence-desk.conf"].map((name) => join(FOLDER, "../tmpfiles.d", name));
  const made = files
    .map((file) => readFileSync(file, "utf8"))
    .join("\n")
    .matchAll(/^d (\S+) +(\d+) (\S+) +(\S+)$/gm);
  const folders = new Map(
    Array.from(made, ([, path = "", mode, user, group]) => [path, `${mode} ${user} ${group}`]),
  );
  expect(Object.fromEntries(folders)).toEqual({
    "/srv/presence": "0755 root root",
    "/srv/presence/night": "0750 presence presence-files",
    "/srv/presence/state": "2770 presence-web presence-state",
    "/srv/presence/inbox": "0751 root presence-inbox",
    "/srv/presence/desk": "0755 root root",
    "/srv/presence/desk/view": "2750 presence presence-desk",
    "/srv/presence/desk/decisions": "2770 presence-desk presence",
    "/srv/presence/desk/own": "0700 presence-desk presence-desk",
    "/etc/presence": "0755 root root",
    "/etc/presence/presence": "0750 root presence",
    "/etc/presence/presence-web": "0750 root presence-web",
    "/etc/presence/presence-desk": "0750 root presence-desk",
  });
  const written = SERVICES.flatMap((name) => values(name, "ReadWritePaths"))
    .filter((path) => path !== "-/backup")
    .map((path) => path.replace(/^-/, ""));
  for (const path of written) expect(folders.get(path)).toMatch(/ presence/);
});

test("each unit that backs up reaches the repositories", () => {
  const units = ["nightly", "backup", "backup-check", "backup-prune", "backup-prove"];
  for (const task of units)
    expect(values(`presence-${task}.service`, "ReadWritePaths")).toEqual([
      "/srv/presence/night",
      "/srv/presence/state",
      ...(task === "nightly" ? ["-/srv/presence/desk/view", "-/srv/presence/inbox"] : []), // shows the desk its queue, and takes what was delivered
      "-/backup",
    ]);
});

test("old backups are removed only after a check that found no damage", () => {
  for (const setting of ["Requires", "After"])
    expect(values("presence-backup-prune.service", setting)).toContain("presence-backup-check.service");
});

test("base images of the container are pinned by digest", () => {
  const lines = readFileSync(join(FOLDER, "../container/Containerfile"), "utf8").split("\n");
  const images = lines.filter((line) => line.startsWith("FROM "));
  expect(images).toHaveLength(3);
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
