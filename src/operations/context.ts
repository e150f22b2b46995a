import { z } from "zod";
import type { Config } from "../kernel/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import { type Home, homePaths } from "../kernel/home.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import type { Clock } from "../kernel/time.ts";
import { type LedgerWriter, openLedgerWriter } from "../ledger/writer.ts";

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The edges that every command works through. Results go to `stdout`, progress and remarks to `stderr`. */
export interface CommandContext {
  readonly config: Config;
  readonly project: string; // folder of the sources
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly stdout: Output;
  readonly stderr: Output;
}

export function homeOf(context: CommandContext): Home {
  return homePaths(context.config.home);
}

/** `--json` prints the value as one line for scripts; otherwise a line for each field, for people. */
export function printResult(
  context: CommandContext,
  json: boolean | undefined,
  result: Readonly<Record<string, unknown>>,
): void {
  if (json === true) {
    context.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const width = Math.max(...Object.keys(result).map((key) => key.length));
  for (const [key, value] of Object.entries(result)) {
    context.stdout.write(`${key.replaceAll("_", " ").padEnd(width)}  ${plainText(value)}\n`);
  }
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "number") return value.toLocaleString("en-US");
  if (typeof value !== "object") return String(value);
  const parts = Object.entries(value).map(([key, inner]) => `${key}: ${plainText(inner)}`);
  return parts.length === 0 ? "-" : parts.join(", ");
}

/** The clock for an operation that writes: `--clock` is for ledgers other than production only (design 5). */
export function clockFor(context: CommandContext, environment: string, given: string | undefined): Clock {
  if (given === undefined) return context.clock;
  if (environment === "production") {
    throw new OperatorError(
      "--clock: a production ledger takes the machine's own time; leave the option out",
    );
  }
  const instant = parseInstant(given, "--clock");
  return () => instant;
}

const Day = z.iso.date();
const Instant = z.iso.datetime({ offset: true });

/** A date (its last second, UTC) or a time with zone, in ms. Throws OperatorError naming the option. */
export function parseInstant(text: string, option: string): number {
  if (Day.safeParse(text).success) return Date.parse(`${text}T23:59:59Z`);
  if (!Instant.safeParse(text).success) {
    throw new OperatorError(
      `${option} ${text}: give a date (2026-01-31) or a time with zone (2026-01-31T12:00:00Z)`,
    );
  }
  return Date.parse(text);
}

/** Open the ledger for writing with the clock the options ask for. */
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
