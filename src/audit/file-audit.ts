import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { TWINS } from "../kernel/files/compressed-twins.ts";
import { sha256Hex } from "../kernel/hash.ts";
import type { Findings } from "./findings.ts";
import { MAX_FILE_BYTES, type PublicFiles, readPublished } from "./public-files.ts";

/** A published file and what it must be. */
export interface ListedFile {
  readonly path: string;
  readonly sha256: string;
  /** Of a compressed twin: the SHA-256 of what it holds, which is that of the file that it stands for. */
  readonly holds?: string;
}

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync } as const;

export async function auditFile(files: PublicFiles, listed: ListedFile, findings: Findings): Promise<void> {
  const { path, sha256, holds } = listed;
  findings.checked(holds === undefined ? "files" : "compressed twins");
  await findings.attempt(path, async () => {
    const body = await readPublished(files, path);
    if (sha256Hex(body) !== sha256) throw new Error("its hash is not the one in the signed list");
    if (holds !== undefined && sha256Hex(decoded(path, body)) !== holds)
      throw new Error("it does not hold what the file without its ending holds");
  });
}

function decoded(path: string, body: Buffer): Buffer {
  const twin = TWINS.find(({ ending }) => path.endsWith(ending));
  return twin === undefined ? body : DECODE[twin.encoding](body, { maxOutputLength: MAX_FILE_BYTES });
}
