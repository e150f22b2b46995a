import { FormatError } from "../tlog/bytes.ts";
import type { JsonObject } from "../tlog/leaf.ts";
import { type ReadFile, TileTree } from "../tlog/tile-tree.ts";
import { checkPublished, checkRelated, type ProvedRow } from "./observation-steps.ts";
import { type Passed, type Question, STEPS, type StepName, type StepReport, Stop } from "./outcome.ts";
import { checkCheckpoint, checkDisclosure, checkKey, checkLeaf, checkPath } from "./row-steps.ts";
import { missing, nodeHash, type SiteReader, type Subtle, usableCrypto } from "./site-reader.ts";

export interface Tools {
  readonly reader: SiteReader;
  readonly subtle: Subtle | undefined; // undefined where a page was not served securely
}

/** A report; that of a disclosure that passed bears what the row says. */
export type Report = StepReport & { readonly body?: JsonObject };

/** Checks one row: a report for each of STEPS, in their order, as soon as it is known. Throws nothing. */
export async function* checkRow(question: Question, tools: Tools): AsyncGenerator<Report, void> {
  let done = 0;
  let stop = new Stop("not checked", "");
  try {
    for await (const report of passingSteps(question, tools)) {
      done += 1;
      yield report;
    }
  } catch (error) {
    stop = stopOf(error);
  }
  const [current, ...later] = STEPS.slice(done);
  if (current === undefined) return;
  const { state, message, facts } = stop;
  yield { step: current.name, state, says: message, facts, files: tools.reader.takeAddresses() };
  for (const { name } of later)
    yield {
      step: name,
      state: "not checked",
      says: "The previous step must pass first.",
      facts: [],
      files: [],
    };
}

/** Throws Stop or FormatError at the first step that does not pass. */
async function* passingSteps(
  { row, record, knownKey }: Question,
  tools: Tools,
): AsyncGenerator<Report, void> {
  const { reader } = tools;
  const passed = (step: StepName, { says, facts }: Passed<unknown>): Report => {
    return { step, state: "passed", says, facts, files: reader.takeAddresses() };
  };
  const subtle = await usableCrypto(tools.subtle);
  const key = await checkKey(knownKey, reader, subtle);
  yield passed("key", key);
  const head = await checkCheckpoint(key.found, reader, subtle);
  yield passed("checkpoint", head);
  const tree = new TileTree(head.found.size, tilesOf(reader), nodeHash(subtle));
  const leaf = await checkLeaf(row, tree, reader, subtle);
  yield passed("leaf", leaf);
  yield passed("path", await checkPath(leaf.found, head.found, tree, nodeHash(subtle)));
  const disclosure = await checkDisclosure(leaf.found.leaf, reader, subtle);
  yield { ...passed("disclosure", disclosure), body: disclosure.found };
  const published = await checkPublished(record, leaf.found, disclosure.found, reader);
  yield passed("published", published);
  const prove = async (other: number): Promise<ProvedRow> => {
    const { found } = await checkLeaf(other, tree, reader, subtle);
    await checkPath(found, head.found, tree, nodeHash(subtle));
    const { found: body } = await checkDisclosure(found.leaf, reader, subtle);
    return { row: other, kind: found.leaf.kind, body };
  };
  yield passed("related", await checkRelated(published.found, prove));
}

/** A tile that is not there is out of reach, no contradiction; for a partial one the tree asks for the full one next. */
function tilesOf(reader: SiteReader): ReadFile {
  return async (path) => {
    const address = `/ledger/${path}`;
    return (await reader.read(address)) ?? (path.includes(".p/") ? undefined : missing(address));
  };
}

function stopOf(error: unknown): Stop {
  if (error instanceof Stop) return error;
  if (error instanceof FormatError)
    return new Stop("failed", `A published file is malformed: ${error.message}.`);
  return new Stop("could not check", error instanceof Error ? error.message : String(error));
}
