import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CitationParts,
  citationCheck,
  citationId,
  citationIdIn,
  comparePasted,
  parseCitationId,
} from "./citation.ts";

const WORDS = '"Example Bakery" was physically observed in Exampleville once, by one observer.';

describe("citation id", () => {
  const parts: CitationParts = {
    publicId: "demo_3ej6t9nar63cvf4e",
    row: 1234,
    treeSize: 16_690,
    asOfDate: "2026-11-20",
    version: "v1",
    period: null,
    check: "4g7t0mxw",
  };
  const ID = "demo_3ej6t9nar63cvf4e.1234.16690.2026-11-20.v1.4g7t0mxw";

  test("an id names its parts, and they are read back from it", () => {
    expect(citationId(parts)).toBe(ID);
    expect(parseCitationId(ID)).toEqual(parts);
    expect(encodeURIComponent(ID)).toBe(ID);
  });

  test("an id of months names them, too", () => {
    const period = { from: "2026-03", to: "2026-05" };
    const id = ID.replace("v1", "v2.2026-03_2026-05");
    expect(citationId({ ...parts, version: "v2", period })).toBe(id);
    expect(parseCitationId(id)).toEqual({ ...parts, version: "v2", period });
    expect(citationIdIn(`${WORDS} https://presence.example/cite/${id}/`)).toBe(id);
  });

  test.each([
    ["version 1", "v1.2026-03_2026-05"],
    ["no months", "v2"],
    ["months in the wrong order", "v2.2026-05_2026-03"],
    ["a month that there is not", "v2.2026-03_2026-13"],
    ["a month after the release", "v2.2026-03_2026-12"],
    ["one month alone", "v2.2026-03"],
  ])("%s is no id of months", (_what, version) => {
    expect(parseCitationId(ID.replace("v1", version))).toBeUndefined();
  });

  test("months without an observation have no id", () => {
    expect(parseCitationId(ID.replace("1234", "0").replace("v1", "v2.2026-03_2026-05"))).toBeUndefined();
  });

  test("a citation without a row has the row 0", () => {
    expect(parseCitationId(ID.replace("1234", "0"))?.row).toBe(0);
  });

  test("the check is 8 characters of the words", () => {
    expect(citationCheck("a")).toMatch(/^[0-9a-hjkmnp-tv-z]{8}$/);
    expect(citationCheck("a")).not.toBe(citationCheck("b"));
  });

  test.each([
    ["another spelling of a number", ID.replace("1234", "01234")],
    ["a sign", ID.replace("1234", "+1234")],
    ["an exponent", ID.replace("16690", "1e4")],
    ["a tree of no rows", ID.replace("16690", "0")],
    ["a day that there is not", ID.replace("11-20", "02-30")],
    ["another spelling of a day", ID.replace("2026-11-20", "2026-11-2")],
    ["an unknown version", ID.replace("v1", "v2")],
    ["a future version", ID.replace("v1", "v999")],
    ["capitals in the check", ID.replace("4g7t0mxw", "4G7T0MXW")],
    ["a short check", ID.slice(0, -1)],
    ["something after it", `${ID}.`],
    ["a line break after it", `${ID}\n`],
    ["space before it", ` ${ID}`],
    ["other digits", ID.replace("1234", "١٢٣٤")],
    ["letters of another script", ID.replace("demo", "dеmo")],
    ["a path", ID.replace("demo_", "../")],
    ["markup", ID.replace("demo_", "<b>")],
    ["no parts", "....."],
    ["nothing", ""],
    ["a name of objects", "__proto__"],
    ["a very long text", `${"a".repeat(1_000_000)}`],
    ["a long public id", ID.replace("demo", "d".repeat(100))],
  ])("%s is no id", (_what, text) => {
    expect(parseCitationId(text)).toBeUndefined();
  });
});

describe("pasted quote", () => {
  const ID = "demo_3ej6t9nar63cvf4e.1234.16690.2026-11-20.v1.4g7t0mxw";
  const URL = `https://presence.example/cite/${ID}/`;

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
});
