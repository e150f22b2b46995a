import { existsSync } from "node:fs";
import { z } from "zod";
import { currentRelease } from "../build/stages/publish.ts";
import type { Environment } from "../contract/enums.ts";
import type { Config } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import { type Home, homePaths, type ProcessUser, releasePaths } from "../kernel/home.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import { jsonLog, type Log } from "../kernel/log.ts";
import { jsonText, type Output } from "../kernel/text/terminal.ts";
import type { Clock } from "../kernel/time.ts";
import { type LedgerWriter, openLedgerWriter } from "../ledger/writer.ts";
import { isReadable, openSnapshot, type Snapshot } from "../snapshot/snapshot.ts";
import type { State } from "../state/open-state.ts";

/** The edges that every command works through. Results go to `stdout`, progress and notes to `stderr`. */
export interface CommandContext {
  readonly config: Config;
  readonly project: string; // folder of the sources
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly user: ProcessUser;
  readonly stdin?: NodeJS.ReadableStream; // where it is not the process's own
  readonly stdout: Output;
  readonly stderr: Output;
}

export function homeOf(context: Pick<CommandContext, "config">): Home {
  return homePaths(context.config.home);
}

export function logOf({ clock, stderr }: CommandContext): Log {
  return jsonLog(clock, (line) => stderr.write(line));
}

export function printJson({ stdout }: CommandContext, value: unknown): void {
  stdout.write(`${jsonText(value)}\n`);
}

export function printLines({ stdout }: CommandContext, lines: Iterable<string>): void {
  for (const line of lines) stdout.write(`${line}\n`);
}

/** Prints a result: with `--json` as one line of JSON, otherwise a line for each field. */
export function printResult(
  context: CommandContext,
  json: boolean | undefined,
  result: Readonly<Record<string, unknown>>,
): void {
  if (json === true) {
    printJson(context, result);
    return;
  }
  printLines(context, fieldLines(result));
}

/** A line for each field, the values in one column. */
export function fieldLines(fields: Readonly<Record<string, unknown>>): string[] {
  const width = Math.max(...Object.keys(fields).map((key) => key.length));
  return Object.entries(fields).map(
    ([key, value]) => `${key.replaceAll("_", " ").padEnd(width)}  ${plainText(value)}`,
  );
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "number") return value.toLocaleString("en-US");
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(plainText).join(", ");
  const parts = Object.entries(value).map(([key, inner]) => `${key}: ${plainText(inner)}`);
  return parts.length === 0 ? "-" : parts.join(", ");
}

/** The clock of an operation that writes. Throws OperatorError for `--clock` with a production ledger (design 5). */
export function clockFor(context: CommandContext, environment: string, option: string | undefined): Clock {
  if (option === undefined) return context.clock;
  if (environment === "production")
    throw new OperatorError("--clock cannot be used with a production ledger: leave the option out");
  const instant = parseInstant(option, "--clock");
  return () => instant;
}

const Day = z.iso.date();
const Instant = z.iso.datetime({ offset: true });

/** A date (its last second, UTC) or a time with zone, in ms. Throws OperatorError naming the option. */
export function parseInstant(text: string, option: string): number {
  if (Day.safeParse(text).success) return Date.parse(`${text}T23:59:59Z`);
  if (!Instant.safeParse(text).success) {
    throw new OperatorError(
      `${option} must be a date (2026-01-31) or a time with zone (2026-01-31T12:00:00Z) (got ${text})`,
    );
  }
  return Date.parse(text);
}

/** Opens the ledger for writing, with the clock that `--clock` sets. */
export function openWriter(context: CommandContext, clockOption?: string): LedgerWriter {
  const home = homeOf(context);
  let clock = context.clock;
  const writer = openLedgerWriter(home.ledger, {
    keysDir: home.keys,
    clock: () => clock(),
    random: context.random,
  });
  try {
    clock = clockFor(context, writer.meta.environment, clockOption);
    return writer;
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** What the current release says of itself; undefined if none can be read, as one of another version of the program. */
export function publishedRelease(home: Home): ReturnType<Snapshot["release"]> | undefined {
  const directory = currentRelease(home);
  if (directory === undefined) return undefined;
  const { snapshot: path } = releasePaths(directory);
  if (!isReadable(path)) return undefined;
  const snapshot = openSnapshot(path);
  try {
    return snapshot.release();
  } finally {
    snapshot.close();
  }
}

/** The environment of the current release; undefined if no release can be read. */
export function currentEnvironment(home: Home): Environment | undefined {
  return publishedRelease(home)?.environment;
}

/** Opens the state, and creates it if there is none. Its modules are half of a small command's, and most commands find no state. */
export async function stateOf(context: CommandContext): Promise<State> {
  const { openState } = await import("../state/open-state.ts");
  const { config, clock, random } = context;
  return openState(config.stateUrl, homeOf(context), { clock, random });
}

/** The state, if there is one: a service without subscribers and partners needs none. */
export async function existingState(context: CommandContext): Promise<State | undefined> {
  const hasState = context.config.stateUrl !== undefined || existsSync(homeOf(context).state);
  return hasState ? stateOf(context) : undefined;
}

/** Throws OperatorError when there is none. */
export async function requiredState(context: CommandContext): Promise<State> {
  const state = await existingState(context);
  if (state !== undefined) return state;
  throw new OperatorError(
    `${homeOf(context).state}: there is no state yet: the first subscription or partner creates it, or set STATE_URL`,
  );
}
