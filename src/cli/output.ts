/** What commands print, as text or with `--json`. */

import { assertConfirmed } from "../kernel/confirmation.ts";
import { writeText } from "../kernel/text/terminal.ts";
import { isoTime } from "../kernel/time.ts";
import {
  type CommandContext,
  fieldLines,
  printJson,
  printLines,
  printResult,
} from "../operations/context.ts";
import type { Shown } from "../operations/erasure/take-out.ts";

/** Printed a line each, or as one object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Members of an object as they are printed: `lastUsedAt`, in ms, becomes `last_used_at` with the time as a text. */
export function shown<T extends object>(of: T, ...names: readonly (keyof T & string)[]): Fields {
  return Object.fromEntries(
    names.map((name) => {
      const value: unknown = of[name];
      const published = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [published, typeof value === "number" && name.endsWith("At") ? isoTime(value) : value];
    }),
  );
}

/** Undefined prints nothing. */
export type Result = Fields | Output | undefined;

/** Values that `--json` prints a line each. */
export class JsonLines {
  readonly values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

interface OutputParts {
  /** Absent where the text is printed with `--json`, too. */
  readonly json?: unknown;
  /** Fields, a text of several lines, or lines. */
  readonly text: Fields | string | Iterable<string>;
  /** For standard error. */
  readonly notes?: Iterable<string>;
  /** Thrown when all is printed. */
  readonly failure?: Error | undefined;
}

/** A result that reads differently as text and as JSON, or has notes. */
export class Output {
  readonly #parts: OutputParts;

  constructor(parts: OutputParts) {
    this.#parts = parts;
  }

  print(context: CommandContext, json: boolean): void {
    const { json: value, text, notes = [], failure } = this.#parts;
    if (json && value !== undefined)
      for (const each of value instanceof JsonLines ? value.values : [value]) printJson(context, each);
    else if (typeof text === "string") writeText(context.stdout, text);
    else if (isLines(text)) printLines(context, text);
    else printResult(context, false, text);
    for (const note of notes) context.stderr.write(`${note}\n`);
    if (failure !== undefined) throw failure;
  }
}

function isLines(text: Fields | Iterable<string>): text is Iterable<string> {
  return Symbol.iterator in text;
}

/** Prints what a command returned. */
export function printed(context: CommandContext, json: boolean, result: Result): void {
  if (result instanceof Output) result.print(context, json);
  else if (result !== undefined) printResult(context, json, result);
}

/** Fields, and notes for standard error. */
export function noted(fields: Fields, ...notes: readonly string[]): Output {
  return new Output({ json: fields, text: fields, notes });
}

/** What a list is of (`source`), and how many there are where more than the listed. */
interface Counted {
  readonly of: string;
  readonly total?: number;
}

/** A line or several for each item, and one that says how many there are; with `--json` one array. */
export function list<T>(
  items: readonly T[],
  line: (item: T) => string | readonly string[],
  counted?: Counted,
): Output {
  const last = counted === undefined ? [] : [totalLine(items.length, counted)];
  return new Output({ json: items, text: [...items.flatMap(line), ...last] });
}

function totalLine(shown: number, { of, total = shown }: Counted): string {
  const all = total === 1 ? `1 ${of}` : `${total.toLocaleString("en-US")} ${plural(of)}`;
  const more = total - shown;
  return more > 0 ? `${all}; ${more.toLocaleString("en-US")} more: --limit ${total}` : all;
}

/** `batch` -> `batches`, `city` -> `cities`, `key` -> `keys`. */
function plural(word: string): string {
  if (/[^aeo]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(ch|s|x)$/.test(word) ? `${word}es` : `${word}s`;
}

interface Lines<T> {
  readonly line: (item: T) => string;
  readonly json: (item: T) => unknown;
  readonly notes: Iterable<string>;
}

/** A line for each item, with `--json` too. */
export function lines<T>(items: readonly T[], { line, json, notes }: Lines<T>): Output {
  return new Output({ json: new JsonLines(items.map(json)), text: items.map(line), notes });
}

/** Fields, and sentences below them, which `--json` has as `notes`. */
export class Explained extends Output {
  constructor({ fields, texts, notes }: Shown, lastLine?: string) {
    const hasNotes = notes.length > 0;
    super({
      json: hasNotes ? { ...fields, notes } : fields,
      text: [
        ...fieldLines({ ...fields, ...texts }),
        ...(hasNotes ? ["", ...notes.map((note) => `- ${note}`)] : []),
        ...(lastLine === undefined ? [] : ["", lastLine]),
      ],
    });
  }
}

interface Plan extends Shown {
  /** Stands for what is shown, so that what is confirmed is what was shown; null where there is nothing to confirm. */
  readonly code: string | null;
  /** Says how to go on, and ends with the command without its code. */
  readonly next: string;
  /** Does what was shown. Absent where the handler does it with `--confirm`, and returns no preview then. */
  readonly confirmed?: () => Result | Promise<Result>;
}

/** What a command would do. It does so only with the code that is printed with this. */
export class Preview extends Output {
  readonly #plan: Plan;

  constructor(plan: Plan) {
    super({ json: undefined, text: [] });
    this.#plan = plan;
  }

  override print(context: CommandContext, json: boolean): void {
    const { code, next, fields, texts, notes } = this.#plan;
    const shown = json ? { ...fields, confirm: code } : fields;
    const lastLine = code === null ? undefined : `${next} --confirm ${code}`;
    new Explained({ fields: shown, texts, notes }, lastLine).print(context, json);
  }

  /** With the code, what was shown is done. Throws OperatorError for another code. */
  async confirm(code: string): Promise<Result> {
    assertConfirmed(code, this.#plan.code ?? "");
    return await this.#plan.confirmed?.();
  }
}
