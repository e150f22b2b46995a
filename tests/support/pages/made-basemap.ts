import { zxyToTileId } from "pmtiles";

/** An extract for the map of a city, as an operator cuts one: a PMTiles archive (version 3) with one vector tile, of an invented place. */

interface Facts {
  readonly lat: number;
  readonly lng: number;
  readonly attribution: string; // HTML
  /** Its layers, by name; without them those of an invented place. */
  readonly layers?: readonly string[];
}

/** Degrees east and north of the middle. */
type Point = readonly [east: number, north: number];
type Shape = "point" | "line" | "polygon";

interface Feature {
  readonly shape: Shape;
  readonly points: readonly Point[];
  readonly tags: Readonly<Record<string, string>>;
}

const ZOOM = 7; // a tile of 2.8 degrees: a whole city lies within
const EXTENT = 8192;
const HEADER_BYTES = 127;
const NOT_COMPRESSED = 1;
const VECTOR_TILES = 1;

export function madeBasemap({ lat, lng, attribution, layers = Object.keys(PLACE) }: Facts): Buffer {
  const [x, y] = worldOf(lng, lat);
  const tileId = zxyToTileId(ZOOM, Math.floor(x), Math.floor(y));
  const project = ([east, north]: Point) =>
    worldOf(lng + east, lat + north).map((at, axis) =>
      Math.round((at - Math.floor(axis === 0 ? x : y)) * EXTENT),
    );
  const tile = Buffer.concat(layers.map((name) => field(3, layer(name, PLACE[name] ?? [], project))));
  const directory = Buffer.concat([1, tileId, 1, tile.length, 1].map(varint)); // one entry: its id, run, length, offset 0
  const vectorLayers = layers.map((id) => ({ id, fields: {} }));
  const metadata = Buffer.from(JSON.stringify({ attribution, vector_layers: vectorLayers }));
  return archive([directory, metadata, Buffer.alloc(0), tile]); // no leaf directories
}

/** In tiles of the zoom. */
function worldOf(lng: number, lat: number): [x: number, y: number] {
  const sine = Math.sin((lat * Math.PI) / 180);
  const north = Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  return [(lng / 360 + 0.5) * 2 ** ZOOM, (0.5 - north) * 2 ** ZOOM];
}

function archive(parts: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("PMTiles\u0003", "latin1");
  let offset = HEADER_BYTES;
  for (const [at, { length }] of parts.entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + at * 16);
    header.writeBigUInt64LE(BigInt(length), 16 + at * 16);
    offset += length;
  }
  for (const at of [72, 80, 88]) header.writeBigUInt64LE(1n, at); // one tile
  header.set([1, NOT_COMPRESSED, NOT_COMPRESSED, VECTOR_TILES, ZOOM, ZOOM], 96);
  for (const [at, degrees] of [-180, -85, 180, 85].entries())
    header.writeInt32LE(degrees * 1e7, 102 + at * 4);
  return Buffer.concat([header, ...parts]);
}

/** A layer of a vector tile (Mapbox Vector Tile 2.1). */
function layer(name: string, features: readonly Feature[], project: (point: Point) => number[]): Buffer {
  const keys = [...new Set(features.flatMap(({ tags }) => Object.keys(tags)))];
  const values = [...new Set(features.flatMap(({ tags }) => Object.values(tags)))];
  const encoded = features.map(({ shape, points, tags }) => {
    const pairs = Object.entries(tags).flatMap(([key, value]) => [keys.indexOf(key), values.indexOf(value)]);
    return Buffer.concat([
      field(2, Buffer.concat(pairs.map(varint))),
      number(3, { point: 1, line: 2, polygon: 3 }[shape]),
      field(4, Buffer.concat(geometry(shape, points.map(project)).map(varint))),
    ]);
  });
  return Buffer.concat([
    number(15, 2),
    field(1, Buffer.from(name)),
    ...encoded.map((feature) => field(2, feature)),
    ...keys.map((key) => field(3, Buffer.from(key))),
    ...values.map((value) => field(4, field(1, Buffer.from(value)))),
    number(5, EXTENT),
  ]);
}

const [MOVE, DRAW, CLOSE] = [9, 2, 15]; // once; how often is in the upper bits; once

function geometry(shape: Shape, corners: readonly number[][]): number[] {
  const steps = corners.map((corner, at) =>
    corner.map((value, axis) => zigzag(value - (corners[at - 1]?.[axis] ?? 0))),
  );
  const [first = [], ...others] = steps;
  if (shape === "point") return [MOVE, ...first];
  const drawn = [MOVE, ...first, DRAW | (others.length << 3), ...others.flat()];
  return shape === "line" ? drawn : [...drawn, CLOSE];
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function varint(value: number): Buffer {
  const low = value % 128;
  return value < 128
    ? Buffer.from([value])
    : Buffer.concat([Buffer.from([low | 128]), varint((value - low) / 128)]);
}

function number(tag: number, value: number): Buffer {
  return Buffer.concat([varint(tag << 3), varint(value)]);
}

function field(tag: number, content: Buffer): Buffer {
  return Buffer.concat([varint((tag << 3) | 2), varint(content.length), content]);
}

const street = (kind: string, name: string, ...points: Point[]): Feature => ({
  shape: "line",
  points,
  tags: { kind, name },
});
const named = (kind: string, name: string, ...points: Point[]): Feature => ({
  shape: "point",
  points,
  tags: { kind, name },
});

/** Corners of areas clockwise as the reader sees them. */
const PLACE: Readonly<Record<string, readonly Feature[]>> = {
  earth: [
    {
      shape: "polygon",
      points: [
        [-0.3, 0.2],
        [0.3, 0.2],
        [0.3, -0.2],
        [-0.3, -0.2],
      ],
      tags: { kind: "earth" },
    },
  ],
  water: [
    {
      shape: "polygon",
      points: [
        [0.03, 0.06],
        [0.07, 0.055],
        [0.08, 0.03],
        [0.04, 0.02],
      ],
      tags: { kind: "lake" },
    },
    {
      shape: "line",
      points: [
        [-0.2, 0.09],
        [-0.06, 0.03],
        [0.0, -0.01],
        [0.05, -0.06],
        [0.2, -0.1],
      ],
      tags: { kind: "river" },
    },
  ],
  roads: [
    street("highway", "Invented Parkway", [-0.3, -0.07], [-0.05, -0.03], [0.3, 0.06]),
    ...[-0.04, 0, 0.04].map((at) => street("major_road", "Long Road", [-0.2, at], [0.2, at + 0.02])),
    ...Array.from({ length: 9 }, (_, at) =>
      street("minor_road", "Short Street", [at * 0.02 - 0.08, -0.06], [at * 0.02 - 0.06, 0.06]),
    ),
  ],
  places: [
    named("locality", "Inventedham", [0, 0.005]),
    named("neighbourhood", "Old Quarter", [-0.04, 0.02]),
    named("neighbourhood", "Lakeside", [0.05, 0.04]),
  ],
};
