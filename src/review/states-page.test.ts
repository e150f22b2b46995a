import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  AssetStatus,
  CollectionStatus,
  DenominatorStatus,
  EntityStatus,
  LaunchStatus,
  PublicationStatus,
  ReportStatus,
  SubscriptionStatus,
  VerificationState,
  WebhookStatus,
} from "../contract/enums.ts";
import { MOVES, type Move, REASONS } from "./moves.ts";

const PAGE = readFileSync(join(import.meta.dirname, "..", "..", "docs", "states.md"), "utf8");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

function code(states: readonly string[]): string {
  return states.map((state) => `\`${state}\``).join(", ");
}

const subjects: [string, readonly Move[]][] = Object.entries(MOVES);

test.for(subjects)("docs/states.md has the moves of: %s", ([subject, moves]) => {
  const rows = moves.map(({ move, from, to, by }) => [
    move,
    code(from),
    to === null ? "what it was before" : code([to]),
    by,
  ]);
  const section = PAGE.split(/^## /m).find((text) => text.toLowerCase().startsWith(`${subject}\n`));
  expect(section).toContain(table(["move", "from", "to", "by"], rows));
});

test("docs/states.md has the reason codes", () => {
  const rows = Object.entries(REASONS).map(([reason, meaning]) => [`\`${reason}\``, meaning]);
  expect(PAGE).toContain(table(["code", "meaning"], rows));
});

test("the page has a section for nothing else", () => {
  const sections = Array.from(PAGE.matchAll(/^## (.+)$/gm), ([, title = ""]) => title.toLowerCase());
  expect(sections).toEqual([...Object.keys(MOVES), "reason codes"]);
});

test.for([
  ["entity", [...EntityStatus.options, "merged"]],
  ["asset", AssetStatus.options],
  ["observation", VerificationState.options],
  ["city denominator", DenominatorStatus.options],
  ["city publication", PublicationStatus.options],
  ["city collection", CollectionStatus.options],
  ["city launch", LaunchStatus.options],
  ["subscription", SubscriptionStatus.options],
  ["report", ReportStatus.options],
  ["webhook", WebhookStatus.options],
] as const)("the states of %s are those of the interface", ([subject, states]) => {
  const moves: readonly Move[] = MOVES[subject];
  const named = new Set(moves.flatMap(({ from, to }) => [...from, ...(to === null ? [] : [to])]));
  expect([...named].sort()).toEqual([...states].sort());
});
