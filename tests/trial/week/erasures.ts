import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { cellToLatLng } from "h3-js";
import { z } from "zod";
import { CityCellCollection } from "../../../src/contract/cities/city.ts";
import { EvidencePacket } from "../../../src/contract/records/evidence.ts";
import { filesBelow } from "../../../src/kernel/files/durable-file.ts";
import type { Home } from "../../../src/kernel/home.ts";
import { openLedgerReader } from "../../../src/ledger/reader.ts";
import type { Drawn, WeekDesk } from "./desk.ts";
import { type Published, readJson } from "./published.ts";

/** What was erased, and what may be found nowhere since. */
export interface Traces {
  readonly values: readonly string[];
  /** Leaf hashes stay in the tree, and nowhere else. */
  readonly leafHashes: readonly Buffer[];
}

const Preview = z.object({
  confirm: z.string(),
  names: z.array(z.object({ name: z.string(), where: z.enum(["city", "places", "nowhere"]) })),
  records_erased: z.array(z.object({ public_id: z.string(), name: z.string() })),
});

/** A record whose name is refused in its city once it opts out, as the preview says: what nothing that counts taught is not. */
export async function drawTaught(desk: WeekDesk, candidates: readonly Drawn[]): Promise<Drawn | undefined> {
  for (const record of candidates) {
    const command = ["opt-out", record.publicId, "--reason", "owner_request"];
    const { names } = await desk.machine.json(command, Preview);
    if (names.some(({ where }) => where === "city")) return record;
  }
  return undefined;
}

/** Erases a record with all that was merged into it, as an operator does: reads what would go, and confirms it. */
export async function optOut(desk: WeekDesk, record: Drawn): Promise<Traces> {
  const before = sealedRows(desk.machine.home);
  const command = ["opt-out", record.publicId, "--reason", "owner_request"];
  const { confirm, records_erased, names: listed } = await desk.machine.json(command, Preview);
  await desk.machine.ok([...command, "--confirm", confirm]);
  desk.told.erased(record.publicId);
  // A name that is not refused in the city may be another record's, and come back.
  const isGone = listed.every(({ where }) => where === "city");
  const names = new Set(isGone ? [...records_erased, ...listed].map(({ name }) => name) : []);
  const { values, leafHashes } = tracesOf(desk, before);
  return {
    values: [...values, ...[...names].flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()])],
    leafHashes,
  };
}

export async function redactRow(desk: WeekDesk, row: number): Promise<Traces> {
  const before = sealedRows(desk.machine.home);
  const command = ["redact", String(row), "--reason", "privacy_request"];
  const { confirm } = await desk.machine.json(command, Preview.pick({ confirm: true }));
  await desk.machine.ok([...command, "--confirm", confirm]);
  return tracesOf(desk, before);
}

interface SealedRow {
  readonly leafHash: Buffer;
  readonly names: readonly string[]; // values that belong to this row alone
  /** Row id of the record at which they may come back. */
  readonly returnsAt?: number;
}

/** The rows of the newest signed tree that have values, by id; ids and observers' tags alone of what they say. */
function sealedRows({ ledger }: Home): Map<number, SealedRow> {
  using reader = openLedgerReader(ledger);
  const size = reader.latestCheckpoint()?.size ?? 0;
  const rows = new Map<number, SealedRow>();
  for (const row of reader.verifiedRows(size)) {
    const { id, leafHash } = row;
    if (row.kind === "observation" && row.body)
      rows.set(id, { leafHash, names: [row.body.observer_tag], returnsAt: row.body.record });
    if ((row.kind === "record" || row.kind === "asset") && row.body)
      rows.set(id, { leafHash, names: [row.body.public_id] });
  }
  return rows;
}

/**
 * Of the rows that lost their values since. A seal names the hash of its last row: that may be found. So may an
 * observer's tag at a record that stays: it comes back with the observer's next visit.
 */
function tracesOf({ machine: { home }, told }: WeekDesk, before: ReadonlyMap<number, SealedRow>): Traces {
  const left = sealedRows(home);
  const kept = new Set([...left.values()].flatMap(({ names }) => names));
  using reader = openLedgerReader(home.ledger);
  const size = reader.latestCheckpoint()?.size ?? 0;
  const named = new Set(reader.seals(size).map(({ body }) => body.last_observation_id));
  const erased = [...before].filter(([id]) => !left.has(id));
  if (erased.length === 0) throw new Error("nothing was erased");
  for (const [id] of erased) told.erasedRows.add(id);
  const values = erased
    .filter(([, { returnsAt }]) => returnsAt === undefined || !left.has(returnsAt))
    .flatMap(([, { names }]) => names.filter((name) => !kept.has(name)));
  return {
    values: [...new Set(values)],
    leafHashes: erased.filter(([id]) => !named.has(id)).map(([, { leafHash }]) => leafHash),
  };
}

/** Files of a release in which something is left of it. */
export function tracesIn(directory: string, traces: readonly Traces[]): string[] {
  const values = traces.flatMap((each) => each.values).map((value) => Buffer.from(value));
  const hashes = traces.flatMap((each) => each.leafHashes).flatMap(forms);
  const tiles = join("site", "ledger", "tile") + sep;
  return filesBelow(directory).flatMap((file) => {
    const path = relative(directory, file);
    const bytes = readFileSync(file);
    const sought = path.startsWith(tiles) ? values : [...values, ...hashes];
    return sought.some((needle) => bytes.includes(needle)) ? [path] : [];
  });
}

function forms(hash: Buffer): Buffer[] {
  const texts = [
    hash.toString("hex"),
    hash.toString("base64").replace(/=+$/, ""),
    hash.toString("base64url"),
  ];
  return [hash, ...new Set(texts)].map((form) => Buffer.from(form));
}

/** Whether no other record is called so, or has it in its name, and files spell it as it stands. */
export function isNameItsOwn({ name, publicId }: Drawn, { records }: Published): boolean {
  if (!/^[A-Za-z]+( [A-Za-z]+){1,8}$/.test(name)) return false;
  const sought = name.toLowerCase();
  return [...records].every(([id, other]) => id === publicId || !other.name.toLowerCase().includes(sought));
}

export function evidenceOf({ site }: Published, publicId: string): EvidencePacket {
  return EvidencePacket.parse(readJson(site, `api/v1/entity/${publicId}/evidence.json`));
}

function cellOf({ site }: Published, city: string): string {
  const { features } = CityCellCollection.parse(readJson(site, `exports/cells/${city}.geojson`));
  const [feature] = features;
  if (feature === undefined) throw new Error(`${city} has no cells`);
  return feature.properties.h3_cell;
}

/** A line for the intake as if the record had been seen again, where its evidence says that it is. */
export function sightingOf(last: Published, { publicId, name }: Drawn, now: string): Record<string, unknown> {
  const { record, observations } = evidenceOf(last, publicId);
  const seen = observations.recent.find(({ presence_kind }) => presence_kind !== "mobile_presence");
  const [lat, lng] = cellToLatLng(seen?.h3_cell ?? cellOf(last, record.city)); // of a vehicle only the city is known
  return {
    ...{ source_type: "scout", source_ref: `again-${publicId}`, observer: "scout-of-the-week" },
    ...{ observed_at: now, lat, lng, name, asset_type: "storefront" },
  };
}
