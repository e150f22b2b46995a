import { observationRow, type RowContext } from "../../src/intake/append.ts";
import type { ObservationInput } from "../../src/intake/lines/observation-input.ts";
import { intakeHashes, readSighting } from "../../src/intake/lines/sighting.ts";
import {
  appendIdentity,
  appendOnlineCheck,
  appendReview,
  type Review,
} from "../../src/intake/matching/decide.ts";
import { isMobile } from "../../src/intake/matching/keyed-hash.ts";
import { radiusCells } from "../../src/intake/places/city-outline.ts";
import type { City } from "../../src/intake/places/place.ts";
import { registerCity, stepCity } from "../../src/intake/places/register-city.ts";
import { principalTag } from "../../src/intake/sources/entry.ts";
import { isoTime, utcDayStart } from "../../src/kernel/time.ts";
import type { OnlineCheck } from "../../src/ledger/outside-tree.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import type {
  IdentityBody,
  NewRow,
  RevisitPlan,
  RevisitResult,
  SourceBody,
} from "../../src/ledger/rows/rows.ts";
import type { LedgerWriter } from "../../src/ledger/writer.ts";
import { PARAMETERS } from "../../src/method/numbers.ts";
import { planRevisit } from "../../src/operations/revisit/plan-revisit.ts";
import type { Business, ExampleCity, Sign } from "./cast.ts";

/** Each invented observer is a principal. */
const EACH_BY_ITSELF = {
  operators: new Map(),
  principals: { of: (_: unknown, observer: string) => observer },
};

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
  #plan: RevisitPlan | undefined;

  constructor(ledger: LedgerWriter) {
    this.#ledger = ledger;
    const hashes = intakeHashes(ledger.purposeKey, EACH_BY_ITSELF);
    this.#context = { synthetic: true, hashes, models: new Set(["fleet_cam:example-model-1"]) };
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
    this.#ledger.erase({ reason: "data_error", rows: [this.#row(target)] });
  }

  check(record: string, result: Pick<OnlineCheck, "verdict" | "signalTypes" | "matchCount">): void {
    const checkedAt = this.#ledger.now();
    appendOnlineCheck(this.#ledger, { record: this.#row(record), checkedAt, provider: "example", ...result });
  }

  /** Draws a plan by the newest seal, and remembers it for `found`. */
  plan(city: string): void {
    using reader = openLedgerReader(this.#ledger.path);
    const { plan } = planRevisit(this.#ledger, reader, city, PARAMETERS.revisit, () => undefined);
    this.#plan = plan;
  }

  /** What scouts found of the plan on a day: all assets but the first, and in each cell two signs more than are listed. */
  visit(day: string): void {
    const plan = this.#plan;
    if (plan === undefined) throw new Error("there is no plan yet");
    const { city, manifest_sha256, assets, cells } = plan;
    const body: RevisitResult = {
      step: "result",
      city,
      manifest_sha256,
      assets: assets.map((asset, at) => ({ asset, found: at > 0 })),
      cells: cells.map((cell) => ({
        cell,
        reached: true,
        signs: [{ asset_type: "storefront", found: 3, matched: 1 }],
      })),
      visited_from: day,
      visited_until: day,
    };
    this.#ledger.transaction(() => this.#ledger.append({ kind: "revisit", body }));
  }

  /** Registers a source of scouts, and counts what checks set aside in a month. */
  count(source: string, month: string): void {
    const details: SourceBody["details"] = {
      asset_types: ["vehicle_wrap", "storefront", "billboard", "site_sign", "temp_sign"],
      consent: "example consent 1",
      kind: "scout",
      licence: "example licence 1",
      name: "Example Scouts",
      operator: null,
      vetting: "individual",
    };
    const checks = [
      { check: "not_established", set_aside: 41, restored: 38 },
      { check: "same_look", set_aside: 12, restored: null },
    ];
    const body = {
      month,
      checks,
      sample: { reviewed: 40, false_alarms: 1 },
      vouched: [{ source, observers: 3 }],
    };
    this.#ledger.transaction(() => {
      this.#ledger.append({ kind: "source", body: { source, step: "add", details } });
      this.#ledger.append({ kind: "tally", body });
    });
  }

  #append({ business, sign, line }: ExampleSighting): void {
    const city = this.#city(business.city);
    const record = this.#record(business, city);
    const asset = this.#rowOrNew(sign.id, () => assetRow(sign, record));
    const now = this.#ledger.now();
    const sighting = readSighting(1, line, this.#context.hashes, now);
    const tag = principalTag(sighting.observerHash, record, this.#context.hashes);
    const entered = { tag, counts: true, source: null };
    const observation = { sighting, city, record, asset, acceptedDay: isoTime(utcDayStart(now)), entered };
    this.#rowOrNew(line.source_ref, () => observationRow(observation, this.#context));
  }

  /** The row of a business, which is named as soon as it has one. */
  #record({ id, name, industry, industryMethod, website }: Business, { slug }: City): number {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const body = { city: slug, is_synthetic: true, public_id: id };
    const record = this.#rowOrNew(id, () => ({ kind: "record", body }));
    const naming = { industry, industry_method: industryMethod, match_review: false, name, record, website };
    this.#ledger.append({ kind: "naming", body: naming });
    return record;
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

function assetRow({ id, type }: Sign, record: number): NewRow {
  return { kind: "asset", body: { asset_type: type, is_mobile: isMobile(type), public_id: id, record } };
}
