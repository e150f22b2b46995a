import { expect, test } from "vitest";
import { sighting, testLedger, vouchFor } from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { taughtPhones } from "./private-values.ts";

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
