/** Finds a supplier's line, a row, a record, an asset or a name, and says what became of it and why. Everything here is private. */

import { factKeys } from "../../intake/opt-outs/judge.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { readTypedId } from "../../kernel/text/typed-id.ts";
import { isoDate } from "../../kernel/time.ts";
import { assertSource, knownReference, lineHit, openLinesNamed, otherSources } from "./line-hit.ts";
import { observationHit, strippedHit } from "./observation-hit.ts";
import { recordHit, recordsNamed } from "./record-hit.ts";
import type { FindSources } from "./sources.ts";

export type Hit = Readonly<Record<string, unknown>> & { readonly found: string };

export interface Found {
  readonly hits: readonly Hit[];
  readonly total: number; // at least as many as `hits`
  readonly notes: readonly string[];
}

export interface Wanted {
  readonly what: string; // a row, a line, a public id, an address or a name; with `ref` a source
  readonly ref: string | undefined;
  readonly limit: number;
}

/** Throws OperatorError for an unknown source. */
export function find({ what, ref, limit }: Wanted, sources: FindSources): Found {
  if (ref !== undefined) return byReference(what, ref, sources);
  const id = readTypedId(what);
  switch (id?.kind) {
    case "row":
      return ofRow(id.row, sources);
    case "line":
      return ofLine(id.batch, id.line, sources);
    case "batch":
      return { hits: [], total: 0, notes: [`a batch is shown by \`presence batch show ${id.batch}\``] };
    case "public_id":
      return ofPublicId(id.publicId, limit, sources);
    default:
      return byName(what, limit, sources);
  }
}

function one(hit: Hit, ...notes: string[]): Found {
  return { hits: [hit], total: 1, notes };
}

function nothing(...notes: string[]): Found {
  return { hits: [], total: 0, notes };
}

const REJECTED =
  "a rejected line is kept in no table: look into the rejects file of its ingest (FILE.rejects.ndjson beside the input), which names line and reason";
const OPTED_OUT =
  "of an opt-out only keyed hashes are kept: its lines are refused, and nothing of them can be shown";

function byReference(source: string, ref: string, sources: FindSources): Found {
  assertSource(source, sources);
  const known = knownReference(source, ref, sources);
  switch (known?.kind) {
    case "row":
      return ofRow(known.row, sources);
    case "open":
      return one(lineHit(known.open, sources));
    case "look":
      return nothing("this is the reference of a look: of those, cells and days are kept and no lines");
    case "gone":
      return nothing(
        `a line with this reference was accepted of ${source}, and has neither a row nor waits: a reviewer dismissed it, it was deleted (\`presence redact BATCH:LINE\`, \`source withdraw\`, \`observer erase\`), or refused when its day was taken in`,
        OPTED_OUT,
      );
    default:
      return nothing(
        `no line of ${source} with this reference was accepted: references are compared as a whole, letter by letter`,
        ...otherSources(source, ref, sources).map((other) => `the same reference is known of ${other}`),
        REJECTED,
        "`presence batch undo` forgets the references of its lines: they may come again",
      );
  }
}

function ofLine(batch: string, line: number, sources: FindSources): Found {
  const open = sources.ledger.pending.find(batch, line);
  if (open !== undefined) return one(lineHit(open, sources));
  return nothing(
    `no line ${batch}:${line} waits: it became a row, was rejected, or is gone; find it by its source and reference`,
    REJECTED,
  );
}

function ofRow(row: number, sources: FindSources): Found {
  const { ledger, state } = sources;
  const known = ledger.live.find(row);
  if (known === undefined)
    return nothing(`there is no row ${row}: the last one is row ${ledger.head().lastRow}`);
  if (!known.isLive) return one(erasedHit(row, known.kind, known.erasedBy));
  if (known.kind === "record") return one(recordHit(row, sources));
  if (known.kind === "asset") return ofAsset(row, sources);
  if (known.kind === "observation") {
    const [stored] = ledger.storedObservations({ rows: [row] });
    return one(stored === undefined ? strippedHit(row, sources) : observationHit(stored, sources));
  }
  const records = ledger.live.recordsAbout(row).filter((record) => state.records.has(record));
  return one({
    found: "row",
    row,
    kind: known.kind,
    ...dateOf(row, sources),
    body: ledger.live.bodyOf(row) ?? null,
    records: records.map((record) => state.records.get(record)?.body.public_id),
  });
}

function dateOf(row: number, { ledger }: FindSources) {
  const acceptedAt = ledger.live.acceptedAt(row);
  return { accepted: acceptedAt === undefined ? null : isoDate(acceptedAt) };
}

type Erasure = NonNullable<ReturnType<FindSources["ledger"]["live"]["find"]>>["erasedBy"];

function erasedHit(row: number, kind: string, by: Erasure): Hit {
  return {
    found: "erased row",
    row,
    kind,
    erased_by: by?.id ?? null,
    erased_on: by === undefined ? null : isoDate(by.acceptedAt),
    reason: by?.reason ?? null,
    why: ["its values and salts are deleted; the ledger keeps its hash, and that it was erased"],
  };
}

function ofAsset(row: number, sources: FindSources): Found {
  const { state } = sources;
  const asset = state.assets.get(row);
  if (asset === undefined) return nothing(`row ${row} is an asset that no record has`);
  const { record, public_id, asset_type } = state.reassigned.owned(row, asset.body);
  return one({
    found: "asset",
    row,
    public_id,
    asset_type,
    retired: state.isRetired(row),
    record: recordHit(record, sources),
  });
}

function ofPublicId(publicId: string, limit: number, sources: FindSources): Found {
  const row = sources.state.withPublicId(publicId);
  if (row !== undefined) return ofRow(row, sources);
  const named = byName(publicId, limit, sources);
  if (named.total > 0) return named;
  return nothing(
    `no live record or asset has the id ${publicId}: it was never given out, or was erased: \`presence release diff\` and the withdrawals of the site (/api/v1/withdrawals) name erased rows`,
    OPTED_OUT,
  );
}

function byName(name: string, limit: number, sources: FindSources): Found {
  const records = recordsNamed(name, sources);
  const lines = [...openLinesNamed(name, sources)];
  const notes = refusedIn(name, sources).map(
    (city) => `the name is refused in ${city} by an opt-out: ${OPTED_OUT}`,
  );
  const total = records.length + lines.length;
  if (total === 0)
    return nothing(
      "no record is called so or was seen under this name, and no line that waits gives it; parts of names are found, whatever their accents",
      ...notes,
      REJECTED,
      ...(notes.length === 0 ? [OPTED_OUT] : []),
    );
  const shown = records.slice(0, limit);
  return {
    hits: [
      ...shown.map((record) => recordHit(record, sources)),
      ...lines.slice(0, limit - shown.length).map((open) => lineHit(open, sources)),
    ],
    total,
    notes,
  };
}

/** Cities in which an opt-out refuses every line of exactly this name. */
function refusedIn(name: string, { ledger, hashes, state }: FindSources): string[] {
  const optOuts = ledger.optOuts();
  const key = nameKey(name);
  return [...state.cities.keys()].filter((city) => optOuts.isOptedOut(factKeys(city, hashes).name(key)));
}
