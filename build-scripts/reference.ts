import { INDUSTRIES } from "../src/contract/industry.ts";
import { loadGazetteer } from "../src/intake/gazetteer.ts";
import type { Home } from "../src/kernel/home.ts";
import type { SnapshotReference } from "../src/snapshot/build.ts";

/** The reference data that goes into a release: the imported gazetteer, or the package's, and the industry taxonomy. */
export function loadReference(home: Home): SnapshotReference {
  return { gazetteer: loadGazetteer(home.gazetteer), industries: INDUSTRIES };
}
