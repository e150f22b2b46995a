import { getResolution, gridDisk, latLngToCell } from "h3-js";
import { z } from "zod";
import { LineFault } from "../../intake/lines/fault.ts";
import type { Sighting } from "../../intake/lines/sighting.ts";
import type { Classifier } from "../../intake/matching/classify.ts";
import { ListedSigns } from "../../intake/matching/listed-signs.ts";
import { Anchors, TAUGHT } from "../../intake/places/anchors.ts";
import { latestDate } from "../../intake/places/place.ts";
import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { parseUntrustedJson } from "../../kernel/text/json.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import type { RevisitResult } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { dateOfDay } from "../../method/numbers.ts";
import { type Measurement, REVISITED_TYPES } from "../../method/revisit/measurement.ts";
import type { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import { revisitFrame } from "../../snapshot/fold/revisit-frame.ts";
import { type CountedPlan, countedPlans, measurementOf } from "../../snapshot/fold/revisits.ts";
import {
  lastVisit,
  planName,
  type RevisitTask,
  type RevisitTasks,
  revisitedLedger,
  tasksOf,
} from "./plan-revisit.ts";

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

/** Signs of one visit; a cell of 0.7 square kilometers in the busiest street has fewer. */
const MAX_SIGNS = 3000;
const MAX_LINE = 1 << 20;
const MAX_LINES = 20_000;

const Sign = z.object({
  asset_type: z.string().max(40),
  name: z.string().max(2400),
  lat: z.number().min(-90).max(90),
  lng: z.number().min(-180).max(180),
});

const Visit = z.object({
  plan: z.string().max(200),
  task: z.string().max(40),
  h3_cell: z.string().max(20).optional(),
  visited_on: z.iso.date(),
  found: z.array(Sign).max(MAX_SIGNS).optional(),
  unreachable: z.literal(true).optional(),
});

/** One visit as a scout noted it, with its line in the file. */
export interface Visit extends z.infer<typeof Visit> {
  readonly line: number;
}

/**
 * The visits of a file of results, one JSON object a line; unknown members are ignored. Throws OperatorError naming the first line
 * that is not a visit, or whose task another line has answered. Messages never repeat names.
 */
export function readVisits(text: string, file: string): Visit[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (lines.length > MAX_LINES) throw new OperatorError(`${file}: more than ${MAX_LINES} lines`);
  const visits = lines.flatMap((line, at) => (line.trim() === "" ? [] : [readVisit(line, at + 1, file)]));
  if (visits.length === 0) throw new OperatorError(`${file}: the file has no visit`);
  const first = new Map<string, number>();
  for (const { task, line } of visits) {
    const before = first.get(task);
    if (before !== undefined)
      throw lineError(file, line, `task ${task.slice(0, 40)} was already answered by line ${before}`);
    first.set(task, line);
  }
  return visits;
}

/** A fault of one line. */
export function lineError(file: string, line: number, problem: string): OperatorError {
  return new OperatorError(`${file}, line ${line}: ${problem}`);
}

function readVisit(text: string, line: number, file: string): Visit {
  if (text.length > MAX_LINE) throw lineError(file, line, `longer than ${MAX_LINE} characters`);
  const parsed = Visit.safeParse(parsedJson(text, line, file));
  if (!parsed.success) throw lineError(file, line, shapeFault(parsed.error.issues[0]));
  const visit = parsed.data;
  if ((visit.found === undefined) === (visit.unreachable === undefined))
    throw lineError(file, line, "give either found, a list that may be empty, or unreachable: true");
  return { ...visit, line };
}

function parsedJson(text: string, line: number, file: string): unknown {
  try {
    return parseUntrustedJson(text);
  } catch {
    throw lineError(file, line, "it is not JSON");
  }
}

function shapeFault(issue: z.core.$ZodIssue | undefined): string {
  const where = issue?.path.join(".") || "the line";
  return `${where}: ${issue?.message ?? "is wrong"}`;
}

/** What a file of results says, before it is appended. */
export interface ReadRevisit {
  readonly plan: CountedPlan;
  readonly name: string;
  readonly result: RevisitResult;
  readonly measurement: Measurement;
  readonly tasks: number;
  readonly answered: number;
  readonly leftOut: number; // signs that count for nothing: generic names, and records that opted out
  /** Stands for the plan and the result: what is confirmed is what was shown. */
  readonly code: string;
}

/** Reads and matches a file of results. Changes nothing. Throws OperatorError naming the line that is wrong. */
export function readRevisit(
  ledger: LedgerWriter,
  reader: LedgerReader,
  { text, file }: { readonly text: string; readonly file: string },
  loadClassifier: () => Classifier, // called once the file is sound
): ReadRevisit {
  const fold = revisitedLedger(reader);
  const visits = readVisits(text, file);
  const plan = planOf(fold, visits, file);
  const { slug, details } = cityOf(fold, plan);
  const tasks = tasksOf(ledger, plan.body);
  const today = latestDate(ledger.now(), details);
  for (const visit of visits) assertOfPlan(visit, plan, { tasks, today, file });
  const { assets, cells, leftOut } = matchVisits(visits, tasks, {
    file,
    signs: new ListedSigns(ledger, slug, loadClassifier()),
    listed: new Set(revisitFrame(fold, { slug, details }, plan.seal).assets),
  });
  const days = visits.map(({ visited_on }) => visited_on).sort();
  const result: RevisitResult = {
    step: "result",
    city: slug,
    manifest_sha256: plan.body.manifest_sha256,
    assets,
    cells,
    visited_from: days[0] ?? "",
    visited_until: days.at(-1) ?? "",
  };
  return {
    plan,
    name: planName(plan.body),
    result,
    measurement: measurementOf(fold, plan.body, result),
    tasks: tasks.size,
    answered: visits.length,
    leftOut,
    code: confirmationCode([plan.row, result]),
  };
}

/** Appends a result that was confirmed by its code. Returns its row. */
export function takeRevisit(ledger: LedgerWriter, { result }: ReadRevisit): number {
  return ledger.transaction(() => ledger.append({ kind: "revisit", body: result }).id);
}

function planOf(fold: LedgerFold, visits: readonly Visit[], file: string): CountedPlan {
  const [first] = visits;
  const name = first?.plan ?? "";
  const other = visits.find((visit) => visit.plan !== name);
  if (other !== undefined)
    throw lineError(
      file,
      other.line,
      "it is of another plan than the lines before it: one file has one plan",
    );
  const plans = [...fold.cities.values()].flatMap((city) => countedPlans(fold, city));
  const plan = plans.find(({ body }) => planName(body) === name);
  if (plan === undefined) throw lineError(file, first?.line ?? 1, "its plan is no plan of this ledger");
  if (plan.result !== undefined)
    throw new OperatorError(`${file}: this plan already has a result, in row ${plan.result.row}`);
  return plan;
}

function cityOf({ cities }: LedgerFold, { body }: CountedPlan) {
  const city = cities.get(body.city);
  if (city === undefined) throw new OperatorError(`city ${body.city}: the ledger has no such city`);
  return city;
}

interface PlanContext {
  readonly tasks: RevisitTasks;
  readonly today: string; // the latest date of the city's calendars
  readonly file: string;
}

function assertOfPlan(
  { line, task, h3_cell, visited_on }: Visit,
  { day }: CountedPlan,
  { tasks, today, file }: PlanContext,
): void {
  const planned = tasks.get(task);
  if (planned === undefined)
    throw lineError(file, line, "its task is no task of the plan; one whose asset was erased since is none");
  if (h3_cell !== undefined && h3_cell !== planned.cell)
    throw lineError(file, line, "its h3_cell is not that of the task");
  if (visited_on < dateOfDay(day) || visited_on > lastVisit(day))
    throw lineError(
      file,
      line,
      `visited_on must be from ${dateOfDay(day)}, the day of the seal, to ${lastVisit(day)} (got ${visited_on})`,
    );
  if (visited_on > today) throw lineError(file, line, "visited_on is in the future");
}
