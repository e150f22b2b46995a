import { cellToLatLng, latLngToCell } from "h3-js";
import { REVISIT_VERSION } from "../../contract/versions.ts";
import { keyedHash } from "../../intake/matching/keyed-hash.ts";
import { PLACE_RESOLUTION } from "../../intake/places/place.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { CityState } from "../../ledger/decisions/ledger-state.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import type { RevisitPlan, SealBody } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { asOfAt, dateOfDay, PARAMETERS } from "../../method/numbers.ts";
import {
  drawRevisit,
  REVISITED_TYPES,
  type RevisitedType,
  type RevisitFrame,
  type RevisitSizes,
} from "../../method/revisit/measurement.ts";
import { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import { revisitFrame } from "../../snapshot/fold/revisit-frame.ts";
import { type CountedPlan, countedPlans, isOpen } from "../../snapshot/fold/revisits.ts";
import { RowsInEffect } from "../../snapshot/mend/mending.ts";

export interface PlannedRevisit {
  readonly row: number;
  readonly plan: RevisitPlan;
  readonly name: string;
  readonly lines: readonly string[]; // of the task file
  readonly visitUntil: string; // the last day of visits
}

/**
 * Draws what to revisit in a city by the newest seal, and appends the plan. `writeTasks` gets the lines of the task file before
 * the row stands, so that no plan is without its file. Throws OperatorError where there is nothing to draw, or while a plan is open.
 */
export function planRevisit(
  ledger: LedgerWriter,
  reader: LedgerReader,
  slug: string,
  sizes: RevisitSizes,
  writeTasks: (lines: readonly string[], name: string) => void,
): PlannedRevisit {
  const fold = revisitedLedger(reader);
  const { city, plans } = revisitedCity(fold, slug);
  const { seal, frame } = newestFrame(fold, city);
  const { day } = asOfAt(Date.parse(seal.created_at), city.details.lng);
  const last = plans.at(-1);
  if (last?.body.manifest_sha256 === seal.manifest_sha256)
    throw new OperatorError(
      `city ${slug}: this seal has already drawn a plan, in row ${last.row}: seal again first`,
    );
  if (last !== undefined && isOpen(last, ledger.nextId(), day))
    throw new OperatorError(
      `city ${slug}: the plan in row ${last.row} waits for its result until ${lastVisit(last.day)}: take it first. A plan that could be drawn again would let its maker choose`,
    );
  const plan: RevisitPlan = {
    step: "plan",
    city: slug,
    manifest_sha256: seal.manifest_sha256,
    ...drawn(drawRevisit(frame, seal.manifest_sha256, sizes)),
    methodology_version: REVISIT_VERSION,
  };
  const lines = taskLines(plan, tasksOf(ledger, plan));
  const row = ledger.transaction(() => {
    const { id } = ledger.append({ kind: "revisit", body: plan });
    writeTasks(lines, planName(plan));
    return id;
  });
  return { row, plan, name: planName(plan), lines, visitUntil: lastVisit(day) };
}

/** The last day on which a plan whose seal is of `day` may be visited. */
export function lastVisit(day: number): string {
  return dateOfDay(day + PARAMETERS.revisit.visitDays);
}

function drawn({ assets, cells }: ReturnType<typeof drawRevisit>) {
  return { assets: [...assets], cells: [...cells] };
}

/** The signed ledger as releases see it, with the plans and results that are not sealed yet. */
export function revisitedLedger(reader: LedgerReader): LedgerFold {
  const size = reader.latestCheckpoint()?.size ?? 0;
  const fold = new LedgerFold(size);
  const inEffect = new RowsInEffect(reader.lastSealedRow(size), false);
  for (const row of reader.verifiedRows(size)) {
    // The rest takes effect with its seal; of plans and results the newest must be known at once.
    if (inEffect.has(row) && row.kind !== "revisit") fold.apply(row);
  }
  for (const { id, body } of reader.live.revisits()) fold.revisits.add(id, body);
  return fold;
}

/** A city with its plans that count. Throws OperatorError for a city that releases do not show. */
export function revisitedCity(
  fold: LedgerFold,
  slug: string,
): { readonly city: CityState; readonly plans: readonly CountedPlan[] } {
  const city = fold.cities.get(slug);
  if (city === undefined) throw new OperatorError(`city ${slug}: the sealed ledger has no such city`);
  if (city.publicationStatus !== "published")
    throw new OperatorError(`city ${slug}: the city is not published, so it has no listed assets`);
  return { city, plans: countedPlans(fold, city) };
}

/** What the newest seal can draw in a city. Throws OperatorError where there is nothing to draw. */
export function newestFrame(
  fold: LedgerFold,
  city: CityState,
): { readonly seal: SealBody; readonly frame: RevisitFrame } {
  const seal = fold.seals.at(-1)?.body;
  if (seal === undefined) throw new OperatorError("no rows are sealed yet: run `presence seal` first");
  const frame = revisitFrame(fold, city, seal);
  if (frame.assets.length === 0)
    throw new OperatorError(`city ${city.slug}: the city has no active fixed assets to visit`);
  return { seal, frame };
}

/** A place to visit, where an asset of some type is listed, or a cell to search whole. */
export type RevisitTask =
  | { readonly kind: "place"; readonly asset: number; readonly type: RevisitedType; readonly cell: string }
  | { readonly kind: "cell"; readonly cell: string };

/** Tasks by their ids. */
export type RevisitTasks = ReadonlyMap<string, RevisitTask>;

const TASK_DIGITS = 12;
const SEAL_DIGITS = 16;

/** The name of a plan in task files. */
export function planName({ city, manifest_sha256 }: Pick<RevisitPlan, "city" | "manifest_sha256">): string {
  return `${city}-${manifest_sha256.slice(0, SEAL_DIGITS)}`;
}

/**
 * The tasks of a plan, in the order of their ids. The ids are keyed hashes, so that nobody can look up which listed asset is meant.
 * An asset that was erased since, or whose place the ledger has lost, has none.
 */
export function tasksOf(
  { live, purposeKey }: Pick<LedgerWriter, "live" | "purposeKey">,
  plan: RevisitPlan,
): RevisitTasks {
  const hash = keyedHash(purposeKey("revisit"));
  const id = (key: string) => hash(`${planName(plan)} ${key}`).slice(0, TASK_DIGITS);
  const places = placesOf(live, plan.assets);
  const tasks: [string, RevisitTask][] = [
    ...live.assets([], plan.assets).flatMap(({ id: asset, body }): [string, RevisitTask][] => {
      const type = REVISITED_TYPES.find((each) => each === body.asset_type);
      const cell = places.get(asset);
      return type === undefined || cell === undefined
        ? []
        : [[id(`asset ${asset}`), { kind: "place", asset, type, cell }]];
    }),
    ...plan.cells.map((cell): [string, RevisitTask] => [id(`cell ${cell}`), { kind: "cell", cell }]),
  ];
  return new Map(tasks.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Asset -> the resolution-11 cell where it was seen first, which is where intake knows it. */
function placesOf(live: LedgerWriter["live"], assets: readonly number[]): ReadonlyMap<number, string> {
  const places = new Map<number, string>();
  for (const { body, exact } of live.sightings([], assets)) {
    if (exact === undefined || places.has(body.asset)) continue;
    places.set(body.asset, latLngToCell(exact.lat, exact.lng, PLACE_RESOLUTION));
  }
  return places;
}

/** The lines of a task file: where to go and what to look for, without any name. */
export function taskLines(plan: RevisitPlan, tasks: RevisitTasks): string[] {
  return Array.from(tasks, ([task, { kind, cell, ...of }]) => {
    const [lat, lng] = cellToLatLng(cell).map((degrees) => Number(degrees.toFixed(5)));
    const asset_types = "type" in of ? [of.type] : REVISITED_TYPES;
    return JSON.stringify({ plan: planName(plan), task, kind, h3_cell: cell, lat, lng, asset_types });
  });
}
