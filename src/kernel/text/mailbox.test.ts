import { expect, test } from "vitest";
import { expectProportional, filled } from "../../../tests/support/growth.ts";
import { asciiAddress, mailboxesIn, mailboxOf, mailDomainOf } from "./mailbox.ts";

test.each([
  ["Some.Body@Bücher.Example", "Some.Body@xn--bcher-kva.example"],
  ["a@пример.рф", "a@xn--e1afmkfd.xn--p1ai"],
  ["a@xn--bcher-kva.example", "a@xn--bcher-kva.example"],
  ["a@faß.example", "a@xn--fa-hia.example"],
  ["a@b/c", "a@b/c"],
  ["a@bücher.example/x", "a@bücher.example/x"],
  [`a@${"ü".repeat(300)}.example`, `a@${"ü".repeat(300)}.example`],
  ["@bücher.example", "@bücher.example"],
  ["bücher.example", "bücher.example"],
])("%s is written as %s", (address, ascii) => {
  expect(asciiAddress(address)).toBe(ascii);
});

test.each([
  ["Victim@Mail.Example", "victim@mail.example"],
  ["victim+7@mail.example", "victim@mail.example"],
  ["victim+7+8@mail.example", "victim@mail.example"],
  ["+7@mail.example", "+7@mail.example"], // nothing would be left
  ["v.i.c.t.i.m@mail.example", "v.i.c.t.i.m@mail.example"], // this provider may tell them apart
  ["V.ic.tim+x@gmail.com", "victim@gmail.com"],
  ["vic.tim@googlemail.com", "victim@gmail.com"],
  ["vic.tim+a@me.com", "vic.tim@icloud.com"],
  ["vic.tim@pm.me", "vic.tim@proton.me"],
  ["Victim+7@BÜCHER.example", "victim@xn--bcher-kva.example"],
])("%s is the mailbox %s", (address, mailbox) => {
  expect(mailboxOf(address)).toBe(mailbox);
});

test.each([
  ["a@mail.example", "mail.example"],
  ["a@x1.victim.example", "victim.example"],
  ["a@b.c.d.victim.org", "victim.org"],
  ["a@mail.victim.co.uk", "victim.co.uk"],
  ["a@googlemail.com", "gmail.com"],
  ["a@b.abc.de", "b.abc.de"], // counted apart: the price of knowing no list of registries
])("%s belongs to %s", (address, domain) => {
  expect(mailDomainOf(address)).toBe(domain);
});

test("addresses are found wherever they stand in a text", () => {
  const text = `{"address":"Victim+3@mail.example"} <a@b.example>, https://x.example/?to=c%2Bd%40e.example. Or f@g.example. @h i@ j`;
  expect([...mailboxesIn(text)]).toEqual([
    "victim@mail.example",
    "a@b.example",
    "c@e.example",
    "f@g.example",
  ]);
  expect(mailboxesIn("@".repeat(10_000)).size).toBe(0);
});

test("addresses with international domains are found, and those that other letters follow", () => {
  expect([...mailboxesIn("write to a@bücher.example, or b@mail.example次")]).toEqual(
    expect.arrayContaining(["a@xn--bcher-kva.example", "b@mail.example"]),
  );
});

test.each(["a", ".", "-", "+", "1", "a@", "a.", "@", "%40", "a@b.", "é", "+\n"])(
  "a text of %j takes time in proportion to its length",
  async (unit) => {
    await expectProportional(filled(unit), 32_000, (text) => [
      mailboxesIn(text),
      mailboxOf(text),
      mailDomainOf(text),
    ]);
  },
);
