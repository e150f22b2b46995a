/** The operator's own map (BASEMAP): whether pages can draw it below the areas of a city. */
import { type FileHandle, open } from "node:fs/promises";
import { Compression, type Header, PMTiles, type Source, TileType } from "pmtiles";
import { z } from "zod";
import { BASEMAP_LAYERS } from "../../site/scripts/map-style.ts";
import { type CheckContext, type Finding, findingIf } from "./check.ts";

const PAGE = "docs/operations/basemap.md";

const Metadata = z.object({
  attribution: z.string().trim().default(""),
  vector_layers: z.array(z.object({ id: z.string() })).default([]),
});
type Metadata = z.infer<typeof Metadata>;

export async function* basemapFile({ config: { basemap } }: CheckContext): AsyncGenerator<Finding> {
  if (basemap === undefined) return;
  const findings = await readFindings(basemap).catch((error: unknown) => [
    {
      problem: error instanceof Error ? error.message : String(error),
      mend: "name an archive that exists and that the server's user may read",
    },
  ]);
  for (const { problem, mend } of findings)
    yield { problem: `BASEMAP: ${basemap}: ${problem}`, mend: `${mend} (${PAGE})` };
}

async function readFindings(path: string): Promise<Finding[]> {
  await using file = await open(path);
  const archive = new PMTiles(sourceOf(file));
  const header = await archive.getHeader();
  if (header.specVersion !== 3)
    return [{ problem: "is no PMTiles archive of version 3", mend: "convert it with `pmtiles convert`" }];
  return header.tileType === TileType.Mvt
    ? tileFindings(header, Metadata.parse(await archive.getMetadata()))
    : [NO_VECTORS];
}

const EXTRACT = "cut one from the planet of Protomaps";
const NO_VECTORS: Finding = {
  problem: "has pictures as tiles, and pages draw vector tiles only",
  mend: EXTRACT,
};

function tileFindings({ tileCompression }: Header, { attribution, vector_layers }: Metadata): Finding[] {
  const there = new Set(vector_layers.map(({ id }) => id));
  const missing = BASEMAP_LAYERS.filter((layer) => !there.has(layer));
  return [
    ...findingIf(
      tileCompression !== Compression.None && tileCompression !== Compression.Gzip,
      "browsers cannot unpack its tiles, which are not in gzip",
      EXTRACT,
    ),
    ...findingIf(
      missing.length > 0,
      `lacks the layers ${missing.join(", ")}, so the map shows none of them`,
      EXTRACT,
    ),
    ...findingIf(
      attribution === "",
      "states no attribution, and data of OpenStreetMap must be attributed wherever it is shown",
      "write `attribution` into its metadata with `pmtiles edit`",
    ),
  ];
}

function sourceOf(file: FileHandle): Source {
  return {
    getKey: () => "basemap",
    async getBytes(offset, length) {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
      return { data: buffer.buffer.slice(0, bytesRead) };
    },
  };
}
