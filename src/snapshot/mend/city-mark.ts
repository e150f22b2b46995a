import { uuidFromText } from "../../kernel/ids.ts";
import type { CarriedBy } from "./mending.ts";

interface CityMark {
  readonly snapshotId: string;
  readonly carriedOverAt: number | null; // tree size of the patch release that last changed the city
}

/**
 * The snapshot id of a city with this content id. A city that a patch release (of the tree `signed`) has changed gets another id even
 * where its lists stay equal; an unchanged one keeps its mark, and with it its id and its cursors.
 */
export function cityMark(contentId: string, carried: CarriedBy | undefined, signed: number): CityMark {
  if (carried === undefined) return marked(contentId, null);
  const unchanged = marked(contentId, carried.treeSize);
  const isUnchanged = carried.snapshotId === undefined || carried.snapshotId === unchanged.snapshotId;
  return isUnchanged ? unchanged : marked(contentId, signed);
}

function marked(contentId: string, carriedOverAt: number | null): CityMark {
  const snapshotId = carriedOverAt === null ? contentId : uuidFromText(`${contentId} ${carriedOverAt}`);
  return { snapshotId, carriedOverAt };
}
