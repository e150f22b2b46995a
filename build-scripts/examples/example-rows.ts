import { observationRow, type RowContext } from "../../src/intake/append.ts";
import type { ObservationInput } from "../../src/intake/lines/observation-input.ts";
import { intakeHashes, readSighting } from "../../src/intake/lines/sighting.ts";
import { isMobile } from "../../src/intake/matching/asset-kind.ts";
import {
  appendIdentity,
  appendOnlineCheck,
  appendReview,
  type Review,
} from "../../src/intake/matching/decide.ts";
import { radiusCells } from "../../src/intake/places/city-outline.ts";
import type { City } from "../../src/intake/places/place.ts";
import { registerCity, stepCity } from "../../src/intake/places/register-city.ts";
import { isoTime, utcDayStart } from "../../src/kernel/time.ts";
import type { OnlineCheck } from "../../src/ledger/online-checks.ts";
import type { IdentityBody, NewRow } from "../../src/ledger/rows/rows.ts";
import type { LedgerWriter } from "../../src/ledger/writer.ts";
import type { Business, ExampleCity, Sign } from "./cast.ts";

export interface ExampleSighting {
  readonly business: Business;
  readonly sign: Sign;
  readonly line: ObservationInput;
}

/** Writes rows as intake and the review desk do, but with given public ids, and finds them by these. */
export class ExampleRows {
  readonly #ledger: LedgerWriter;
  readonly #context: RowContext;
  /** By public id; an observation by its source's reference. */
  readonly #rows = new Map<string, number>();

  constructor(ledger: LedgerWriter) {
    this.#ledger = ledger;
    const hashes = intakeHashes(ledger.purposeKey);
    this.#context = { synthetic: true, hashes, isModelAllowed: () => true };
  }

  found({ gazetteer, radiusKm }: ExampleCity): void {
    const cells = radiusCells(gazetteer.lat, gazetteer.lng, radiusKm);
    const { slug } = registerCity(this.#ledger, gazetteer, cells);
    for (const step of ["review", "launch"] as const) stepCity(this.#ledger, slug, step);
  }

  takeIn(sightings: readonly ExampleSighting[]): void {
    this.#ledger.transaction(() => {
      for (const sighting of sightings) this.#append(sighting);
    });
  }

  review(decision: Review["decision"], target: string, reason: string): void {
    const reviewer = "example review desk";
    appendReview(this.#ledger, { decision, target: this.#row(target), reason, reviewer });
  }

  identity(record: string, identity: Omit<IdentityBody, "record">): void {
    appendIdentity(this.#ledger, { record: this.#row(record), ...identity });
  }

  redact(target: string): void {
    this.#ledger.erase({ kind: "redaction", reason: "data_error", rows: [this.#row(target)] });
  }

  check(record: string, result: Pick<OnlineCheck, "verdict" | "signalTypes" | "matchCount">): void {
    const checkedAt = this.#ledger.now();
    appendOnlineCheck(this.#ledger, { record: this.#row(record), checkedAt, provider: "example", ...result });
  }

  #append({ business, sign, line }: ExampleSighting): void {
    const city = this.#city(business.city);
    const record = this.#rowOrNew(business.id, () => recordRow(business, city));
    const asset = this.#rowOrNew(sign.id, () => assetRow(sign, record));
    const now = this.#ledger.now();
    const sighting = readSighting(1, line, this.#context.hashes, now);
    const observation = { sighting, city, record, asset, acceptedDay: isoTime(utcDayStart(now)) };
    this.#rowOrNew(line.source_ref, () => observationRow(observation, this.#context));
  }

  #city({ gazetteer: { name, geonameId } }: ExampleCity): City {
    const cities = this.#ledger.intake.cities();
    const city = cities.find(({ details }) => details.geoname_id === geonameId);
    if (city === undefined) throw new Error(`${name} is not registered yet`);
    return city;
  }

  #rowOrNew(id: string, make: () => NewRow): number {
    const row = this.#rows.get(id) ?? this.#ledger.append(make()).id;
    this.#rows.set(id, row);
    return row;
  }

  #row(id: string): number {
    const row = this.#rows.get(id);
    if (row === undefined) throw new Error(`${id} has no row yet`);
    return row;
  }
}

function recordRow({ id, name, industry, industryMethod, website }: Business, { slug }: City): NewRow {
  return {
    kind: "record",
    body: {
      city: slug,
      industry,
      industry_method: industryMethod,
      is_synthetic: true,
      match_review: false,
      name,
      public_id: id,
      website,
    },
  };
}

function assetRow({ id, type }: Sign, record: number): NewRow {
  return { kind: "asset", body: { asset_type: type, is_mobile: isMobile(type), public_id: id, record } };
}
