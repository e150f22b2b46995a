/** A PMTiles archive (version 3) with one vector tile of the whole world: land in the layer `earth`. */

const HEADER_BYTES = 127;
const NOT_COMPRESSED = 1;
const VECTOR_TILES = 1;

export function tinyBasemap(attribution: string): Buffer {
  const tile = field(3, layer());
  const directory = Buffer.from([1, 0, 1, tile.length, 1]); // one entry: tile 0, run 1, its length, offset 0
  const metadata = Buffer.from(JSON.stringify({ attribution, vector_layers: [{ id: "earth", fields: {} }] }));
  const parts = [directory, metadata, Buffer.alloc(0), tile]; // no leaf directories
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("PMTiles\u0003", "latin1");
  let offset = HEADER_BYTES;
  for (const [at, { length }] of parts.entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + at * 16);
    header.writeBigUInt64LE(BigInt(length), 16 + at * 16);
    offset += length;
  }
  for (const at of [72, 80, 88]) header.writeBigUInt64LE(1n, at); // one tile
  header.set([1, NOT_COMPRESSED, NOT_COMPRESSED, VECTOR_TILES, 0, 0], 96);
  for (const [at, degrees] of [-180, -85, 180, 85].entries())
    header.writeInt32LE(degrees * 1e7, 102 + at * 4);
  return Buffer.concat([header, ...parts]);
}

/** A square as a polygon (Mapbox Vector Tile 2.1): move, three lines, close. */
function layer(): Buffer {
  const geometry = [9, 0, 0, 26, ...SIDE, 0, 0, ...SIDE, ...BACK, 0, 15];
  const feature = Buffer.concat([number(3, 3), field(4, Buffer.from(geometry))]);
  return Buffer.concat([number(15, 2), field(1, Buffer.from("earth")), field(2, feature), number(5, 64)]);
}

const SIDE = [128, 1]; // 64 to the right, in zigzag and as a varint
const BACK = [127]; // 64 to the left

function number(tag: number, value: number): Buffer {
  return Buffer.from([tag << 3, value]);
}

function field(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(tag << 3) | 2, content.length]), content]);
}
