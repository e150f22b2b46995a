import { extname } from "node:path";

/** Published files with precompressed twins, and the endings of these (design 8). */
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

export const TWINS = [
  { ending: ".br", encoding: "br" },
  { ending: ".gz", encoding: "gzip" },
] as const;

/** How a representation of a file is encoded; `identity` is the file itself. */
export type Encoding = "identity" | (typeof TWINS)[number]["encoding"];

export function hasTwins(path: string): boolean {
  return TEXT_ENDINGS.has(extname(path));
}

/** Concatenated SHA-256 (hex) of the twins, by the path of their file. */
export type TwinHashes = ReadonlyMap<string, string>;

const HEX_HASH = 64;

/** The list of twins for `sha256sum -c`. */
export function formatTwinList(twins: TwinHashes): string {
  const lines = [...twins].flatMap(([path, hashes]) =>
    TWINS.map(({ ending }, at) => `${hashes.slice(at * HEX_HASH, (at + 1) * HEX_HASH)}  ${path}${ending}\n`),
  );
  return lines.sort((a, b) => (a.slice(HEX_HASH) < b.slice(HEX_HASH) ? -1 : 1)).join("");
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
  const twins = new Map<string, string>();
  for (const { file, sha256 } of twinsOfList(list)) twins.set(file, (twins.get(file) ?? "") + sha256);
  return twins;
}
