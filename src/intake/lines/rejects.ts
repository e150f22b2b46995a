import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { OperatorError } from "../../kernel/errors.ts";
import { openNamed } from "../../kernel/files/foreign-file.ts";
import { LOOK_FIELDS } from "../looks/look.ts";
import type { LineFault } from "./fault.ts";
import { OBSERVATION_FIELDS } from "./observation-input.ts";

/** Where refused lines go: one JSON object a line, in the order of the input within each batch. */
export interface RejectSink {
  write(text: string): void;
}

/** The way of a look is where somebody went. */
const PRIVATE_FIELDS: ReadonlySet<string> = new Set([
  "observer",
  "phone",
  "address",
  "cells",
  "track",
  "polyline",
]);
/** All that may stay of a line about who opted out. */
const OPT_OUT_FIELDS: ReadonlySet<string> = new Set([
  "source",
  "source_type",
  "source_ref",
  "observed_at",
  "asset_type",
]);
const KNOWN_FIELDS: ReadonlySet<string> = new Set([...OBSERVATION_FIELDS, ...LOOK_FIELDS]);
const MASK = "[masked]";
const MAX_VALUE = 200;

/** `value` is what the line held, as far as it could be read; its private members are masked, long ones cut, others left out. */
export function rejectEntry(line: number, fault: LineFault, value: unknown): string {
  const { field, reason, message } = fault;
  return `${JSON.stringify({ line, field, reason, message, input: maskedInput(value, isPrivate(reason)) })}\n`;
}

/** Which fields are masked. The list of opt-outs must not be read off the rejects. */
function isPrivate(reason: LineFault["reason"]): (field: string) => boolean {
  if (reason === "opted_out") return (field) => !OPT_OUT_FIELDS.has(field);
  return (field) => PRIVATE_FIELDS.has(field);
}

function maskedInput(value: unknown, isMasked: (field: string) => boolean): Record<string, unknown> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const members = new Map(Object.entries(value));
  const known = [...KNOWN_FIELDS].filter((field) => members.has(field));
  return Object.fromEntries(
    known.map((field) => [field, isMasked(field) ? MASK : bounded(members.get(field))]),
  );
}

function bounded(value: unknown): unknown {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE).toWellFormed()}…`;
}

/**
 * A rejects file of its own for each run: the one of an earlier run is emptied, and a run without rejects leaves none. It may lie in a folder of whoever
 * brings the lines, so it is opened through no link of another user, and emptied only where it is this user's.
 */
export function openRejectsFile(path: string): RejectSink & Disposable {
  const file = openNamed(path, constants.O_WRONLY | constants.O_CREAT);
  const isOwnFile = lstatSync(path).isFile();
  try {
    emptyOwn(file);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return {
    write: (text) => {
      writeSync(file, text);
    },
    [Symbol.dispose]: () => {
      // Only what is a file of ours: /dev/null and pipes are empty too.
      const { size } = fstatSync(file);
      closeSync(file);
      if (size === 0 && isOwnFile) rmSync(path);
    },
  };
}

function emptyOwn(file: number): void {
  const stats = fstatSync(file);
  if (!stats.isFile()) return;
  if (!isOwn(stats)) throw new OperatorError("it belongs to another user, or has another name, a hard link");
  ftruncateSync(file);
}

function isOwn({ uid, nlink }: Stats): boolean {
  return nlink === 1 && (process.geteuid === undefined || uid === process.geteuid());
}
