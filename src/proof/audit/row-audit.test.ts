import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rootOf } from "../../../tests/support/ledger/small-tree.ts";
import { fakeInputs } from "../../../tests/support/release/fake-inputs.ts";
import { sha256 } from "../../kernel/hash.ts";
import { verifyKeyChain } from "../../ledger/keys/key-ring.ts";
import { parseVkey, signerFromSeed } from "../../ledger/keys/note.ts";
import { Findings } from "./findings.ts";
import type { SignedRelease } from "./release-manifest.ts";
import { HashList, RowAudit } from "./row-audit.ts";

/** Rows by hand; what a real ledger's seals lead to is in tree-audit.test.ts. */
describe("row audit", () => {
  /** A row's public body, that none is published, or that what is published is none. */
  type Disclosed = { readonly body: unknown } | "none" | "faulty";
  type Row = readonly [kind: string, disclosed: Disclosed];

  const ORIGIN = "example.org/demo";
  const key = parseVkey(signerFromSeed(ORIGIN, Buffer.alloc(32, 1)).vkey);
  const ring = verifyKeyChain(ORIGIN, [
    { keyId: key.keyId, vkey: key.vkey, fromSize: 0, createdAt: 0, endorsement: null },
  ]);

  function releaseOf(size: number, lastSealed: number): SignedRelease {
    const inputs = fakeInputs(ORIGIN, size, { last_sealed_row: lastSealed });
    return {
      ring,
      manifestKey: undefined,
      head: { origin: ORIGIN, size, root: sha256("root") },
      manifest: { files: {}, inputs, release_id: "r", snapshot_sha256: "" },
      manifestSha256: "",
    };
  }

  function audited(rows: readonly Row[], lastSealed = 0) {
    const findings = new Findings();
    const audit = new RowAudit(releaseOf(rows.length, lastSealed), findings);
    audit.add(bundleOf(rows));
    audit.finish();
    return {
      faults: findings.faults.map(({ subject, problem }) => `${subject}: ${problem}`),
      counts: findings.counts(),
    };
  }

  const STATING = ["seal", "clock", "redaction"];

  function bundleOf(rows: readonly Row[]) {
    const all = rows.map(([kind, disclosed], at) => ({ row: at + 1, kind, disclosed }));
    const disclosed = all.flatMap(({ row, kind, disclosed }) =>
      typeof disclosed === "string" ? [] : [{ row, kind, body: disclosed.body }],
    );
    return {
      index: 0,
      leafHashes: Buffer.concat(rows.map((_, at) => sha256(String(at)))),
      statements: disclosed.filter(({ kind }) => STATING.includes(kind)),
      undisclosed: all.filter(({ disclosed }) => disclosed === "none"),
      unreadable: [],
      lastDisclosed: disclosed.findLast(({ kind }) => !STATING.includes(kind))?.row ?? 0,
    };
  }

  const gone = (rows: readonly number[]): Row => ["redaction", { body: { rows } }];
  const open: Row = ["status", "none"];

  test("rows that no seal covers wait, and are at fault when they do not", () => {
    expect(audited([open, open])).toEqual({
      faults: [],
      counts: { "redacted rows": 0, "rows that wait for a seal": 2 },
    });
    expect(audited([open, ["status", { body: {} }]]).faults).toEqual([
      "row 2: published before any seal covers it",
    ]);
  });

  describe("redactions", () => {
    test("account for what is not disclosed, once and for all", () => {
      const { faults, counts } = audited([open, open, gone([1]), gone([1, 2])]);
      expect(faults).toEqual([]);
      expect(counts).toMatchObject({
        redactions: 2,
        "redactions, their reasons not checkable": 2,
        "redacted rows": 2,
        "rows that wait for a seal": 0,
      });
    });

    test("must themselves be disclosed, at once", () => {
      expect(audited([open, ["redaction", "none"]]).faults).toEqual([
        "row 2: silent omission: it is not disclosed, and no later row redacts it",
      ]);
    });

    test("name rows before them alone", () => {
      expect(audited([open, gone([2, 3]), open]).faults).toEqual([
        "row 2: redacts row 2, which is not before it",
        "row 2: redacts row 3, which is not before it",
      ]);
    });

    test("of a row that is disclosed all the same are at fault", () => {
      expect(audited([["status", "faulty"], gone([1])]).faults).toEqual([
        "row 1: redacted by row 2, but its disclosure is published",
      ]);
    });
  });

  test("a seal must be disclosed, and what cannot be read is no silent omission", () => {
    expect(audited([open, ["seal", "none"]]).faults).toEqual([
      "row 2: silent omission: it is not disclosed, and no later row redacts it",
    ]);
    expect(audited([open, ["seal", "faulty"]]).faults).toEqual([]); // said where it was read
  });

  describe("corrections of the clock", () => {
    const clock = (from: string, to: string): Row => ["clock", { body: { from, to } }];

    test("lead back, and are disclosed at once", () => {
      const { faults, counts } = audited([open, clock("2036-05-01", "2026-05-01")]);
      expect(faults).toEqual([]);
      expect(counts).toMatchObject({ "corrections of the clock": 1, "rows that wait for a seal": 1 });
      expect(audited([["clock", "none"]]).faults).toEqual([
        "row 1: silent omission: it is not disclosed, and no later row redacts it",
      ]);
    });

    test("never lead forward", () => {
      expect(audited([clock("2026-05-01", "2026-05-02")]).faults).toEqual([
        "row 1: corrects the clock from 2026-05-01 to 2026-05-02, which is later",
      ]);
    });
  });
});

describe("hash list", () => {
  const BLOCK = 8192;
  const hashOf = (number: number) => sha256(Buffer.from(String(number)));

  type Step = { readonly push: number } | { readonly drop: number };
  const amount = fc.oneof(fc.nat(20), fc.constantFrom(BLOCK - 1, BLOCK, BLOCK + 1));
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.oneof(fc.record({ push: amount }), fc.record({ drop: amount })),
    { maxLength: 8 },
  );

  function afterSteps(taken: readonly Step[]): [HashList, Buffer[]] {
    const [list, plain] = [new HashList(), Array.of<Buffer>()];
    let next = 0;
    for (const step of taken) {
      const [push, drop] = "push" in step ? [step.push, 0] : [0, step.drop];
      const hashes = Array.from({ length: push }, () => hashOf(next++));
      for (const hash of hashes) list.push(hash);
      plain.push(...hashes);
      list.dropFirst(drop);
      plain.splice(0, drop);
    }
    return [list, plain];
  }

  test("it holds what a plain array would", () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat(3 * BLOCK), { maxLength: 6 }), (taken, looks) => {
        const [list, plain] = afterSteps(taken);
        expect(list.length).toBe(plain.length);
        for (const at of [0, plain.length - 1, plain.length, ...looks])
          expect(list.at(at)).toEqual(plain[at]);
        for (const count of [0, 1, 5, 300]) expect(list.root(count)).toEqual(rootOf(plain.slice(0, count)));
      }),
      { numRuns: 40, seed: 3 },
    );
  });

  test("what is not there is undefined, and drops nothing", () => {
    const list = new HashList();
    list.push(hashOf(1));
    list.dropFirst(-1);
    expect([list.length, list.at(-1), list.at(1), list.at(Number.NaN)]).toEqual([
      1,
      undefined,
      undefined,
      undefined,
    ]);
    list.dropFirst(2);
    expect([list.length, list.at(0)]).toEqual([0, undefined]);
    list.push(hashOf(2));
    expect(list.at(0)).toEqual(hashOf(2));
  });

  test("a root over more than there are is that over all", () => {
    const list = new HashList();
    for (const at of [1, 2, 3]) list.push(hashOf(at));
    expect(list.root(1e15)).toEqual(rootOf([1, 2, 3].map(hashOf)));
  });
});
