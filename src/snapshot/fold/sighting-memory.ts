import { AssetType, PresenceKind, SourceType } from "../../contract/enums.ts";
import { FACTS_OF_OLDER_ROWS, StatedFacts } from "../../contract/records/observation.ts";
import type { Sighting } from "../../method/types.ts";
import { type SharedTexts, TextColumn } from "./text-column.ts";

/** Elements of `hashes` for a row. */
export const HASH_BYTES = 32;

/** A verdict is stored as its place here. */
export const VERDICTS: readonly Sighting["verdict"][] = [undefined, "verified", "rejected"];

/**
 * The observations of a ledger as columns indexed by row id, in memory that threads share: about 80 bytes per row instead of 600 for
 * objects. Row ids are contiguous; a row that is not a live observation has the record 0.
 */
export interface SightingMemory {
  readonly record: Uint32Array;
  readonly own: ReturnType<typeof ownColumns>;
  readonly texts: ReturnType<typeof textColumns>;
  readonly decided: ReturnType<typeof decidedColumns>;
}

/** The same for another thread, which must only read it. */
export interface SharedSightings extends Omit<SightingMemory, "texts"> {
  readonly texts: Readonly<Record<string, SharedTexts>>;
}

/** For the rows 1 to `lastRow`. */
export function newMemory(lastRow: number): SightingMemory {
  const size = lastRow + 1;
  return {
    record: words(size),
    own: ownColumns(size),
    texts: textColumns(size),
    decided: decidedColumns(size),
  };
}

export function shareMemory({ texts, ...memory }: SightingMemory): SharedSightings {
  const shared = Object.entries(texts).map(([name, column]) => [name, column.share()] as const);
  return { ...memory, texts: Object.fromEntries(shared) };
}

export function sharedMemory({ texts, ...memory }: SharedSightings): SightingMemory {
  return { ...memory, texts: textColumns(memory.record.length, texts) };
}

/** What observations say of themselves. */
function ownColumns(size: number) {
  return {
    asset: words(size),
    observedAt: doubles(size),
    acceptedAt: doubles(size),
    legibility: doubles(size), // NaN: none
    archived: bytes(size),
    hashes: bytes(size * HASH_BYTES),
    enteredApart: bytes(size), // 1: does not count when it enters, for a private reason
  };
}

function textColumns(size: number, shared: SharedSightings["texts"] = {}) {
  const column = <T>(
    name: string,
    numbers: (size: number) => Uint8Array | Uint32Array,
    parse: (text: string) => T,
  ) => new TextColumn(shared[name]?.numbers ?? numbers(size), parse, shared[name]?.texts);
  const text = (value: string) => value;
  return {
    observer: column("observer", words, text),
    cell: column("cell", words, text),
    stated: column("stated", words, (value) =>
      StatedFacts.parse({ ...FACTS_OF_OLDER_ROWS, ...JSON.parse(value) }),
    ),
    methodology: column("methodology", words, text),
    source: column("source", bytes, (value) => SourceType.parse(value)),
    assetType: column("assetType", bytes, (value) => AssetType.parse(value)),
    presence: column("presence", bytes, (value) => PresenceKind.parse(value)),
    sourceId: column("sourceId", words, text),
  };
}

/** What other rows say of observations. */
function decidedColumns(size: number) {
  return {
    publishedAt: doubles(size),
    verdict: bytes(size),
    scout: words(size), // 0: no scout
    setApart: bytes(size), // 1: does not count, for a private reason
  };
}

function bytes(size: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(size));
}

function words(size: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(size * Uint32Array.BYTES_PER_ELEMENT));
}

function doubles(size: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(size * Float64Array.BYTES_PER_ELEMENT));
}
