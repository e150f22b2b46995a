import { expect, test } from "vitest";
import { NOW, sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { checkLine, intakeHashes, lineToAccept, packLinesToAccept, unpackLinesToAccept } from "./sighting.ts";

test("a line from a thread is the line that was sent, with its input", () => {
  using it = testLedger();
  const hashes = intakeHashes(it.ledger.purposeKey);
  const inputs = [sighting("a", { phone: "+1 416 555 0100" }), sighting("b", { source: null })];
  const lines = inputs.map((input, at) => lineToAccept(checkLine(at + 1, input, hashes, NOW)));
  const received = [...unpackLinesToAccept(packLinesToAccept(lines))];
  expect(received).toEqual(lines);
  expect(received.map(({ json }) => JSON.parse(json))).toEqual(inputs);
  expect(received.map(({ input }) => input)).toEqual(inputs);
});
