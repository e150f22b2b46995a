/** What a reader has: the files of each release that was ever published, and nothing else. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { filesBelow } from "../../../src/kernel/files/durable-file.ts";

export const PublicObservation = z.object({
  accepted_at: z.string(),
  asset: z.int(),
  asset_type: z.string(),
  city: z.string(),
  counts: z.boolean().default(true),
  h3_cell: z.string(),
  legibility: z.number().nullable(),
  observed_at: z.string(),
  observer_tag: z.string(),
  recognition_model_version: z.string().nullable(),
  record: z.int(),
  source_type: z.string(),
});
const PublicRecord = z.object({ public_id: z.string(), is_synthetic: z.boolean(), city: z.string() });
const PublicNaming = z.object({
  record: z.int(),
  name: z.string(),
  website: z.string().nullable(),
  match_review: z.boolean(),
  match_candidates: z.array(z.int()).default([]),
});
/** A later row about an observation: that it counts or not, or that it is another record's. */
const PublicChange = z.union([
  z.object({ target: z.int(), counts: z.boolean() }),
  z.object({ target: z.int(), observer_tag: z.string(), record: z.int() }),
]);
const PublicErasure = z.object({ rows: z.array(z.int()), reason: z.string().optional() });
const PublicMerge = z.object({
  decision: z.literal("merge"),
  tags: z.record(z.string(), z.string()).nullable(),
});
const Disclosure = z.object({ i: z.int(), d: z.string() });

interface Numbered {
  readonly id: number;
}
export type SeenRow = z.infer<typeof PublicObservation> & Numbered;
export type SeenRecord = z.infer<typeof PublicRecord> & z.infer<typeof PublicNaming> & Numbered;
export type SeenErasure = z.infer<typeof PublicErasure> & Numbered;

export interface PublicRelease {
  readonly folder: string; // `site/` as it was
  readonly observations: readonly SeenRow[]; // by row number
  readonly records: ReadonlyMap<number, SeenRecord>;
  readonly erasures: readonly SeenErasure[];
  /** Rows that `recount` and `reassign` rows are about. */
  readonly changed: readonly (z.infer<typeof PublicChange> & Numbered)[];
  /** Observer tags of merged records, each with the one that replaced it. */
  readonly mergedTags: ReadonlyMap<string, string>;
  /** Row numbers in the order in which the lists of the interface have them. */
  readonly lists: readonly (readonly number[])[];
  /** Published counts of erasures, by the reason. */
  readonly reasonCounts: string;
}

export function readPublicRelease(folder: string): PublicRelease {
  const bodies = disclosedBodies(join(folder, "ledger/disclosures"));
  const all = <T extends z.ZodType>(schema: T) =>
    bodies.flatMap(([id, body]) => {
      const parsed = schema.safeParse(body);
      return parsed.success ? [{ ...Object(parsed.data), id } as z.infer<T> & Numbered] : [];
    });
  return {
    folder,
    observations: all(PublicObservation),
    records: named(all(PublicRecord), all(PublicNaming)),
    erasures: all(PublicErasure),
    changed: all(PublicChange),
    mergedTags: new Map(all(PublicMerge).flatMap(({ tags }) => Object.entries(tags ?? {}))),
    lists: observationLists(join(folder, "api/v1/observations")),
    reasonCounts: readFileSync(join(folder, "ledger/redactions.json"), "utf8"),
  };
}

/** Records with the last naming of each. */
function named(
  records: readonly (z.infer<typeof PublicRecord> & Numbered)[],
  namings: readonly z.infer<typeof PublicNaming>[],
): Map<number, SeenRecord> {
  const last = new Map(namings.map((naming) => [naming.record, naming]));
  return new Map(
    records.flatMap((record) => {
      const naming = last.get(record.id);
      return naming === undefined ? [] : [[record.id, { ...naming, ...record }]];
    }),
  );
}

/** Every text that a release publishes. */
export function* publicTexts(folder: string): Generator<readonly [path: string, text: string]> {
  for (const path of filesBelow(folder).filter((file) => /\.(json|csv|html|xml|md|txt|geojson)$/.test(file)))
    yield [path, readFileSync(path, "utf8")];
}

function disclosedBodies(folder: string): [id: number, body: unknown][] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean))
    .map((line) => {
      const { i, d } = Disclosure.parse(JSON.parse(line));
      const [, , body] = z.array(z.unknown()).parse(JSON.parse(Buffer.from(d, "base64url").toString()));
      return [i, body];
    });
}

const List = z.object({ observations: z.array(z.object({ id: z.int() })) });

function observationLists(folder: string): number[][] {
  return filesBelow(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => List.parse(JSON.parse(readFileSync(file, "utf8"))).observations.map(({ id }) => id));
}
