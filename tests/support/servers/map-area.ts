import { cellToParent } from "h3-js";
import { z } from "zod";

const Cells = z.object({ features: z.array(z.object({ id: z.string() })).min(1) });

/** A part of a city's map that has records, as a server publishes it. */
export async function someMapArea(url: string, city: string): Promise<string> {
  const cells = await fetch(`${url}/exports/cells/${city}.geojson`);
  return cellToParent(Cells.parse(await cells.json()).features[0]?.id ?? "", 6);
}
