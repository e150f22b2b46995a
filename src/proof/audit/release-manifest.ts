import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { DeliverySetup } from "../../contract/accounts/delivery.ts";
import { Environment } from "../../contract/enums.ts";
import { LedgerKeys } from "../../contract/ledger/ledger.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import {
  type KeyRing,
  manifestVerifier,
  openTreeHead,
  publishedKeyRing,
} from "../../ledger/keys/key-ring.ts";
import { type NoteVerifier, openNote, parseVkey } from "../../ledger/keys/note.ts";
import { FormatError } from "../tlog/bytes.ts";
import { parseNote, signaturesBy, type TreeHead } from "../tlog/note.ts";
import { TILE_WIDTH } from "../tlog/proof.ts";
import type { Findings } from "./findings.ts";
import { type PublicFiles, readPublished } from "./site-files.ts";

/** Below the site, wherever that lies: no step up, no absolute path. */
const SITE_PATH = /^(?:(?!\.{1,2}(?:\/|$))[^/\\\p{Cc}]+(?:\/(?!$)|$))+$/u;
const HASH = /^[0-9a-f]{64}$/;

/** Checked where it is: a schema for each member would copy a list of a hundred thousand files. */
const FileList = z.custom<Readonly<Record<string, string>>>((files) => wrongFile(files) === undefined, {
  error: ({ input }) => `not a list of files with their hashes: ${wrongFile(input)}`,
});

function wrongFile(files: unknown): string | undefined {
  if (typeof files !== "object" || files === null || Array.isArray(files)) return "no object";
  const wrong = Object.entries(files).find(
    ([path, hash]: [string, unknown]) =>
      !SITE_PATH.test(path) || typeof hash !== "string" || !HASH.test(hash),
  );
  return wrong && JSON.stringify(wrong[0]);
}

/** What a release says of itself: every file with its hash, and what it was made from. */
export const ReleaseManifest = z.object({
  files: FileList,
  inputs: z.looseObject({
    activity_sha256: z.string().nullable(),
    as_of: z.iso.datetime(),
    base_url: z.string(),
    compared_release: z.string().nullable(),
    delivery: DeliverySetup,
    demand_sha256: z.string().nullable(),
    environment: Environment,
    incidents_sha256: z.string().nullable(),
    operator_name: z.string().nullable(),
    operator_texts_sha256: z.string().nullable(),
    origin: z.string(),
    pending_lines: z.int().nonnegative(),
    reference_sha256: z.string(),
    reports_sha256: z.string().nullable(),
    security_contact: z.string().nullable(),
    site_name: z.string().optional(), // absent where the operator gives the service no name
    source_revision: z.string(),
    tree_size: z.int().positive(),
    last_sealed_row: z.int().nonnegative(),
  }),
  /** The release that a patch release mends after an erasure, and what is carried over from it; absent in nightly releases. */
  mends: z
    .looseObject({
      release_id: z.string(),
      tree_size: z.int().positive(), // of the nightly release: its documents state this one
      last_sealed_row: z.int().nonnegative(), // of the nightly release: later rows take effect at night
      carried_over: z.looseObject({ cities: z.array(z.string()), values: z.array(z.string()) }),
    })
    .optional(),
  release_id: z.string(),
  snapshot_sha256: z.string(),
});
export type ReleaseManifest = z.infer<typeof ReleaseManifest>;

/** What the program reads in manifests of its own. Their hashes are not looked at: to check a hundred thousand copies the list. */
const OwnManifest = z.object({
  files: z.custom<Readonly<Record<string, string>>>((files) => typeof files === "object" && files !== null),
  inputs: ReleaseManifest.shape.inputs.pick({
    as_of: true,
    base_url: true,
    last_sealed_row: true,
    tree_size: true,
  }),
  mends: ReleaseManifest.shape.mends,
  release_id: ReleaseManifest.shape.release_id,
});

/** The manifest at this path, of a release that this program has built. */
export function readOwnManifest(path: string): z.infer<typeof OwnManifest> {
  return OwnManifest.parse(JSON.parse(readFileSync(path, "utf8")));
}

/** The signed frame of a release, all of it verified: keys, newest tree head, list of files. */
export interface SignedRelease {
  readonly ring: KeyRing;
  readonly manifestKey: NoteVerifier | undefined; // undefined for a release of before such keys
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
  const keys = await findings.attempt("ledger/keys.json", async () => {
    const document = LedgerKeys.parse(JSON.parse(await text(files, "ledger/keys.json")));
    return { document, ring: publishedKeyRing(document) };
  });
  if (keys === undefined) return undefined;
  const { document, ring } = keys;
  findings.checked("signing keys", ring.all().length);
  const head = await findings.attempt("ledger/checkpoint", async () =>
    openTrusted(await text(files, "ledger/checkpoint"), ring, anchor),
  );
  if (head === undefined) return undefined;
  await findings.attempt("ledger/vkey", async () => {
    if ((await text(files, "ledger/vkey")) !== `${ring.at(head.size).vkey}\n`)
      throw new FormatError("not the key that signed the checkpoint");
  });
  const manifestKey = await findings.attempt("ledger/keys.json", async () =>
    manifestVerifier(document.origin, document.manifest_keys ?? [], vouching(ring, head)),
  );
  const frame = { ring, head, manifestKey };
  const opened = await openManifest(files, frame, findings);
  return opened && { ...frame, ...opened };
}

/**
 * The author of a forged log can let its key endorse the known one for a size that is never reached. So the known key must be the
 * key of this tree, or lead to it.
 */
function openTrusted(note: string, ring: KeyRing, { vkey }: TrustAnchor): TreeHead {
  const head = openTreeHead(note, ring);
  if (vkey === undefined) return head;
  const keys = ring.all().map((key) => key.vkey);
  const known = keys.indexOf(vkey.trim());
  if (known < 0) throw new FormatError("the key that you gave is not a key of the log");
  if (known > keys.indexOf(ring.at(head.size).vkey))
    throw new FormatError("the key that you gave does not vouch for it: an earlier key of the log signed it");
  return head;
}

/** The key of this tree and those after it. An earlier one may be in the hands of a thief. */
function vouching(ring: KeyRing, head: TreeHead): NoteVerifier[] {
  const keys = ring.all().map(({ vkey }) => parseVkey(vkey));
  return keys.slice(keys.findIndex(({ vkey }) => vkey === ring.at(head.size).vkey));
}

type SignedFrame = Pick<SignedRelease, "ring" | "head" | "manifestKey">;

async function openManifest(
  files: PublicFiles,
  frame: SignedFrame,
  findings: Findings,
): Promise<Pick<SignedRelease, "manifest" | "manifestSha256"> | undefined> {
  const { head } = frame;
  const body = await findings.attempt("manifest.json", () => text(files, "manifest.json"));
  const manifest = await findings.attempt("manifest.json", () =>
    body === undefined ? undefined : ReleaseManifest.parse(JSON.parse(body)),
  );
  const note = await openSigned(files, "manifest.note", frame, findings);
  if (body === undefined || manifest === undefined || note === undefined) return undefined;
  if (note !== manifestNoteText(head.origin, manifest.release_id, body)) {
    findings.fault("manifest.json", "it is not the one that manifest.note signs");
    return undefined;
  }
  if (head.size > TILE_WIDTH * Object.keys(manifest.files).length) {
    findings.fault("manifest.json", `lists fewer files than a tree of ${head.size} rows needs`); // nobody looks for all of them
    return undefined;
  }
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

function openSigned(
  files: PublicFiles,
  path: string,
  frame: SignedFrame,
  findings: Findings,
): Promise<string | undefined> {
  return findings.attempt(path, async () => openReleaseNote(await text(files, path), frame));
}

/**
 * What a note of this release says, signed by the key of manifests, or by the key of its tree or a later one. Throws FormatError
 * for any other note.
 */
export function openReleaseNote(note: string, { ring, head, manifestKey }: SignedFrame): string {
  const signatures = parseNote(note);
  const known = [...(manifestKey === undefined ? [] : [manifestKey]), ...vouching(ring, head)];
  const signer = known.find((key) => signaturesBy(signatures, key).length > 0);
  if (signer === undefined) throw new FormatError("not signed by a key of this log");
  return openNote(note, signer);
}

/** What a release signs about its list of files. */
export function manifestNoteText(origin: string, releaseId: string, manifest: string): string {
  return `${origin}/manifest\n${releaseId}\n${sha256Hex(manifest)}\n`;
}

export async function text(files: PublicFiles, path: string): Promise<string> {
  const bytes = await readPublished(files, path);
  if (!isUtf8(bytes)) throw new FormatError("it is not text in UTF-8");
  return bytes.toString("utf8");
}
