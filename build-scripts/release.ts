import { mkdirSync } from "node:fs";
import { OperatorError } from "../src/kernel/errors.ts";
import { loadSigner } from "../src/ledger/keys.ts";
import { acquireLock } from "../src/ledger/lock.ts";
import { type LedgerReader, openLedgerReader } from "../src/ledger/reader.ts";
import { type CommandContext, homeOf, parseInstant } from "./context.ts";
import { buildRelease, type ReleaseSummary } from "./nightly.ts";
import { buildReporter } from "./reporter.ts";
import { sourceRevision } from "./source-revision.ts";

export interface ReleaseOptions {
  readonly asOf?: string;
  readonly treeSize?: string;
}

/** Build and publish a release of what is sealed. Throws OperatorError when nothing is sealed or another build runs. */
export async function makeRelease(context: CommandContext, options: ReleaseOptions): Promise<ReleaseSummary> {
  const home = homeOf(context);
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  mkdirSync(home.root, { recursive: true });
  const lock = acquireLock(`${home.root}/build.lock`, `building a release in ${home.root}`);
  try {
    const { environment } = reader.meta;
    const treeSize = chosenTreeSize(reader, options.treeSize);
    return await buildRelease(
      {
        home,
        project: context.project,
        treeSize,
        asOf: chosenAsOf(context, reader, treeSize, options.asOf),
        baseUrl: context.config.baseUrl,
        sourceRevision: context.config.sourceRevision ?? sourceRevision(context.project),
        releasesKept: context.config.releasesKept,
        sign: (text) => loadSigner(home.keys, environment).sign(text),
        beforePublish: () => reader.advanceHead(home.keys),
      },
      buildReporter({ output: context.stderr, logFile: home.buildLog, clock: context.clock }),
    );
  } finally {
    lock.release();
  }
}

function chosenTreeSize(reader: LedgerReader, option: string | undefined): number {
  const latest = reader.latestCheckpoint();
  if (latest === undefined) throw new OperatorError("nothing is sealed yet: run `presence seal --now` first");
  if (option === undefined) return latest.size;
  const size = Number(option);
  if (reader.checkpointAt(size) !== undefined) return size;
  throw new OperatorError(
    `--tree-size ${option}: no checkpoint has that size; the newest has ${latest.size}`,
  );
}

/** Production lives in the machine's time; a demonstration stands still at its last seal, so that its build is repeatable. */
function chosenAsOf(
  context: CommandContext,
  reader: LedgerReader,
  treeSize: number,
  option: string | undefined,
): number {
  if (option !== undefined) return parseInstant(option, "--as-of");
  if (reader.meta.environment === "production") return Math.floor(context.clock() / 1000) * 1000;
  const last = reader.seals(treeSize).at(-1);
  return last === undefined ? context.clock() : Date.parse(last.body.created_at);
}
