import { brotliDecompressSync, constants, gunzipSync } from "node:zlib";
import { TWINS } from "../../kernel/files/compressed-twins.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import type { Findings } from "./findings.ts";
import { MAX_FILE_BYTES, type PublicFiles, readPublished } from "./public-files.ts";

/** A published file and what it must be. */
export interface ListedFile {
  readonly path: string;
  readonly sha256: string;
  /** Of a compressed twin that comes without its file: the SHA-256 of what it holds, which is that of the file. */
  readonly holds?: string;
  /** Its compressed twins. */
  readonly twins?: readonly { readonly ending: string; readonly sha256: string }[];
}

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync } as const;

/** `twinFiles` reads the compressed twins: what `files` gave of the file itself must still be there then. */
export async function auditFile(
  files: PublicFiles,
  listed: ListedFile,
  findings: Findings,
  twinFiles = files,
): Promise<void> {
  const { path, sha256, holds, twins = [] } = listed;
  findings.checked(holds === undefined ? "files" : "compressed twins");
  const body = await findings.attempt(path, async () => {
    const bytes = bodyOf(await readPublished(files, path), sha256);
    if (holds !== undefined) assertHolds(path, bytes, { sha256: holds });
    return bytes;
  });
  for (const twin of twins) {
    findings.checked("compressed twins");
    await findings.attempt(path + twin.ending, async () => {
      const bytes = bodyOf(await readPublished(twinFiles, path + twin.ending), twin.sha256);
      assertHolds(path + twin.ending, bytes, { sha256, body });
    });
  }
}

/** The bytes of a file, if they are those of the signed list. */
export function bodyOf(bytes: Buffer, sha256: string): Buffer {
  if (sha256Hex(bytes) !== sha256) throw new Error("its hash is not the one in the signed list");
  return bytes;
}

interface FileOfTwin {
  readonly sha256: string;
  readonly body?: Buffer | undefined; // where it has that hash
}

function assertHolds(path: string, twin: Buffer, { sha256, body }: FileOfTwin): void {
  const held = decoded(path, twin, body?.length);
  // Comparing costs less than hashing.
  if (body === undefined ? sha256Hex(held) !== sha256 : !held.equals(body))
    throw new Error("it does not hold what the file without its ending holds");
}

/** With the length that it should have, all of it comes in one piece. */
function decoded(path: string, body: Buffer, length = constants.Z_DEFAULT_CHUNK): Buffer {
  const twin = TWINS.find(({ ending }) => path.endsWith(ending));
  const chunkSize = Math.max(constants.Z_MIN_CHUNK, length + 1);
  return twin === undefined
    ? body
    : DECODE[twin.encoding](body, { maxOutputLength: MAX_FILE_BYTES, chunkSize });
}
