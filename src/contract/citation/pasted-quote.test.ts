import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { citationIdIn, comparePasted } from "./pasted-quote.ts";

const ID = "demo_3ej6t9nar63cvf4e.1234.16690.2026-11-20.v1.4g7t0mxw";
const URL = `https://presence.example/cite/${ID}/`;
const WORDS = '"Example Bakery" was physically observed in Exampleville once, by one observer.';

describe("the id in a text", () => {
  test.each([
    ["a quote", `${WORDS} ${URL}`],
    ["an address in brackets", `(see <${URL}>).`],
    ["an address at the end of a sentence", `It says so: ${URL.slice(0, -1)}.`],
    ["the id alone", ID],
    ["an address with arguments", `${URL}?utm_source=x#y`],
    ["several: the first one", `${URL} and ${URL.replace("1234", "99")}`],
    ["what only looks like one, first", `a.1.1.2026-02-30.v1.00000000 ${ID}`],
  ])("is found in %s", (_what, text) => {
    expect(citationIdIn(text)).toBe(ID);
  });

  test.each(["", "no address", `${ID}x`, ID.replace("v1", "v4"), ID.replace(".", "․"), "a".repeat(2000)])(
    "is not in %j",
    (text) => {
      expect(citationIdIn(text)).toBeUndefined();
    },
  );
});

describe("the words of a text", () => {
  const compare = (text: string) => comparePasted(text, WORDS, ID);

  test.each([
    ["as published", `${WORDS} ${URL}`],
    ["without the address", WORDS],
    ["broken into lines", `${WORDS.replaceAll(" ", "\n  ")}\n${URL}`],
    ["with other quotation marks", `${WORDS.replace('"', "“").replace('"', "”")} ${URL}`],
    ["with the address in brackets", `${WORDS} (${URL})`],
  ])("are ours %s", (_what, text) => {
    expect(compare(text)).toEqual({ kind: "same" });
  });

  test("are ours among others", () => {
    expect(compare(`It is proven: ${WORDS} ${URL}`)).toEqual({ kind: "more_around" });
  });

  test("are not ours where they are written against the address", () => {
    expect(compare(`${WORDS} It-is-closed:${URL}`)).toEqual({ kind: "more_around" });
  });

  test("are missing when nothing but the address was pasted", () => {
    expect(compare(` ${URL} `)).toEqual({ kind: "address_only" });
  });

  test("differ where somebody changed them", () => {
    expect(compare(WORDS.replace("once, by one observer.", "daily, by all."))).toEqual({
      kind: "differs",
      pasted: ['"Example Bakery" was physically observed in Exampleville', "daily, by all.", ""],
      published: ['"Example Bakery" was physically observed in Exampleville', "once, by one observer.", ""],
    });
  });

  test("differ by what somebody left out", () => {
    expect(compare(WORDS.replace(" by one observer.", ""))).toMatchObject({
      kind: "differs",
      pasted: [expect.anything(), "", ""],
      published: [expect.anything(), "by one observer.", ""],
    });
  });

  test("three parts are the whole text, whatever was pasted", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.constantFrom("", WORDS, ` ${URL}`), (text, tail) => {
        const result = compare(text + tail);
        if (result.kind !== "differs") return;
        expect(result.published.filter(Boolean).join(" ")).toBe(WORDS);
        expect(result.pasted[1] === "" && result.published[1] === "").toBe(false);
      }),
    );
  });
});
