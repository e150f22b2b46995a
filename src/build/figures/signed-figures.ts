/** The figures as they lie beside the site, and the signed note without which nobody believes them. */
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { hasErrorCode } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { releasePaths } from "../../kernel/home.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { figuresText, parseFigures, type ReleaseFigures } from "./figures.ts";

/** The text of a signed note by a key of manifests of this ledger. Throws FormatError for any other note. */
export type OpenNote = (note: string) => string;

export const SignedFigures = z.object({ text: z.string(), note: z.string() });
export type SignedFigures = z.infer<typeof SignedFigures>;

/** What a release signs about its figures. */
export function figuresNoteText(origin: string, releaseId: string, text: string): string {
  return `${origin}/figures\n${releaseId}\n${sha256Hex(text)}\n`;
}

export function writeFigures(
  directory: string,
  figures: ReleaseFigures,
  origin: string,
  sign: (text: string) => string,
): void {
  const paths = releasePaths(directory);
  const text = figuresText(figures);
  writeFileSync(paths.figures, text);
  writeFileSync(paths.figuresNote, sign(figuresNoteText(origin, figures.release_id, text)));
}

/** Throws FormatError where a file is missing. */
export function readFigures(directory: string): SignedFigures {
  const { figures, figuresNote } = releasePaths(directory);
  try {
    return { text: readFileSync(figures, "utf8"), note: readFileSync(figuresNote, "utf8") };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) throw new FormatError("the file of figures is missing");
    throw error;
  }
}

/** Throws FormatError unless the note signs this text. */
export function openFigures({ text, note }: SignedFigures, open: OpenNote): ReleaseFigures {
  const [signedFor = "", releaseId = "", hash] = open(note).split("\n");
  if (!signedFor.endsWith("/figures") || hash !== sha256Hex(text))
    throw new FormatError("figures.ndjson: it is not the one that figures.note signs");
  const figures = parseFigures(text);
  if (figures.release_id !== releaseId) throw new FormatError("figures.ndjson: of another release");
  return figures;
}
