import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { isoTime } from "../src/kernel/time.ts";
import { cityImage, siteImage } from "../src/pictures/social-image.ts";
import { cityImagePath, SITE_IMAGE } from "../src/pictures/social-paths.ts";
import { cityCells } from "../src/resources/city-cells.ts";
import type { ReadContext } from "../src/resources/define.ts";
import { contextAt } from "../src/resources/release-store.ts";
import { readEarlierSite } from "./earlier-site.ts";
import { BuildEffects } from "./effects.ts";
import { type PngRenderer, pngRenderer } from "./png-renderer.ts";
import type { EmitMessage } from "./stages/emit.ts";

/** A thread that draws every `share`-th picture, starting at `turn`, and reports each. */
const Task = z.object({
  snapshot: z.string(),
  site: z.string(),
  earlierSite: z.string().optional(),
  turn: z.int(),
  share: z.int(),
});

type Snapshot = ReadContext["snapshot"];
type City = ReturnType<Snapshot["cities"]>[number];

interface Drawing {
  readonly path: string;
  svg(): string;
}

async function drawShare(task: z.infer<typeof Task>, send: (message: EmitMessage) => void): Promise<void> {
  const context = contextAt(task.snapshot);
  const renderer = await pngRenderer();
  const effects = new BuildEffects(task.site, readEarlierSite(task.earlierSite));
  const own = drawings(context.snapshot, renderer).filter((_, at) => at % task.share === task.turn);
  for (const { path, svg } of own) {
    effects.write(path.slice(1), renderer.render(svg()));
    send(effects.drain());
  }
  context.close();
}

function drawings(snapshot: Snapshot, renderer: PngRenderer): Drawing[] {
  const cities = snapshot.cities();
  return [
    { path: SITE_IMAGE, svg: () => siteSvg(snapshot, renderer) },
    ...cities.map((city) => ({
      path: cityImagePath(city.slug),
      svg: () => citySvg(snapshot, city, renderer),
    })),
  ];
}

function siteSvg(snapshot: Snapshot, { fonts }: PngRenderer): string {
  const cities = snapshot.cities();
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return siteImage(
    {
      cities,
      records: sum(cities.map(({ recordCount }) => recordCount)),
      observations: sum(cities.map(({ observationCount }) => observationCount)),
      ...standing(snapshot),
    },
    fonts,
  );
}

function citySvg(snapshot: Snapshot, city: City, { fonts }: PngRenderer): string {
  return cityImage(
    {
      slug: city.slug,
      name: city.name,
      region: [city.region, city.countryName].filter((part) => part !== "").join(", "),
      coverageLabel: city.coverage.label,
      records: city.recordCount,
      observations: city.observationCount,
      cells: cityCells({ snapshot }, city.slug),
      ...standing(snapshot),
    },
    fonts,
  );
}

function standing(snapshot: Snapshot) {
  const { asOf, environment } = snapshot.release();
  return { asOf: isoTime(asOf), isSynthetic: environment === "demo" };
}

await drawShare(Task.parse(workerData), (message) => parentPort?.postMessage(message));
