import { extname } from "node:path";

/** Which published files have precompressed twins beside them, and under which endings (design 8). */
const TEXT_ENDINGS = new Set([
  ".json",
  ".xml",
  ".csv",
  ".html",
  ".css",
  ".js",
  ".svg",
  ".txt",
  ".md",
  ".note",
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
