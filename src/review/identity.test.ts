import { expect, test } from "vitest";
import { sighting, type TestLedger, testLedger } from "../../tests/support/ledger/intake-ledger.ts";
import { OperatorError } from "../kernel/errors.ts";
import { Desk, moveCity } from "./desk.ts";
import { type IdentityTexts, readIdentity, takeIdentity } from "./identity.ts";

const TEXTS: IdentityTexts = {
  scope: "local_independent",
  brand: "br_corner|Corner Bakery|corner.example.org",
  organizations: ["operating_organization|org_corner|Corner Ltd|company|corner.example.org"],
  sameAs: ["https://directory.example.org/corner"],
};

const decider = { reviewer: "review-desk", reason: "documents_checked" } as const;

function change(it: TestLedger, texts: IdentityTexts | undefined, subject = "2", expect?: number) {
  const { ledger } = it;
  const desk = new Desk(ledger);
  const identity = texts === undefined ? null : readIdentity(texts);
  return ledger.transaction(() => takeIdentity(desk, { subject, identity, decider, expect }));
}

test("an identity is set, said once, replaced as a whole and cleared by rows", async () => {
  using it = testLedger();
  await it.ingest([sighting("a")]);
  expect(() => change(it, undefined)).toThrow("record 2 has no identity that could be cleared");
  expect(change(it, TEXTS)).toEqual({ done: "decided", row: 6 });
  expect(change(it, TEXTS)).toEqual({ done: "already", row: 6 });
  expect(() => change(it, { ...TEXTS, brand: undefined }, "2", 2)).toThrow(
    "row 6 (identity set by review-desk",
  );
  expect(change(it, { ...TEXTS, brand: undefined }, "2", 6).row).toBe(7);
  expect(change(it, undefined).row).toBe(8);
  expect(change(it, undefined)).toEqual({ done: "already", row: 8 });
  expect(
    it.rows("identity").map(({ body }) => [body["scope"], body["brand"] !== null, body["reviewer"]]),
  ).toEqual([
    ["local_independent", true, "review-desk"],
    ["local_independent", false, "review-desk"],
    [null, false, "review-desk"],
  ]);
});

test.for([
  ["two parts of a brand", { brand: "br|Corner" }, "--brand: give 3 parts"],
  ["a fourth part", { brand: "br_1|Corner|corner.example|x" }, "--brand: give 3 parts"],
  [
    "an address as domain",
    { brand: "br_1|Corner|https://corner.example/" },
    "brand.canonical_domain: a domain",
  ],
  ["a scope in words", { scope: "Local, independent" }, "scope: small letters"],
  ["a script as link", { sameAs: ["javascript:alert(1)"] }, "same_as.0"],
  [
    "a link with a password",
    { sameAs: ["https://user:secret@example.org/"] },
    "same_as.0: holds a user name",
  ],
  [
    "an organization without type",
    { organizations: ["op|org_1|Name||a.example"] },
    "organizations.0.organization_type",
  ],
] as const)("%s is refused", ([, changes, message]) => {
  const read = () => readIdentity({ ...TEXTS, ...changes });
  expect(read).toThrow(OperatorError);
  expect(read).toThrow(message);
});

test("a city's steps are taken from where they are allowed, and not twice", () => {
  using it = testLedger();
  const step = (...args: Parameters<typeof moveCity> extends [unknown, ...infer Rest] ? Rest : never) =>
    moveCity(it.ledger, ...args);
  for (const [first, second] of [
    ["launch", "launch"],
    ["pause", "pause"],
    ["unpublish", "unpublish"],
    ["review", "review"],
  ] as const) {
    step("avalon", first);
    expect(() => step("avalon", second)).toThrow(`"${second}" is for what is`);
  }
  step("avalon", "resume");
  step("avalon", "publish");
  expect(() => step("avalon", "resume")).toThrow(
    'city avalon is active: "resume" is for what is paused; allowed now: pause',
  );
  expect(() => step("nowhere", "pause")).toThrow('no city "nowhere"');
  expect(it.rows("city")).toHaveLength(7);
});
