import { describe, expect, test } from "vitest";
import { expectProportional, filled } from "../../../tests/support/growth.ts";
import { asciiAddress, mailboxesIn, mailboxOf, mailDomainOf, readWebsite } from "./contacts.ts";

describe("mailbox", () => {
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
});

describe("website", () => {
  test.each([
    ["example.org", "example.org", "example.org"],
    ["HTTP://WWW.Example.ORG/Shop/?a=1#b", "example.org", "example.org"],
    ["m.example.org", "example.org", "example.org"],
    ["https://user:secret@example.org:8443/x", "example.org", "example.org"],
    ["bücher.example", "xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["facebook.com", "facebook.com", "facebook.com"],
    ["https://m.facebook.com/Joes/", "facebook.com", "facebook.com/joes"],
    ["joes@example.org", undefined, undefined],
    ["javascript:alert(1)", undefined, undefined],
    ["localhost", undefined, undefined],
    ["", undefined, undefined],
  ])("%s is looked up by its host, on a shared host by its path too", (raw, host, lookUpKey) => {
    expect(readWebsite(raw)?.host).toBe(host);
    expect(readWebsite(raw)?.lookUpKey).toBe(lookUpKey);
  });

  test("what is looked up by is looked up by the same again", () => {
    for (const raw of ["www.Example.org/a", "https://M.Facebook.com/Joes", "bücher.example"]) {
      const key = readWebsite(raw)?.lookUpKey ?? "";
      expect(readWebsite(key)?.lookUpKey).toBe(key);
    }
  });
});
