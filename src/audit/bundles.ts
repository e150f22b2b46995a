import { setImmediate as turn } from "node:timers/promises";
import { splitEntries } from "../tlog/entries.ts";
import { bundleOf, bundleWidth, disclosuresPath, entriesPath, TILE_WIDTH } from "../tlog/tile.ts";
import type { Findings } from "./findings.ts";
import { type PublicFiles, readPublished } from "./public-files.ts";

/** 256 rows as they are published: their leaves, and the disclosures that are out, by row id. */
export interface Bundle {
  readonly index: number;
  readonly entries: readonly Buffer[];
  readonly disclosures: ReadonlyMap<number, string>;
}

const READ_AHEAD = 4;
const LINE_FEED = 10;
const LINE = /^\{"i":([1-9][0-9]{0,15}),"d":"([A-Za-z0-9_-]+)"\}$/;

/** The bundles of the first `size` rows in order. What is missing or malformed is a fault, and comes as what could be read. */
export async function* readBundles(
  files: PublicFiles,
  size: number,
  findings: Findings,
): AsyncGenerator<Bundle> {
  const count = Math.ceil(size / TILE_WIDTH);
  const ahead: Promise<Bundle>[] = [];
  for (let index = 0; index < count; index += 1) {
    while (ahead.length < READ_AHEAD && index + ahead.length < count) {
      const bundle = readBundle(files, index + ahead.length, size, findings);
      bundle.catch(() => undefined); // said when its turn comes, if it does
      ahead.push(bundle);
    }
    const next = ahead.shift();
    if (next !== undefined) yield next;
    // Files of a folder are read synchronously, so the other tasks of the audit get a turn here.
    await turn();
  }
}

async function readBundle(
  files: PublicFiles,
  index: number,
  size: number,
  findings: Findings,
): Promise<Bundle> {
  const width = bundleWidth(index, size);
  const [entries, disclosures] = await Promise.all([
    readEntries(files, index, width, findings),
    readDisclosures(files, index, findings),
  ]);
  return { index, entries, disclosures };
}

async function readEntries(
  files: PublicFiles,
  index: number,
  width: number,
  findings: Findings,
): Promise<Buffer[]> {
  const path = `ledger/${entriesPath(index, width)}`;
  const entries = await findings.attempt(path, async () => {
    return splitEntries(await readPublished(files, path)).map((entry) =>
      Buffer.from(entry.buffer, entry.byteOffset, entry.length),
    );
  });
  if (entries !== undefined && entries.length !== width)
    findings.fault(path, `holds ${entries.length} leaves, not ${width}`);
  return entries?.slice(0, width) ?? [];
}

async function readDisclosures(
  files: PublicFiles,
  index: number,
  findings: Findings,
): Promise<Map<number, string>> {
  const path = `ledger/${disclosuresPath(index)}`;
  const bytes = await findings.attempt(path, () => readPublished(files, path));
  const disclosures = new Map<number, string>();
  if (bytes !== undefined && bytes.length > 0 && bytes.at(-1) !== LINE_FEED)
    findings.fault(path, "its last line is cut short");
  for (const line of wholeLines(bytes ?? Buffer.alloc(0))) {
    const [, row, disclosure] = LINE.exec(line) ?? [];
    const id = Number(row);
    const isOwn = bundleOf(id) === index;
    if (disclosure === undefined || !isOwn || disclosures.has(id))
      findings.fault(path, `not a disclosure of its own rows: ${JSON.stringify(line.slice(0, 60))}`);
    else disclosures.set(id, disclosure);
  }
  return disclosures;
}

/** Line by line: a file as one text would be a large object, which V8 keeps until it looks at all its memory. */
function* wholeLines(bytes: Buffer): Generator<string> {
  for (let at = 0, end = bytes.indexOf(LINE_FEED); end >= 0; at = end + 1, end = bytes.indexOf(LINE_FEED, at))
    yield bytes.toString("latin1", at, end);
}
