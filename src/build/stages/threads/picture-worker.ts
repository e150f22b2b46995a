import { serviceName } from "../../../contract/records/claim-boundary.ts";
import { isoTime } from "../../../kernel/time.ts";
import { cityImage, cityImagePath, SITE_IMAGE, siteImage } from "../../../pictures/social/social-image.ts";
import { cityCells } from "../../../resources/cities/cities.ts";
import type { ReadContext } from "../../../resources/define.ts";
import { shareModule } from "../../share-writer.ts";
import { type PngRenderer, pngRenderer } from "../png-renderer.ts";

type Snapshot = ReadContext["snapshot"];
type City = ReturnType<Snapshot["cities"]>[number];

interface Drawing {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>; // the city that it shows
  svg(): string;
}

function drawings(snapshot: Snapshot, renderer: PngRenderer): Drawing[] {
  const cities = snapshot.cities();
  return [
    { path: SITE_IMAGE, values: {}, svg: () => siteSvg(snapshot, renderer) },
    ...cities.map((city) => ({
      path: cityImagePath(city.slug),
      values: { city: city.slug },
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
  const { asOf, environment, siteName } = snapshot.release();
  return { service: serviceName({ siteName }), asOf: isoTime(asOf), isSynthetic: environment === "demo" };
}

/** Draws a share of the pictures. */
export const run = shareModule(async ({ context, isOwn, keep, write, report }) => {
  const renderer = await pngRenderer();
  const own = drawings(context.snapshot, renderer).filter((_, at) => isOwn(at));
  for (const { path, values, svg } of own) {
    const file = path.slice(1);
    if (!keep(values, file)) write(file, renderer.render(svg()));
    report();
  }
});
