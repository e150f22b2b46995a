import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";
import { parseUntrustedJson } from "../../kernel/text/untrusted-json.ts";

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
  if (visits.length === 0) throw new OperatorError(`${file}: it has no visit`);
  const first = new Map<string, number>();
  for (const { task, line } of visits) {
    const before = first.get(task);
    if (before !== undefined)
      throw lineError(file, line, `task ${task.slice(0, 40)} was answered by line ${before} already`);
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
