import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { currentRelease } from "../../../src/build/stages/publish.ts";
import { envelopeFields } from "../../../src/contract/envelope.ts";
import { EntityResponse } from "../../../src/contract/records/entity.ts";
import { ReleaseChanges } from "../../../src/contract/service/exports.ts";
import { MethodologyMetrics } from "../../../src/contract/service/methodology.ts";
import { sha256Hex } from "../../../src/kernel/hash.ts";
import { type Home, releasePaths } from "../../../src/kernel/home.ts";

/** What the checks look at in a published release: read from its files, and by nothing that made them. */
export interface Published {
  readonly directory: string;
  readonly site: string;
  /** By public id. */
  readonly records: ReadonlyMap<string, PublishedRecord>;
  readonly changes: ReleaseChanges;
  readonly metrics: MethodologyMetrics;
  readonly checkpoint: string; // the signed note
}

export interface PublishedRecord {
  readonly name: string;
  readonly assets: readonly string[]; // public ids
  /**
   * SHA-256 of the document without the members of every answer: `data_as_of` and `coverage_confidence` go with time and with what else was seen in the
   * city, `methodology_url` with the address of the site. Everything else in it is the record's own.
   */
  readonly hash: string;
}

/** Throws when there is no release. */
export function readPublished(home: Home): Published {
  const directory = currentRelease(home);
  if (directory === undefined) throw new Error(`${home.root}: nothing is published`);
  const { site } = releasePaths(directory);
  return {
    directory,
    site,
    records: readRecords(site),
    changes: ReleaseChanges.parse(readJson(site, "exports/changes.json")),
    metrics: MethodologyMetrics.parse(readJson(site, "api/v1/methodology/metrics.json")),
    checkpoint: readFileSync(join(site, "ledger/checkpoint"), "utf8"),
  };
}

export function readJson(site: string, path: string): unknown {
  return JSON.parse(readFileSync(join(site, path), "utf8"));
}

export function entityPath(publicId: string): string {
  return `api/v1/entity/${publicId}.json`;
}

export function readEntity(site: string, publicId: string): EntityResponse {
  return EntityResponse.parse(readJson(site, entityPath(publicId)));
}

const Document = z.looseObject({
  entity: z.looseObject({ public_id: z.string(), name: z.string() }),
  assets: z.array(z.looseObject({ public_id: z.string() })),
});
const ENDING = ".json";

function readRecords(site: string): Map<string, PublishedRecord> {
  const files = readdirSync(join(site, "api/v1/entity")).filter((file) => file.endsWith(ENDING));
  return new Map(
    files.map((file) => {
      const document = Document.parse(readJson(site, `api/v1/entity/${file}`));
      const { public_id, name } = document.entity;
      if (file !== `${public_id}${ENDING}`) throw new Error(`${file} is the document of ${public_id}`);
      const own = Object.entries(document).filter(([member]) => !(member in envelopeFields));
      const assets = document.assets.map((asset) => asset.public_id);
      return [public_id, { name, assets, hash: sha256Hex(JSON.stringify(own)) }];
    }),
  );
}
