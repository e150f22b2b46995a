import { crc32, createInflateRaw } from "node:zlib";
import { OperatorError } from "../../kernel/errors.ts";

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

/** A label of the WHATWG Encoding Standard that the input has, such as windows-1252. */
export const UTF_8 = "utf-8";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const MARK_BYTES = 4;

/** The name of an encoding. Throws OperatorError for a label that Node does not know. */
export function encodingName(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new OperatorError(
      `unknown encoding ${label}: use a label such as utf-8, windows-1252, iso-8859-2, utf-16le or shift_jis`,
    );
  }
}

/** What is known of the encoding up to here. `isUtf8`: another one was declared, and all bytes are UTF-8 with more than ASCII. */
export interface EncodingState {
  isUtf8: boolean;
}

/**
 * The text of a byte stream as UTF-8. UTF-8 passes as it is: its invalid lines are found one by one. UTF-16 is recognized where no
 * other encoding is declared. The stream fails at the first bytes that the encoding does not have.
 */
export async function* asUtf8(
  source: AsyncIterable<Buffer>,
  declared: string,
  state: EncodingState,
): AsyncGenerator<Buffer> {
  const { start, all } = await peek(source, ({ length }) => length >= MARK_BYTES);
  const encoding = declared === UTF_8 ? (utf16Of(start) ?? UTF_8) : declared;
  if (encoding === UTF_8) return yield* all;
  const decode = decoder(encoding);
  const isUtf8 = declared === UTF_8 ? () => false : utf8Check();
  for await (const chunk of all) {
    state.isUtf8 = isUtf8(chunk);
    yield decode(chunk);
  }
  yield decode();
}

/** The stream with line feeds in place of its carriage returns, where these alone end its lines. `within`: bytes of its longest line. */
export async function* withLineFeeds(source: AsyncIterable<Buffer>, within: number): AsyncGenerator<Buffer> {
  const { start, all } = await peek(source, (bytes) => bytes.length > within || bytes.includes(NEWLINE));
  if (start.includes(NEWLINE) || !start.includes(RETURN)) return yield* all;
  for await (const chunk of all) yield Buffer.from(chunk.map((byte) => (byte === RETURN ? NEWLINE : byte)));
}

/** The start of a stream, as long as asked or all of it, and the whole of the stream. */
export async function peek(
  source: AsyncIterable<Buffer>,
  isEnough: (start: Buffer) => boolean,
): Promise<{ start: Buffer; all: AsyncIterable<Buffer> }> {
  const rest = source[Symbol.asyncIterator]();
  const pieces: Buffer[] = [];
  let start = Buffer.alloc(0);
  let failure: unknown;
  try {
    while (!isEnough(start)) {
      const next = await rest.next();
      if (next.done === true) break;
      pieces.push(next.value);
      start = Buffer.concat(pieces);
    }
  } catch (error) {
    failure = error;
  }
  async function* all() {
    yield* pieces;
    if (failure !== undefined) throw failure;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { start, all: all() };
}

/** By its byte order mark, or by the zero bytes of two first ASCII characters. */
function utf16Of([a, b, c, d]: Buffer): string | undefined {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)) return "utf-16le";
  return (a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0) ? "utf-16be" : undefined;
}

function decoder(encoding: string): (bytes?: Buffer) => Buffer {
  const text = new TextDecoder(encoding, { fatal: true });
  return (bytes) => {
    try {
      return Buffer.from(bytes === undefined ? text.decode() : text.decode(bytes, { stream: true }));
    } catch (cause) {
      throw new Error(`it has bytes that ${encoding} does not: name another --encoding`, { cause });
    }
  };
}

/** Whether all pieces so far are UTF-8 and more than ASCII. */
function utf8Check(): (piece: Buffer) => boolean {
  const text = new TextDecoder(UTF_8, { fatal: true });
  let [isValid, hasMore] = [true, false];
  return (piece) => {
    if (!isValid) return false;
    try {
      hasMore = text.decode(piece, { stream: true }).length !== piece.length || hasMore;
    } catch {
      isValid = false;
    }
    return isValid && hasMore;
  };
}
