import { afterAll, describe, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { type Citation, comparePasted, REVIEW_NOTICE } from "../../contract/citation/citation.ts";
import { PublicError } from "../../kernel/errors.ts";
import { openSnapshot, type Snapshot } from "../../snapshot/snapshot.ts";
import { evidence } from "../records/evidence.ts";
import { contextOf } from "../release-store.ts";
import { citation } from "./citation.ts";

const open: TestTown[] = [];
afterAll(() => {
  for (const town of open) town[Symbol.dispose]();
});

/** A storefront of Alpha that one observer saw; the ledger's time moves on by days. */
function newTown() {
  const town = new TestTown("2026-05-01T12:00:00Z");
  open.push(town);
  town.city("toronto");
  const record = town.record("Alpha");
  const asset = town.asset(record);
  const first = town.see(record, asset, "a", "2026-04-28T03:00:00Z");
  return { town, record, asset, first };
}

/** The release of a day: sealed at noon, as of one o'clock. */
function releaseOf(town: TestTown, day: string): Snapshot {
  town.at(`${day}T12:00:00Z`);
  town.step("toronto", "review"); // something to seal
  return town.snapshot(`${day}T13:00:00Z`);
}

function published(snapshot: Snapshot, public_id = "demo_alpha") {
  const { citation_id: id, suggested_citation: quote } = evidence.read(
    contextOf(snapshot),
    { public_id },
    {},
  ).citations;
  return { id, quote };
}

const resolve = (snapshot: Snapshot, id: string): Citation => citation.read(contextOf(snapshot), { id }, {});

function expectMissing(snapshot: Snapshot, id: string): void {
  expect(() => resolve(snapshot, id), id).toThrow(PublicError);
  try {
    resolve(snapshot, id);
  } catch (error) {
    expect(error).toMatchObject({ status: 404, message: "not found" });
  }
}

describe("the newest citation", () => {
  test("is current, with its words, its rows and its release", () => {
    const { town, first } = newTown();
    const snapshot = releaseOf(town, "2026-05-01");
    const { id, quote } = published(snapshot);
    const { treeSize } = snapshot.release();
    expect(id).toMatch(new RegExp(`^demo_alpha\\.${first}\\.${treeSize}\\.2026-05-01\\.v1\\.`));
    expect(resolve(snapshot, id)).toMatchObject({
      status: "current",
      reason: null,
      citation: {
        citation_id: id,
        citation_url: `https://example.org/cite/${id}/`,
        quote,
        as_of: "2026-05-01",
        tree_size: treeSize,
        checkpoint_url: `https://example.org/ledger/checkpoints/${treeSize}`,
        cited_row: first,
        proof_url: `https://example.org/ledger/proof/${first}`,
        row_count: 1,
        rows: [first],
      },
      newest: { citation_id: id, quote },
    });
    // 03:00 UTC is the evening before in Toronto.
    expect(quote).toContain("on 2026-04-27 (local solar date)");
  });

  test("of every record is what the list of files has", () => {
    const { town } = newTown();
    const other = town.record("Beta");
    town.review("reject", town.see(other, town.asset(other), "b", "2026-04-28T10:00:00Z"));
    const snapshot = releaseOf(town, "2026-05-01");
    const ids = [...citation.enumerate(snapshot)].map(({ id = "" }) => id);
    expect(ids).toEqual(["demo_alpha", "demo_beta"].map((each) => published(snapshot, each).id));
    for (const id of ids) expect(resolve(snapshot, id).status).toBe("current");
    expect(ids[1]).toMatch(/^demo_beta\.0\./);
  });
});

describe("an older citation is computed again as it was published", () => {
  test("nothing new: it is current still, and the newest one says the same", () => {
    const { town } = newTown();
    const then = published(releaseOf(town, "2026-05-01"));
    town.record("Beta");
    const now = releaseOf(town, "2026-05-03");
    const answer = resolve(now, then.id);
    expect(answer).toMatchObject({ status: "current", citation: { quote: then.quote } });
    expect(answer.newest).toMatchObject({ citation_id: published(now).id, as_of: "2026-05-03" });
    expect(published(now).id).not.toBe(then.id);
  });

  test("a second observer: superseded by the newest, whose words are given", () => {
    const { town, record, asset } = newTown();
    const then = published(releaseOf(town, "2026-05-01"));
    town.see(record, asset, "b", "2026-05-02T15:00:00Z");
    const now = releaseOf(town, "2026-05-03");
    const answer = resolve(now, then.id);
    expect(then.quote).toContain("this observation is not yet corroborated");
    expect(answer).toMatchObject({
      status: "superseded",
      reason: "newer_evidence",
      citation: { quote: then.quote },
      newest: { quote: published(now).quote },
    });
    expect(answer.newest?.quote).toContain("all of them corroborated by another observer");
  });

  test("what came in late, and was observed earlier, is in no older citation", () => {
    const { town, record, asset } = newTown();
    const then = published(releaseOf(town, "2026-05-01"));
    town.at("2026-05-02T12:00:00Z");
    town.see(record, asset, "b", "2026-04-20T15:00:00Z");
    expect(resolve(releaseOf(town, "2026-05-03"), then.id).citation?.quote).toBe(then.quote);
  });

  test("verdicts count from their own row on, whatever was decided later", () => {
    const { town, first } = newTown();
    const quotes = (["verify", "reject", "verify"] as const).map((decision, at) => {
      town.review(decision, first);
      return published(releaseOf(town, `2026-05-0${at + 2}`));
    });
    const now = releaseOf(town, "2026-05-09");
    expect(quotes.map(({ quote }) => /^No accepted/.test(quote))).toEqual([false, true, false]);
    for (const { id, quote } of quotes) expect(resolve(now, id).citation?.quote).toBe(quote);
    expect(quotes.map(({ id }) => resolve(now, id).status)).toEqual(["current", "superseded", "current"]);
  });

  test("a city that was renamed is named as it was", () => {
    const { town } = newTown();
    const then = published(releaseOf(town, "2026-05-01"));
    town.city("toronto", { lat: 43.65, lng: -79.38 }, "York");
    const now = releaseOf(town, "2026-05-03");
    expect(published(now).quote).toContain('"Alpha" was physically observed in York once');
    expect(resolve(now, then.id)).toMatchObject({ status: "superseded", citation: { quote: then.quote } });
  });

  test("the rows that a release left out, because they were observed after its time", () => {
    const { town, record, asset } = newTown();
    town.see(record, asset, "b", "2026-05-02T06:00:00Z"); // clocks may be ahead by hours, into the next day
    const then = published(releaseOf(town, "2026-05-01"));
    expect(then.quote).toContain("once");
    const now = releaseOf(town, "2026-05-03");
    expect(resolve(now, then.id)).toMatchObject({ status: "superseded", citation: { quote: then.quote } });
  });

  test("the same where the city's next day begins on the day of the release", () => {
    const { town, record, asset } = newTown();
    town.city("toronto", { lat: -33, lng: 150 }); // days begin at 14:00 UTC
    town.see(record, asset, "b", "2026-05-01T15:00:00Z");
    const then = published(releaseOf(town, "2026-05-01"));
    expect(then.quote).toContain("once");
    const now = releaseOf(town, "2026-05-03");
    expect(resolve(now, then.id)).toMatchObject({ status: "superseded", citation: { quote: then.quote } });
  });

  test("a release of a later day without a new seal says the day of its own", () => {
    const { town } = newTown();
    const size = releaseOf(town, "2026-05-01").release().treeSize;
    const later = openSnapshot(town.build(size, "2026-05-04T13:00:00Z").path);
    const then = published(later);
    later.close();
    expect(then.id).toContain(`.${size}.2026-05-04.`);
    expect(resolve(releaseOf(town, "2026-05-05"), then.id).citation?.quote).toBe(then.quote);
  });
});

describe("disputed", () => {
  test("the cited row was rejected", () => {
    const { town, first } = newTown();
    const then = published(releaseOf(town, "2026-05-01"));
    town.review("reject", first);
    const now = releaseOf(town, "2026-05-03");
    const answer = resolve(now, then.id);
    expect(answer).toMatchObject({
      status: "disputed",
      reason: "cited_row_rejected",
      citation: { quote: then.quote },
    });
    expect(answer.newest?.quote).toMatch(/^No accepted physical citation of "Alpha"/);
  });

  test("the record was flagged, and is no longer once the flag is taken back", () => {
    const { town, record } = newTown();
    const then = published(releaseOf(town, "2026-05-01"));
    town.review("flag", record);
    const flagged = releaseOf(town, "2026-05-03");
    expect(resolve(flagged, then.id)).toMatchObject({ status: "disputed", reason: "record_in_review" });
    const offered = published(flagged);
    const { status, citation, newest } = resolve(flagged, offered.id);
    expect(status).toBe("disputed");
    expect([newest?.quote, offered.quote]).toEqual(Array(2).fill(`${REVIEW_NOTICE} ${citation?.quote}`));
    expect(comparePasted(offered.quote, citation?.quote.replace(/ \S+$/, "") ?? "", offered.id).kind).toBe(
      "same",
    );
    town.review("unflag", record);
    const after = releaseOf(town, "2026-05-04");
    expect(resolve(after, then.id).status).toBe("current");
    expect(published(after).quote).not.toContain(REVIEW_NOTICE);
  });
});

describe("what counts as independent", () => {
  test("a row that is set aside later, and restored, leaves every citation as it was", () => {
    const { town, record, asset, first } = newTown();
    const second = town.see(record, asset, "b", "2026-04-29T15:00:00Z", { counts: false });
    const quotes = [published(releaseOf(town, "2026-05-01"))];
    for (const [day, target, counts] of [
      ["2026-05-03", second, true],
      ["2026-05-05", first, false],
      ["2026-05-07", second, false],
    ] as const) {
      town.append({ kind: "recount", body: { target, counts } });
      const now = releaseOf(town, day);
      for (const { id, quote } of quotes) expect(resolve(now, id).citation?.quote).toBe(quote);
      expect(resolve(now, quotes.at(-1)?.id ?? "")).toMatchObject({
        status: "superseded",
        reason: "newer_evidence",
      });
      quotes.push(published(now));
      expect(resolve(now, published(now).id)).toMatchObject({ status: "current" });
    }
    expect(quotes.map(({ quote }) => /\(local solar dates\),? (.*?)[;,]/.exec(quote)?.[1])).toEqual([
      "of which 1 counts as independent evidence",
      "by 2 independent observers",
      "of which 1 counts as independent evidence",
      "of which none counts as independent evidence",
    ]);
  });
});

describe("merged records", () => {
  function merged() {
    const { town, record, asset, first } = newTown();
    const other = town.record("Beta");
    const otherAsset = town.asset(other);
    const seen = town.see(other, otherAsset, "b", "2026-04-29T15:00:00Z");
    town.see(other, otherAsset, "c", "2026-04-30T15:00:00Z");
    const before = releaseOf(town, "2026-05-01");
    const then = { alpha: published(before), beta: published(before, "demo_beta") };
    town.review("merge", other, { into: record, tags: { b: "a" } });
    return { town, record, asset, first, other, seen, then };
  }

  test("the citation of the one that went is superseded by that of the one that stays", () => {
    const { town, then } = merged();
    const now = releaseOf(town, "2026-05-03");
    const answer = resolve(now, then.beta.id);
    expect(answer).toMatchObject({
      status: "superseded",
      reason: "record_merged",
      citation: { quote: then.beta.quote, name: "Beta" },
      newest: { public_id: "demo_alpha", quote: published(now).quote },
    });
    // The tags of the merge are of a later time: then there were two observers of Beta.
    expect(then.beta.quote).toContain("2 independent observers");
  });

  test("that of the one that stays has its own rows of then", () => {
    const { town, then } = merged();
    const answer = resolve(releaseOf(town, "2026-05-03"), then.alpha.id);
    expect(answer).toMatchObject({ status: "superseded", reason: "newer_evidence" });
    expect(answer.citation).toMatchObject({ quote: then.alpha.quote, row_count: 1 });
  });

  test("a merge the other way round leaves every earlier citation as it was", () => {
    const { town, record, other, then } = merged();
    const between = published(releaseOf(town, "2026-05-03"));
    town.review("merge", record, { into: other, tags: {} });
    const now = releaseOf(town, "2026-05-05");
    for (const { id, quote } of [then.alpha, then.beta, between])
      expect(resolve(now, id).citation?.quote).toBe(quote);
    expect(resolve(now, between.id)).toMatchObject({
      reason: "record_merged",
      newest: { public_id: "demo_beta" },
    });
  });

  test("a merged record was quoted by nobody after its merge", () => {
    const { town, then } = merged();
    const now = releaseOf(town, "2026-05-03");
    const [, row, , , version, check] = then.beta.id.split(".");
    expectMissing(now, ["demo_beta", row, now.release().treeSize, "2026-05-03", version, check].join("."));
  });
});

const WITHDRAWN = { status: "withdrawn", reason: "evidence_erased", citation: null, newest: null };

describe("withdrawn", () => {
  test("the cited row was erased: nothing is said of what it was", () => {
    const { town, record, asset } = newTown();
    const last = town.see(record, asset, "b", "2026-04-30T15:00:00Z");
    const then = published(releaseOf(town, "2026-05-01"));
    town.redact([last]);
    const answer = resolve(releaseOf(town, "2026-05-03"), then.id);
    expect(answer).toMatchObject(WITHDRAWN);
    for (const part of ["Alpha", "demo_alpha", "TORONTO", then.id])
      expect(JSON.stringify(answer)).not.toContain(part);
  });

  test("the record opted out", () => {
    const { town, record, asset, first } = newTown();
    const then = published(releaseOf(town, "2026-05-01"));
    town.redact([record, asset, first]);
    expect(resolve(releaseOf(town, "2026-05-03"), then.id)).toMatchObject(WITHDRAWN);
  });

  test("another row that counted was erased: the words are not those of then", () => {
    const { town, record, asset, first } = newTown();
    town.see(record, asset, "b", "2026-04-30T15:00:00Z");
    const then = published(releaseOf(town, "2026-05-01"));
    town.redact([first]);
    const now = releaseOf(town, "2026-05-03");
    expect(resolve(now, then.id)).toMatchObject(WITHDRAWN);
    expect(resolve(now, published(now).id).status).toBe("current");
  });

  test("a row of another record was erased: this one's words have not changed", () => {
    const { town } = newTown();
    const other = town.record("Beta");
    const row = town.see(other, town.asset(other), "b", "2026-04-30T15:00:00Z");
    const then = published(releaseOf(town, "2026-05-01"));
    town.redact([row]);
    expect(resolve(releaseOf(town, "2026-05-03"), then.id)).toMatchObject({
      status: "current",
      citation: { quote: then.quote },
    });
  });

  test("a citation of later than an erasure never rested on the erased row", () => {
    const { town, record, asset } = newTown();
    const last = town.see(record, asset, "b", "2026-04-30T15:00:00Z");
    town.seal();
    town.redact([last]);
    const now = releaseOf(town, "2026-05-03");
    const [name, , ...rest] = published(now).id.split(".");
    expectMissing(now, [name, last, ...rest].join("."));
  });
});

describe("an id that leads to no citation of this service is not found", () => {
  const { town, record, asset, first } = newTown();
  town.see(record, asset, "b", "2026-04-30T15:00:00Z");
  const older = releaseOf(town, "2026-05-02");
  const then = published(older);
  town.see(record, asset, "c", "2026-05-03T15:00:00Z");
  const now = releaseOf(town, "2026-05-05");
  const [name, row, size, day, version, check] = then.id.split(".");
  const forged = (changes: Record<string, unknown>) => {
    const parts = { name, row, size, day, version, check, ...changes };
    return Object.values(parts).join(".");
  };

  test("the id itself is found", () => {
    expect(forged({})).toBe(then.id);
    expect(resolve(now, then.id).citation?.quote).toBe(then.quote);
  });

  test.each([
    ["another record", { name: "demo_beta" }],
    ["an older row of the record", { row: first }],
    ["no row", { row: 0 }],
    ["a row that is none", { row: 1 }],
    ["a row of later", { row: Number(size) + 2 }],
    ["a tree that nobody signed", { size: Number(size) - 1 }],
    ["the newest tree", { size: now.release().treeSize }],
    ["a tree of the future", { size: 99_999 }],
    ["a day before the seal", { day: "2026-05-01" }],
    ["a day after the next seal", { day: "2026-05-06" }],
    ["another day of the tree", { day: "2026-05-03" }],
    ["a version that there is not", { version: "v4" }],
    ["other words", { check: "00000000" }],
  ])("%s", (_what, changes) => {
    expectMissing(now, forged(changes));
  });

  test.each([
    "demo_alpha",
    "",
    ".",
    "../../etc/passwd",
    `${then.id}/`,
    `${then.id}.`,
    ` ${then.id}`,
    `${then.id}\u0000`,
    then.id.toUpperCase(),
    then.id.replace("a", "а"),
    `${"9".repeat(400)}`,
    "<script>alert(1)</script>",
    "__proto__.1.1.2026-05-05.v2.00000000",
  ])("%s", (id) => {
    expectMissing(now, id);
  });
});

describe("moved observations", () => {
  test("a citation of what was moved says whose it is now, in its old words, and again after the move back", () => {
    const { town, record, asset, first } = newTown();
    const then = published(releaseOf(town, "2026-05-01"));
    const rival = town.record("Rival");
    town.move(first, rival, asset, "a");
    const moved = releaseOf(town, "2026-05-03");
    const answer = resolve(moved, then.id);
    expect(answer).toMatchObject({
      status: "superseded",
      moved_to: "demo_rival",
      citation: { quote: then.quote, public_id: "demo_alpha", rows: [first] },
      newest: { public_id: "demo_rival" },
    });
    expect(answer.status_note).toContain("Moved to demo_rival. ");
    const between = published(moved, "demo_rival");
    town.move(first, record, asset, "a");
    const now = releaseOf(town, "2026-05-05");
    expect(resolve(now, then.id)).toMatchObject({ status: "current", moved_to: null });
    expect(resolve(now, between.id)).toMatchObject({
      status: "superseded",
      citation: { quote: between.quote, public_id: "demo_rival" },
      newest: { public_id: "demo_alpha" },
    });
  });

  test("one whose evidence was erased since is withdrawn, though the row was moved", () => {
    const { town, record, asset, first } = newTown();
    const other = town.see(record, asset, "b", "2026-04-20T10:00:00Z");
    const then = published(releaseOf(town, "2026-05-01"));
    town.move(first, town.record("Rival"), town.asset(record), "a");
    town.redact([other]);
    expect(resolve(releaseOf(town, "2026-05-03"), then.id).status).toBe("withdrawn");
  });
});

describe("unpublished cities", () => {
  test("nobody quoted a record while its city was unpublished, and nothing of it is shown then", () => {
    const { town } = newTown();
    const then = published(releaseOf(town, "2026-05-01"));
    town.step("toronto", "unpublish");
    const hidden = releaseOf(town, "2026-05-03");
    expectMissing(hidden, then.id);
    town.step("toronto", "publish");
    const now = releaseOf(town, "2026-05-05");
    expect(resolve(now, then.id).citation?.quote).toBe(then.quote);
    const [name, row, , , version, check] = then.id.split(".");
    expectMissing(now, [name, row, hidden.release().treeSize, "2026-05-03", version, check].join("."));
  });
});
