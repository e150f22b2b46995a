/** The published release, the night, and the machine that they need. */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { heldRelease, readReview } from "../../build/stages/held.ts";
import { currentRelease } from "../../build/stages/publish.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { releaseLateness } from "../../kernel/release-lateness.ts";
import { readNightlyStatus } from "../../kernel/status-files.ts";
import { shellLine } from "../../kernel/text/terminal.ts";
import { CLOCK_TOLERANCE_MS, DAY_MS, isoTime } from "../../kernel/time.ts";
import { acquireLock, LockHeld } from "../../ledger/database/lock.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { openRelease } from "../../proof/audit/release-manifest.ts";
import { auditFile, filesInFolder } from "../../proof/audit/site-files.ts";
import { releasePromise } from "../../resources/service/system-status.ts";
import { isReadable } from "../../snapshot/snapshot.ts";
import { publishedRelease } from "../context.ts";
import { forecast, readSizes } from "../disk-sizes.ts";
import { BUILD_LOCKS, heldProblem } from "../publish-lock.ts";
import { type Check, type CheckContext, type Finding, findingIf, NIGHTLY, ofLedger } from "./check.ts";

const BUILD = "run `presence build`";

export function releasePointer({ home }: CheckContext): Finding[] {
  const directory = currentRelease(home);
  if (directory === undefined) {
    const isDangling = lstatSync(home.current, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const dangling = `${home.current} points at a release that no longer exists`;
    return [{ problem: isDangling ? dangling : "there is no release yet", mend: BUILD }];
  }
  const { site, snapshot, manifest } = releasePaths(directory);
  return [site, snapshot, manifest].flatMap((path) =>
    findingIf(!existsSync(path), `${path} is missing in the current release`, BUILD),
  );
}

export function snapshotVersion({ home }: CheckContext): Finding[] {
  const directory = currentRelease(home);
  const path = directory === undefined ? "" : releasePaths(directory).snapshot;
  return findingIf(
    existsSync(path) && !isReadable(path),
    `${path} was made by another version of this program: only its files are served`,
    BUILD,
  );
}

/** Late as `/api/v1/status` reports it. */
export function releaseAge({ home, now }: CheckContext): Finding[] {
  const release = publishedRelease(home);
  const promise = release === undefined ? null : releasePromise(release);
  const { lateSince } = releaseLateness(promise, now);
  if (release === undefined || promise === null || lateSince === undefined) return [];
  const problem = `the release is as of ${isoTime(release.asOf)}; the next one was due at ${isoTime(promise.nextReleaseDue)} and has been late since ${isoTime(lateSince)}`;
  return [{ problem, mend: NIGHTLY }];
}

/** Staging directories that no running build holds. */
export function leftovers({ home }: CheckContext): Finding[] {
  if (!existsSync(home.releases)) return [];
  const held = heldFolder(home);
  const names = readdirSync(home.releases).filter((name) => name.startsWith(".") && name !== held);
  return findingIf(
    names.length > 0 && !Object.values(BUILD_LOCKS).some((path) => isLocked(path(home))),
    `${home.releases} has ${names.join(", ")}: a build was interrupted`,
    "run `presence build`, which removes it; or delete it by hand, if the disk is full",
  );
}

/** Undefined for an unreadable file about it, which the check of the held release reports. */
function heldFolder(home: Home): string | undefined {
  try {
    return basename(heldRelease(home)?.directory ?? "");
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

function isLocked(lock: string): boolean {
  if (!existsSync(lock)) return false;
  try {
    acquireLock(lock, "working").release();
    return false;
  } catch (error) {
    if (error instanceof LockHeld) return true;
    throw error;
  }
}

/** A release that waits for the operator. */
export const heldReleases = ofLedger(function* (reader, { home }) {
  const { hold } = readReview(home);
  const held = heldRelease(home);
  yield* findingIf(
    hold !== null,
    `every release is held since ${hold?.since}${hold?.note ? ` (${hold.note})` : ""}`,
    "run `presence release approve` (with the id of the held release, if there is one)",
  );
  if (held === undefined) return;
  const problem = heldProblem(home, reader, held);
  const reasons = held.findings.map(({ text }) => text).join("; ") || "the operator holds releases";
  yield {
    problem: `${held.release_id} is held since ${held.held_at}: ${problem ?? reasons}`,
    mend:
      problem === null
        ? `read \`presence release diff\`, then run \`presence release approve ${held.release_id}\`, or correct the ledger and run \`presence nightly\``
        : "run `presence nightly`: it rebuilds the release",
  };
});

export function lastNight({ home, now }: CheckContext): Finding[] {
  const night = readNightlyStatus(home.nightly);
  if (night === undefined) return [];
  const { started_at, steps, state } = night;
  if (Date.parse(started_at) > now + CLOCK_TOLERANCE_MS)
    return findingIf(
      true,
      `the last night began at ${started_at}, which is in the future: the next one is refused`,
      `correct the clock (timedatectl); if it is right now, run \`${shellLine(["rm", home.nightly])}\``,
    );
  if (state === "done") return [];
  if (state === "running")
    return findingIf(
      !isLocked(`${home.night}/nightly.lock`),
      `the night that began at ${started_at} was interrupted in the step ${steps.at(-1)?.name}`,
      "run `presence nightly`: it continues from there",
    );
  return steps
    .filter(({ outcome }) => outcome === "failed")
    .map(({ name, facts }) => ({
      problem: `the last night, which began at ${started_at}: ${name} failed: ${facts["error"]}`,
      mend: "solve that problem, and run `presence nightly` again",
    }));
}

/** So many are read in a second or two. A release of more has its turn within as many days as it has such parts. */
const FILES_A_DAY = 2000;

/** The published files against their signed list: documents, pages, tiles of the log. */
export const publishedFiles: Check = async function* (context) {
  const directory = currentRelease(context.home);
  if (directory === undefined) return; // reported by the check of the release
  const site = filesInFolder(releasePaths(directory).site);
  const findings = new Findings();
  const release = await openRelease(site, {}, findings);
  const listed = Object.entries(release?.manifest.files ?? {});
  for (const [path, sha256] of listed)
    if (isDue(path, listed.length, context)) await auditFile(site, { path, sha256 }, findings);
  const mend = "run `presence build --anew`, which takes no file over from it";
  for (const { subject, problem } of findings.faults)
    yield { problem: `${directory}/site/${subject}: ${problem}`, mend };
};

/** By the hash of its path each file has its day. */
function isDue(path: string, files: number, { isFull, now }: CheckContext): boolean {
  const parts = Math.ceil(files / FILES_A_DAY);
  const part = Number.parseInt(sha256Hex(path).slice(0, 8), 16) % parts;
  return isFull || part === Math.floor(now / DAY_MS) % parts;
}

/** A release with its pages, the logs of the databases and the rebuild of a small ledger after an erasure need at least this. */
const MIN_BYTES = 1 << 30;
const MIB = 1 << 20;
const MORE_ROOM = "free some space, lower RELEASES_KEPT, or use a larger disk";

export function diskSpace({ home, freeBytes }: CheckContext): Finding[] {
  const free = freeBytes(home.night);
  return findingIf(
    free < MIN_BYTES,
    `${home.night}: ${Math.floor(free / MIB)} MiB are free, but the next nights may need ${MIN_BYTES / MIB} MiB`,
    MORE_ROOM,
  );
}

/** Time to order a disk and to move. */
const MIN_DAYS = 30;

export function diskForecast({ home, freeBytes }: CheckContext): Finding[] {
  const nights = readSizes(home);
  const filling = nights.length === 0 ? undefined : forecast(nights, freeBytes(home.night));
  if (filling === undefined || filling.days >= MIN_DAYS) return [];
  const problem = `${home.night}: the disk will be full in ${filling.days} days, by the last nights: ${Math.ceil(filling.bytesADay / MIB)} MiB a day`;
  return [{ problem, mend: MORE_ROOM }];
}

const TASKS = ["nightly", "outbox", "check", "log-import"];
const BACKUP_TASKS = ["backup", "backup-prune", "backup-prove"];

/** The shipped timers that are installed. Where systemd does not answer, nothing is known, and nothing found. */
export function timers({ config, systemctl }: CheckContext): Finding[] {
  const tasks = config.backupHook === undefined ? TASKS : [...TASKS, ...BACKUP_TASKS];
  const units = tasks.map((task) => `presence-${task}.timer`);
  const answer = systemctl(["show", "--property=Id,LoadState,ActiveState", ...units]) ?? "";
  const blocks = answer.split(/\n\n+/).map((block) => new Set(block.split("\n")));
  const off = (unit: string) =>
    blocks.some(
      (lines) => lines.has(`Id=${unit}`) && lines.has("LoadState=loaded") && !lines.has("ActiveState=active"),
    );
  return units.filter(off).map((unit) => ({
    problem: `${unit} is installed and off`,
    mend: `run \`systemctl enable --now ${unit}\``,
  }));
}
