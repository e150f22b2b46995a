import { readFileSync } from "node:fs";
import { type OperatorIncident, OperatorIncidents } from "../contract/service/operator-incidents.ts";
import type { Config } from "../kernel/config/config.ts";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { homePaths } from "../kernel/home.ts";

/**
 * The incidents that the operator tells of, from INCIDENTS_FILE or `incidents.json` in PRESENCE_HOME; none without a file of that
 * name. Throws OperatorError for a named file that is not there, and for one that is no list of incidents.
 */
export function readIncidents({ incidentsFile, home }: Config): OperatorIncident[] {
  const path = incidentsFile ?? homePaths(home).incidents;
  const text = readText(path, incidentsFile !== undefined);
  if (text === undefined) return [];
  const parsed = OperatorIncidents.safeParse(parseJson(path, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [at, field] = issue?.path ?? [];
  const where =
    at === undefined ? "" : ` incident ${Number(at) + 1}${field === undefined ? "" : `, ${String(field)}`}:`;
  throw new OperatorError(
    `${path}:${where} ${issue?.message ?? "is wrong"}; each has started, resolved (a time or null), title and text`,
  );
}

function readText(path: string, isNamed: boolean): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (!isNamed && hasErrorCode(cause, "ENOENT")) return undefined;
    throw new OperatorError(`INCIDENTS_FILE: ${path} cannot be read; write it, or unset the variable`, {
      cause,
    });
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${path}: is not JSON (${reason})`, { cause });
  }
}
