import { describe, expect, test } from "vitest";
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { parseColumnMap } from "../lines/column-map.ts";
import { classifier } from "../matching/classify.ts";
import { checkMap } from "./check-map.ts";
import { suggestMap } from "./suggest-map.ts";

const city = (name: string, countryCode: string, lat: number, lng: number): GazetteerCity => ({
  ...{
    geonameId: 1,
    name,
    asciiName: name,
    region: "",
    regionCode: "",
    countryCode,
    countryName: countryCode,
  },
  ...{ population: 100_000, lat, lng },
});
const NOW = Date.UTC(2026, 10, 27);
const CITIES = [
  city("Gent", "BE", 51.05, 3.72),
  city("Chicago", "US", 41.88, -87.63),
  city("Milan", "IT", 45.46, 9.19),
  city("Wroclaw", "PL", 51.107, 17.038),
  city("Kanazawa", "JP", 36.561, 136.657),
];
const { ruleOf } = classifier({ brands: new Map(), keywords: new Map([["bakkerij", "4721"]]) });

function suggested(text: string | Buffer, source?: { id: string; kind: string }) {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const { text: written, doubts } = suggestMap(bytes, {
    cities: CITIES,
    source,
    industryOf: ruleOf,
    now: NOW,
  });
  return { map: parseColumnMap(written, "suggested"), written, doubts: doubts.join("\n") };
}

/** Node writes Unicode alone. */
function encoded(text: string, encoding: string): Buffer {
  const one = Array.from({ length: 256 }, (_, byte) => [byte]);
  const two = one.slice(0x81, 0xfd).flatMap(([a = 0]) => one.slice(0x40).map(([b = 0]) => [a, b]));
  const letters = new Map(
    [...two, ...one].map((bytes) => [new TextDecoder(encoding).decode(Buffer.from(bytes)), bytes]),
  );
  return Buffer.from([...text].flatMap((letter) => letters.get(letter) ?? []));
}

async function* bytesOf(content: string | Buffer) {
  yield Buffer.from(content);
}

const GHENT = `Uitvoer van Straatbeeld bv
;;;;;;;;;

Volgnr.;Naam zaak;Straat;Huisnr;Gemeente;Breedtegraad;Lengtegraad;Datum;Uur;Categorie;Drager;Camera;GSM eigenaar
1;Bakkerij Desmedt;Korenmarkt;3;Gent;51,0543;3,7224;25/04/2026;14:05;Bakkerij;gevel;cam-3;0470 00 00 00
2;Café Den Turk;Botermarkt;3;Gent;51,0541;3,7250;03/05/2026;09:10;Horeca;bestelwagen;cam-3;
3;Côté Jardin;Veldstraat;8;Gent;51,0501;3,7231;04/05/2026;09:10;horeca ;reclamebord;cam-4;
`;

describe("a map that is suggested", () => {
  test.for([
    ["utf-8", Buffer.from(GHENT)],
    ["windows-1252", Buffer.from(GHENT, "latin1")],
    ["utf-16le", Buffer.from(`\uFEFF${GHENT}`, "utf16le")],
  ] as const)("of a Belgian export in %s", async ([encoding, bytes]) => {
    const { map, doubts } = suggested(bytes, { id: "street-cams", kind: "fleet_cam" });
    expect(map).toMatchObject({
      ...{ delimiter: ";", skip_lines: 3, decimal: ",", time_zone: "Europe/Brussels", source: "street-cams" },
      columns: {
        "Volgnr.": "source_ref",
        "Naam zaak": "name",
        Breedtegraad: "lat",
        Lengtegraad: "lng",
        Categorie: "industry",
        Drager: "asset_type",
        Camera: "observer",
      },
      templates: { observed_at: "{Datum} {Uur}", address: "{Straat} {Huisnr} {Gemeente}" },
      constants: { source_type: "fleet_cam" },
      values: { asset_type: { gevel: "storefront", bestelwagen: "vehicle_wrap", reclamebord: "billboard" } },
      date_formats: ["DD/MM/YYYY HH:mm"],
      industry_map: { Horeca: "5610", Bakkerij: "4721" },
    });
    expect(map.encoding ?? "utf-8").toBe(encoding);
    expect(doubts).toContain('"GSM eigenaar" looks like personal data');
    const { lines, refused, accepted } = await checkMap(bytesOf(bytes), {
      map,
      cities: [],
      now: Date.UTC(2026, 5, 1),
    });
    expect([accepted, refused]).toEqual([3, {}]);
    expect(lines[2]).toMatchObject({
      ...{ line: 6 + 1, name: "Côté Jardin", place: [51.0501, 3.7231], date: "04/05/2026 09:10" },
      ...{ observed_at: "2026-05-04T09:10:00+02:00", asset_type: "billboard" },
    });
  });

  const csv = (header: string, ...rows: string[]) => `${[header, ...rows].join("\n")}\n`;

  test("tells exchanged coordinates, and those that are none of WGS 84", () => {
    const swapped = suggested(csv("id,nom,latitude,longitude,date", "1,A,3.7224,51.0543,2026-05-01"));
    expect(swapped.map.columns).toMatchObject({ latitude: "lng", longitude: "lat" });
    expect(swapped.doubts).toContain("Latitude and longitude are exchanged");
    const lambert = suggested(csv("id,naam,x,y,datum", "1,A,104500,193800,2026-05-01"));
    expect(lambert.doubts).toContain("not WGS 84 (degrees), but meters, perhaps of Belgian Lambert 72");
  });

  test.for([
    [["25/04/2026", "03/05/2026"], ["DD/MM/YYYY"], ""],
    [["04/25/2026", "03/05/2026"], ["MM/DD/YYYY"], ""],
    [["03/04/2026", "05/06/2026"], ["DD/MM/YYYY", "MM/DD/YYYY"], "can be read in two ways"],
    [["3.4.2026", "25.4.2026"], ["D.M.YYYY"], ""],
    [["2026-05-01"], ["iso"], ""],
    [["04/25/2026 02:10:00 PM"], ["MM/DD/YYYY hh:mm:ss A"], ""],
    [["1 mei 2026"], ["D MMM YYYY"], ""],
    [["2026. 11. 7."], ["YYYY. M. D."], ""],
    [["27.11.2026 г."], ["DD.MM.YYYY [г.]"], ""],
    [["27 nov. 26"], ["D MMM YY"], ""],
    [["ven. 27 novembre 2026"], ["ddd D MMM YYYY"], ""],
    [["Nov 27, 2026 02:10 PM"], ["MMM D, YYYY hh:mm A"], ""],
    [["27/11/26"], ["DD/MM/YY"], ""],
    [["26-11-27"], ["YY-MM-DD"], ""], // the other reading is of next year
    [["27.11.2026 14h05"], ["DD.MM.YYYY H[h]mm"], ""],
    [["1795000000", "1795000100"], ["unix"], ""],
    [["46353,5861"], ["excel"], '"time_zone" is the zone of IT, where the places lie'],
    [[...Array.from({ length: 19 }, () => "25/04/2026"), "31/04/26"], ["DD/MM/YYYY"], ""],
    [["day 7 of 9"], ["DD/MM/YYYY"], "is none that is known"],
  ] as const)("has the forms of %j", ([dates, formats, doubt]) => {
    const { map, doubts } = suggested(
      csv("id;nome;lat;lon;data", ...dates.map((date, at) => `${at};A;45.46;9.19;${date}`)),
    );
    expect(map.date_formats).toEqual(formats);
    expect(doubts).toContain(doubt);
  });

  test("doubts a zone where a country has several, and says what nothing was found for", () => {
    const { map, doubts } = suggested(csv("Name\tLat\tLon\tSeen", "A\t41.88\t-87.63\t2026-05-01T10:00:00"));
    expect(map).toMatchObject({ delimiter: "\t", constants: { asset_type: "storefront", observer: "o-1" } });
    expect(map.time_zone).toBe("America/Chicago");
    expect(doubts).toMatch(/"time_zone" is a guess: US has other zones, too/);
    expect(doubts).toContain('No column was found for "source_ref"');
    expect(doubts).toContain("No source is named");
  });

  test("reads German headers of a camera firm and of a club, and tells coordinates that are one text", () => {
    const firm = suggested(
      csv(
        "Bild-Nr;Fahrzeug;Datum;Uhrzeit;Breite;Länge;Beschriftung;Branche",
        "B-1;W01;13-11-2026;08:01;51,05;3,72;Backhaus Eder;Bäckerei",
        "B-2;W01;13-11-2026;08:02;51,05;3,72;Eder & Co;Slagerij / Traiteur",
      ),
    );
    expect(firm.map.columns).toMatchObject({
      "Bild-Nr": "source_ref",
      Fahrzeug: "observer",
      Beschriftung: "name",
    });
    expect(firm.map.industry_map).toEqual({ Bäckerei: "4721", "Slagerij / Traiteur": "4721" });
    const club = suggested(
      csv(
        "lfd. Nr.\tWer\tWann\tOrt\tName am Schild\tArt",
        "1\tAnna\t13.11.2026 09:00\t51,05 / 3,72\tEder\tKapper",
      ),
    );
    expect(club.map.columns).toMatchObject({
      "lfd. Nr.": "source_ref",
      Wer: "observer",
      Wann: "observed_at",
      "Name am Schild": "name",
      Art: "industry",
    });
    expect(club.map).toMatchObject({ decimal: ",", position: { column: "Ort", order: "lat lng" } });
    expect(club.doubts).toContain('"Ort" has both coordinates in one text, which are read as "lat lng"');
  });

  const POLISH = "ż\tš\tść\tł\tę\n1\t51,1071\t17,0382\t2026-05-01\tPiekarnia Wąsik";
  const JAPANESE = "番号,緯度,経度,調査日,店名\n1,36.5611,136.6571,2026-05-01,佐藤書店";
  test.for([
    ["windows-1250", POLISH, { š: "lat", ść: "lng", ł: "observed_at", ę: "name" }],
    ["iso-8859-2", POLISH, { š: "lat", ść: "lng" }],
    ["shift_jis", JAPANESE, { 緯度: "lat", 店名: "name" }],
  ] as const)(
    "reads letters and columns where the file is not of Unicode: %s",
    ([encoding, text, columns]) => {
      const { map, doubts } = suggested(encoded(text, encoding));
      expect(map.encoding).toBe(encoding);
      expect(map.columns).toMatchObject(columns);
      expect(doubts).toContain(`${encoding} is a guess`);
    },
  );

  test.for([
    ["51.0501, 3.7231", "lat lng"],
    ["(51.0501;3.7231)", "lat lng"],
    ["POINT (3.7231 51.0501)", "lng lat"],
  ] as const)("divides coordinates that are one text: %s", async ([text, order]) => {
    const file = csv("id\twaar\tnaam\tdatum\twie", `a1\t${text}\tDe Hoek\t2026-05-01\tAn`);
    const { map } = suggested(file);
    expect(map.position).toEqual({ column: "waar", order });
    const { lines, refused } = await checkMap(bytesOf(file), { map, cities: [], now: NOW });
    expect([lines[0]?.place, refused]).toEqual([[51.0501, 3.7231], {}]);
    const wrong = file.replace(text, "51.0501S 3.7231E");
    const { first_refused } = await checkMap(bytesOf(wrong), { map, cities: [], now: NOW });
    expect(first_refused["wrong_type"]).toContain("line 2: lat is no number");
  });

  test("names the columns of a file without a header, and tells degrees that are no numbers", async () => {
    const file = csv("a1,An,2026-05-01,51.05012,3.72312,De Hoek", "a2,An,2026-05-02,51.05012,3.72312,De Zon");
    const { map, doubts } = suggested(file);
    expect(doubts).toContain("The first line has values and no names");
    expect(map.columns).toMatchObject({ "column 1": "source_ref", "column 4": "lat", "column 6": "name" });
    const { accepted, lines } = await checkMap(bytesOf(file), { map, cities: [], now: NOW });
    expect([accepted, lines[0]]).toEqual([2, expect.objectContaining({ line: 1, name: "De Hoek" })]);
    expect(suggested(csv("id,lat,lon,naam", "1x,51°03'N,3°43'E,A")).doubts).toContain(
      `"lat" has no numbers (the first is 51°03'N)`,
    );
  });

  test("a type of visits is no type of assets, though one of its words is one", () => {
    const rows = ["Routine", "Site visit", "Complaint"].map(
      (type, at) => `${at}x,A,51.05,3.72,2026-05-01,${type}`,
    );
    const { map } = suggested(csv("nr,naam,lat,lon,datum,type", ...rows));
    expect(map.columns).not.toHaveProperty("type");
    expect(map.constants).toMatchObject({ asset_type: "storefront" });
  });

  test("a column without values is none, one with gaps is told, and a line with stray quotes drops out", () => {
    const { map, doubts } = suggested(
      csv(
        "nr,naam,lat,lon,datum,waarnemer",
        '1x,"A"B,51.05,3.72,2026-05-01,',
        "2x,A,51.05,3.72,,",
        "3x,B,51.05,3.72,2026-05-02,",
      ),
    );
    expect(map.constants).toMatchObject({ observer: "o-1" });
    expect(doubts).toContain(
      '"datum" is empty in 1 of the first 2 lines, which are refused without observed_at',
    );
  });

  test("tells references that lose lines, and coordinates that a spreadsheet took for thousands", () => {
    const rows = (...refs: number[]) => refs.map((ref) => `${ref},A,51.340.123,12.370.456,2026-05-01`);
    const lined = suggested(csv("nr,naam,lat,lon,datum", ...rows(1, 2, 3, 4, 5)));
    expect(lined.doubts).toContain('"nr" counts the lines from 1.');
    expect(lined.doubts).toContain('"templates": {"source_ref":"{datum}-{nr}"}');
    expect(lined.doubts).toContain('"lat" has no coordinates any more (51.340.123)');
    expect(suggested(csv("nr,naam,lat,lon,datum", ...rows(1, 7, 3, 4, 7))).doubts).toContain(
      '"nr" does not tell lines apart: 1 values come again (such as 7)',
    );
  });

  test("a hostile file: what it says stays data of the map", () => {
    const { written } = suggested(
      csv('id,"na""me\n*/ // {",lat,lon,date,extra\u2028x', "1,A,51.05,3.72,2026-05-01,x"),
    );
    expect(() => parseColumnMap(written, "x")).not.toThrow();
    expect(() => suggested("no table here\nat all\n")).toThrow("no table found");
    expect(() => suggested("")).toThrow("the file is empty");
  });
});
