import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  sighting,
  type TestLedger as Town,
  testLedger,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { fakeInputs } from "../../../tests/support/release/fake-inputs.ts";
import { type LedgerDisclosure, MAX_DISCLOSURE_BYTES } from "../../contract/ledger/ledger.ts";
import { leafHash, sha256Base64url, sha256Hex } from "../../kernel/hash.ts";
import { homePaths } from "../../kernel/home.ts";
import { endorsementText, keysDocument, verifyKeyChain } from "../../ledger/keys/key-ring.ts";
import { readSigner, signingKeyPath } from "../../ledger/keys/keys.ts";
import { type NoteSigner, signerFromSeed } from "../../ledger/keys/note.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { disclosure as disclosureOf } from "../../ledger/rows/digests.ts";
import { joinEntries } from "../tlog/leaf.ts";
import { entriesPath, formatTlogProof, parseTlogProof, TILE_WIDTH } from "../tlog/proof.ts";
import { checkDisclosure, type DisclosureTrust } from "./check-disclosure.ts";
import type { ReleaseManifest } from "./release-manifest.ts";
import type { PublicFiles } from "./site-files.ts";

const MEDIA = "ab".repeat(32);
const FULL = { phone: "+1 416 555 0100", address: "1 Main St", asset_ref: "unit 7", media_sha256: MEDIA };

/** A town of one observation, sealed, and after that one more, sealed. */
let town: Town;
let signer: NoteSigner;
let vkey: string;
let observation: number;
let firstSize: number;
let document: LedgerDisclosure; // the observer of that observation

beforeAll(async () => {
  town = testLedger();
  await town.ingest([sighting("visit-1", FULL)]);
  firstSize = sealed();
  observation = rowOf("observation");
  await town.ingest([sighting("visit-2", { name: "Other Shop", lat: 40.01 })]);
  sealed();
  signer = readSigner(signingKeyPath(homePaths(town.home).keys, "production"));
  vkey = signer.vkey;
  document = await disclosed("observer");
});

afterAll(() => town[Symbol.dispose]());

function sealed(): number {
  town.ledger.seal({ now: true });
  return town.ledger.nextId() - 1;
}

function rowOf(kind: "observation" | "record" | "naming" | "asset"): number {
  return town.rows(kind)[0]?.id ?? 0;
}

function townReader() {
  return openLedgerReader(homePaths(town.home).ledger);
}

async function disclosed(field: string, row = observation, size?: number): Promise<LedgerDisclosure> {
  using reader = townReader();
  return await reader.disclose({ row, field, size });
}

/** The steps that did not pass, and whether a value was shown in spite of them. */
async function faults(changed: unknown, trust: DisclosureTrust = { vkey }): Promise<string[]> {
  const text = typeof changed === "string" ? changed : JSON.stringify(changed);
  const { steps, disclosed: value } = await checkDisclosure(text, trust);
  const found = steps.filter(({ state }) => state === "failed").map(({ step, says }) => `${step}: ${says}`);
  expect(value === undefined).toBe(found.length > 0);
  return found;
}

describe("a value that was not changed", () => {
  test.each([
    [
      "observation",
      "observer",
      { hash: expect.stringMatching(/^[0-9a-f]{64}$/), principal: expect.any(String) },
    ],
    [
      "observation",
      "exact",
      { lat: 40.001, lng: -75.001, observed_at: "2026-05-01T14:25:10.000Z", media_sha256: MEDIA },
    ],
    ["observation", "source_ref", { source: "scout", ref: "visit-1" }],
    ["observation", "seen", { name: "Corner Bakery House", phone: "+1 416 555 0100", address: "1 Main St" }],
    ["observation", "body", expect.objectContaining({ source_type: "scout", legibility: null })],
    ["record", "body", expect.objectContaining({ city: "avalon" })],
    ["naming", "body", expect.objectContaining({ name: "Corner Bakery House" })],
    ["asset", "asset_ref", "unit 7"],
    ["asset", "body", expect.objectContaining({ asset_type: "storefront" })],
  ] as const)("%s: %s", async (kind, field, value) => {
    const row = rowOf(kind);
    const { steps, disclosed: shown } = await checkDisclosure(JSON.stringify(await disclosed(field, row)), {
      vkey,
    });
    expect(shown).toMatchObject({ origin: "test.example/log", row, kind, field, value });
    expect(JSON.parse(shown?.json ?? "")).toEqual(value);
    expect(steps.map(({ step, state }) => `${step} ${state}`)).toEqual(
      ["document", "leaf", "disclosure", "proof", "key", "signature", "path"].map((step) => `${step} passed`),
    );
  });

  test("every row and field of the ledger, in every signed tree", async () => {
    using reader = townReader();
    let checked = 0;
    for (const { size } of reader.checkpoints())
      for (let row = 1; row <= size; row += 1)
        for (const field of reader.rowFields(row).disclosures.keys()) {
          expect(await faults(await reader.disclose({ row, field, size }))).toEqual([]);
          checked += 1;
        }
    expect(checked).toBeGreaterThan(30);
  });

  test("by each key of a log whose key was rotated, at its own sizes", async () => {
    using ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    const first = ledger.signingKey().vkey;
    ledger.rotateKey();
    ledger.sealAt("2026-05-01T13:00:00Z");
    const second = ledger.signingKey().vkey;
    using reader = ledger.reader();
    const [old, young] = await Promise.all(
      [4, 8].map((size) => reader.disclose({ row: 2, field: "source_ref", size })),
    );
    expect(await faults(old, { vkey: first })).toEqual([]);
    expect(await faults(young, { vkey: second })).toEqual([]);
    expect(await faults(old, { vkey: second })).toEqual([
      expect.stringMatching(/^signature: not signed by example\.org\/demo\+/),
    ]);
  });
});

describe("any change is refused", () => {
  test.each(["disclosure", "leaf", "proof"] as const)("of one character of the %s", async (member) => {
    const whole = document[member];
    for (let at = 0; at < whole.length; at += 1)
      for (const other of ["A", "b", "0", " ", "\n"].filter((character) => character !== whole[at])) {
        const changed = whole.slice(0, at) + other + whole.slice(at + 1);
        expect(await faults({ ...document, [member]: changed }), `${at} ${other}`).not.toEqual([]);
      }
  });

  test.each(["disclosure", "leaf", "proof"] as const)(
    "%s cut short, made longer or doubled",
    async (member) => {
      const whole = document[member];
      const lengths = fc.integer({ min: 0, max: whole.length - 1 });
      await fc.assert(
        fc.asyncProperty(lengths, fc.string({ minLength: 1 }), async (length, more) => {
          expect(await faults({ ...document, [member]: whole.slice(0, length) })).not.toEqual([]);
          expect(await faults({ ...document, [member]: whole + more })).not.toEqual([]);
        }),
      );
      expect(await faults({ ...document, [member]: whole + whole })).not.toEqual([]);
    },
  );

  test("of any member for that of another document", async () => {
    const others = await Promise.all([
      disclosed("exact"),
      disclosed("observer", town.rows("observation")[1]?.id),
      disclosed("observer", observation, firstSize),
    ]);
    for (const other of others)
      for (const member of ["row", "field", "disclosure", "leaf", "proof"] as const) {
        const mixed = { ...document, [member]: other[member] };
        // The proof of the same row in another signed tree is as good.
        const isOther = mixed[member] !== document[member];
        const isAsGood = member === "proof" && other.row === document.row;
        if (isOther) expect((await faults(mixed)).length > 0, member).toBe(!isAsGood);
      }
  });

  test("the step that fails is named with what is wrong", async () => {
    const other = await disclosed("observer", town.rows("observation")[1]?.id);
    const exact = await disclosed("exact");
    expect(await faults({ ...document, field: "exact" })).toEqual([
      "disclosure: it discloses the field observer, not exact",
    ]);
    expect(await faults({ ...document, disclosure: exact.disclosure })).toEqual([
      "disclosure: it discloses the field exact, not observer",
    ]);
    expect(await faults({ ...document, proof: other.proof })).toEqual([
      `proof: it is the proof of row ${other.row}, not of ${document.row}`,
    ]);
    expect(await faults({ ...document, leaf: other.leaf })).toEqual([
      `leaf: it is the leaf of row ${other.row}, not of row ${document.row}`,
      "path: the leaf does not lead to the signed root",
    ]);
    expect(await faults({ ...document, origin: "test.example/other" })).toEqual([
      "signature: the tree head is of test.example/log, the document says test.example/other",
    ]);
  });
});

describe("hostile documents", () => {
  test.each([
    ["nothing", "", "document: not JSON"],
    ["no JSON", "{", "document: not JSON"],
    ["null", "null", /^document: document: Invalid input/],
    ["an array", "[]", /^document: document: Invalid input/],
    ["a value that nothing can compare", '{"origin":{"length":{"toString":null}}}', /origin: Invalid input/],
    ["nested deeply", "[".repeat(100_000) + "]".repeat(100_000), /^document: document: Invalid input/],
    [
      "huge",
      " ".repeat(MAX_DISCLOSURE_BYTES + 1),
      "document: larger than 1048576 bytes, as no disclosure is",
    ],
  ])("%s", async (_what, text, says) => {
    expect(await faults(text)).toEqual([typeof says === "string" ? says : expect.stringMatching(says)]);
  });

  test("with a member of another type, missing, or of no meaning", async () => {
    for (const member of Object.keys(document)) {
      for (const value of [null, 1.5, -1, true, [], {}, ["a"]])
        expect(await faults({ ...document, [member]: value }), member).toEqual([
          expect.stringMatching(new RegExp(`^document: ${member}: `)),
        ]);
      const rest = Object.entries(document).filter(([key]) => key !== member);
      expect(await faults(Object.fromEntries(rest))).toEqual([
        expect.stringMatching(new RegExp(`^document: ${member}: `)),
      ]);
    }
    expect(await faults({ ...document, verified: true })).toEqual([
      expect.stringMatching(/^document: document: Unrecognized key/),
    ]);
  });

  test.each(["__proto__", "constructor", "toString"])("with the member %s", async (key) => {
    const text = JSON.stringify(document).replace("{", `{${JSON.stringify(key)}:{"row":1},`);
    expect(await faults(text)).toEqual([expect.stringMatching(/^document: /)]);
    for (const member of ["field", "environment", "schema"])
      expect(await faults({ ...document, [member]: key })).not.toEqual([]);
  });

  test("any JSON whatever", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        expect(await faults(text)).not.toEqual([]);
      }),
    );
  });

  test("an operator's own leaf in another form, or a value that two programs read differently", async () => {
    const signedBy = (leaf: string, disclosure: string) => {
      const checkpoint = signer.sign(`test.example/log\n1\n${leafHash(leaf).toString("base64")}\n`);
      return {
        ...document,
        row: 1,
        disclosure,
        leaf,
        proof: formatTlogProof({ index: 0, path: [], checkpoint }),
      };
    };
    const leafOf = (disclosure: string) =>
      `{"_sd":["${[sha256Base64url(disclosure), ..."BCDE"].map((text) => text.padEnd(43, "A")).join('","')}"],"_sd_alg":"sha-256","i":1,"k":"observation","v":1}`;
    const salt = "A".repeat(22);
    const good = disclosureOf(salt, { name: "observer", json: '"x"' });
    expect(await faults(signedBy(leafOf(good), good))).toEqual([]);
    for (const leaf of [leafOf(good).replace('"i":1', '"i": 1'), `${leafOf(good)}\n`])
      expect(await faults(signedBy(leaf, good))).toEqual(["leaf: not a leaf in canonical form"]);
    for (const json of ['{"lat":1,"lat":2}', " 1", "1.0", '"\\u0041"']) {
      const odd = disclosureOf(salt, { name: "observer", json });
      expect(await faults(signedBy(leafOf(odd), odd)), json).toEqual([
        "disclosure: its value is not written as the ledger writes values",
      ]);
    }
    const deep = disclosureOf(salt, { name: "observer", json: "[".repeat(50_000) + "]".repeat(50_000) });
    expect(await faults(signedBy(leafOf(deep), deep))).toEqual([
      expect.stringMatching(/^disclosure: Maximum call stack/),
    ]);
  });

  test("whose proof bears what nobody checks", async () => {
    const proof = document.proof.replace("\nindex ", "\nextra Zm9v\nindex ");
    expect(await faults({ ...document, proof })).toEqual([
      "proof: it is not written as the ledger writes proofs",
    ]);
  });
});

describe("keys", () => {
  test("another key, a damaged key, another log's key of the same name", async () => {
    const forger = signerFromSeed("test.example/log", Buffer.alloc(32, 7));
    expect(await faults(document, { vkey: forger.vkey })).toEqual([
      `signature: not signed by test.example/log+${forger.keyId}`,
    ]);
    expect(await faults(document, { vkey: vkey.replace("log", "lag") })).toEqual([
      "key: the key id does not belong to the public key",
    ]);
    expect(await faults(document, { vkey: "" })).toEqual(["key: not a note verification key"]);
    expect(await faults(document, { vkey: `${vkey}\n` })).toEqual([]);
    const { index, path, checkpoint } = parseTlogProof(document.proof);
    const text = checkpoint.slice(0, checkpoint.indexOf("\n\n") + 1);
    const forged = formatTlogProof({ index, path, checkpoint: forger.sign(text) });
    expect(await faults({ ...document, proof: forged })).toEqual([
      `signature: not signed by test.example/log+${signer.keyId}`,
    ]);
  });
});

/** What a release of the town publishes of its tree, as far as this check reads it. */
function publishedFiles(upTo?: number): Map<string, Buffer> {
  using reader = townReader();
  const files = new Map<string, Buffer>();
  const put = (path: string, content: string | Uint8Array) => files.set(path, Buffer.from(content));
  const heads = reader.checkpoints().filter(({ size }) => size <= (upTo ?? size));
  const newest = heads.at(-1);
  if (newest === undefined) throw new Error("nothing is sealed");
  const { origin, environment } = reader.meta;
  put("ledger/keys.json", JSON.stringify(keysDocument(origin, environment, reader.keyRing())));
  put("ledger/vkey", `${vkey}\n`);
  put("ledger/checkpoint", newest.note);
  for (const { size, note } of heads) put(`ledger/checkpoints/${size}`, note);
  for (let after = 0; after < newest.size; after += TILE_WIDTH) {
    const until = Math.min(after + TILE_WIDTH, newest.size);
    const entries = [...reader.leaves(after, until)].map(({ entry }) => entry);
    put(`ledger/${entriesPath(after / TILE_WIDTH, entries.length)}`, joinEntries(entries));
  }
  signManifest(files, newest.size);
  return files;
}

function signManifest(
  files: Map<string, Buffer>,
  treeSize: number,
  environment: "production" | "demo" = "production",
): void {
  const listed = [...files].filter(([path]) => path.startsWith("ledger/"));
  const manifest: ReleaseManifest = {
    files: Object.fromEntries(listed.map(([path, bytes]) => [path, sha256Hex(bytes)])),
    inputs: fakeInputs("test.example/log", treeSize, { environment, last_sealed_row: treeSize - 1 }),
    release_id: "r1",
    snapshot_sha256: "0".repeat(64),
  };
  const body = JSON.stringify(manifest);
  files.set("manifest.json", Buffer.from(body));
  files.set("manifest.note", Buffer.from(signer.sign(`test.example/log/manifest\nr1\n${sha256Hex(body)}\n`)));
}

function filesOf(files: ReadonlyMap<string, Buffer>): PublicFiles {
  return { read: (path) => Promise.resolve(files.get(path)) };
}

describe("against what is published", () => {
  test("the published leaf, tree head and keys", async () => {
    for (const trust of [{ files: filesOf(publishedFiles()) }, { files: filesOf(publishedFiles()), vkey }]) {
      const { steps, disclosed: shown } = await checkDisclosure(JSON.stringify(document), trust);
      expect(steps.filter(({ state }) => state !== "passed")).toEqual([]);
      expect(steps.slice(-2).map(({ step }) => step)).toEqual(["published leaf", "published checkpoint"]);
      expect(shown?.field).toBe("observer");
    }
    expect(
      await faults(await disclosed("exact", observation, firstSize), { files: filesOf(publishedFiles()) }),
    ).toEqual([]);
  });

  test("a release that is older than the document", async () => {
    const late = await disclosed("source_ref", town.rows("observation")[1]?.id);
    expect(await faults(late, { files: filesOf(publishedFiles(firstSize)) })).toEqual([
      `published leaf: the release has ${firstSize} rows, so row ${late.row} is not published yet`,
      expect.stringMatching(/^published checkpoint: the release has .* is not published yet$/),
    ]);
  });

  test("a release without the leaf, or with another one", async () => {
    const path = [...publishedFiles().keys()].find((file) => file.includes("/entries/")) ?? "";
    const gone = publishedFiles();
    gone.delete(path);
    expect(await faults(document, { files: filesOf(gone) })).toEqual([
      `published leaf: ${path}: the file is missing`,
    ]);
    const other = publishedFiles();
    const bytes = Buffer.from(
      other.get(path)?.toString("latin1").replaceAll(`"i":${observation},`, `"i":999,`) ?? "",
    );
    other.set(path, bytes);
    expect(await faults(document, { files: filesOf(other) })).toEqual([
      `published leaf: ${path}: its hash is not the one in the signed list`,
    ]);
  });

  test("the operator shows the auditor another tree than the world", async () => {
    const other = publishedFiles();
    const newest = Number(
      Buffer.from(other.get("ledger/checkpoint") ?? "")
        .toString("utf8")
        .split("\n")[1],
    );
    const fork = signer.sign(`test.example/log\n${newest}\n${Buffer.alloc(32, 1).toString("base64")}\n`);
    other.set(`ledger/checkpoints/${newest}`, Buffer.from(fork));
    other.set("ledger/checkpoint", Buffer.from(fork));
    signManifest(other, newest);
    expect(await faults(document, { files: filesOf(other) })).toEqual([
      `published checkpoint: ledger/checkpoints/${newest}: another tree head is published`,
    ]);
  });

  test("another site, another environment, a key that is not the site's, keys that are broken", async () => {
    const demo = publishedFiles();
    signManifest(demo, Number(demo.get("ledger/checkpoint")?.toString("utf8").split("\n")[1]), "demo");
    expect(await faults(document, { files: filesOf(demo) })).toEqual([
      "key: the site publishes a demo ledger, the document is of a production one",
    ]);
    const forger = signerFromSeed("test.example/log", Buffer.alloc(32, 7));
    expect(await faults(document, { files: filesOf(publishedFiles()), vkey: forger.vkey })).toEqual([
      "key: ledger/checkpoint: the key that you gave is not a key of the log",
    ]);
    expect(await faults(document, { files: filesOf(new Map()) })).toEqual([
      "key: ledger/keys.json: the file is missing",
    ]);
    const broken = publishedFiles();
    broken.set("manifest.note", Buffer.from("nothing"));
    expect(await faults(document, { files: filesOf(broken) })).toEqual([
      "key: manifest.note: not a signed note",
    ]);
  });

  test("a made-up first key that endorses the one you know signs nothing", async () => {
    const forger = signerFromSeed("test.example/log", Buffer.alloc(32, 7));
    const ring = verifyKeyChain("test.example/log", [
      { keyId: forger.keyId, vkey: forger.vkey, fromSize: 0, createdAt: 0, endorsement: null },
      {
        keyId: signer.keyId,
        vkey,
        fromSize: firstSize,
        createdAt: 0,
        endorsement: forger.sign(endorsementText("test.example/log", { vkey, fromSize: firstSize })),
      },
    ]);
    const site = publishedFiles();
    site.set(
      "ledger/keys.json",
      Buffer.from(JSON.stringify(keysDocument("test.example/log", "production", ring))),
    );
    const early = await disclosed("observer", observation, firstSize);
    const { index, path, checkpoint } = parseTlogProof(early.proof);
    const text = checkpoint.slice(0, checkpoint.indexOf("\n\n") + 1);
    const proof = formatTlogProof({ index, path, checkpoint: forger.sign(text) });
    expect(await faults({ ...early, proof }, { files: filesOf(site), vkey })).toEqual([
      `published checkpoint: ledger/checkpoints/${firstSize}: another tree head is published`,
    ]);
  });

  test("a site that is down is no proof", async () => {
    const down: PublicFiles = { read: () => Promise.reject(new Error("could not be fetched")) };
    expect(await faults(document, { files: down })).toEqual(["key: ledger/keys.json: could not be fetched"]);
  });
});
