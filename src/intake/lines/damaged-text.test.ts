import { expect, test } from "vitest";
import { isDamaged } from "./damaged-text.ts";

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
