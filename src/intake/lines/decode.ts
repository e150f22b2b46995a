import { OperatorError } from "../../kernel/errors.ts";

/** A label of the WHATWG Encoding Standard that the input has, such as windows-1252. */
export const UTF_8 = "utf-8";

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

/**
 * The text of a byte stream as UTF-8. UTF-8 passes as it is: its invalid lines are found one by one. The stream fails at the first
 * bytes that the encoding does not have.
 */
export async function* asUtf8(source: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  if (encoding === UTF_8) return yield* source;
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decoded = (bytes?: Buffer) => {
    try {
      return Buffer.from(bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
    } catch (cause) {
      throw new Error(`it has bytes that ${encoding} does not: name another --encoding`, { cause });
    }
  };
  for await (const chunk of source) yield decoded(chunk);
  yield decoded();
}
