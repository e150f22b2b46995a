import { crc32, createInflateRaw } from "node:zlib";

/** Compressed bytes that are decompressed at once: what comes of them is held in memory. */
const PIECE_BYTES = 1 << 16;
const OUTPUT_BYTES = 1 << 16;
const DEFLATE = 8;
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const HAS = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Decompresses gzip (RFC 1952) as `gzip -d` does: members follow each other, zero bytes after the last are padding, and anything
 * else there is ignored and its bytes are counted by `onGarbage`. Throws when a member is cut off or damaged, after everything that
 * could be read before that. Node's own stream drops what it has buffered when it fails, and never ends at padding.
 */
export async function* gunzip(
  source: AsyncIterable<Buffer>,
  onGarbage: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const input = new Input(source);
  let magic = await input.take(2);
  while (isGzip(magic)) {
    await skipHeader(input, magic);
    yield* inflated(input);
    magic = await input.take(2);
  }
  if (magic[0] === 0x1f && magic.length === 1) throw cutOff();
  const { bytes, isPadding } = await ignored(magic, input);
  if (!isPadding) onGarbage(bytes);
}

async function ignored(first: Buffer, input: Input): Promise<{ bytes: number; isPadding: boolean }> {
  let [bytes, isPadding] = [0, true];
  for (let piece: Buffer | undefined = first; piece !== undefined; piece = await input.next()) {
    bytes += piece.length;
    isPadding &&= piece.every((byte) => byte === 0);
  }
  return { bytes, isPadding };
}

async function skipHeader(input: Input, magic: Buffer): Promise<void> {
  let crc = crc32(magic);
  const take = async (size: number) => {
    const bytes = await input.whole(size);
    crc = crc32(bytes, crc);
    return bytes;
  };
  const skipText = async () => {
    while ((await take(1))[0] !== 0);
  };
  const fixed = await take(HEADER_BYTES - magic.length);
  if (fixed[0] !== DEFLATE) throw new Error("unknown compression method");
  const flags = fixed.readUInt8(1);
  if ((flags & HAS.reserved) !== 0) throw new Error("unknown header flags");
  if ((flags & HAS.extra) !== 0) await take((await take(2)).readUInt16LE());
  if ((flags & HAS.name) !== 0) await skipText();
  if ((flags & HAS.comment) !== 0) await skipText();
  const expected = crc & 0xffff;
  if ((flags & HAS.headerCrc) !== 0 && (await take(2)).readUInt16LE() !== expected)
    throw new Error("the checksum of the header is wrong");
}

/** The content of one member, checked against its trailer. */
async function* inflated(input: Input): AsyncGenerator<Buffer> {
  let [crc, length] = [0, 0];
  for await (const piece of inflatedRaw(input)) {
    crc = crc32(piece, crc);
    length += piece.length;
    yield piece;
  }
  const trailer = await input.whole(TRAILER_BYTES);
  if (trailer.readUInt32LE() !== crc) throw new Error("the checksum is wrong");
  if (trailer.readUInt32LE(4) !== length % 2 ** 32) throw new Error("the length is wrong");
}

/** Takes each piece's output before the next goes in, and gives back the input that follows the end. */
async function* inflatedRaw(input: Input): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: OUTPUT_BYTES });
  const output: Buffer[] = [];
  const { promise: ended, resolve, reject } = Promise.withResolvers<true>();
  ended.catch(() => undefined); // an unread failure must not end the process
  inflate.on("data", (piece: Buffer) => output.push(piece));
  inflate.once("end", () => resolve(true)).once("error", reject);
  const isLast = (piece: Buffer) => {
    const written = new Promise<false>((done) => inflate.write(piece, () => setImmediate(done, false)));
    return Promise.race([written, ended]);
  };
  try {
    for (let piece = await input.next(); piece !== undefined; piece = await input.next()) {
      const before = inflate.bytesWritten;
      const isEnd = await isLast(piece);
      yield* output.splice(0);
      if (!isEnd) continue;
      input.giveBack(piece.subarray(inflate.bytesWritten - before));
      return;
    }
    throw cutOff();
  } catch (error) {
    yield* output.splice(0);
    throw error;
  } finally {
    inflate.destroy();
  }
}

function cutOff(): Error {
  return new Error("unexpected end of file");
}

/** The compressed bytes, in pieces of a bounded size. */
class Input {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** A piece that is not empty; undefined at the end. */
  async next(size = PIECE_BYTES): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#source.next();
      if (done === true) return undefined;
      this.#rest = value;
    }
    const piece = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return piece;
  }

  /** Fewer bytes only at the end. */
  async take(size: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let missing = size; missing > 0; ) {
      const piece = await this.next(missing);
      if (piece === undefined) break;
      pieces.push(piece);
      missing -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  async whole(size: number): Promise<Buffer> {
    const bytes = await this.take(size);
    if (bytes.length < size) throw cutOff();
    return bytes;
  }

  giveBack(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([bytes, this.#rest]);
  }
}
