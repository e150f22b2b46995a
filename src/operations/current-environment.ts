import { currentRelease } from "../build/stages/publish.ts";
import type { Environment } from "../contract/enums.ts";
import { type Home, releasePaths } from "../kernel/home.ts";
import { isReadable, openSnapshot } from "../snapshot/snapshot.ts";

/** The environment of the current release; undefined if no release can be read. */
export function currentEnvironment(home: Home): Environment | undefined {
  const directory = currentRelease(home);
  if (directory === undefined) return undefined;
  const { snapshot: path } = releasePaths(directory);
  if (!isReadable(path)) return undefined;
  const snapshot = openSnapshot(path);
  try {
    return snapshot.release().environment;
  } finally {
    snapshot.close();
  }
}
