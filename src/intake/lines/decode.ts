import { OperatorError } from "../../kernel/errors.ts";

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
      `--encoding ${label}: unknown: use a label such as utf-8, windows-1252, iso-8859-2, utf-16le or shift_jis`,
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
  let start = Buffer.alloc(0);
  let failure: unknown;
  try {
    while (!isEnough(start)) {
      const next = await rest.next();
      if (next.done === true) break;
      start = Buffer.concat([start, next.value]);
    }
  } catch (error) {
    failure = error;
  }
  async function* all() {
    yield start;
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
