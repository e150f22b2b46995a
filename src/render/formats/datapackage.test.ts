import { expect, test } from "vitest";
import { z } from "zod";
import { EXPLORER_COLUMNS, ExplorerRow } from "../../contract/cities/explorer.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { dataPackage } from "./datapackage.ts";

const explorerCsv = "city,industry\r\nalpha,5610\r\n";
const explorer = {
  name: "explorer",
  title: "Aggregates",
  path: "explorer.csv",
  format: "csv",
  row: ExplorerRow,
} as const;
const alpha = {
  name: "cells-alpha",
  title: "Cells",
  path: "cells/alpha.geojson",
  format: "geojson",
} as const;
const described = dataPackage({
  baseUrl: "https://presence.test",
  asOf: Date.parse("2026-06-30T10:00:00Z"),
  files: [
    { ...explorer, body: explorerCsv },
    { ...alpha, body: "{}\n" },
  ],
});

/** What the profile requires, and the types that Table Schema knows. */
const Field = z.strictObject({
  name: z.string(),
  type: z.enum(["string", "integer", "number", "date"]),
  description: z.string().min(10),
  constraints: z.strictObject({
    required: z.boolean().optional(),
    enum: z.array(z.string()).min(1).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  }),
});
const Package = z.looseObject({
  $schema: z.literal("https://datapackage.org/profiles/2.0/datapackage.json"),
  name: z.string().regex(/^[a-z0-9._-]+$/),
  version: z.string(),
  licenses: z.array(z.strictObject({ name: z.string(), title: z.string(), path: z.url() })).min(1),
  sources: z.array(z.strictObject({ title: z.string(), path: z.url() })).min(1),
  resources: z.tuple([
    z.looseObject({
      name: z.string(),
      path: z.string().regex(/^[^/.\\][^/\\]*$/), // relative, beside the descriptor
      hash: z.string(),
      bytes: z.int(),
      schema: z.looseObject({ fields: z.array(Field) }),
    }),
    z.strictObject({
      name: z.string().regex(/^[a-z0-9._-]+$/),
      title: z.string(),
      path: z.string().regex(/^[^/.\\][^\\]*\.geojson$/),
      format: z.literal("geojson"),
      mediatype: z.literal("application/geo+json"),
      encoding: z.literal("utf-8"),
      hash: z.string(),
      bytes: z.int(),
    }),
  ]),
});

test("describes the files beside it and below", () => {
  const { version, licenses, resources } = Package.parse(described);
  expect(version).toBe("2026-06-30");
  expect(licenses[0]?.name).toBe("CC-BY-4.0");
  expect(resources[0]).toMatchObject({
    path: "explorer.csv",
    bytes: explorerCsv.length,
    hash: `sha256:${sha256Hex(explorerCsv)}`,
  });
  expect(resources[1]).toMatchObject({
    name: "cells-alpha",
    path: "cells/alpha.geojson",
    bytes: 3,
    hash: `sha256:${sha256Hex("{}\n")}`,
  });
});

test("has a field for each column, in order, of its type", () => {
  const [{ schema }] = Package.parse(described).resources;
  expect(schema.fields.map(({ name }) => name)).toEqual(EXPLORER_COLUMNS);
  const field = (wanted: string) => schema.fields.find(({ name }) => name === wanted);
  expect(field("city")).toMatchObject({ type: "string", constraints: { required: true } });
  expect(field("industry")).toMatchObject({ type: "string", constraints: {} });
  expect(field("asset_type")?.constraints.enum).toContain("storefront");
  expect(field("entities")).toMatchObject({ type: "integer", constraints: { required: true, minimum: 0 } });
  expect(field("avg_pps")).toMatchObject({ type: "number", constraints: { minimum: 0, maximum: 100 } });
  expect(field("avg_pps")?.constraints.required).toBeUndefined();
  expect(field("last_observed")).toMatchObject({ type: "date" });
});
