import { rmSync } from "node:fs";
import { join } from "node:path";
import { cellToParent, compactCells, gridDisk, latLngToCell } from "h3-js";
import { INDUSTRIES } from "../../../src/contract/cities/industry.ts";
import type { AssetType, Environment } from "../../../src/contract/enums.ts";
import { MOBILE_RESOLUTION } from "../../../src/contract/records/observation.ts";
import { cityDayStart, isoTime, utcDayStart } from "../../../src/kernel/time.ts";
import type {
  AssetBody,
  CityBody,
  NamingBody,
  NewRow,
  ObservationBody,
  RecordBody,
  ReviewBody,
} from "../../../src/ledger/rows/rows.ts";
import type { LedgerWriter } from "../../../src/ledger/writer.ts";
import { type BuildInput, type BuildSummary, buildSnapshot } from "../../../src/snapshot/build.ts";
import { ReleaseSettings } from "../../../src/snapshot/release-settings.ts";
import { openSnapshot, type Snapshot } from "../../../src/snapshot/snapshot.ts";
import { observationBody } from "../ledger/observation-body.ts";
import { rawLedger } from "../ledger/raw-ledger.ts";
import { TestLedger } from "../ledger/small-ledger.ts";

export const TORONTO = { lat: 43.65, lng: -79.38 };

const PRESENCE = {
  storefront: "location_presence",
  site_sign: "location_presence",
  billboard: "location_presence",
  vehicle_wrap: "mobile_presence",
  temp_sign: "brand_mention",
} as const;

export const GAZETTEER = [
  gazetteerCity(1, "Zürich", "Zurich", "CH", 400_000),
  gazetteerCity(2, "Toronto", "Toronto", "CA", 2_800_000),
  gazetteerCity(3, "Torino", "Turin", "IT", 850_000),
];

function gazetteerCity(
  geonameId: number,
  name: string,
  asciiName: string,
  countryCode: string,
  population: number,
) {
  const place = { region: "", regionCode: "", countryName: countryCode, lat: 1.5, lng: 2.5 };
  return { geonameId, name, asciiName, countryCode, population, ...place };
}

/** For tests: writes a small ledger row by row and builds snapshots from it. All times are given; nothing is random. */
export class TestTown {
  readonly ledger: TestLedger;
  readonly writer: LedgerWriter;
  readonly #open: Snapshot[] = [];
  readonly #lngOf = new Map<string, number>();
  #files = 0;

  constructor(start = "2026-05-01T12:00:00Z", environment: Environment = "demo") {
    this.ledger = new TestLedger(start, environment);
    this.writer = this.ledger.writer();
  }

  at(instant: string): void {
    this.ledger.time = Date.parse(instant);
  }

  append(row: NewRow): number {
    return this.writer.transaction(() => this.writer.append(row).id);
  }

  city(slug: string, place = TORONTO, name = slug.toUpperCase()): number {
    this.#lngOf.set(slug, place.lng);
    const cells = gridDisk(latLngToCell(place.lat, place.lng, 8), 2);
    const details = {
      cells: compactCells(cells).sort(),
      country: "CA",
      country_name: "Canada",
      geoname_id: 6_167_865,
      ...place,
      name,
      region: "Ontario",
      region_code: "ON",
    };
    return this.append({ kind: "city", body: { city: slug, step: "register", details } });
  }

  step(city: string, step: CityBody["step"]): number {
    return this.append({ kind: "city", body: { city, step, details: null } });
  }

  /** A record with its first naming. */
  record(name: string, said: Partial<RecordBody & NamingBody> = {}): number {
    const {
      city = "toronto",
      is_synthetic = false,
      public_id = `demo_${name.toLowerCase()}`,
      ...shown
    } = said;
    const record = this.append({ kind: "record", body: { city, is_synthetic, public_id } });
    this.rename(record, name, shown);
    return record;
  }

  rename(record: number, name: string, shown: Partial<NamingBody> = {}): number {
    const defaults = {
      industry: "5610",
      industry_method: "declared",
      match_review: false,
      website: null,
    } as const;
    return this.append({ kind: "naming", body: { ...defaults, name, ...shown, record } });
  }

  asset(record: number, type: AssetType = "storefront", body: Partial<AssetBody> = {}): number {
    const is_mobile = type === "vehicle_wrap";
    const public_id = `as_${this.writer.nextId()}`;
    return this.append({ kind: "asset", body: { asset_type: type, is_mobile, public_id, record, ...body } });
  }

  /** An observation with the precision of intake. */
  see(
    record: number,
    asset: number,
    observer: string,
    observedAt: string,
    body: Partial<ObservationBody> = {},
  ): number {
    const asset_type = body.asset_type ?? "storefront";
    const lng = this.#lngOf.get(body.city ?? "toronto") ?? TORONTO.lng;
    const cell = latLngToCell(TORONTO.lat, TORONTO.lng, 8);
    const row = observationBody({
      accepted_at: isoTime(utcDayStart(this.ledger.time)),
      asset,
      h3_cell: asset_type === "vehicle_wrap" ? cellToParent(cell, MOBILE_RESOLUTION) : cell,
      observed_at: isoTime(cityDayStart(Date.parse(observedAt), lng)),
      observer_tag: observer,
      presence_kind: PRESENCE[asset_type],
      record,
      ...body,
    });
    const hidden = {
      observer: { hash: `SECRET-${observer}`, principal: `SECRET-${observer}` },
      source_ref: "SECRET-ref",
      exact: { lat: 43.651_234, lng: -79.381_234, observed_at: isoTime(Date.parse(observedAt)) },
      seen: { name: "SECRET seen" },
    };
    return this.append({ kind: "observation", body: row, private: hidden });
  }

  review(decision: ReviewBody["decision"], target: number, body: Partial<ReviewBody> = {}): number {
    const defaults = { industry: null, into: null, reason: "test", reviewer: "desk", tags: null };
    return this.append({ kind: "review", body: { ...defaults, decision, target, ...body } });
  }

  /** Moves an observation to an asset of another record, under the tag that its principal has there. */
  move(target: number, record: number, asset: number, observer_tag: string): number {
    const decided = { reason: "test", reviewer: "desk" };
    return this.append({ kind: "reassign", body: { target, record, asset, observer_tag, ...decided } });
  }

  /** What the redaction command will do: the values go, and a row names them. */
  redact(rows: number[]): void {
    for (const row of rows) rawLedger(this.writer).prepare("DELETE FROM openings WHERE row = ?").run(row);
    this.append({ kind: "redaction", body: { rows }, private: { reason: "privacy_request" } });
  }

  /** Seals all rows; returns the size of the signed tree. */
  seal(): number {
    const { checkpoint } = this.writer.seal({ now: true });
    if (checkpoint === undefined) throw new Error("nothing to seal");
    return checkpoint.size;
  }

  path(): string {
    this.#files += 1;
    return join(this.ledger.folder, `snapshot-${this.#files}.db`);
  }

  build(
    treeSize: number,
    asOf: string,
    changes: Partial<BuildInput & ReleaseSettings> = {},
  ): BuildSummary & { readonly path: string } {
    const input = this.input(treeSize, asOf, changes);
    return { ...buildSnapshot(input), path: input.out };
  }

  input(treeSize: number, asOf: string, changes: Partial<BuildInput & ReleaseSettings> = {}): BuildInput {
    return {
      ledgerPath: this.ledger.path,
      out: this.path(),
      treeSize,
      asOf: Date.parse(asOf),
      settings: ReleaseSettings.parse({
        baseUrl: "https://example.org",
        sourceRevision: "test",
        ...changes,
      }),
      reference: { gazetteer: GAZETTEER, industries: INDUSTRIES },
      ...changes,
    };
  }

  /** Seals, builds and opens. */
  snapshot(asOf: string): Snapshot {
    const snapshot = openSnapshot(this.build(this.seal(), asOf).path);
    this.#open.push(snapshot);
    return snapshot;
  }

  [Symbol.dispose](): void {
    for (const snapshot of this.#open) snapshot.close();
    this.writer.close();
    rmSync(this.ledger.folder, { recursive: true, force: true });
  }
}
