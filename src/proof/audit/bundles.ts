import { setImmediate as turn } from "node:timers/promises";
import { OperatorError } from "../../kernel/errors.ts";
import { parseDisclosureLine, splitEntries } from "../tlog/leaf.ts";
import { bundleOf, disclosuresPath, entriesPath } from "../tlog/tile.ts";
import type { Findings } from "./findings.ts";
import { type PublicFiles, readPublished } from "./public-files.ts";

/** 256 rows, or fewer at the end of the tree. */
export interface BundlePlace {
  readonly index: number;
  readonly width: number; // rows that the newest tree has in it
}

/** The two files of 256 rows as they were read. Each use of a file that could not be read throws why. */
export interface BundleFiles {
  readonly entries: () => Buffer;
  readonly disclosures: () => Buffer;
}

export function pathsOfBundle({ index, width }: BundlePlace) {
  return { entries: `ledger/${entriesPath(index, width)}`, disclosures: `ledger/${disclosuresPath(index)}` };
}

/** `disclosureFiles` reads the disclosures: what `files` gave of the leaves must still be there then. */
export async function readBundle(
  files: PublicFiles,
  place: BundlePlace,
  disclosureFiles = files,
): Promise<BundleFiles> {
  const paths = pathsOfBundle(place);
  const [entries, disclosures] = await Promise.all([
    outcome(files, paths.entries),
    outcome(disclosureFiles, paths.disclosures),
  ]);
  return { entries, disclosures };
}

async function outcome(files: PublicFiles, path: string): Promise<() => Buffer> {
  try {
    const bytes = await readPublished(files, path);
    return () => bytes;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    return () => {
      throw error;
    };
  }
}

const READ_AHEAD = 4;

/** The files of these bundles in order, some read ahead. */
export async function* readBundles<Place extends BundlePlace>(
  files: PublicFiles,
  places: Iterable<Place>,
): AsyncGenerator<readonly [Place, BundleFiles]> {
  const waiting = places[Symbol.iterator]();
  const ahead: { readonly place: Place; readonly read: Promise<BundleFiles> }[] = [];
  for (;;) {
    while (ahead.length < READ_AHEAD) {
      const next = waiting.next();
      if (next.done === true) break;
      const read = readBundle(files, next.value);
      read.catch(() => undefined); // said when its turn comes, if it does
      ahead.push({ place: next.value, read });
    }
    const first = ahead.shift();
    if (first === undefined) return;
    yield [first.place, await first.read];
    // Files of a folder are read synchronously, so the other tasks of the audit get a turn here.
    await turn();
  }
}

/** The leaves of a bundle: what is missing or malformed is a fault, and comes as what could be read. */
export function entriesOf(place: BundlePlace, { entries }: BundleFiles, findings: Findings): Uint8Array[] {
  const path = pathsOfBundle(place).entries;
  const split = findings.attemptNow(path, () => splitEntries(entries()));
  if (split !== undefined && split.length !== place.width)
    findings.fault(path, `holds ${split.length} leaves, not ${place.width}`);
  return split?.slice(0, place.width) ?? [];
}

const LINE_FEED = 10;

/** The disclosures that are out, by row id, in the same way. */
export function disclosuresOf(
  place: BundlePlace,
  { disclosures }: BundleFiles,
  findings: Findings,
): Map<number, string> {
  const path = pathsOfBundle(place).disclosures;
  const bytes = findings.attemptNow(path, disclosures);
  const byRow = new Map<number, string>();
  if (bytes !== undefined && bytes.length > 0 && bytes.at(-1) !== LINE_FEED)
    findings.fault(path, "its last line is cut short");
  for (const line of wholeLines(bytes ?? Buffer.alloc(0))) {
    const read = parseDisclosureLine(line);
    const isOwn = read !== undefined && bundleOf(read.row) === place.index;
    if (isOwn && !byRow.has(read.row)) byRow.set(read.row, read.disclosure);
    else findings.fault(path, `not a disclosure of its own rows: ${JSON.stringify(line.slice(0, 60))}`);
  }
  return byRow;
}

/** Line by line: a file as one text would be a large object, which V8 keeps until it looks at all its memory. */
function* wholeLines(bytes: Buffer): Generator<string> {
  for (let at = 0, end = bytes.indexOf(LINE_FEED); end >= 0; at = end + 1, end = bytes.indexOf(LINE_FEED, at))
    yield bytes.toString("latin1", at, end);
}
