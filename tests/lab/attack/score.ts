/** A line of the table: how often a reader would be right by guessing, how often by an attack, and what may be. */

import { textTable } from "../../../build-scripts/text-table.ts";

export interface AttackLine {
  readonly attack: string;
  readonly method: string;
  readonly tried: number;
  readonly guess: number | null; // share of 1; null where nothing can be guessed
  readonly found: number; // share of 1, or a count
  readonly goal: string;
  /** Null: stated for the record, because it cannot be hidden. */
  readonly isMet: boolean | null;
}

const POINTS_ABOVE_GUESSING = 0.05;

export function shareLine(
  line: Pick<AttackLine, "attack" | "method" | "tried"> & { guess: number; found: number },
): AttackLine {
  const isMet = line.found - line.guess <= POINTS_ABOVE_GUESSING;
  return { ...line, goal: "at most 5 points above guessing", isMet };
}

export function countLine(line: Pick<AttackLine, "attack" | "method" | "tried" | "found">): AttackLine {
  return { ...line, guess: null, goal: "0", isMet: line.found === 0 };
}

export function statedLine(
  line: Pick<AttackLine, "attack" | "method" | "tried"> & { guess: number; found: number },
): AttackLine {
  return { ...line, goal: "cannot be hidden", isMet: null };
}

export function attackTable(lines: readonly AttackLine[]): string {
  const cells = lines.map((line) => [
    line.attack,
    line.method,
    String(line.tried),
    line.guess === null ? "" : percent(line.guess),
    line.guess === null ? String(line.found) : percent(line.found),
    line.goal,
    line.isMet === null ? "-" : line.isMet ? "yes" : "NO",
  ]);
  return textTable([["attack", "method", "tried", "guess", "found", "goal", "met"], ...cells]);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** The share of items for which `isRight` holds; 0 without any. */
export function shareOf<T>(items: readonly T[], isRight: (item: T) => boolean): number {
  return items.length === 0 ? 0 : items.filter(isRight).length / items.length;
}
