import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { canonicalJson } from "../../kernel/text/json.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { checkedName, cleanName, isDamaged, isGenericName, personalDetail, standsForNoName } from "./name.ts";

describe("name", () => {
  describe("name", () => {
    const shapers = [
      "\u200c",
      "\u200d",
      "\ufe0f",
      "\ufe01",
      "\u{e0101}",
      "\u180b",
      "\u180e",
      "\u{e0067}",
      "\u{e007f}",
    ];
    const shapeable = [
      "a",
      "é",
      "\u0301",
      "می",
      "র",
      "\u09cd",
      "ᠠ",
      "葛",
      "5",
      "\u20e3",
      "❤",
      "👩",
      "🏽",
      "🏴",
      "\u200b",
      " ",
    ];
    const anyText = fc.oneof(
      fc.array(fc.constantFrom(...shapers, ...shapeable)).map((parts) => parts.join("")),
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({
        unit: fc.constantFrom(..."aZ é\u0301İß&#.'’12 \t\u200b\u202e\ud800\udc00가ガとगि".split("")),
      }),
    );

    describe("cleanName", () => {
      it.each([
        ["Joe's Pizza", "Joe's Pizza"],
        ["  Joe's \t\r\n Pizza ", "Joe's Pizza"],
        ["Cafe\u0301", "Café"],
        ["Joe\u0000\u0007s", "Joes"],
        ["\u202eazziP\u202c", "azziP"],
        ["Pi\u200bz\u00adz\ufeffa", "Pizza"],
        ["e\u200b\u0301", "é"],
        ["a\ud800b", "ab"],
        ["\u{1f355} Pizza", "\u{1f355} Pizza"],
        ["x".repeat(120), "x".repeat(120)],
        ["\u{1f355}".repeat(120), "\u{1f355}".repeat(120)],
      ])("%j becomes %j", (raw, name) => {
        expect(cleanName(raw)).toEqual({ name });
      });

      it.each([
        ["Persian", "کتاب\u200cفروشی می\u200cخواهم"],
        ["ZWJ after heh, with the vowel of a Persian word", "خانه\u064e\u200cی"],
        ["Bengali ra with ya-phala", "র\u200d\u09cdযাব"],
        ["Malayalam chillu at the end", "അവന\u0d4d\u200d"],
        ["a German word without its ligature", "Auf\u200clage"],
        ["Mongolian", "ᠮᠣᠩᠭᠣᠯ\u180eᠠ ᠠ\u180b"],
        ["an ideograph's variant", "葛\u{e0100}飾"],
        ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} Diner"],
        ["a heart on fire", "\u2764\ufe0f\u200d\u{1f525} Grill"],
        ["a cook with a skin tone", "\u{1f469}\u{1f3fd}\u200d\u{1f373}"],
        ["England", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} Pub"],
        ["keycaps", "Pizza 2\ufe0f\u20e34\u20e3"],
        ["a trademark as an emoji", "Joe™\ufe0f"],
      ])("leaves %s", (_, name) => {
        expect(cleanName(name)).toEqual({ name });
      });

      it.each([
        ["a joiner beside no letter", "Joe\u200d & \u200cSons\u200c", "Joe & Sons"],
        ["joiners in a row", "می\u200c\u200c\u200dخواهم", "می\u200cخواهم"],
        ["a joiner between a letter and its accent", "Cafe\u200d\u0301", "Café"],
        ["a selector after a Latin letter", "Jo\ufe0fe", "Joe"],
        ["selectors in a row", "❤\ufe0f\ufe0f\ufe01", "❤\ufe0f"],
        [
          "tags that hide a text",
          "Joe\u{e0049}\u{e0067}\u{e006e} \u{1f3f4}\u{e0067}\u{e0062}",
          "Joe \u{1f3f4}",
        ],
      ])("takes away %s", (_, raw, name) => {
        expect(cleanName(raw)).toEqual({ name });
      });

      it.each(["", " ", "\t\n", "\u200b\u202e", "\u3164", "\ud800"])("refuses the empty name %j", (raw) => {
        expect(cleanName(raw)).toEqual({ reason: "empty_name" });
      });

      it.each([
        ["x".repeat(121)],
        ["\u{1f355}".repeat(121)],
        ["x".repeat(1_000_000)],
        [" ".repeat(1_000_000)],
      ])("refuses a name that is too long (%#)", (raw) => {
        expect(cleanName(raw)).toEqual({ reason: "name_too_long" });
      });

      it("gives publishable text that cleaning leaves alone", () => {
        fc.assert(
          fc.property(anyText, (raw) => {
            const cleaned = cleanName(raw);
            if (!("name" in cleaned)) return;
            expect(cleanName(cleaned.name)).toEqual(cleaned);
            expect(cleaned.name).not.toMatch(
              /[\p{Cc}\p{Cs}\p{Bidi_Control}\u200b\u2060\ufeff]|^\s|\s$|\s\s/u,
            );
            expect(() => canonicalJson(cleaned.name)).not.toThrow();
          }),
        );
      });
    });

    describe("standsForNoName", () => {
      it.each([
        ...[
          "N/A",
          "n/a",
          "#N/A",
          "N.A.",
          "n.a",
          "NA",
          "N / A",
          "N\\A",
          "Ｎ／Ａ",
          "#REF!",
          "#NAME?",
          "#VALUE!",
          "#¡VALOR!",
          "#BEZUG!",
        ],
        ...[
          "NULL",
          "<null>",
          "(null)",
          "None",
          "nil",
          "<nil>",
          "NaN",
          "undefined",
          "[object Object]",
          "DBNull",
          "(blank)",
          '"null"',
        ],
        ...[
          "Unknown",
          "UNKNOWN NAME",
          "no name",
          "NoName",
          "No_Name",
          "no-name",
          "(no name)",
          "Unnamed",
          "T.B.D.",
          "TBD",
          "-",
          "--",
          "—",
        ],
        ...[
          "?",
          "???",
          "...",
          "…",
          "***",
          "/",
          "sin nombre",
          "Sense nom",
          "S/N",
          "Inconnu",
          "Sans Nom",
          "onbekend",
          "Geen naam",
        ],
        ...[
          "unbekannt",
          "OHNE NAMEN",
          "Okänd",
          "namn saknas",
          "NÃO INFORMADO",
          "Néant",
          "不明",
          "店名不明",
          "名前なし",
          "未知",
          "нет",
          "없음",
        ],
      ])("%s", (name) => {
        expect(standsForNoName(name)).toBe(true);
        expect(() => checkedName(name)).toThrow("stands for no name");
      });

      it.each([
        ...[
          "Unknown Pleasures",
          "Nil's",
          "None Such Books",
          "No Name Pub",
          "Nan's Kitchen",
          "Null & Void",
          "The Unknown",
          "Naan",
        ],
        ...[
          "TBD Brewing",
          "Undefined Coffee",
          "Sans Nom Bistro",
          "S/N 5",
          "Blank",
          "K.A.",
          "N&A",
          "#LOVE!",
          "A",
          "7",
          "?!x",
          "$$$",
          "🍕",
        ],
      ])("%s may be a name", (name) => {
        expect(standsForNoName(name)).toBe(false);
      });
    });

    describe("isGenericName", () => {
      it.each(["Restaurant", "FOR LEASE", "À louer", "se vende", "Geöffnet", "营业中", "1234", "#12", "!!"])(
        "%s names no business",
        (name) => {
          expect(isGenericName(nameKey(name))).toBe(true);
        },
      );

      it.each(["Joe's Restaurant", "Open Table", "Forever 21", "The Gap"])("%s may name one", (name) => {
        expect(isGenericName(nameKey(name))).toBe(false);
      });
    });
  });

  describe("personal detail", () => {
    test.each([
      // The name that reached pages, search and RSS.
      ["Call Bob 519-555-0199", "phone_in_name"],
      ["Roofing (519) 555-0199", "phone_in_name"],
      ["Roofing 519.555.0199", "phone_in_name"],
      ["Roofing 1 519 555 0199", "phone_in_name"],
      ["Roofing 5195550199", "phone_in_name"],
      ["Roofing 555-0199", "phone_in_name"],
      ["Roofing ５１９-５５５-０１９９", "phone_in_name"],
      ["Roofing ٥١٩-٥٥٥-٠١٩٩", "phone_in_name"],
      ["Dachdecker +49 30 1234567", "phone_in_name"],
      ["Dachdecker 030/1234567", "phone_in_name"],
      ["Roofing 020 7946 0958", "phone_in_name"],
      ["Toiture 06 12 34 56 78", "phone_in_name"],
      ["Tel. 55501 Roofing", "phone_in_name"],
      ["WhatsApp: 416 555 0100", "phone_in_name"],
      ["Roofing 5️⃣1️⃣9️⃣ 555 0199", "phone_in_name"],
      ["Taxi +34 972 12 34 56", "phone_in_name"],
      ["Taxi 0034 972 12 34 56", "phone_in_name"],
      ["Bob's Towing mobile 5550199", "phone_in_name"],
      ["Plumber cell: 55501", "phone_in_name"],
      ["Plumbing 06 835 1234", "phone_in_name"],
      ["Rör 08-123 45 67", "phone_in_name"],
      ["Call #416-555-0100", "phone_in_name"],
      ["bob@joes.example", "email_in_name"],
      ["bob [at] joes [dot] example", "email_in_name"],
      ["Bob's Van 8ABC123", "plate_in_name"],
      ["Bob's Van ABCD123", "plate_in_name"],
      ["Bob's Van, plate ABCD 123", "plate_in_name"],
      ["Bob's Van AB12 CDE", "plate_in_name"],
      ["Van de Paul AB-123-CD", "plate_in_name"],
      ["Kennzeichen: B-AB 1234", "plate_in_name"],
      ["Mr. John Smith", "person_in_name"],
      ["Mrs A. Jones", "person_in_name"],
      ["Herr Hans Müller", "person_in_name"],
      ["Mme Claire Dubois, traiteur", "person_in_name"],
      ["unit-07 driver=Bob", "person_in_name"],
      ["Owner: John", "person_in_name"],
    ])("%s: %s", (name, detail) => {
      expect(personalDetail(name)).toBe(detail);
    });

    test.each([
      ...["7-Eleven #2366-24139C", "7 Eleven Store 2231-33434T", "2257029 Ontario Inc", "Sodexo #43725001"],
      ...[
        "Subway 12345",
        "Subway #4165550100",
        "Subway # 4165550100",
        "Subway Store 416-555-0100",
        "Subway No. 555-0199",
        "Subway 1234567",
        "7 ELEVEN#3489104",
        "7-Eleven 1234567890",
        "7-Eleven 00123-45678",
        "7-Eleven 0366-24139",
        "Starbucks 02345 10",
        "T-Mobile 12345",
        "Boost Mobile 90210",
        "The Phone 55512",
        "Walmart 123-4567",
        "Fuel + 12345678",
        "Unit 0123 456789, Depot",
        "Permit 020 7946 0958",
        "1-800-Flowers",
        "24/7 Fitness",
        "Studio 54",
        "Café 300",
        "Pier 39",
        "Est. 1985-2025",
        "Route 66 Diner",
      ],
      ...["AFC Sushi @ Jewel Osco #2506", "@Spot Cafe", "BK11852", "Bsmt 254", "A1 Auto", "360 Degrees 2020"],
      ...[
        "Mr. Sub",
        "Mr. J Fish & Chicken",
        "Ms. Eva Steak and Sub",
        "Miss Fu in ChengDu",
        "Mr. and Mrs. Smith Cafe",
      ],
      ...[
        "Mrs. Field's",
        "Mr. B's",
        "The Dry Dock",
        "Dr. Pepper",
        "Sir Winston Fish",
        "Joe's Pizza",
        "Last Call Lounge",
      ],
      ...["Tel Aviv Bakery", "Contact Lenses Plus", "The Driver's Seat", "Owner Operator Supply"],
    ])("%s is a trade name", (name) => {
      expect(personalDetail(name)).toBeUndefined();
    });

    test("any text gets an answer in little time", () => {
      const parts = fc.constantFrom(
        ..."0123456789 -().@+#:=aZé[]".split(""),
        "Mr. ",
        "call ",
        "plate ",
        "555-",
      );
      fc.assert(
        fc.property(fc.array(parts, { maxLength: 120 }), (texts) => {
          const name = texts.join("").slice(0, 120);
          personalDetail(name);
        }),
      );
      for (const text of ["0 ", "1-", "a.", "@", "A-", "(", "Mr. j "])
        expect(() => personalDetail(text.repeat(120).slice(0, 120))).not.toThrow();
    });

    const FOLDER = join(import.meta.dirname, "../../../../shared/observations");
    const MAX_FALSE_SHARE = 0.001;

    /** Businesses' names from public inspections; they are no part of the project. */
    function realNames(): Set<string> {
      const names = new Set<string>();
      for (const file of readdirSync(FOLDER).filter((each) => each.endsWith(".csv.gz"))) {
        const [header = "", ...lines] = gunzipSync(readFileSync(join(FOLDER, file)))
          .toString("utf8")
          .split("\n");
        const column = header.split(",").indexOf("name");
        // A name with a comma is quoted, and cut here: what is left of it is a name as well.
        for (const line of lines) names.add((line.split(",")[column] ?? "").replaceAll('"', "").trim());
      }
      return names;
    }

    test.runIf(existsSync(FOLDER))("of real names of businesses hardly one is held", () => {
      const names = [...realNames()];
      const held = names.filter((name) => personalDetail(name) !== undefined);
      expect(names.length).toBeGreaterThan(20_000);
      expect(held.length / names.length).toBeLessThan(MAX_FALSE_SHARE);
    });
  });
});

describe("damaged text", () => {
  const LATIN = [
    ...[
      "Café Olé",
      "Müller’s Bäckerei",
      "Ñandú – Bar",
      "À l’Été",
      "“Œuvre”",
      "Joe’s",
      "Straße 5",
      "SÃO JOÃO",
      "CÔTE D’OR",
    ],
    ...["Łódź", "Ünlü Şiş", "Bücher & Café Österreich", "Voilà !"],
  ];
  const FOREIGN = [
    "Привет Мир",
    "Καφενείο",
    "カフェ東京",
    "مطعم بيروت",
    "קפה תל אביב",
    "🍕 Pizza",
    "Đà Nẵng",
    "한국식당",
  ];

  function misread(name: string, encoding: string): string {
    return new TextDecoder(encoding).decode(new TextEncoder().encode(name));
  }

  test.each([...LATIN, ...FOREIGN])("%s is no damage; read as another encoding it is", (name) => {
    expect(isDamaged(name)).toBe(false);
    expect(isDamaged(name.toUpperCase())).toBe(false);
    const once = misread(name, "windows-1252");
    const read = [once, misread(once, "windows-1252"), Buffer.from(name).toString("latin1")];
    for (const damaged of read) expect([damaged, isDamaged(damaged)]).toEqual([damaged, true]);
  });

  test.each(LATIN)("%s, read as Cyrillic, as Mac OS Roman or as Central European", (name) => {
    for (const encoding of ["windows-1251", "macintosh", "windows-1250"]) {
      const damaged = misread(name, encoding);
      expect([damaged, isDamaged(damaged)]).toEqual([damaged, true]);
    }
  });

  test.each([
    ...["Caf\ufffd", "Joe\u0092s", "Joe\u0000s", "Joe\u001bs", "a\uffff", "\uf0b7 Bar"],
    ...[
      "Bed &amp; Bath",
      "JOE&#39;S",
      "Caf&eacute;",
      "CAF&EACUTE; OL&#XE9;",
      "&lt;b&gt;",
      "A&amp;amp;B",
      "Caf&eacute",
      "Joe&#39s",
      "Fish&nbsp;Bar",
    ],
    ...["Caf\\u00e9", "Caf\\xe9", "Caf%C3%A9", "Caf=C3=A9", "Joe%27s", "Blue%20Door"],
    ...["Joe?s Pizza", "JOE?S", "Joe¿s", "Mu¤oz", "VoilÃ", "DÃ©jÃ  Vu", "Caf├⌐", "JoeΓÇÖs", "锟斤拷"],
  ])("%j is damaged", (name) => {
    expect(isDamaged(name)).toBe(true);
  });

  test.each([
    ...[
      "A&B;",
      "Bed & Bath; Home",
      "R&D; Labs",
      "M&Ms;",
      "AT&T",
      "Cut&Sew; Co",
      "Units #3&#14",
      "100% Juice",
      "50%OFF",
      "5%20",
      "C:\\uber",
      "A=B",
    ],
    ...[
      "Irmã Maria",
      "IRMÃ",
      "“AMANHÔ",
      "MANHÃ",
      "SÃO-TOMÉ",
      "CAFÉ’S & ROSÉ’S",
      "CAFÉ™",
      "Le “Café”…",
      "É®",
      "N°5",
      "Nº 1",
      "«CAFÉ»",
    ],
    ...[
      "Österreich",
      "ÄÄÄ",
      "Bo på Å",
      "BJÅ’S",
      "Groß–Gerau",
      "¿Qué?",
      "What? No Fish",
      "Who?",
      "Où ?",
      "ΟΥΖΟ",
      "Ð",
      "Þór",
    ],
    ...[
      "РІВНЕ РІКИ",
      "Гість",
      "Сім’я «СРСР»",
      "ООО «ГОРА»",
      "ORĂŞENESC",
      "Ångström",
      "√2 Café",
      "‚Äpfel‘",
      "l’Ân",
      "Tab\tStop",
    ],
  ])("%j is honest", (name) => {
    expect(isDamaged(name)).toBe(false);
  });
});
