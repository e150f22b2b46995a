import { type Dirent, existsSync, readdirSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import {
  OPERATOR_TEXT_BYTES,
  OPERATOR_TEXT_NAMES,
  type OperatorIncident,
  OperatorIncidents,
  type OperatorTextName,
  type OperatorTexts,
} from "../contract/service/status.ts";
import type { Config } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import { readForeignFile, readNamedFile } from "../kernel/files/foreign-file.ts";
import { homePaths } from "../kernel/home.ts";

const FILES: ReadonlyMap<string, OperatorTextName> = new Map(
  OPERATOR_TEXT_NAMES.map((name) => [`${name}.md`, name]),
);

/**
 * The operator's own texts for the pages, from the Markdown files of a folder. Throws OperatorError for a folder that cannot be read, a Markdown file
 * of another name, and a file that links out of the folder, is empty, too large or not UTF-8.
 */
export function readOperatorTexts(folder: string | undefined): OperatorTexts {
  if (folder === undefined) return {};
  const texts: OperatorTexts = {};
  for (const { name: file } of entriesOf(folder)) {
    const name = FILES.get(file);
    if (name !== undefined) texts[name] = readText(folder, file);
    else if (file.endsWith(".md"))
      throw new OperatorError(
        `${join(folder, file)}: no page uses a file of this name; expected one of ${[...FILES.keys()].join(", ")}`,
      );
  }
  return texts;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    throw new OperatorError(
      `OPERATOR_TEXTS: ${folder} is not a readable folder; create it, or unset the variable`,
      { cause },
    );
  }
}

/** A text that is somewhat too long is told its length. */
const MAX_READ_BYTES = 100 * OPERATOR_TEXT_BYTES;

function readText(folder: string, file: string): string {
  const path = join(folder, file);
  const bytes = readInside(folder, path);
  if (bytes.length > OPERATOR_TEXT_BYTES)
    throw new OperatorError(
      `${path}: must have at most ${OPERATOR_TEXT_BYTES} bytes (has ${bytes.length}); shorten it, or link to a longer text`,
    );
  const text = decoded(path, bytes);
  if (text.trim() === "") throw new OperatorError(`${path}: is empty; add a text, or remove the file`);
  return text;
}

/** Refuses links out of the folder, which could publish any file of the machine. */
function readInside(folder: string, path: string): Buffer {
  try {
    const inside = relative(realpathSync(folder), realpathSync(path));
    if (inside.startsWith(".."))
      throw new OperatorError(`${path}: is a link out of the folder; put the file itself there`);
    return readForeignFile(folder, inside, { maxBytes: MAX_READ_BYTES, hasNames: true });
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`${path}: cannot be read; it must be a file that this user may read`, {
      cause,
    });
  }
}

function decoded(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new OperatorError(`${path}: is not UTF-8; save it as UTF-8`, { cause });
  }
}

/** The names of the files that `texts` lacks. */
export function missingTexts(texts: OperatorTexts): string[] {
  return [...FILES].flatMap(([file, name]) => (texts[name] === undefined ? [file] : []));
}

/**
 * The operator's incidents, from INCIDENTS_FILE or from `night/incidents.json` in PRESENCE_HOME, if it exists. Throws OperatorError for a named file that
 * does not exist, and for a file that is not a list of incidents.
 */
export function readIncidents(config: Config): OperatorIncident[] {
  const { incidentsFile } = config;
  const path = incidentsPath(config);
  if (incidentsFile === undefined && !existsSync(path)) return [];
  const text = readNamedFile(path, incidentsFile && "INCIDENTS_FILE");
  const parsed = OperatorIncidents.safeParse(parseJson(path, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [at, field] = issue?.path ?? [];
  const where =
    at === undefined ? "" : ` incident ${Number(at) + 1}${field === undefined ? "" : `, ${String(field)}`}:`;
  throw new OperatorError(
    `${path}:${where} ${issue?.message ?? "is invalid"}; each incident has started, resolved (a time or null), title and text`,
  );
}

export function incidentsPath({ incidentsFile, home }: Config): string {
  return incidentsFile ?? homePaths(home).incidents;
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${path}: is not JSON (${reason})`, { cause });
  }
}
