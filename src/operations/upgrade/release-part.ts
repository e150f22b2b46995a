import { existsSync } from "node:fs";
import { currentRelease } from "../../build/stages/publish.ts";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { SNAPSHOT_VERSION } from "../../snapshot/schema.ts";
import { snapshotVersion } from "../../snapshot/snapshot.ts";
import type { Part } from "./part.ts";

/** What this version does with the current release; undefined where there is none. */
export function releasePart(home: Home): Part | undefined {
  const directory = currentRelease(home);
  const snapshot = directory === undefined ? undefined : releasePaths(directory).snapshot;
  if (snapshot === undefined || !existsSync(snapshot)) return undefined; // the next build makes another
  const version = snapshotVersion(snapshot);
  const isServed = version === SNAPSHOT_VERSION;
  return {
    part: "release",
    from: `snapshot ${version}`,
    to: `snapshot ${SNAPSHOT_VERSION}`,
    changes: isServed
      ? []
      : [
          "until the first build of this version its server serves the files alone, and answers requests with arguments with 503",
        ],
    seconds: null,
    bytes: null,
    going_back: isServed
      ? "the version before serves releases of this one"
      : "the version before refuses releases of this one: build again with it",
    not_rehearsed: null,
  };
}
