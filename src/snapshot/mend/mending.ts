import { OperatorTextName } from "../../contract/service/status.ts";
import { uuidFromText } from "../../kernel/ids.ts";
import type { LedgerRow, RowKind } from "../../ledger/rows/rows.ts";
import { ReleaseSettings } from "../release-settings.ts";
import type { Snapshot } from "../snapshot.ts";
import { type CarriedCity, carriedCity } from "./carried-city.ts";

/** A patch release mends the release before it after an erasure. */

export interface Mending {
  readonly releaseId: string; // of the release that is mended
  readonly treeSize: number; // of the nightly release, which the documents' citations name
  readonly lastSealedRow: number; // of the nightly release: later rows take effect at night
  readonly cities: ReadonlyMap<string, CarriedBy>; // by slug
}

export interface CarriedBy extends CarriedCity {
  /** The id of the city's content before; undefined where `treeSize` already says whether the city has changed. */
  readonly snapshotId: string | undefined;
}

/** All that a patch release takes over from the release that it mends. A patch of a patch still refers to the nightly release. */
export function mendingOf(mended: Snapshot): Mending {
  const { releaseId, treeSize, lastSealedRow, mends } = mended.release();
  const cities = mended
    .cities()
    .map(({ slug, snapshotId }) => [slug, { ...carriedCity(mended, slug), snapshotId }] as const);
  return {
    releaseId,
    treeSize,
    lastSealedRow: mends?.lastSealedRow ?? lastSealedRow,
    cities: new Map(cities),
  };
}

/** The settings and counts that a release was built with. */
export function settingsOf(snapshot: Snapshot): ReleaseSettings {
  const release = snapshot.release();
  const texts = OperatorTextName.options.map((name) => [name, snapshot.operatorText(name)] as const);
  return ReleaseSettings.parse({
    ...release,
    operatorTexts: Object.fromEntries(texts.filter(([, text]) => text !== undefined)),
    incidents: snapshot.incidents(),
    activity: snapshot.activity(),
    demand: snapshot.demandInput(),
    reportCounts: snapshot.reportCounts(),
  });
}

const REPLACED: ReadonlySet<RowKind> = new Set(["review", "naming"]);

/**
 * Decides which rows of a tree a release takes in. Every release takes in the sealed rows, and all seals. A patch release
 * discloses later rows as well; of these it takes in erasures, and the reviews and namings that an erasure put in the place of
 * erased ones, which follow it directly. The others take effect at night.
 */
export class RowsInEffect {
  readonly #sealed: number;
  readonly #isPatch: boolean;
  #next = 0; // the row after an erasure and its replacements

  constructor(sealed: number, isPatch: boolean) {
    this.#sealed = sealed;
    this.#isPatch = isPatch;
  }

  /** Rows must come in order. */
  has({ id, kind }: Pick<LedgerRow, "id" | "kind">): boolean {
    if (id <= this.#sealed || kind === "seal") return true;
    if (!this.#isPatch) return false;
    const isErasure = kind === "redaction";
    const isReplacement = REPLACED.has(kind) && id === this.#next;
    if (isErasure || isReplacement) this.#next = id + 1;
    return isErasure || isReplacement;
  }
}

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
