import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { Fetch } from "../../../src/proof/browser/site-reader.ts";
import { toBase64, toBase64url, toHex } from "../../../src/proof/tlog/bytes.ts";
import { joinEntries } from "../../../src/proof/tlog/leaf.ts";
import { formatTreeHead, keyIdInput } from "../../../src/proof/tlog/note.ts";
import { disclosuresPath, entriesPath, tilesOfLevel } from "../../../src/proof/tlog/proof.ts";
import { observationBody } from "../ledger/observation-body.ts";
import { leafHash, rootOf, sha256, tilesOfTree } from "../ledger/small-tree.ts";

/** For the tests: the published files of a small ledger by address, to be tampered with. */
export type Files = Map<string, Buffer>;

export const ORIGIN = "example.org/log";
export const RECORD = "pr_0123456789abcdef";
export const ASSET = "as_0123456789abcdef";
export const REDACTED = 5; // a row without a disclosure
const [RECORD_ROW, ASSET_ROW] = [2, 3];

/** Of the rows that are no observations: kind and body. */
const OTHERS: Readonly<Record<number, readonly [kind: string, body: object]>> = {
  [RECORD_ROW]: ["record", { is_synthetic: true, name: "Alpha <b>", public_id: RECORD }],
  [ASSET_ROW]: ["asset", { asset_type: "storefront", public_id: ASSET, record: RECORD_ROW }],
};

export interface TestKey {
  readonly name: string;
  readonly vkey: string;
  readonly keyId: string;
  readonly privateKey: KeyObject;
}

const PKCS8_HEADER = Buffer.from("302e020100300506032b657004220420", "hex"); // RFC 8410: 32 bytes of seed follow

/** An Ed25519 key made from a text; `type` other than 1 belies it. */
export function testKey(seed: string, name = ORIGIN, type = 1): TestKey {
  const der = Buffer.concat([PKCS8_HEADER, sha256(Buffer.from(seed))]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  const key = Uint8Array.from(publicKey.subarray(-32));
  const keyId = toHex(sha256(keyIdInput({ name, type, key })).subarray(0, 4));
  return { name, keyId, privateKey, vkey: `${name}+${keyId}+${toBase64(Uint8Array.of(type, ...key))}` };
}

export function signNote(text: string, { name, keyId, privateKey }: TestKey): Buffer {
  const signature = Buffer.concat([Buffer.from(keyId, "hex"), sign(null, Buffer.from(text), privateKey)]);
  return Buffer.from(`${text}\n— ${name} ${toBase64(signature)}\n`);
}

export function bodyOf(row: number) {
  return observationBody({
    asset: ASSET_ROW,
    is_synthetic: true,
    observed_at: `2026-05-01T${String(row % 12).padStart(2, "0")}:00:00Z`, // most are later than the day of acceptance
    observer_tag: `tag ${row}`,
    record: RECORD_ROW,
  });
}

/** The body of any row. */
export function textOf(row: number): object {
  return OTHERS[row]?.[1] ?? bodyOf(row);
}

export function disclosureOf(row: number, name = "body", value: unknown = textOf(row)): string {
  const salt = toBase64url(sha256(Buffer.from(`salt ${row}`)).subarray(0, 16));
  return toBase64url(Buffer.from(JSON.stringify([salt, name, value])));
}

export function entryOf(
  row: number,
  kind = OTHERS[row]?.[0] ?? "observation",
  disclosure = disclosureOf(row),
): Buffer {
  const decoys = [1, 2, 3, 4].map((at) => toBase64url(sha256(Buffer.from(`${row} ${at}`))));
  const digests = [...decoys, toBase64url(sha256(Buffer.from(disclosure)))].sort();
  return Buffer.from(`{"_sd":${JSON.stringify(digests)},"_sd_alg":"sha-256","i":${row},"k":"${kind}","v":1}`);
}

/** Rows in place of those that they number. */
export type OtherRows = ReadonlyMap<number, readonly [kind: string, body: object]>;

/** A site whose tree has these entries; the rows are those of RECORD, of ASSET, and observations, unless given otherwise. */
export function siteFiles(
  size: number,
  key: TestKey,
  replaced: ReadonlyMap<number, Buffer> = new Map(),
  others: OtherRows = new Map(),
): Files {
  const rows = Array.from({ length: size }, (_, at) => at + 1);
  const disclosureAt = (row: number) => disclosureOf(row, "body", others.get(row)?.[1]);
  const entries = rows.map(
    (row) => replaced.get(row) ?? entryOf(row, others.get(row)?.[0], disclosureAt(row)),
  );
  const leaves = entries.map(leafHash);
  const files: Files = new Map([["/ledger/vkey", Buffer.from(`${key.vkey}\n`)]]);
  files.set(
    "/ledger/checkpoint",
    signNote(formatTreeHead({ origin: ORIGIN, size, root: rootOf(leaves) }), key),
  );
  for (const [path, bytes] of tilesOfTree(leaves)) files.set(`/ledger/${path}`, bytes);
  for (const { index, width } of tilesOfLevel(0, size)) {
    const from = index * 256;
    const bundle = joinEntries(entries.slice(from, from + width));
    files.set(`/ledger/${entriesPath(index, width)}`, Buffer.from(bundle));
    files.set(
      `/ledger/${disclosuresPath(index)}`,
      disclosureLines(rows.slice(from, from + width), disclosureAt),
    );
  }
  files.set(`/api/v1/observations/${RECORD}.json`, observationsList(rows.slice(-50), leaves));
  return files;
}

function disclosureLines(rows: readonly number[], disclosureAt: (row: number) => string): Buffer {
  const lines = rows
    .filter((row) => row !== REDACTED)
    .map((row) => JSON.stringify({ i: row, d: disclosureAt(row) }));
  return Buffer.from(`${lines.join("\n")}\n`);
}

function observationsList(rows: readonly number[], leaves: readonly Buffer[]): Buffer {
  const observations = rows.map((id) => {
    const { asset, asset_type, city, counts, is_synthetic, legibility, record, ...published } = bodyOf(id);
    const hash = leaves[id - 1] ?? Buffer.alloc(0);
    // As they are published: never accepted before they were observed.
    return {
      id,
      asset_id: asset,
      ...published,
      accepted_at: published.observed_at,
      asset_public_id: ASSET,
      changed_by: [],
      counts_as_independent: true,
      ledger_hash: hash.toString("hex"),
      observation_verification_state: "corroborated",
      observed_on: String(published.observed_at.split("T")[0]),
      physical_citation: true,
      set_aside: null,
      trust_weight: 0.9,
      verif_state: "corroborated",
    };
  });
  return Buffer.from(JSON.stringify({ public_id: RECORD, is_synthetic: true, observations }));
}

/** A plain file server's answers. */
export function fetchFrom(files: ReadonlyMap<string, Buffer>): Fetch {
  return (address) => {
    const file = files.get(address);
    const answer =
      file === undefined ? new Response("", { status: 404 }) : new Response(new Uint8Array(file));
    return Promise.resolve(answer);
  };
}
