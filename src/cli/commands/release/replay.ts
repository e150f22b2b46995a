import type { Command } from "commander";
import { Findings } from "../../../audit/findings.ts";
import { openRelease } from "../../../audit/release-manifest.ts";
import { progressBar } from "../../../build/progress.ts";
import { loadReference } from "../../../build/reference.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, homeOf } from "../../../operations/context.ts";
import type { Comparison } from "../../../operations/replay/comparison.ts";
import { replayRelease } from "../../../operations/replay/replay.ts";
import { type PublicFilesOptions, publicFiles, withPublicFiles } from "../../public-files-option.ts";

interface ReplayOptions extends PublicFilesOptions {
  readonly vkey?: string;
  readonly json?: boolean;
}

const SHOWN = 50;

export function defineReplay(command: Command, context: CommandContext): void {
  withPublicFiles(command)
    .option("--vkey <key>", "a verification key of the log that you know from elsewhere")
    .option("--json", "print counts and differences as JSON")
    .addHelpText(
      "after",
      "\nExit code 0: nothing differs. 1: something does, each named, or the evidence itself does not verify.",
    )
    .action((options: ReplayOptions) => replay(context, options));
}

async function replay(context: CommandContext, options: ReplayOptions): Promise<void> {
  const { files, name } = publicFiles(context, options);
  const findings = new Findings();
  const bar = progressBar(context.stderr, "replaying", context.clock);
  const release = await openRelease(files, { vkey: options.vkey }, findings);
  const reference = loadReference(homeOf(context));
  const comparison =
    release &&
    (await replayRelease(files, release, reference, findings, (done, total) => bar.update(done, total)));
  bar.done();
  if (options.json === true)
    context.stdout.write(`${JSON.stringify(jsonReport(name, findings, comparison))}\n`);
  else for (const line of plainReport(name, findings, comparison)) context.stdout.write(`${line}\n`);
  if (comparison === undefined || comparison.differences.length > 0 || findings.faults.length > 0)
    throw new OperatorError(`${name}: does not replay`);
}

function jsonReport(subject: string, { faults }: Findings, comparison: Comparison | undefined) {
  return {
    subject,
    documents: comparison?.documents ?? 0,
    numbers: comparison?.numbers ?? 0,
    topics: Object.fromEntries(comparison?.topics ?? []),
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
  const { differences, topics, notReplayable, documents, numbers } = comparison;
  for (const { file, value, published, replayed } of differences.slice(0, SHOWN))
    yield `DIFFERS  ${file}: ${value}: published ${JSON.stringify(published)}, replayed ${JSON.stringify(replayed)}`;
  if (differences.length > SHOWN) yield `… and ${differences.length - SHOWN} more`;
  for (const [topic, { values, differ }] of topics)
    yield `${values.toLocaleString("en-US").padStart(12)}  ${topic}: ${differ} differ`;
  const left = [...notReplayable].map(([value, count]) => `${value} (${count})`).join(", ");
  yield `not replayable, because a city's scouts are counted from private hashes, and requests by the server alone: ${left === "" ? "nothing here" : left}`;
  const differ = [...topics.values()].reduce((sum, topic) => sum + topic.differ, 0);
  yield `${name}: ${documents.toLocaleString("en-US")} documents, ${numbers.toLocaleString("en-US")} numbers compared, ${differ} values differ`;
}
