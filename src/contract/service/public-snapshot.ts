import { z } from "zod";
import { SCHEMA } from "../versions.ts";

/** Where a release describes its public snapshot; only a release whose documents of records are made on demand has one. */
export const PUBLIC_SNAPSHOT = "snapshot.json";

/** No part comes near the limit of a published file, and a night links those that stay the same. */
export const SNAPSHOT_PART_BYTES = 64 * 1024 * 1024;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** `/snapshot.json`: the database that documents of records are made from, in parts that follow each other. */
export const PublicSnapshot = z.looseObject({
  schema: z.literal(SCHEMA.publicSnapshot),
  release_id: z.string(),
  record_documents: z.literal("on-demand"),
  program: z.looseObject({ version: z.string(), source_revision: z.string() }),
  sha256: Sha256, // of the whole
  bytes: z.int().positive(),
  parts: z.array(z.looseObject({ path: z.string(), sha256: Sha256, bytes: z.int().positive() })).min(1),
});
export type PublicSnapshot = z.infer<typeof PublicSnapshot>;

/** Path of a part below `site/`, by its hash. */
export function snapshotPartPath(sha256: string): string {
  return `snapshot/${sha256}`;
}
