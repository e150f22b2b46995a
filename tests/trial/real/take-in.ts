import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import { type IngestSummary, ingest } from "../../../src/intake/ingest.ts";
import { parseColumnMap } from "../../../src/intake/lines/column-map.ts";
import type { Classifier } from "../../../src/intake/matching/classify.ts";
import { outlineCells } from "../../../src/intake/places/city-outline.ts";
import { loadGazetteer } from "../../../src/intake/places/gazetteer.ts";
import { registerCity } from "../../../src/intake/places/register-city.ts";
import { type TakenIn, takeIn } from "../../../src/intake/take-in/take-in.ts";
import { systemRandom } from "../../../src/kernel/ids.ts";
import type { LedgerWriter } from "../../../src/ledger/writer.ts";
import { DATA_SETS, type DataFolders, type DataSet } from "./data-sets.ts";

export interface TakenFile {
  readonly name: string;
  readonly summary: IngestSummary;
  readonly taken: TakenIn;
  readonly again: IngestSummary; // the same file a second time
  readonly seconds: number; // of the first time, accepted and taken in
  readonly faults: readonly string[];
}

const NEWLINE = 10;

/** Each city once, with its official outline. */
export function registerCities(ledger: LedgerWriter, folders: DataFolders, gazetteerFile: string): void {
  const gazetteer = loadGazetteer(gazetteerFile);
  const cities = new Map(DATA_SETS.map(({ geonameId, outline }) => [geonameId, outline]));
  for (const [geonameId, outline] of cities) {
    const city = gazetteer.find((candidate) => candidate.geonameId === geonameId);
    if (city === undefined) throw new Error(`GeoNames ${geonameId} is not in the gazetteer`);
    const path = join(folders.boundaries, outline);
    registerCity(ledger, city, outlineCells(readFileSync(path, "utf8"), path, city).cells);
  }
}

/** Accepts a file twice, and takes it in. With `most`, only its first lines. */
export async function takeFile(
  ledger: LedgerWriter,
  folders: DataFolders,
  set: DataSet,
  classifier: Classifier,
  most = Number.POSITIVE_INFINITY,
): Promise<TakenFile> {
  const path = join(folders.observations, set.file);
  const mapPath = join(import.meta.dirname, set.map);
  const map = parseColumnMap(readFileSync(mapPath, "utf8"), mapPath);
  const rejects: string[] = [];
  const lines = { count: 0 };
  const once = (sink: string[], count: { count: number }) =>
    ingest({
      ledger,
      source: firstLines(path, most, count),
      name: set.file,
      map,
      synthetic: false,
      dryRun: false,
      rejects: { write: (text) => sink.push(text) },
    });
  const start = performance.now();
  const summary = await once(rejects, lines);
  const taken = await takeIn({ ledger, classifier: () => classifier, random: systemRandom, now: true });
  const seconds = (performance.now() - start) / 1000;
  const again = await once([], { count: 0 });
  const faults = [
    ...countFaults(summary, lines.count - 1, rejects.join("")),
    ...repeatFaults(summary, again),
    ...takenFaults(summary, taken),
  ];
  return {
    name: set.name,
    summary,
    taken,
    again,
    seconds,
    faults: faults.map((fault) => `${set.name}: ${fault}`),
  };
}

/** The file's bytes up to the header and `most` lines; counts the lines as they pass, by itself. */
async function* firstLines(path: string, most: number, lines: { count: number }): AsyncGenerator<Uint8Array> {
  const bytes: AsyncIterable<Buffer> = createReadStream(path).pipe(createGunzip());
  for await (const chunk of bytes) {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
      lines.count += 1;
      if (lines.count <= most) continue;
      yield chunk.subarray(0, at + 1);
      return;
    }
    yield chunk;
  }
}

const Reject = z.object({ line: z.int(), reason: z.string() });

/** Every line is accounted for, and every reason is counted as often as the rejects say it. */
function countFaults(summary: IngestSummary, lines: number, rejects: string): string[] {
  const { read, accepted, known, rejected, rejectedByReason } = summary;
  const explained = rejects
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Reject.parse(JSON.parse(line)));
  const counted = new Map<string, number>();
  for (const { reason } of explained) counted.set(reason, (counted.get(reason) ?? 0) + 1);
  const faults: string[] = [];
  if (read !== lines) faults.push(`${read} lines read, but the file has ${lines}`);
  if (accepted + known + rejected !== read)
    faults.push(`${accepted} + ${known} + ${rejected} is not ${read}`);
  if (explained.length !== rejected) faults.push(`${rejected} rejected, ${explained.length} explained`);
  if (new Set(explained.map(({ line }) => line)).size !== explained.length)
    faults.push("a line is rejected twice");
  for (const [reason, count] of Object.entries(rejectedByReason))
    if (counted.get(reason) !== count)
      faults.push(`${reason}: ${count} counted, ${counted.get(reason) ?? 0} explained`);
  return faults;
}

function repeatFaults(first: IngestSummary, again: IngestSummary): string[] {
  const faults: string[] = [];
  if (again.accepted !== 0) faults.push(`the second time: ${again.accepted} accepted`);
  if (again.rejected !== first.rejected) faults.push(`the second time: ${again.rejected} rejected`);
  if (again.known !== first.accepted + first.known) faults.push(`the second time: ${again.known} known`);
  return faults;
}

/** Every accepted line became a row or waits for a reviewer. */
function takenFaults({ accepted }: IngestSummary, { lines, refused }: TakenIn): string[] {
  const faults: string[] = [];
  if (lines !== accepted) faults.push(`${accepted} accepted, but ${lines} taken in`);
  if (refused !== 0) faults.push(`${refused} lines were refused when they were taken in`);
  return faults;
}
