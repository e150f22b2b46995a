import type { Command } from "@commander-js/extra-typings";
import { withProgress } from "../../../build/progress.ts";
import { loadReference } from "../../../build/reference.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, homeOf, printJson, printLines } from "../../../operations/context.ts";
import type { Comparison } from "../../../operations/replay/comparison.ts";
import { replayRelease } from "../../../operations/replay/replay.ts";
import { Findings } from "../../../proof/audit/findings.ts";
import { openRelease } from "../../../proof/audit/release-manifest.ts";
import { VKEY_OPTION } from "../../command.ts";
import { publicFiles, withPublicFiles } from "../../public-files-option.ts";

const MAX_LISTED = 50;

export function define(command: Command, context: CommandContext): void {
  withPublicFiles(command)
    .option(...VKEY_OPTION)
    .option("--json", "print counts and differences as JSON")
    .addHelpText(
      "after",
      "\nExit code 0: no difference. 1: differences, each named, or the evidence itself does not verify.",
    )
    .action(async ({ vkey, json, ...place }) => {
      const { files, folder, name } = publicFiles(context, place);
      const findings = new Findings();
      const release = await openRelease(files, { vkey }, findings);
      const reference = loadReference(homeOf(context));
      const comparison =
        release &&
        (await withProgress(context, "replaying", (update) =>
          replayRelease({ files, site: folder?.site, release }, reference, findings, update),
        ));
      if (json) printJson(context, jsonReport(name, findings, comparison));
      else printLines(context, plainReport(name, findings, comparison));
      if (comparison === undefined || comparison.differences.length > 0 || findings.faults.length > 0)
        throw new OperatorError(`${name}: does not replay`);
    });
}

function jsonReport(subject: string, { faults }: Findings, comparison: Comparison | undefined) {
  return {
    subject,
    documents: comparison?.documents ?? 0,
    numbers: comparison?.numbers ?? 0,
    topics: Object.fromEntries(comparison?.topics ?? []),
    carried_over: Object.fromEntries(comparison?.carriedOver ?? []),
    not_replayable: Object.fromEntries(comparison?.notReplayable ?? []),
    differences: comparison?.differences ?? [],
    faults,
  };
}

function* plainReport(
  name: string,
  { faults }: Findings,
  comparison: Comparison | undefined,
): Generator<string> {
  for (const { subject, problem } of faults) yield `FAULT  ${subject}: ${problem}`;
  if (comparison === undefined) return;
  const { differences, topics, notReplayable, carriedOver, documents, numbers } = comparison;
  for (const { file, value, published, replayed } of differences.slice(0, MAX_LISTED))
    yield `DIFFERS  ${file}: ${value}: published ${JSON.stringify(published)}, replayed ${JSON.stringify(replayed)}`;
  if (differences.length > MAX_LISTED) yield `… and ${differences.length - MAX_LISTED} more`;
  for (const [topic, { values, differ }] of topics)
    yield `${values.toLocaleString("en-US").padStart(12)}  ${topic}: ${differ} differ`;
  if (carriedOver.size > 0)
    yield `carried over from before an erasure until the next nightly release, and taken as given: ${[...carriedOver].map(([kind, count]) => `${kind} (${count})`).join(", ")}`;
  const left = [...notReplayable].map(([value, count]) => `${value} (${count})`).join(", ");
  yield `not replayable, because they are counted from private principals (scouts of a city) or by the server (requests): ${left === "" ? "none" : left}`;
  const differ = [...topics.values()].reduce((sum, topic) => sum + topic.differ, 0);
  yield `${name}: ${documents.toLocaleString("en-US")} documents, ${numbers.toLocaleString("en-US")} numbers compared, ${differ} values differ`;
}
