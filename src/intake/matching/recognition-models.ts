import type { SourceType } from "../../contract/enums.ts";
import type { IntakeStore } from "../../ledger/matching/intake-store.ts";

/** Whether the operator allowed a version of a recognition model to be published for a source type. */
export type ModelAllowList = (source: SourceType, version: string) => boolean;

/** As the list stands now. */
export function modelAllowList(store: Pick<IntakeStore, "recognitionModels">): ModelAllowList {
  const allowed = new Set(
    store.recognitionModels().map(({ sourceType, version }) => entry(sourceType, version)),
  );
  return (source, version) => allowed.has(entry(source, version));
}

function entry(source: string, version: string): string {
  return `${source} ${version}`;
}
