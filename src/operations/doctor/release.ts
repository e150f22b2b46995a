import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { heldRelease, readReview } from "../../build/stages/held.ts";
import { currentRelease } from "../../build/stages/publish.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { readNightlyStatus } from "../../kernel/nightly-status.ts";
import { releaseLateness } from "../../kernel/release-lateness.ts";
import { shellLine } from "../../kernel/text/terminal.ts";
import { CLOCK_TOLERANCE_MS, DAY_MS, isoTime } from "../../kernel/time.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { auditFile, filesInFolder } from "../../proof/audit/public-files.ts";
import { openRelease } from "../../proof/audit/release-manifest.ts";
import { releasePromise } from "../../resources/service/system-status.ts";
import { isReadable, openSnapshot } from "../../snapshot/snapshot.ts";
import { heldProblem } from "../held-problem.ts";
import { BUILD_LOCKS } from "../publish-lock.ts";
import { type Check, type CheckContext, findingIf, ledgerCheck } from "./check.ts";

const BUILD = "run `presence build`";

export const releasePointer: Check = {
  name: "release",
  find({ home }) {
    const directory = currentRelease(home);
    if (directory === undefined) {
      const dangling = `${home.current} points at a release that no longer exists`;
      return findingIf(true, isLink(home.current) ? dangling : "there is no release yet", BUILD);
    }
    const { site, snapshot, manifest } = releasePaths(directory);
    return [site, snapshot, manifest].flatMap((path) =>
      findingIf(!existsSync(path), `${path} is missing in the current release`, BUILD),
    );
  },
};

export const snapshotVersion: Check = {
  name: "snapshot version",
  find({ home }) {
    const path = snapshotPath(home);
    return findingIf(
      path !== undefined && !isReadable(path),
      `${path} was made by another version of this program: only its files are served`,
      BUILD,
    );
  },
};

/** Late as `/api/v1/status` reports it. */
export const releaseAge: Check = {
  name: "age of the release",
  find({ home, now }) {
    const path = snapshotPath(home);
    if (path === undefined || !isReadable(path)) return [];
    const snapshot = openSnapshot(path);
    const release = snapshot.release();
    snapshot.close();
    const promise = releasePromise(release);
    const { lateSince } = releaseLateness(promise, now);
    if (promise === null || lateSince === undefined) return [];
    return findingIf(
      true,
      `the release is as of ${isoTime(release.asOf)}; the next one was due at ${isoTime(promise.nextReleaseDue)} and has been late since ${isoTime(lateSince)}`,
      "run `presence nightly`, and check that its timer runs (systemctl list-timers)",
    );
  },
};

/** Staging directories that no running build holds. */
export const leftovers: Check = {
  name: "leftovers of builds",
  find({ home }) {
    if (!existsSync(home.releases)) return [];
    const held = attemptHeld(home);
    const names = readdirSync(home.releases).filter((name) => name.startsWith(".") && name !== held);
    return findingIf(
      names.length > 0 && !Object.values(BUILD_LOCKS).some((path) => isHeld(path(home))),
      `${home.releases} has ${names.join(", ")}: a build was interrupted`,
      "run `presence build`, which removes it; or delete it by hand, if the disk is full",
    );
  },
};

/** A release that waits for the operator. */
export const heldReleases = ledgerCheck("held release", (reader, { home }) => {
  const { hold } = readReview(home);
  const held = heldRelease(home);
  const onHold = findingIf(
    hold !== null,
    `every release is held since ${hold?.since}${hold?.note ? ` (${hold.note})` : ""}`,
    "run `presence release approve` (with the id of the held release, if there is one)",
  );
  if (held === undefined) return onHold;
  const problem = heldProblem(home, reader, held);
  const reasons = held.findings.map(({ text }) => text).join("; ") || "the operator holds releases";
  return [
    ...onHold,
    {
      problem: `${held.release_id} is held since ${held.held_at}: ${problem ?? reasons}`,
      mend:
        problem === null
          ? `read \`presence release diff\`, then run \`presence release approve ${held.release_id}\`, or correct the ledger and run \`presence nightly\``
          : "run `presence nightly`: it builds the release anew",
    },
  ];
});

export const lastNight: Check = {
  name: "last night",
  find({ home, now }) {
    const night = readNightlyStatus(home.nightly);
    if (night === undefined) return [];
    const { started_at, steps } = night;
    if (Date.parse(started_at) > now + CLOCK_TOLERANCE_MS)
      return findingIf(
        true,
        `the last night began at ${started_at}, which is in the future: the next one is refused`,
        `correct the clock (timedatectl); if it is right now, run \`${shellLine(["rm", home.nightly])}\``,
      );
    if (night.state === "done") return [];
    if (night.state === "running")
      return findingIf(
        !isHeld(`${home.night}/nightly.lock`),
        `the night that began at ${started_at} was interrupted in the step ${steps.at(-1)?.name}`,
        "run `presence nightly`: it continues from there",
      );
    return steps.flatMap(({ name, outcome, facts }) =>
      findingIf(
        outcome === "failed",
        `the last night, which began at ${started_at}: ${name} failed: ${facts["error"]}`,
        "solve that problem, and run `presence nightly` again",
      ),
    );
  },
};

/** Folder name of the held release; undefined for an unreadable file about it, which the check of the held release reports. */
function attemptHeld(home: Home): string | undefined {
  try {
    return basename(heldRelease(home)?.directory ?? "");
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

function snapshotPath(home: Home): string | undefined {
  const directory = currentRelease(home);
  const path = directory === undefined ? undefined : releasePaths(directory).snapshot;
  return path !== undefined && existsSync(path) ? path : undefined;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return false;
    throw error;
  }
}

function isHeld(lock: string): boolean {
  if (!existsSync(lock)) return false;
  try {
    acquireLock(lock, "working").release();
    return false;
  } catch (error) {
    if (error instanceof OperatorError) return true;
    throw error;
  }
}

/** So many are read in a second or two. A release of more has its turn within as many days as it has such parts. */
const FILES_A_DAY = 2000;
const REBUILD = "run `presence build --anew`, which takes no file over from it";

/** The published files against their signed list: documents, pages, tiles of the log. */
export const publishedFiles: Check = {
  name: "published files",
  async find(context) {
    const directory = currentRelease(context.home);
    if (directory === undefined) return []; // reported by the check of the release
    const site = filesInFolder(releasePaths(directory).site);
    const findings = new Findings();
    const release = await openRelease(site, {}, findings);
    const listed = Object.entries(release?.manifest.files ?? {});
    for (const [path, sha256] of listed)
      if (isDue(path, listed.length, context)) await auditFile(site, { path, sha256 }, findings);
    return findings.faults.map(({ subject, problem }) => ({
      problem: `${directory}/site/${subject}: ${problem}`,
      mend: REBUILD,
    }));
  },
};

/** By the hash of its path each file has its day. */
function isDue(path: string, files: number, { isFull, now }: CheckContext): boolean {
  const parts = Math.ceil(files / FILES_A_DAY);
  const part = Number.parseInt(sha256Hex(path).slice(0, 8), 16) % parts;
  return isFull || part === Math.floor(now / DAY_MS) % parts;
}
