import { z } from "zod";
import { Environment } from "../contract/enums.ts";
import { LedgerKeys } from "../contract/ledger-keys.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { type KeyRing, openTreeHead, publishedKeyRing } from "../ledger/key-ring.ts";
import { openNote, parseVkey } from "../ledger/note.ts";
import { FormatError } from "../tlog/format-error.ts";
import { parseNote, signaturesBy } from "../tlog/note.ts";
import type { TreeHead } from "../tlog/tree-head.ts";
import type { Findings } from "./findings.ts";
import type { PublicFiles } from "./public-files.ts";

/** Below the site, wherever that lies: no step up, no absolute path. */
const SitePath = z.string().regex(/^(?:(?!\.{1,2}(?:\/|$))[^/\\\p{Cc}]+(?:\/(?!$)|$))+$/u);

/** What a release says of itself: every file with its hash, and what it was made from. */
export const ReleaseManifest = z.object({
  files: z.record(SitePath, z.string().regex(/^[0-9a-f]{64}$/)),
  inputs: z.looseObject({
    as_of: z.iso.datetime(),
    base_url: z.string(),
    environment: Environment,
    origin: z.string(),
    reference_sha256: z.string(),
    source_revision: z.string(),
    tree_size: z.int().positive(),
    last_sealed_row: z.int().nonnegative(),
  }),
  release_id: z.string(),
  snapshot_sha256: z.string(),
});
export type ReleaseManifest = z.infer<typeof ReleaseManifest>;

/** The signed frame of a release, all of it verified: keys, newest tree head, list of files. */
export interface SignedRelease {
  readonly ring: KeyRing;
  readonly head: TreeHead;
  readonly manifest: ReleaseManifest;
  readonly manifestSha256: string;
}

export interface TrustAnchor {
  readonly vkey?: string | undefined; // a key known from elsewhere: it and those that it leads to are trusted, none before it
}

/**
 * Verifies keys, checkpoint and manifest of a release. Without this frame nothing else can be judged: undefined then, with the
 * faults in `findings`.
 */
export async function openRelease(
  files: PublicFiles,
  anchor: TrustAnchor,
  findings: Findings,
): Promise<SignedRelease | undefined> {
  const ring = await findings.attempt("ledger/keys.json", async () =>
    publishedKeyRing(LedgerKeys.parse(JSON.parse(await text(files, "ledger/keys.json")))),
  );
  if (ring === undefined) return undefined;
  findings.checked("signing keys", ring.all().length);
  const head = await findings.attempt("ledger/checkpoint", async () =>
    openTrusted(await text(files, "ledger/checkpoint"), ring, anchor),
  );
  if (head === undefined) return undefined;
  await findings.attempt("ledger/vkey", async () => {
    if ((await text(files, "ledger/vkey")) !== `${ring.at(head.size).vkey}\n`)
      throw new FormatError("not the key that signed the checkpoint");
  });
  const opened = await openManifest(files, ring, head, findings);
  return opened && { ring, head, ...opened };
}

/**
 * Whoever makes up a log can let its key endorse the known one for a size that never comes. So the known key must be that of
 * this tree, or lead to it.
 */
function openTrusted(note: string, ring: KeyRing, { vkey }: TrustAnchor): TreeHead {
  const head = openTreeHead(note, ring);
  if (vkey === undefined) return head;
  const keys = ring.all().map((key) => key.vkey);
  const known = keys.indexOf(vkey.trim());
  if (known < 0) throw new FormatError("the key that you gave is none of the log's");
  if (known > keys.indexOf(ring.at(head.size).vkey))
    throw new FormatError("the key that you gave does not vouch for it: an earlier key of the log signed it");
  return head;
}

async function openManifest(
  files: PublicFiles,
  ring: KeyRing,
  head: TreeHead,
  findings: Findings,
): Promise<Pick<SignedRelease, "manifest" | "manifestSha256"> | undefined> {
  const body = await findings.attempt("manifest.json", () => text(files, "manifest.json"));
  if (body === undefined) return undefined;
  const manifest = await findings.attempt("manifest.json", () => ReleaseManifest.parse(JSON.parse(body)));
  const signed = await findings.attempt("manifest.note", async () =>
    assertSigned(
      await text(files, "manifest.note"),
      "manifest",
      body,
      manifest?.release_id ?? "",
      ring,
      head,
    ),
  );
  if (manifest === undefined || signed === undefined) return undefined;
  const { tree_size, origin } = manifest.inputs;
  if (tree_size !== head.size)
    findings.fault(
      "manifest.json",
      `made from ${tree_size} rows, not from the ${head.size} of the checkpoint`,
    );
  if (origin !== head.origin)
    findings.fault("manifest.json", `made from the log ${origin}, not from ${head.origin}`);
  return { manifest, manifestSha256: sha256Hex(body) };
}

/** The signed list of all compressed twins of this release; undefined when it is not the signed one. */
export async function openTwinList(
  files: PublicFiles,
  { ring, head, manifest }: SignedRelease,
  findings: Findings,
): Promise<string | undefined> {
  const list = await findings.attempt("twins.sha256", () => text(files, "twins.sha256"));
  const signed = await findings.attempt("twins.note", async () =>
    assertSigned(await text(files, "twins.note"), "twins", list ?? "", manifest.release_id, ring, head),
  );
  return signed === undefined ? undefined : list;
}

/** A note over a file of this release, by the key of its tree or a later one. Returns true; throws FormatError. */
export function assertSigned(
  note: string,
  what: string,
  body: string,
  releaseId: string,
  ring: KeyRing,
  head: TreeHead,
): true {
  const keys = ring.all().map(({ vkey }) => parseVkey(vkey));
  const from = keys.findIndex(({ vkey }) => vkey === ring.at(head.size).vkey);
  const parsed = parseNote(note);
  const signer = keys.slice(from).find((key) => signaturesBy(parsed, key).length > 0);
  if (signer === undefined) throw new FormatError("not signed by a key of this log");
  if (openNote(note, signer) !== `${head.origin}/${what}\n${releaseId}\n${sha256Hex(body)}\n`)
    throw new FormatError(`signed for another ${what} than the one published`);
  return true;
}

export async function text(files: PublicFiles, path: string): Promise<string> {
  const bytes = await files.read(path);
  if (bytes === undefined) throw new FormatError("the file is missing");
  return bytes.toString("utf8");
}
