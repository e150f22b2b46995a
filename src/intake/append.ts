import { cellToParent } from "h3-js";
import type { Environment } from "../contract/enums.ts";
import { MOBILE_RESOLUTION, type StatedFacts } from "../contract/records/observation.ts";
import { SCORE_VERSION } from "../contract/versions.ts";
import { BoundedCache } from "../kernel/bounded-cache.ts";
import { newPublicId, type RandomBytes } from "../kernel/ids.ts";
import { cityDayStart, isoTime } from "../kernel/time.ts";
import type { IntakeStore } from "../ledger/matching/intake-store.ts";
import type { NamingBody, NewRow } from "../ledger/rows/rows.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { nonBlank } from "./lines/contact.ts";
import { LineFault } from "./lines/fault.ts";
import type { ObservationInput } from "./lines/observation-input.ts";
import type { IntakeHashes, Sighting } from "./lines/sighting.ts";
import type { Classified } from "./matching/classify.ts";
import { isMobile, type KeyedHash, keyedHash, PRESENCE_KINDS } from "./matching/keyed-hash.ts";
import type { City } from "./places/place.ts";
import type { Entered } from "./sources/entry.ts";

/** Rows as intake writes them: what is public is cut by asset type (design 5), what is private is one disclosure each. */

export interface RowContext {
  readonly synthetic: boolean;
  readonly hashes: IntakeHashes;
  /** See `RECOGNITION_MODELS`: a source type and a version each, "fleet_cam:signreader-2.4". */
  readonly models: ReadonlySet<string>;
}

export function recordRow(city: City, publicId: string, { synthetic }: RowContext): NewRow {
  return { kind: "record", body: { city: city.slug, is_synthetic: synthetic, public_id: publicId } };
}

/** How a new record is shown. */
export interface FirstNaming {
  readonly record: number;
  readonly name: string;
  readonly website: string | null;
  readonly classified: Classified;
  readonly candidates: readonly number[]; // records that it might be the same as
}

/** Throws LineFault when the declared industry is unknown. */
export function namingRow({ record, name, website, classified, candidates }: FirstNaming): NewRow {
  if ("reason" in classified)
    throw new LineFault(classified.reason, "industry", "is not an ISIC Rev. 5 code");
  return {
    kind: "naming",
    body: {
      industry: classified.industry,
      industry_method: suggestedMethod(classified.method),
      match_review: candidates.length > 0,
      name,
      record,
      website,
    },
    ...(candidates.length > 0 && { private: { match_candidates: [...candidates] } }),
  };
}

/** Intake itself never reviews. */
function suggestedMethod(method: string): NamingBody["industry_method"] {
  return method === "declared" || method === "name_rule" ? method : "unclassified";
}

export function assetRow(sighting: Sighting, record: number, publicId: string): NewRow {
  const { asset_type } = sighting.input;
  const ref = nonBlank(sighting.input.asset_ref);
  return {
    kind: "asset",
    body: {
      asset_type,
      is_mobile: isMobile(asset_type),
      public_id: publicId,
      record,
    },
    ...(ref !== undefined && { private: { asset_ref: ref } }),
  };
}

export interface NewObservation {
  readonly sighting: Sighting;
  readonly city: City;
  readonly record: number;
  readonly asset: number;
  readonly acceptedDay: string; // the UTC day as an instant
  readonly entered: Entered;
}

export function observationRow(observation: NewObservation, context: RowContext): NewRow {
  const { sighting, record, asset, entered } = observation;
  const { input } = sighting;
  return {
    kind: "observation",
    body: {
      accepted_at: observation.acceptedDay,
      asset,
      asset_type: input.asset_type,
      city: observation.city.slug,
      counts: entered.counts,
      derived_from_archive: input.derived_from_archive ?? false,
      h3_cell: publicCell(observation),
      is_synthetic: context.synthetic,
      legibility: publicLegibility(input.legibility),
      methodology_version: SCORE_VERSION,
      observed_at: publicTime(observation),
      observer_tag: entered.tag,
      presence_kind: PRESENCE_KINDS[input.asset_type],
      ...statedFacts(input, context),
      record,
      source: entered.source,
      source_type: input.source_type,
    },
    private: sighting.hidden,
  };
}

function publicCell({ sighting: { input, cell } }: NewObservation): string {
  return isMobile(input.asset_type) ? cellToParent(cell, MOBILE_RESOLUTION) : cell;
}

/** Texts of the first instants of days: a day's lines have a few among them. */
const dayStarts = new BoundedCache<number, string>(1000);

/** The first instant of the city's solar day in UTC: hours are never published. */
function publicTime({ sighting, city }: NewObservation): string {
  const start = cityDayStart(sighting.instant, city.details.lng);
  return dayStarts.take(start, () => isoTime(start));
}

const LEGIBILITY_STEPS = 10; // more decimals would tell one device or run from another

function publicLegibility(legibility: number | null | undefined): number | null {
  return typeof legibility === "number" ? Math.round(legibility * LEGIBILITY_STEPS) / LEGIBILITY_STEPS : null;
}

/** What is published as the source says it. */
function statedFacts(input: ObservationInput, { models }: RowContext): StatedFacts {
  return { recognition_model_version: publicModel(input, models) };
}

/** A version that the operator allowed for the source; any other text could say anything. */
function publicModel(
  { source_type, recognition_model_version }: ObservationInput,
  models: ReadonlySet<string>,
) {
  const version = nonBlank(recognition_model_version);
  return version !== undefined && models.has(`${source_type}:${version}`) ? version : null;
}

export const PUBLIC_ID_PREFIXES = { production: "pr", demo: "demo" } as const satisfies Record<
  Environment,
  string
>;

/** A sound source never repeats 80 bits; after this many repeats the source is broken. */
const MAX_DRAWS = 1000;

/** Gives out public ids of records and assets, each once. The ids of erased rows are never reused. */
export class PublicIds {
  readonly #store: IntakeStore;
  readonly #random: RandomBytes;
  readonly #prefix: string;
  readonly #hash: KeyedHash;

  constructor({ meta, purposeKey }: LedgerWriter, store: IntakeStore, random: RandomBytes) {
    this.#store = store;
    this.#random = random;
    this.#prefix = PUBLIC_ID_PREFIXES[meta.environment];
    this.#hash = keyedHash(purposeKey("public_id"));
  }

  /** Within a transaction. Throws when the source of randomness only repeats itself. */
  next(): string {
    for (let draws = 0; draws < MAX_DRAWS; draws += 1) {
      const id = newPublicId(this.#prefix, this.#random);
      if (this.#take(id)) return id;
    }
    throw new Error("the random source returns only public ids that are already taken");
  }

  #take(id: string): boolean {
    return this.#store.takePublicId(Buffer.from(this.#hash(id), "hex"));
  }
}
