import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { personalDetail } from "./personal-detail.ts";

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
  const parts = fc.constantFrom(..."0123456789 -().@+#:=aZé[]".split(""), "Mr. ", "call ", "plate ", "555-");
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
