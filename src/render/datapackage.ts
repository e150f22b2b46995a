import { OPEN_LICENSE } from "../contract/claim-boundary.ts";
import { ExplorerRow } from "../contract/explorer.ts";
import { inlineJsonSchema } from "../contract/json-schema.ts";
import type { JsonObject, JsonValue } from "../kernel/canonical-json.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { isoDate } from "../kernel/time.ts";
import { methodologyUrl } from "../resources/links.ts";

export interface ExportFacts {
  readonly baseUrl: string; // without a slash at its end
  readonly asOf: number;
  readonly explorerCsv: string; // the whole file
  readonly cells: readonly CellsFile[];
}

/** The GeoJSON file of one city. */
interface CellsFile {
  readonly slug: string;
  readonly name: string;
  readonly text: string; // the whole file
}

/** `/exports/datapackage.json`: what the exports hold, as a Data Package (Frictionless, version 2). */
export function dataPackage({ baseUrl, asOf, explorerCsv, cells }: ExportFacts): JsonObject {
  return {
    $schema: "https://datapackage.org/profiles/2.0/datapackage.json",
    name: "physical-presence-aggregates",
    title: "Physical presence aggregates",
    description:
      "Counts of physically observed brands and assets by city, industry, kind of asset and claim state, and by map cell of each city. It holds what was observed, not what is there: a missing or low number never proves absence.",
    version: isoDate(asOf),
    homepage: `${baseUrl}/`,
    licenses: [{ name: OPEN_LICENSE.name, title: OPEN_LICENSE.title, path: OPEN_LICENSE.url }],
    sources: [
      { title: "Ledger of observations", path: `${baseUrl}/ledger/checkpoint` },
      { title: "Methodology", path: methodologyUrl(baseUrl) },
    ],
    resources: [
      {
        name: "explorer",
        title: "Aggregates of all cities",
        path: "explorer.csv", // beside this file; the format admits no path from the root
        type: "table",
        format: "csv",
        mediatype: "text/csv",
        encoding: "utf-8",
        ...sizeAndHash(explorerCsv),
        dialect: { lineTerminator: "\r\n" },
        schema: {
          $schema: "https://datapackage.org/profiles/2.0/tableschema.json",
          fields: explorerFields(),
          missingValues: [""],
        },
      },
      ...cells.map(cellsResource),
    ],
  };
}

function cellsResource({ slug, name, text }: CellsFile): JsonObject {
  return {
    name: `cells-${slug}`,
    title: `Map cells of ${name}`,
    path: `cells/${encodeURIComponent(slug)}.geojson`,
    format: "geojson",
    mediatype: "application/geo+json",
    encoding: "utf-8",
    ...sizeAndHash(text),
  };
}

function sizeAndHash(text: string): JsonObject {
  const bytes = Buffer.from(text);
  return { bytes: bytes.length, hash: `sha256:${sha256Hex(bytes)}` };
}

type Schema = { readonly [key: string]: JsonValue | undefined };

function explorerFields(): JsonObject[] {
  return Object.entries(ExplorerRow.shape).map(([name, column]) =>
    tableField(name, inlineJsonSchema(column, "output")),
  );
}

/** A Table Schema field from the JSON schema of a cell, or of a cell or null. */
function tableField(name: string, { description, anyOf, ...plain }: JsonObject): JsonObject {
  const choices: readonly Schema[] = Array.isArray(anyOf) ? anyOf : [plain];
  const cell = choices.find(({ type }) => type !== "null") ?? {};
  const { enum: values, minimum, maximum } = cell;
  const constraints = {
    ...(choices.length === 1 ? { required: true } : {}),
    ...(values === undefined ? {} : { enum: values }),
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  };
  const type = cell["format"] === "date" ? "date" : (cell["type"] ?? "any");
  return { name, type, description: description ?? "", constraints };
}
