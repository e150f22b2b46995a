import fc from "fast-check";
import { expect, test } from "vitest";
import { EmailAddress, EventTypes, SubscribeRequest } from "./alerts.ts";

test("what is not given has the values of the interface", () => {
  expect(SubscribeRequest.parse({ email: "a@b.example", city: "guelph" })).toEqual({
    email: "a@b.example",
    city: "guelph",
    channel: "email",
    min_confidence: 0.6,
  });
});

test("event types are each once, in the order of the interface", () => {
  expect(EventTypes.parse(["stale_asset", "new_public_record", "stale_asset"])).toEqual([
    "new_public_record",
    "stale_asset",
  ]);
});

test.each([`${"a".repeat(64)}@b.example`, "a.b+c@sub.host.example"])("%s is an address", (address) => {
  expect(EmailAddress.parse(address)).toBe(address);
});

test("an address that is accepted is one address of a header, whatever was given", () => {
  const piece = fc.constantFrom(
    "a",
    "@",
    ".",
    ",",
    ";",
    "<",
    ">",
    " ",
    "\r\n",
    '"',
    "b.example",
    "\u0000",
    "é",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const given = pieces.join("");
      if (EmailAddress.safeParse(given).success)
        expect(given).toMatch(/^[^\s@,;<>"\p{Cc}]+@[^\s@,;<>"\p{Cc}]+$/u);
    }),
    { numRuns: 2000 },
  );
});
