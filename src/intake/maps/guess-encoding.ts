import { isUtf8 } from "node:buffer";

/** Encodings before Unicode, by language and by script; the first of those that read equally well is taken. */
const OF_LANGUAGES: readonly (readonly [languages: string, encodings: readonly string[]])[] = [
  ["pl cs sk hu sl hr bs ro sq sr", ["windows-1250", "iso-8859-2"]],
  ["tr az", ["windows-1254"]],
  ["lt lv et", ["windows-1257"]],
  ["vi", ["windows-1258"]],
];
const OF_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Grek: ["windows-1253", "iso-8859-7"],
  Cyrl: ["windows-1251", "koi8-r", "iso-8859-5"],
  Jpan: ["shift_jis", "euc-jp"],
  Kore: ["euc-kr"],
  Hans: ["gb18030"],
  Hant: ["big5"],
  Hebr: ["windows-1255"],
  Arab: ["windows-1256"],
  Thai: ["windows-874"],
};
const WESTERN = "windows-1252";
/** What is no letter in the middle of a word, and what no text has: signs of the wrong encoding. */
const ODD =
  /(?<=\p{L})[\p{S}\u00a0-\u00bf\u00d7\u00f7](?=\p{L})|[\ufffd\u0080-\u009f]|\p{Ll}(?=\p{Lu}\p{Ll})/gu;

export interface Decoded {
  readonly encoding: string;
  readonly text: string;
  /** The text does not say it. */
  readonly isGuess: boolean;
}

/** The text of the beginning of a file; `country` (ISO 3166 code) says what it may be where it is not Unicode. The end may cut a character. */
export function decoded(bytes: Buffer, country: string | undefined): Decoded {
  const wide = utf16Of(bytes);
  if (wide !== undefined) return { ...read(bytes, wide), isGuess: false };
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1 || bytes.length);
  if (isUtf8(whole)) return { ...read(bytes, "utf-8"), isGuess: false };
  const [best = read(bytes, WESTERN)] = encodingsOf(country)
    .map((encoding) => read(bytes, encoding))
    .sort((a, b) => oddities(a.text) - oddities(b.text));
  return { ...best, isGuess: true };
}

function read(bytes: Buffer, encoding: string): { encoding: string; text: string } {
  return { encoding, text: new TextDecoder(encoding).decode(bytes) };
}

function oddities(text: string): number {
  return text.match(ODD)?.length ?? 0;
}

function encodingsOf(country: string | undefined): readonly string[] {
  if (country === undefined) return [WESTERN];
  const { language, script = "" } = localeOf(country);
  const ofLanguage = OF_LANGUAGES.flatMap(([languages, encodings]) =>
    languages.split(" ").includes(language) ? encodings : [],
  );
  return [...(OF_SCRIPTS[script] ?? []), ...ofLanguage, WESTERN];
}

/** The language that most people of a country write, and its script. */
export function localeOf(country: string): Intl.Locale {
  return new Intl.Locale(`und-${country}`).maximize();
}

const UTF_16 = { le: "utf-16le", be: "utf-16be" } as const;

function utf16Of(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return UTF_16.le;
  return bytes[0] === 0xfe && bytes[1] === 0xff ? UTF_16.be : zeros(bytes);
}

/** UTF-16 without a mark has a zero in every second byte of Western text. */
function zeros(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 2000);
  const share = (odd: number) =>
    start.filter((byte, at) => at % 2 === odd && byte === 0).length / (start.length / 2);
  return share(1) > 0.5 ? UTF_16.le : share(0) > 0.5 ? UTF_16.be : undefined;
}
