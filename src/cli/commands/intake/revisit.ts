import { writeFileSync } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import { standardClassifier } from "../../../intake/matching/classify.ts";
import { hasErrorCode, OperatorError } from "../../../kernel/errors.ts";
import { readNamedFile } from "../../../kernel/files/named-file.ts";
import { openLedgerReader } from "../../../ledger/reader.ts";
import { PARAMETERS } from "../../../method/parameters.ts";
import type { SharesByType, SignShare } from "../../../method/revisit/measurement.ts";
import { type CommandContext, homeOf, printLines, printResult } from "../../../operations/context.ts";
import { planRevisit } from "../../../operations/revisit/plan-revisit.ts";
import { type ReadRevisit, readRevisit, takeRevisit } from "../../../operations/revisit/take-revisit.ts";
import { openCurrentWriter } from "../../../operations/take-in.ts";
import { CLOCK_OPTION, JSON_OPTION, whole } from "../../command.ts";

/** A plan is one row, whose body any reader can take. */
const MAX_ASSETS = 5000;
const MAX_CELLS = 2000;

export function define(revisit: Command, context: CommandContext): void {
  revisit
    .command("plan <city>")
    .description(
      "draw listed assets and looked-at cells by the newest seal, append the plan, and write the tasks for scouts",
    )
    .option("--assets <number>", "assets to visit", whole("--assets", MAX_ASSETS), PARAMETERS.revisit.assets)
    .option("--cells <number>", "cells to search", whole("--cells", MAX_CELLS), PARAMETERS.revisit.cells)
    .option(
      "--out <file>",
      "write the tasks to this new file, that only its owner can read (default: PLAN.tasks.ndjson)",
    )
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action(async (city, { assets, cells, out, clock, json }) => {
      using ledger = await openCurrentWriter(context, clock);
      using reader = openLedgerReader(homeOf(context).ledger);
      const sizes = { assets, cells };
      let file = "";
      const { row, plan, name, lines, visitUntil } = planRevisit(
        ledger,
        reader,
        city,
        sizes,
        (tasks, planned) => {
          file = out ?? `${planned}.tasks.ndjson`;
          writeTasks(file, tasks);
        },
      );
      printResult(context, json, {
        ...{ city, plan: name, row, manifest_sha256: plan.manifest_sha256 },
        ...{ assets: plan.assets.length, cells: plan.cells.length, tasks: lines.length },
        ...{ file, visit_until: visitUntil },
      });
    });

  revisit
    .command("take <file>")
    .description("take what scouts found; without --confirm, only show what it says")
    .option("--confirm <code>", "append the result; the code is what the run without it prints")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action(async (file, { confirm, clock, json = false }) => {
      const text = readNamedFile(file);
      using ledger = await openCurrentWriter(context, clock);
      using reader = openLedgerReader(homeOf(context).ledger);
      const read = readRevisit(ledger, reader, { text, file }, standardClassifier);
      if (confirm !== undefined) {
        const row = takeRevisit(ledger, read, confirm);
        printResult(context, json, { ...resultFields(read), row });
        return;
      }
      printResult(context, json, { ...resultFields(read), ...(json && { confirm: read.code }) });
      if (!json)
        printLines(context, ["", `To take this: presence revisit take ${file} --confirm ${read.code}`]);
    });
}

function resultFields({ plan, name, result, measurement, tasks, answered, leftOut }: ReadRevisit) {
  return {
    city: result.city,
    plan: name,
    plan_row: plan.row,
    tasks,
    tasks_answered: answered,
    visited_from: result.visited_from,
    visited_until: result.visited_until,
    assets_visited: measurement.assetsVisited,
    cells_visited: measurement.cellsVisited,
    signs_left_out: leftOut,
    precision: sharesText(measurement.precision),
    detection_rate: sharesText(measurement.detection),
  };
}

function sharesText({ total, byType }: SharesByType) {
  const shares = { total, ...byType };
  return Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, shareText(share)]));
}

function shareText({ hits, signs, value, interval, unknown }: SignShare): string {
  const counts = `${hits} of ${signs}`;
  if (value === null || interval === null) return `${counts} (not yet known: ${unknown ?? ""})`;
  return `${counts} (${value}, 95 % interval ${interval.low} to ${interval.high})`;
}

function writeTasks(file: string, lines: readonly string[]): void {
  try {
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""), { flag: "wx", mode: 0o600 });
  } catch (cause) {
    if (hasErrorCode(cause, "EEXIST"))
      throw new OperatorError(`--out ${file}: the file exists already: give another name`, { cause });
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`--out ${file}: the file cannot be written (${problem})`, { cause });
  }
}
