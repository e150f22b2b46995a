import { INDUSTRIES } from "../contract/cities/industry.ts";
import { loadGazetteer } from "../intake/places/gazetteer.ts";
import type { Home } from "../kernel/home.ts";
import type { SnapshotReference } from "../snapshot/build.ts";

/** The reference data of a release: the imported gazetteer, or else the package's, and the industry taxonomy. */
export function loadReference(home: Home): SnapshotReference {
  return { gazetteer: loadGazetteer(home.gazetteer), industries: INDUSTRIES };
}
