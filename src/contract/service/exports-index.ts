import { z } from "zod";
import { Sha256Hex, Timestamp, Uri } from "../fields.ts";

/** `/exports/index.json`: the catalogue of all files below `/exports/`. */

/** `open`: aggregates, under an open license. `terms`: single records, under the terms of the service. */
export const ExportLicense = z.enum(["open", "terms"]);

const LicenseFacts = z.looseObject({
  name: z.string(),
  url: Uri,
  cite: z.string().describe("The sentence to cite."),
});

export const ExportsIndex = z.looseObject({
  release_id: z.string(),
  data_as_of: Timestamp,
  is_synthetic: z.boolean().describe("True for demonstration data."),
  licenses: z.object({ open: LicenseFacts, terms: LicenseFacts }),
  tables: z.record(
    z.string(),
    z.looseObject({
      title: z.string(),
      key: z.array(z.string()).describe("Columns that together identify a row."),
      columns: z.array(z.looseObject({ name: z.string(), type: z.string(), description: z.string() })),
    }),
  ),
  files: z.array(
    z.looseObject({
      path: z.string().describe("Below `/exports/`. The file is that of the newest release."),
      release_path: z
        .string()
        .nullable()
        .describe(
          "The same file of this release: 410 when the release is no longer kept. Null for files of single records.",
        ),
      title: z.string(),
      table: z.string().nullable().describe("Name in `tables`; null for other files."),
      city: z.string().nullable().describe("City slug; null for files of all cities."),
      rows: z.int().nonnegative().nullable(),
      bytes: z.int().nonnegative(),
      sha256: Sha256Hex,
      license: ExportLicense,
    }),
  ),
});
export type ExportsIndex = z.infer<typeof ExportsIndex>;
