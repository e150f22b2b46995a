/** One argument of a shown command: a shell reads it back as it is. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command as an operator may copy it. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/**
 * The only way to a terminal, or to a log that ends on one. Names of files, texts of remote servers and of readers may hold line ends, which forge
 * lines of ours, and characters that steer a terminal: they are shown by their numbers.
 */

interface Stream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Output {
  /** Writes one line. A last line end in `text` is taken as its own; any other one is shown by its number. */
  write(text: string): unknown;
  /** Replaces the line that the cursor is on, where there is a cursor. */
  redraw?(text: string): unknown;
}

const UNSAFE = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/gu;

export function outputTo(stream: Stream): Output {
  return {
    write: (text) => stream.write(`${harmlessLine(text.replace(/\n$/, ""))}\n`),
    ...(stream.isTTY === true && {
      redraw: (text: string) => stream.write(`\r\u001b[K${harmlessLine(text)}`),
    }),
  };
}

/** Writes a text of several lines. */
export function writeText(output: Output, text: string): void {
  for (const line of text.replace(/\n$/, "").split("\n")) output.write(`${line}\n`);
}

/** Escapes what steers a terminal or the direction of text, and line ends. */
export function harmlessLine(text: string): string {
  return text.replace(UNSAFE, escaped);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** JSON. What it leaves as it is and a terminal obeys is escaped as JSON does it, within strings; its own line ends stay. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
