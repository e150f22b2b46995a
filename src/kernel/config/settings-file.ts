/**
 * The settings file (presence.toml): the names of the environment variables, each with its value. Every user of the service reads it, so it holds no
 * secret. Those lie beside it, each in a file of its own in a folder of the user that needs it.
 */
import { closeSync, constants, fstatSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse, TomlError } from "smol-toml";
import { hasErrorCode, OperatorError } from "../errors.ts";
import { openNamed } from "../files/foreign-file.ts";
import { didYouMean } from "../text/near-name.ts";
import { settings } from "./config.ts";
import type { Places, Variables } from "./setting.ts";

/** The variable that names the file. */
export const SETTINGS_VARIABLE = "PRESENCE_SETTINGS";
const OPTION = "--settings";
const MAX_BYTES = 65_536;
const ROOT = 0;

/** What the program is configured with, and for messages where each value stands that is no environment variable. */
export interface Given {
  readonly variables: Variables;
  readonly places: Places;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables of the environment and, where PRESENCE_SETTINGS names a file, what it and the secrets beside it add: a variable of the environment takes the place
 * of both. Throws OperatorError naming file, line and key of what is wrong, and never a value that may be a secret.
 */
export function withSettingsFile(environment: Environment, user: string): Given {
  const variables = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  const named = variables[SETTINGS_VARIABLE];
  if (named === undefined) return { variables, places: new Map() };
  const path = resolve(named);
  const places = new Map<string, string>();
  const add = (name: string, value: string, place: string) => {
    if (name in variables || value === "") return;
    variables[name] = value;
    places.set(name, place);
  };
  for (const { name, value, line } of parseSettings(readSettings(path), path))
    add(name, value, `${path}, line ${line}`);
  const isUnset = (name: string) => !(name in variables);
  for (const { name, file } of secretsOf(path, user)) if (isUnset(name)) add(`${name}_FILE`, file, file);
  const key = secretFile(path, user, "dkim.pem");
  if (!isUnset("DKIM_SELECTOR") && isThere(key)) add("DKIM_KEY_FILE", key, key);
  return { variables, places };
}

export interface Assignment {
  readonly name: string;
  readonly value: string;
  readonly line: number;
}

/** Reads the text of a settings file; `path` is for messages. Throws OperatorError as `withSettingsFile` does. */
export function parseSettings(text: string, path: string): Assignment[] {
  const known = new Map(settings().map((setting) => [setting.name, setting]));
  const names = [...known.keys()].filter((name) => name !== SETTINGS_VARIABLE);
  return Object.entries(tableOf(text, path)).map(([name, given]) => {
    const line = lineOf(text, name);
    const refusal = (problem: string) => new OperatorError(`${path}, line ${line}: ${problem}`);
    const setting = known.get(name.replace(/_FILE$/, "")) ?? known.get(name);
    if (setting?.isSecret) throw refusal(misplacedSecret(name, setting.name, path));
    if (!names.includes(name)) throw refusal(unknownName(name, names));
    const value = textOf(given);
    if (value === undefined)
      throw refusal(`${name} must be a text in quotes, a whole number, true or false, or a list of texts`);
    if (/\p{Cc}/u.test(value)) throw refusal(`${name} has a control character: write one line of text`);
    return { name, value, line };
  });
}

/** Where the file of a secret is looked for: in the folder of the user beside the settings file. */
export function secretFileName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

function misplacedSecret(name: string, secret: string, path: string): string {
  const file = join(dirname(path), "USER", secretFileName(secret));
  return `${name} does not belong here, because every user of the service reads this file: write the secret into ${file}, for each USER that needs it (root's, with the group of that user and mode 0640), and delete this line`;
}

/** A key is printed only in the form that names have: what was pasted in the wrong place may be a secret. */
function unknownName(name: string, names: readonly string[]): string {
  if (!/^[\w.-]{1,40}$/.test(name)) return "there is no setting of this name";
  return `there is no setting ${name}: ${didYouMean(name, names) ?? "docs/operations/environment.md lists all"}`;
}

function textOf(given: unknown): string | undefined {
  if (typeof given === "string") return given;
  if (typeof given === "boolean" || Number.isSafeInteger(given)) return String(given);
  const isTexts = Array.isArray(given) && given.every((each) => typeof each === "string");
  return isTexts ? given.join(",") : undefined;
}

function tableOf(text: string, path: string): Record<string, unknown> {
  try {
    return parse(text, { maxDepth: 2 });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [problem = ""] = error.message.replace("Invalid TOML document: ", "").split("\n"); // the rest repeats the line
    const advice = problem === "invalid value" ? ': a text stands in quotes, as NAME = "text"' : "";
    // No cause: it would repeat the line, which may hold a secret.
    throw new OperatorError(`${path}, line ${error.line}: ${problem}${advice}`);
  }
}

/** The line that a key stands in, for messages. */
function lineOf(text: string, name: string): number {
  const plain = name.replaceAll(/[^\w-]/g, "\\$&");
  const before = text.search(new RegExp(`^[ \\t]*\\[*[ \\t]*["']?${plain}["']?[ \\t]*[.=\\]]`, "m"));
  return text.slice(0, Math.max(before, 0)).split("\n").length;
}

/** Whoever can write the file decides which programs run, so it is root's or this user's own; what is checked is what was opened. */
function readSettings(path: string): string {
  const file = openSettings(path);
  try {
    const problem = problemOf(fstatSync(file));
    if (problem !== undefined) throw new OperatorError(`${OPTION} ${path}: ${problem}`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new OperatorError(`${OPTION} ${path}: the file is not UTF-8`, { cause });
  } finally {
    closeSync(file);
  }
}

function openSettings(path: string): number {
  try {
    return openNamed(path, constants.O_RDONLY | constants.O_NONBLOCK); // a FIFO would wait
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    const reason = hasErrorCode(cause, "ENOENT")
      ? "file not found"
      : hasErrorCode(cause, "EACCES")
        ? "this user may not read it"
        : String(cause);
    throw new OperatorError(`${OPTION} ${path}: ${reason}`, { cause });
  }
}

function problemOf(stats: Stats): string | undefined {
  const { uid, mode, size } = stats;
  if (!stats.isFile()) return "it is no file";
  if (size > MAX_BYTES) return `it is larger than ${MAX_BYTES} bytes`;
  if (uid !== ROOT && uid !== process.geteuid?.())
    return `it belongs to user ${uid}, who could change what this one runs: give it to root`;
  if ((mode & 0o022) !== 0)
    return `others may write it (mode ${(mode & 0o777).toString(8)}): run chmod 644 on it`;
  return undefined;
}

function secretsOf(path: string, user: string) {
  return settings()
    .filter(({ isSecret }) => isSecret)
    .map(({ name }) => ({ name, file: secretFile(path, user, secretFileName(name)) }))
    .filter(({ file }) => isThere(file));
}

function secretFile(path: string, user: string, name: string): string {
  return join(dirname(path), user, name);
}

function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new OperatorError(`${dirname(file)}: the secrets of this user cannot be read (${String(cause)})`, {
      cause,
    });
  }
}
