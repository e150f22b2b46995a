import { extname } from "node:path";

/** Endings of published files that shrink when they are compressed. */
const TEXT_ENDINGS = new Set([
  ".json",
  ".xml",
  ".csv",
  ".geojson",
  ".html",
  ".css",
  ".js",
  ".svg",
  ".txt",
  ".md",
  ".webmanifest",
]);

/** Kinds of precompressed twins; a reader who takes a later one also takes those before it. */
export const TWINS = [
  { ending: ".gz", encoding: "gzip" },
  { ending: ".br", encoding: "br" },
] as const;

export type TwinEnding = (typeof TWINS)[number]["ending"];

/** How a representation of a file is encoded; `identity` is the file itself. */
export type Encoding = "identity" | (typeof TWINS)[number]["encoding"];

export function isCompressible(path: string): boolean {
  return TEXT_ENDINGS.has(extname(path));
}

/** The payload of about one packet: what saves less arrives no sooner. */
const MIN_SAVED_BYTES = 1400;

/** Whether a twin of `bytes` is worth having for readers who would be sent `instead` bytes without it. */
export function isWorthwhile(bytes: number, instead: number): boolean {
  return instead - bytes >= MIN_SAVED_BYTES;
}

/** SHA-256 (hex) of the twins of a release, by their own paths. */
export type TwinHashes = ReadonlyMap<string, string>;

/** The list of twins for `sha256sum -c`. */
export function formatTwinList(twins: TwinHashes): string {
  const sorted = [...twins].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([path, sha256]) => `${sha256}  ${path}\n`).join("");
}

export interface ListedTwin {
  readonly file: string; // path of the file that the twin stands for
  readonly ending: string;
  readonly sha256: string;
}

/** Parses the output of `formatTwinList` line by line, and skips malformed lines. */
export function* twinsOfList(list: string): Generator<ListedTwin> {
  for (const [, sha256 = "", file = "", ending = ""] of list.matchAll(
    /^([0-9a-f]{64}) {2}(.+)(\.br|\.gz)$/gm,
  ))
    yield { file, ending, sha256 };
}

export function parseTwinList(list: string): Map<string, string> {
  return new Map(Array.from(twinsOfList(list), ({ file, ending, sha256 }) => [file + ending, sha256]));
}
