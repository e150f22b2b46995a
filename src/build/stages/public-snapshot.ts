import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import {
  PUBLIC_SNAPSHOT,
  type PublicSnapshot,
  SNAPSHOT_PART_BYTES,
  snapshotPartPath,
} from "../../contract/service/exports.ts";
import { PROGRAM_VERSION, SCHEMA } from "../../contract/versions.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { jsonText } from "../../render/formats/media-types.ts";
import type { ReleaseRow } from "../../snapshot/rows.ts";
import type { BuildEffects } from "../effects.ts";

/** Writes the parts of the snapshot and what describes them: whoever has them can make every document of a record. */
export function publishSnapshot(
  { releaseId, sourceRevision }: ReleaseRow,
  snapshotPath: string,
  effects: BuildEffects,
  onProgress: (parts: number) => void,
): void {
  const parts: PublicSnapshot["parts"] = [];
  const whole = createHash("sha256");
  for (const bytes of partsOf(snapshotPath)) {
    const sha256 = sha256Hex(bytes);
    const path = snapshotPartPath(sha256);
    if (!effects.hashes.has(path)) effects.write(path, bytes);
    whole.update(bytes);
    parts.push({ path, sha256, bytes: bytes.length });
    onProgress(parts.length);
  }
  const described: PublicSnapshot = {
    schema: SCHEMA.publicSnapshot,
    release_id: releaseId,
    record_documents: "on-demand",
    program: { version: PROGRAM_VERSION, source_revision: sourceRevision },
    sha256: whole.digest("hex"),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    parts,
  };
  effects.write(PUBLIC_SNAPSHOT, jsonText(described));
}

/** Each part is overwritten by the next one. */
function* partsOf(path: string): Generator<Buffer> {
  const buffer = Buffer.alloc(SNAPSHOT_PART_BYTES);
  const file = openSync(path, "r");
  try {
    for (;;) {
      const length = readFully(file, buffer);
      if (length > 0) yield buffer.subarray(0, length);
      if (length < buffer.length) return;
    }
  } finally {
    closeSync(file);
  }
}

function readFully(file: number, buffer: Buffer): number {
  for (let length = 0; ; ) {
    const count = readSync(file, buffer, length, buffer.length - length, null);
    length += count;
    if (count === 0 || length === buffer.length) return length;
  }
}
