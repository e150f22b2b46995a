import fc from "fast-check";
import { expect, test } from "vitest";
import { HOSTILE, svgFaults } from "../../../tests/support/pages/svg.ts";
import { CoverageTier } from "../../contract/enums.ts";
import type { Picture } from "../picture.ts";
import { world, worldMap } from "./world-map.ts";

function city(name: string, lat: number, lng: number, tier: CoverageTier = "seed") {
  return { name, href: `/city/${encodeURIComponent(name)}/`, lat, lng, tier };
}

function drawn(cities: ReturnType<typeof city>[]): Picture {
  const picture = worldMap({ id: "world", cities });
  if ("sentence" in picture) throw new Error(picture.sentence);
  return picture;
}

test("the land takes less than 20 kB, and Antarctica is not on it", () => {
  const { land, height, project } = world();
  expect(land.length).toBeLessThan(20_000);
  expect(height).toBeLessThan(330);
  expect(project([-75, 0])[1]).toBeGreaterThan(height);
});

test("cities are where they are: west is left, north is up", () => {
  const { project } = world();
  const [toronto, girona, napier] = [project([43.7, -79.4]), project([42, 2.8]), project([-39.5, 176.9])];
  expect(toronto[0]).toBeLessThan(girona[0]);
  expect(girona[0]).toBeLessThan(napier[0]);
  expect(girona[1]).toBeLessThan(napier[1]);
});

test("each city is a link with its name; the svg is no img, which would hide them", () => {
  const { svg, table } = drawn([city("Girona", 42, 2.8, "dense"), city("Napier", -39.5, 176.9)]);
  expect([...svg.matchAll(/<a href="([^"]*)"><title>([^<]*)</g)].map(([, ...found]) => found)).toEqual([
    ["/city/Girona/", "Girona: coverage well covered"],
    ["/city/Napier/", "Napier: coverage just started"],
  ]);
  expect(svg).toContain('role="group"');
  expect(table.rows).toEqual([
    ["Girona", "well covered"],
    ["Napier", "just started"],
  ]);
});

test("names are left out where they would lie on each other, and all of them for many cities", () => {
  const crowd = Array.from({ length: 6 }, (_, at) => city(`Neighbour ${at}`, 43.7 + at / 50, -79.4));
  expect(drawn(crowd).svg.match(/<text/g)?.length).toBeLessThan(6);
  const many = Array.from({ length: 300 }, (_, at) => city(`City ${at}`, (at % 120) - 55, at - 150));
  const { svg } = drawn(many);
  expect(svg).not.toContain("<text");
  expect(svg.match(/<a href="[^"]*" tabindex="-1">/g)).toHaveLength(300);
  expect(svg.length).toBeLessThan(90_000);
});

test("without a city there is a sentence", () => {
  expect(worldMap({ id: "world", cities: [] })).toEqual({ sentence: "No city is covered yet." });
});

test("whatever cities there are, the drawing is whole", () => {
  const any = fc.record({
    name: fc.constantFrom(...HOSTILE),
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lng: fc.double({ min: -180, max: 180, noNaN: true }),
    tier: fc.constantFrom(...CoverageTier.options),
  });
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 35 }), (cities) => {
      const { svg } = drawn(cities.map(({ name, lat, lng, tier }) => city(name, lat, lng, tier)));
      expect(svgFaults(svg)).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
