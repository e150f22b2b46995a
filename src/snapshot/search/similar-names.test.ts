import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Index, openIndex } from "./search.ts";
import { buildSearchIndex, type SearchSource } from "./search-index.ts";
import { cityNames, findSimilar } from "./similar-names.ts";

const IN_CITIES: Readonly<Record<string, readonly string[]>> = {
  guelph: [
    "Ashgrove Bakery Co.",
    "The Inkpen Mulberry Bakery",
    "Ashgrove & Thimble Bakery",
    "Old Inkpen Bookshop",
    "Copper Lantern Tearoom",
    "O'Dunnaghue's \"Tack Room\"",
    "The Quillon Rook Works",
    "Old Ravensby Pharmacy",
    "Quillon & Cartwheel Works",
    "=1+1 Arithmetic Tutors",
    "Store 12",
    "###",
  ],
  napier: ["Zoë & Søren’s Smørrebrød", "Kea & Key Locksmiths", "The Tallow Pebble Bakery", "Coca-Cola"],
  girona: ["Pizzeria Ca l'Estel", "Forn de Pa Ca l'Àmfora", "Ferreteria Germans Xifrà", "L'Atelier des Fées"],
  "new-york": ["Weißes Rößl", "Encyclopædia Café", "Bäckerei Müller", "Gasthaus zum Löwen"],
  matsumoto: ["山吹谷庵薬局", "書店 藤波", "スターバックス 松本店", "スーパー山吹", "스타벅스 커피"],
  kyiv: ["Пекарня Золотий Колос", "Ελληνική Ταβέρνα", "المخبز الذهبي", "מאפיית השכונה"],
};

const rows: SearchSource[] = Object.entries(IN_CITIES)
  .flatMap(([city, names]) => names.map((name) => ({ city, name })))
  .map((row, at) => ({
    ...row,
    position: at + 1,
    industry: null,
    onlinePresence: "unknown",
    website: at === 0 ? "https://ashgrove.example" : null,
    fixedCells: [],
  }));
const region = { region: "Ontario", regionCode: "ON", country: "CA", countryName: "Canada" };
const cities = cityNames(
  Object.keys(IN_CITIES).map((slug) => ({ ...region, slug, name: slug === "new-york" ? "New York" : slug })),
);

function indexOf(sources: readonly SearchSource[]): Index {
  const db = new Database(":memory:");
  buildSearchIndex(db, sources);
  return openIndex(db);
}

const index = indexOf(rows);
const similar = (name: string, filters: object = {}) =>
  findSimilar(index, cities, { name, ...filters }, 5).map((position) => rows[position - 1]?.name);

test.each([
  ["the bakery", "Ashgrove Bakery Co."],
  ["Inkpen bakery", "The Inkpen Mulberry Bakery"],
  ["bakery guelph", "Ashgrove Bakery Co."],
  ["a bakery near Guelph", "Ashgrove Bakery Co."],
  ["any bakery around Guelph", "Ashgrove Bakery Co."],
  ["Guelph's best bakery", "Ashgrove Bakery Co."],
  ["bakery, Guelph, ON, Canada", "Ashgrove Bakery Co."],
  ["Guelph (Ontario) bakeries", "Ashgrove Bakery Co."],
  ["bakrey", "Ashgrove Bakery Co."],
  ["Zoe Sorens Smorrebrod", "Zoë & Søren’s Smørrebrød"],
  ["smørrebrød by Zoe and Soren", "Zoë & Søren’s Smørrebrød"],
  ["Zoe Smoerrebroed, Napier", "Zoë & Søren’s Smørrebrød"],
  ["a bakeries", "Ashgrove Bakery Co."],
  ["Inkpen Mulberry Bakery and Coffee Shop Guelph Ontario", "The Inkpen Mulberry Bakery"],
  ["bookshop the inkpen", "Old Inkpen Bookshop"],
  ["book-shop old inkpen", "Old Inkpen Bookshop"],
  ["Copper Lantern Tea Rooms", "Copper Lantern Tearoom"],
  ["odonnaghue tackroom", "O'Dunnaghue's \"Tack Room\""],
  ["quillon rok works", "The Quillon Rook Works"],
  ["key and kea locksmith", "Kea & Key Locksmiths"],
  ["cocacola", "Coca-Cola"],
  ["coca kola", "Coca-Cola"],
  ["la pizzeria estel", "Pizzeria Ca l'Estel"],
  ["forn amfora", "Forn de Pa Ca l'Àmfora"],
  ["xifra feretería", "Ferreteria Germans Xifrà"],
  ["les atelier de fees", "L'Atelier des Fées"],
  ["weisses roessl", "Weißes Rößl"],
  ["encyclopedia cafe new york", "Encyclopædia Café"],
  ["Mueller die Baeckerei", "Bäckerei Müller"],
  ["zum loewen", "Gasthaus zum Löwen"],
  ["山吹谷薬局", "山吹谷庵薬局"],
  ["藤波 書店", "書店 藤波"],
  ["スターバクス", "スターバックス 松本店"],
  ["스타벅쓰", "스타벅스 커피"],
  ["золотой колос пекарня", "Пекарня Золотий Колос"],
  ["ταβερνα η ελληνικη", "Ελληνική Ταβέρνα"],
  ["مخبز ذهبي", "المخبز الذهبي"],
  ["מאפית שכונה", "מאפיית השכונה"],
])("%s leads to %s", (asked, name) => {
  expect(similar(asked)[0]).toBe(name);
});

test("what only shares a common word, a number or nothing is no suggestion", () => {
  for (const name of ["Nobody's Bakery", "Store 13", "McDonald's", "guelph", "x", "", "Tim Hortons Guelph"])
    expect(similar(name), name).toEqual([]);
  for (const name of [
    "Nobody's Bakery Guelph",
    "bakery around",
    "around the bakery",
    "Somewhere around Guelph",
  ])
    expect(similar(name), name).toEqual([]);
});

test("a city in the query comes first, and the whole service where it has none like it", () => {
  expect(similar("bakery napier")).toEqual(["The Tallow Pebble Bakery"]);
  expect(similar("Bäckerei Mueller Kyiv")).toEqual(["Bäckerei Müller"]);
  expect(similar("bakery guelph", { city: "napier" })).toEqual(["The Tallow Pebble Bakery"]);
});

test("a name of two cities chooses neither", () => {
  const two = cityNames(["guelph", "napier"].map((slug) => ({ ...region, slug, name: "Springfield" })));
  expect(findSimilar(index, two, { name: "bakery springfield" }, 5)).toHaveLength(4);
});

test("filters hold", () => {
  expect(similar("bakrey", { city: "girona" })).toEqual([]);
  expect(similar("bakrey", { city: "nowhere" })).toEqual([]);
  expect(similar("ashgrov", { website: "ashgrove.example" })).toEqual(["Ashgrove Bakery Co."]);
});

const WORDS = "amber birch cedar dapple elder fallow gorse hazel indigo juniper kestrel larch".split(" ");
const named = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 3 });
const manyNames = fc.sample(named, { numRuns: 200, seed: 4 }).map((words) => words.join(" "));
const many = indexOf(manyNames.map((name, at) => ({ ...rows[1], position: at + 1, name }) as SearchSource));

/** One slip in a word. */
function slip(word: string, at: number, kind: number): string {
  const letters = [...word];
  const place = at % (letters.length - 1);
  if (kind === 0) letters.splice(place, 2, letters[place + 1] ?? "", letters[place] ?? "");
  else if (kind === 1) letters.splice(place, 1);
  else letters.splice(place, kind === 2 ? 0 : 1, "q");
  return letters.join("");
}

test("one slip and another order of the words still lead to the words of the name", () => {
  fc.assert(
    fc.property(fc.constantFrom(...manyNames), fc.nat(20), fc.nat(3), (name, at, kind) => {
      const [first = "", ...others] = name.split(" ");
      const asked = [...others, "the", slip(first, at, kind)].join(" ");
      const [best] = findSimilar(many, new Map(), { name: asked }, 5);
      const words = manyNames[(best ?? 0) - 1]?.split(" ");
      expect(words, asked).toEqual(expect.arrayContaining([first, ...others]));
    }),
    { numRuns: 100 },
  );
});

test("reads and compares no more for a hostile query than for any other", () => {
  const big = indexOf(
    Array.from(
      { length: 700 },
      (_, at) => ({ ...rows[1], position: at * 100 + 1, name: `aaab ${at}` }) as SearchSource,
    ),
  );
  for (const name of [
    "a".repeat(200),
    "aaab ".repeat(40),
    "🍕".repeat(100),
    "\u0000\u0007\u202e",
    "é".repeat(200),
    "ab ".repeat(66),
  ]) {
    let reads = 0;
    const counted =
      <T>(get: (key: number) => T) =>
      (key: number) => {
        reads += 1;
        return get(key);
      };
    const counting: Index = {
      ...big,
      block: { ...big.block, get: counted(big.block.get) },
      folded: { ...big.folded, get: counted(big.folded.get) },
    };
    expect(findSimilar(counting, cities, { name }, 5).length).toBeLessThanOrEqual(5);
    expect(reads).toBeLessThanOrEqual(64 * big.blocks + 400);
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (name) => {
      expect(findSimilar(big, cities, { name }, 5).length).toBeLessThanOrEqual(5);
    }),
    { numRuns: 60 },
  );
});
