import { standardClassifier } from "../../intake/matching/classify.ts";
import { readNamedFile } from "../../kernel/files/foreign-file.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { PARAMETERS } from "../../method/numbers.ts";
import type { SharesByType, SignShare } from "../../method/revisit/measurement.ts";
import { homeOf } from "../../operations/context.ts";
import { planRevisit } from "../../operations/revisit/plan-revisit.ts";
import { type ReadRevisit, readRevisit, takeRevisit } from "../../operations/revisit/take-revisit.ts";
import { type Bare, command } from "../command.ts";
import { whole, writeNewFile } from "../options.ts";
import { Preview } from "../output.ts";

/** A plan is one row, whose body any reader can take. */
const MAX_ASSETS = 5000;
const MAX_CELLS = 2000;

const plan = command({
  path: "revisit plan",
  does: "draw listed assets and visited cells by the newest seal, append the plan, and write the tasks for scouts",
  takes: (bare: Bare) =>
    bare
      .argument("<city>")
      .option(
        "--assets <number>",
        "assets to visit",
        whole("--assets", MAX_ASSETS),
        PARAMETERS.revisit.assets,
      )
      .option("--cells <number>", "cells to search", whole("--cells", MAX_CELLS), PARAMETERS.revisit.cells)
      .option(
        "--out <file>",
        "write the tasks to this new file, readable only by its owner (default: PLAN.tasks.ndjson)",
      ),
  access: "append",
  clock: "writes rows",
  run({ context, ledger }, { out, ...sizes }, city) {
    using reader = openLedgerReader(homeOf(context).ledger);
    let file = "";
    const planned = planRevisit(ledger, reader, city, sizes, (tasks, name) => {
      file = out ?? `${name}.tasks.ndjson`;
      writeNewFile(file, tasks.map((task) => `${task}\n`).join(""));
    });
    const { row, plan, name, lines, visitUntil } = planned;
    return {
      ...{ city, plan: name, row, manifest_sha256: plan.manifest_sha256 },
      ...{ assets: plan.assets.length, cells: plan.cells.length, tasks: lines.length },
      ...{ file, visit_until: visitUntil },
    };
  },
});

const take = command({
  path: "revisit take",
  does: "take in the results of scouts; without --confirm, only preview them",
  takes: (bare: Bare) => bare.argument("<file>"),
  access: "append",
  clock: "writes rows",
  confirm: "append the result, with the code that the preview prints",
  prepare(context, _, file) {
    const text = readNamedFile(file);
    return ({ ledger }) => {
      using reader = openLedgerReader(homeOf(context).ledger);
      const read = readRevisit(ledger, reader, { text, file }, standardClassifier);
      const fields = resultFields(read);
      return new Preview({
        fields,
        notes: [],
        code: read.code,
        next: `To take this: presence revisit take ${file}`,
        confirmed: () => ({ ...fields, row: takeRevisit(ledger, read) }),
      });
    };
  },
});

export const commands = [plan, take];

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
