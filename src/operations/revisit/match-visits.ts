import { getResolution, gridDisk, latLngToCell } from "h3-js";
import { LineFault } from "../../intake/lines/fault.ts";
import type { Sighting } from "../../intake/lines/sighting.ts";
import type { ListedSigns } from "../../intake/matching/listed-signs.ts";
import { Anchors, TAUGHT } from "../../intake/places/anchors.ts";
import type { RevisitResult } from "../../ledger/rows/rows.ts";
import { REVISITED_TYPES } from "../../method/revisit/measurement.ts";
import { lineError, type Visit } from "./read-visits.ts";
import type { RevisitTask, RevisitTasks } from "./tasks.ts";

/** How far from the middle of its place a sign may be noted, in rings of resolution-11 cells (about 50 m each). */
const PLACE_RINGS = 3;

export interface VisitContext {
  readonly file: string;
  readonly signs: ListedSigns;
  /** The assets that the plan's seal could draw: those that count as listed. */
  readonly listed: ReadonlySet<number>;
}

/** What visits found, as the result row says it, and how many signs were noted that count for nothing. */
export interface FoundByTask {
  readonly assets: RevisitResult["assets"];
  readonly cells: RevisitResult["cells"];
  readonly leftOut: number;
}

/** Matches the signs of all visits. Throws OperatorError for a sign that cannot be of its task. */
export function matchVisits(
  visits: readonly Visit[],
  tasks: RevisitTasks,
  context: VisitContext,
): FoundByTask {
  const byTask = new Map(visits.map((visit) => [visit.task, visit]));
  const assets: RevisitResult["assets"] = [];
  const cells: RevisitResult["cells"] = [];
  let leftOut = 0;
  for (const [id, task] of tasks) {
    const visit = byTask.get(id);
    const noted = visit?.found && readSigns(visit, visit.found, task, context);
    const signs = noted?.filter((sign) => context.signs.counts(sign));
    leftOut += (noted?.length ?? 0) - (signs?.length ?? 0);
    if (task.kind === "place") assets.push({ asset: task.asset, found: foundAt(task.asset, signs, context) });
    else
      cells.push({ cell: task.cell, reached: signs !== undefined, signs: countSigns(signs ?? [], context) });
  }
  return {
    assets: assets.sort((a, b) => a.asset - b.asset),
    cells: cells.sort((a, b) => (a.cell < b.cell ? -1 : 1)),
    leftOut,
  };
}

function readSigns(
  { line, visited_on }: Visit,
  found: NonNullable<Visit["found"]>,
  task: RevisitTask,
  { file, signs }: VisitContext,
): Sighting[] {
  const area = new Set(task.kind === "place" ? gridDisk(task.cell, PLACE_RINGS) : [task.cell]);
  return found.map((sign, at) => {
    const where = `sign ${at + 1}`;
    if (!REVISITED_TYPES.some((type) => type === sign.asset_type))
      throw lineError(file, line, `${where}: asset_type must be one of ${REVISITED_TYPES.join(", ")}`);
    if (!area.has(latLngToCell(sign.lat, sign.lng, getResolution(task.cell))))
      throw lineError(file, line, `${where}: its position is not at the place of the task`);
    try {
      return signs.read(line, sign, visited_on);
    } catch (error) {
      if (error instanceof LineFault)
        throw lineError(file, line, `${where}: ${error.field ?? "it"} ${error.message}`);
      throw error;
    }
  });
}

function foundAt(
  asset: number,
  signs: readonly Sighting[] | undefined,
  context: VisitContext,
): boolean | "not_reachable" {
  if (signs === undefined) return "not_reachable";
  return signs.some((sign) => context.signs.assetOf(sign) === asset);
}

/** Counts the signs of a cell by type; `matched` are those of assets that count as listed. */
function countSigns(
  signs: readonly Sighting[],
  { signs: matcher, listed }: VisitContext,
): RevisitResult["cells"][number]["signs"] {
  const distinct = distinctSigns(signs, matcher);
  return REVISITED_TYPES.map((asset_type) => {
    const found = distinct.filter(({ type }) => type === asset_type);
    const matched = found.filter(({ asset }) => asset !== undefined && listed.has(asset));
    return { asset_type, found: found.length, matched: matched.length };
  }).filter(({ found }) => found > 0);
}

/** The signs of a cell, each once: two notes that intake would take for one asset are one sign. */
function distinctSigns(signs: readonly Sighting[], matcher: ListedSigns) {
  const known = new Set<number>();
  const unknown = new Map<string, Anchors>();
  return signs.flatMap((sign, at) => {
    const asset = matcher.assetOf(sign);
    const isNew = asset === undefined ? isFirst(unknown, sign, at) : !known.has(asset);
    if (asset !== undefined) known.add(asset);
    return isNew ? [{ type: sign.input.asset_type, asset }] : [];
  });
}

function isFirst(unknown: Map<string, Anchors>, { input, nameKey, place }: Sighting, at: number): boolean {
  const key = `${input.asset_type} ${nameKey}`;
  const anchors = unknown.get(key) ?? new Anchors();
  unknown.set(key, anchors);
  if (anchors.at(place) !== undefined) return false;
  anchors.add(place, { id: at, row: at, level: TAUGHT });
  return true;
}
