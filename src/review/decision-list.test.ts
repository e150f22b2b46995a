import fc from "fast-check";
import { expect, test } from "vitest";
import {
  countedRandom,
  sighting,
  type TestLedger,
  testLedger,
} from "../../tests/support/ledger/intake-ledger.ts";
import { OperatorError } from "../kernel/errors.ts";
import { readDecisions, takeList } from "./decision-list.ts";
import { Desk } from "./desk.ts";

// Rows: 1 city, 2 record, 3 naming, 4 asset, 5 observation, 6 record, 7 naming, 8 asset, 9 observation.
async function twoRecords(): Promise<TestLedger> {
  const it = testLedger();
  await it.ingest([sighting("a")], { random: countedRandom("a") });
  await it.ingest([sighting("b", { lat: 40.02, lng: -75.02 })], { random: countedRandom("b") });
  return it;
}

function apply(it: TestLedger, text: string) {
  const { ledger } = it;
  const desk = new Desk(ledger);
  return takeList(ledger, desk, readDecisions(text, "decisions.csv", "review-desk"), "decisions.csv");
}

const LIST = `action,subject,value,reason
claim,2,,owner_request
verify,2,,documents_checked
flag,6,,suspicious_pattern
unflag,6,,checked_genuine
flag,6,,suspicious_pattern
accept,5,,picture_clear
classify,6,5610,industry_corrected
`;

test("a list is decided in order, and run again it changes nothing", async () => {
  using it = await twoRecords();
  expect(apply(it, LIST).map(({ line, done, row }) => [line, done, row])).toEqual([
    [2, "decided", 10],
    [3, "decided", 11],
    [4, "decided", 12],
    [5, "decided", 13],
    [6, "decided", 14],
    [7, "decided", 15],
    [8, "decided", 16],
  ]);
  expect(apply(it, LIST).map(({ done, row }) => [done, row])).toEqual(
    [10, 11, 12, 13, 14, 15, 16].map((row) => ["already", row]),
  );
  // The second of two equal lines is a decision of its own.
  const twice = "action,subject,value,reason\nunflag,6,,checked_genuine\nunflag,6,,operator_error\n";
  expect(apply(it, twice)).toMatchObject([
    { done: "already", row: 13 },
    { done: "decided", row: 17 },
  ]);
});

test("a line that says what it saw decides anew", async () => {
  using it = await twoRecords();
  apply(it, LIST);
  const anew = "action,subject,value,reason,expect\nunflag,6,,checked_genuine,16\n";
  expect(apply(it, anew)).toMatchObject([{ done: "decided", row: 17 }]);
  expect(apply(it, anew)).toMatchObject([{ done: "already", row: 17 }]);
});

test("one bad line undoes all, and every bad line is named", async () => {
  using it = await twoRecords();
  const before = it.ledger.nextId();
  const text = `action,subject,value,reason
claim,2,,owner_request
verify,6,,documents_checked
join,6,6,same_business
reject,99,,wrong_subject
`;
  expect(() => apply(it, text)).toThrow(
    /^decisions\.csv: nothing was decided, because 3 lines are refused:\nline 3: record 6 is unclaimed: .*\nline 4: record 6: give two records, not one\nline 5: row 99: the ledger has no such row$/,
  );
  expect(it.ledger.nextId()).toBe(before);
  expect(() => apply(it, `${LIST}join,6,6,same_business\n`)).toThrow("a line is refused:\nline 9: ");
  expect(it.ledger.nextId()).toBe(before);
  expect(apply(it, LIST)).toHaveLength(7);
});

test("a merge that is undone with its list leaves intake's look-up tables as they were", async () => {
  using it = await twoRecords();
  expect(() =>
    apply(it, "action,subject,value,reason\njoin,6,2,same_business\nflag,99,,suspicious_pattern\n"),
  ).toThrow("line 3");
  await it.ingest([sighting("c", { lat: 40.02, lng: -75.02 })], { random: countedRandom("c") });
  expect(it.rows("observation").at(-1)?.body).toMatchObject({ record: 6 });
});

test.for([
  ["an action that there is not", "delete,2,,owner_request", "line 2: action: one of: accept"],
  ["a person as reviewer", "flag,2,,suspicious_pattern", "--as: give a role", "Jane Doe"],
  ["a mail address as reviewer", "flag,2,,suspicious_pattern", "--as: give a role", "jane@example.org"],
  ["a reason in words", "flag,2,,it looked odd", "--reason: not a reason code"],
  ["a member of every object as reason", "flag,2,,constructor", "--reason: not a reason code"],
  ["no subject", "flag,,,suspicious_pattern", "line 2: subject: is missing"],
  ["too few cells", "flag,2", "decisions.csv: not CSV with a header"],
  ["a quote that does not end", `flag,"2,,suspicious_pattern`, "decisions.csv: not CSV with a header"],
] as const)("%s is refused", ([, line, message, role = "review-desk"]) => {
  const read = () => readDecisions(`action,subject,value,reason\n${line}\n`, "decisions.csv", role);
  expect(read).toThrow(OperatorError);
  expect(read).toThrow(message);
});

test("a column that there is not is refused", () => {
  expect(() =>
    readDecisions("action,subject,reason,name\nflag,2,suspicious_pattern,x\n", "d.csv", "desk"),
  ).toThrow('line 2: columns: Unrecognized key: "name"');
});

test("any text is a list or an error for the operator", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `action,subject,reason\n${text}`),
      ),
      (text) => {
        try {
          expect(Array.isArray(readDecisions(text, "d.csv", "desk"))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(OperatorError);
        }
      },
    ),
  );
});
