import { existsSync, lstatSync, readdirSync } from "node:fs";
import { currentRelease } from "../../build/stages/publish.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { readNightlyStatus } from "../../kernel/nightly-status.ts";
import { releaseLateness } from "../../kernel/release-lateness.ts";
import { isoTime } from "../../kernel/time.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import { releasePromise } from "../../resources/service/release-promise.ts";
import { isReadable, openSnapshot } from "../../snapshot/snapshot.ts";
import type { Check, Finding } from "./check.ts";

const BUILD = "run `presence build`";

export const releasePointer: Check = {
  name: "release",
  find({ home }) {
    const directory = currentRelease(home);
    if (directory === undefined)
      return [
        {
          problem: isThere(home.current)
            ? `${home.current} points at a release that is gone`
            : "there is no release yet",
          mend: BUILD,
        },
      ];
    const { site, snapshot, manifest } = releasePaths(directory);
    return [site, snapshot, manifest]
      .filter((path) => !existsSync(path))
      .map((path) => ({ problem: `${path} is missing in the current release`, mend: BUILD }));
  },
};

export const snapshotVersion: Check = {
  name: "snapshot version",
  find({ home }) {
    const path = snapshotPath(home);
    if (path === undefined || isReadable(path)) return [];
    return [
      { problem: `${path} was made by another version of this program, and cannot be served`, mend: BUILD },
    ];
  },
};

/** As `/api/v1/status` says it: by what the release promises about the next one. */
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
    return [
      {
        problem: `the release says how things were at ${isoTime(release.asOf)}; the next one was due at ${isoTime(promise.nextReleaseDue)} and has been late since ${isoTime(lateSince)}`,
        mend: "run `presence nightly`, and see that its timer runs (systemctl list-timers)",
      },
    ];
  },
};

/** A build that runs has such a folder, too: only what nobody works on is left over. */
export const leftovers: Check = {
  name: "leftovers of builds",
  find({ home }) {
    if (!existsSync(home.releases)) return [];
    const left = readdirSync(home.releases).filter((name) => name.startsWith("."));
    if (left.length === 0 || isHeld(`${home.root}/build.lock`)) return [];
    return [
      {
        problem: `${home.releases} has ${left.join(", ")}: a build was cut off`,
        mend: "the next build removes it; or delete it by hand, if the disk is full",
      },
    ];
  },
};

export const lastNight: Check = {
  name: "last night",
  find({ home }) {
    const night = readNightlyStatus(home.nightly);
    if (night === undefined || night.state === "done") return [];
    if (night.state === "running")
      return isHeld(`${home.root}/nightly.lock`)
        ? []
        : [
            {
              problem: `the night that began at ${night.started_at} was cut off in the step ${night.steps.at(-1)?.name}`,
              mend: "run `presence nightly`: it goes on from there",
            },
          ];
    return night.steps
      .filter(({ outcome }) => outcome === "failed")
      .map(
        ({ name, facts }): Finding => ({
          problem: `the last night, begun at ${night.started_at}: ${name} failed: ${facts["error"]}`,
          mend: "mend that, and run `presence nightly` again",
        }),
      );
  },
};

function snapshotPath(home: Home): string | undefined {
  const directory = currentRelease(home);
  if (directory === undefined || !existsSync(releasePaths(directory).snapshot)) return undefined;
  return releasePaths(directory).snapshot;
}

function isThere(path: string): boolean {
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
