import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sighting, testLedger, vouchFor } from "../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { LedgerDisclosure } from "../contract/ledger/ledger.ts";
import { OperatorError } from "../kernel/errors.ts";
import { leafHash, nodeHash } from "../kernel/hash.ts";
import { parseDisclosure } from "../proof/tlog/leaf.ts";
import { parseTlogProof, rootOfInclusion } from "../proof/tlog/proof.ts";
import { type DisclosureRequest, taughtPhones } from "./disclose.ts";

describe("disclose", () => {
  /** Rows 1 to 3 and their seal, 5 to 7 and theirs, 9 redacts 2 and strips 3, its seal; 11 to 13 are not sealed. */
  let ledger: TestLedger;

  beforeAll(() => {
    ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    ledger.sealAt("2026-05-01T13:00:00Z");
    using writer = ledger.writer();
    writer.erase({ reason: "privacy_request", rows: [2], stripped: [3] });
    writer.seal({ now: true });
    ledger.appendAt(writer, "2026-05-01T14:00:00Z", 3);
  });

  afterAll(() => ledger[Symbol.dispose]());

  async function disclosed(request: DisclosureRequest, from = ledger): Promise<LedgerDisclosure> {
    using reader = from.reader();
    return await reader.disclose(request);
  }

  async function refusal(request: DisclosureRequest, from = ledger): Promise<string> {
    const error = await disclosed(request, from).catch((thrown: unknown) => thrown);
    if (error instanceof OperatorError) return error.message;
    throw new Error(`not refused: ${String(error)}`);
  }

  describe("a disclosure", () => {
    test("is whole: value, leaf, path and signed head fit together", async () => {
      using reader = ledger.reader();
      for (const size of [4, 8, 10]) {
        const document = await disclosed({ row: 1, field: "source_ref", size });
        expect(LedgerDisclosure.parse(document)).toEqual(document);
        expect(document).toMatchObject({ origin: "example.org/demo", environment: "demo", row: 1 });
        expect(parseDisclosure(document.disclosure)).toMatchObject({ name: "source_ref", value: "ref 1" });
        const { index, path, checkpoint } = parseTlogProof(document.proof);
        expect(checkpoint).toBe(reader.checkpointAt(size)?.note);
        const claim = { index, size, leafHash: leafHash(document.leaf), path };
        expect(await rootOfInclusion(claim, nodeHash)).toEqual(reader.checkpointAt(size)?.root);
      }
    });

    test("is proved in the newest signed tree when no size is given", async () => {
      const request = { row: 5, field: "source_ref" };
      expect(await disclosed(request)).toEqual(await disclosed({ ...request, size: 10 }));
    });

    test("of the body is the one that is published", async () => {
      using reader = ledger.reader();
      const [published] = reader.publicRows({ after: 0, upTo: 1, sealed: 1 });
      expect((await disclosed({ row: 1, field: "body" })).disclosure).toBe(published?.disclosure);
    });
  });

  test("the fields of a row are named, private ones that were stripped no more", () => {
    using reader = ledger.reader();
    const fields = (row: number) => [...reader.rowFields(row).disclosures.keys()];
    expect(fields(1)).toEqual(["body", "source_ref"]);
    expect(fields(3)).toEqual(["body"]);
    expect(fields(4)).toEqual(["body"]);
    expect(fields(12)).toEqual(["body", "source_ref"]);
  });

  test.each([
    [{ row: 14, field: "body" }, "row 14: the ledger has only the rows 1 to 13"],
    [{ row: 0, field: "body" }, "row 0: the ledger has only the rows 1 to 13"],
    [{ row: 1, field: "observer" }, 'row 1: it has no field "observer", only: body, source_ref'],
    [{ row: 1, field: "__proto__" }, 'row 1: it has no field "__proto__", only: body, source_ref'],
    [{ row: 3, field: "source_ref" }, 'row 3: it has no field "source_ref", only: body'],
    [
      { row: 2, field: "source_ref" },
      "row 2: redacted by row 9: its values and salts are deleted, and nothing is left to disclose",
    ],
    [
      { row: 11, field: "source_ref" },
      "row 11: not yet in a signed tree, the newest has 10 rows: run `presence seal --now` first",
    ],
    [{ row: 5, field: "source_ref", size: 4 }, "row 5: not in the tree of 4 rows: give a larger --size"],
    [{ row: 1, field: "source_ref", size: 5 }, "--size 5: no signed tree has that size; the newest has 10"],
  ])("%j is refused", async (request, text) => {
    expect(await refusal(request)).toBe(text);
  });

  test("a ledger in which nothing is signed yet", async () => {
    using fresh = new TestLedger();
    {
      using writer = fresh.writer();
      fresh.appendAt(writer, "2026-05-01T12:00:00Z", 1);
    }
    expect(await refusal({ row: 1, field: "body" }, fresh)).toBe(
      "row 1: not yet in a signed tree, the newest has 0 rows: run `presence seal --now` first",
    );
  });

  describe("nothing is printed of a ledger that was changed", () => {
    const CHANGED = "the ledger was changed; restore it from your backup";
    test.each([
      [
        "value",
        `UPDATE openings SET private = replace(private, 'ref 2', 'ref 9') WHERE row = 2`,
        `row 2: its source_ref does not fit its digests: ${CHANGED}`,
      ],
      [
        "name of a value",
        `UPDATE openings SET private = replace(private, 'source_ref', 'observer') WHERE row = 2`,
        `row 2: its observer does not fit its digests: ${CHANGED}`,
      ],
      [
        "salt",
        "UPDATE openings SET salts = CAST(substr(salts, 1, 31) || x'00' AS BLOB) WHERE row = 2",
        `row 2: its source_ref does not fit its digests: ${CHANGED}`,
      ],
      [
        "private values",
        "UPDATE openings SET private = '{' WHERE row = 2",
        `row 2: its private values are not JSON: ${CHANGED}`,
      ],
      [
        "leaf",
        "UPDATE rows SET leaf_hash = zeroblob(32) WHERE id = 2",
        `row 2: its leaf hash does not fit its digests: ${CHANGED}`,
      ],
      [
        "another row's leaf",
        "UPDATE rows SET leaf_hash = zeroblob(32) WHERE id = 1",
        `row 2: it does not lead to the signed root of 4 rows: ${CHANGED}`,
      ],
      [
        "another row",
        "DELETE FROM rows WHERE id = 3",
        `row 3: a row of the 2 from here is missing: ${CHANGED}`,
      ],
      ["row", "DELETE FROM rows WHERE id = 2", `row 2: it is missing: ${CHANGED}`],
      [
        "opening",
        "DELETE FROM openings WHERE row = 2",
        `row 2: silent omission, its values are gone and no redaction names it: ${CHANGED}`,
      ],
      [
        "checkpoint",
        "UPDATE checkpoints SET root = zeroblob(32)",
        `checkpoint 4: the root is not the signed one: ${CHANGED}`,
      ],
    ])("%s", async (_what, sql, text) => {
      using changed = new TestLedger();
      changed.sealAt("2026-05-01T12:00:00Z");
      const database = new Database(changed.path);
      expect(database.prepare(sql).run().changes).toBe(1);
      database.close();
      expect(await refusal({ row: 2, field: "source_ref" }, changed)).toBe(text);
    });

    test("a redaction that left the values", async () => {
      using changed = new TestLedger();
      changed.sealAt("2026-05-01T12:00:00Z");
      using writer = changed.writer();
      const lost = rawLedger(writer).prepare("SELECT * FROM openings WHERE row = 2").raw().get();
      writer.erase({ reason: "privacy_request", rows: [2] });
      rawLedger(writer).prepare("INSERT INTO openings VALUES (?, ?, ?, ?)").run(lost);
      expect(await refusal({ row: 2, field: "source_ref" }, changed)).toBe(
        "row 2: redacted by row 5, but its values are still there: redact it again",
      );
    });
  });
});

describe("private values", () => {
  test("online checks get the telephone that two principals of counting rows name, and no other", async () => {
    using it = testLedger();
    const phones = () => [...taughtPhones(rawLedger(it.ledger)).values()];
    const say = (observer: string, phone: string) =>
      it.ingest([sighting(`${observer} ${phone}`, { observer, phone, website: "bakery.example" })]);
    vouchFor(it, "a", "b");
    for (const observer of ["newcomer", "other"]) await say(observer, "+1 416 555 0666");
    await say("a", "+1 416 555 0100");
    await say("a", "+1 416 555 0101");
    await say("b", "+1 416 555 0102");
    expect(phones()).toEqual([]); // though both say the same website
    await say("b", "(416) 555-0101");
    expect(phones()).toEqual(["(416) 555-0101"]);
  });
});
