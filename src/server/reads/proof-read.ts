import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode, PublicError } from "../../kernel/errors.ts";
import { nodeHash } from "../../kernel/merkle-hash.ts";
import { NotInTree, type ProofRequest, type ReadFile, rowProof } from "../../proof/tlog/tile-tree.ts";
import type { QueryValues } from "../../resources/define.ts";
import type { Read } from "./answer-read.ts";

const COUNT = /^[1-9][0-9]{0,14}$/;

/** Parses a row number. Throws PublicError 404 for anything else. */
export function proofRow(row: string): number {
  if (!COUNT.test(row)) throw new PublicError(404, "the ledger row must be a whole number, starting at 1");
  return Number(row);
}

/** A proof made from the release's own tiles, so that a static copy of the site proves the same. `size`: of an earlier tree. */
export function proofRead(row: number, { size }: QueryValues): Read {
  if (size !== undefined && (typeof size !== "string" || !COUNT.test(size)))
    throw new PublicError(400, "size must be the size of a signed tree");
  const request: ProofRequest = { row, size: size === undefined ? undefined : Number(size) };
  return {
    contentType: "text/plain; charset=utf-8",
    text: ({ site }) => proofText(request, filesBelow(join(site, "ledger"))),
  };
}

async function proofText(request: ProofRequest, read: ReadFile): Promise<string> {
  try {
    return await rowProof(request, read, nodeHash);
  } catch (error) {
    if (error instanceof NotInTree) throw new PublicError(404, error.message);
    throw error;
  }
}

function filesBelow(folder: string): ReadFile {
  return async (path) => {
    try {
      return await readFile(join(folder, path));
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return undefined;
      throw error;
    }
  };
}
