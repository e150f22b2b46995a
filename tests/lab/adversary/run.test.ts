import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { REAL_CITIES } from "./real-visits.ts";
import { NAMES, playAll } from "./run.ts";
import { type AdversaryLine, adversaryTable, markdownTable } from "./table.ts";

const quiet = () => undefined;

test("one attack can be played by itself", () => {
  const lines = playAll({ runs: 2, towns: 1, seed: 1, attack: "six-lines", progress: quiet });
  expect(lines).toEqual([
    {
      name: "six-lines",
      attack: expect.stringContaining("six lines by one person"),
      bound: "eligible in 0 runs",
      runs: 2,
      measured: "0 of 2",
      holds: true,
    },
  ]);
  expect(new Set(NAMES).size).toBe(NAMES.length);
});

test("files of real visits that are not at hand are skipped with a message", () => {
  const messages: string[] = [];
  const progress = (message: string) => messages.push(message);
  const realVisits = join(tmpdir(), "no-such-folder");
  const lines = playAll({ runs: 1, towns: 1, seed: 1, attack: "real-cities", realVisits, progress });
  expect(lines).toEqual([]);
  expect(messages.filter((message) => message.includes("skipped"))).not.toEqual([]);
});

test("visits with bare dates are judged, and none is set aside", () => {
  const folder = mkdtempSync(join(tmpdir(), "visits-"));
  try {
    const head =
      "asset_key,event_id,observed_on,name,category,address,city,country,lat,lon,result,event_type,observer";
    const visit = (day: number) => `a1,e${day},2014-01-0${day},Shop,,,,,43.651234567,-79.381234567,,,i${day}`;
    const text = [head, visit(1), visit(1), visit(2), "a2,e9,2014-01-03,Nowhere,,,,,0,0,,,i1"].join("\n");
    for (const { file } of REAL_CITIES) writeFileSync(join(folder, file), gzipSync(text));
    const lines = playAll({
      runs: 1,
      towns: 1,
      seed: 1,
      attack: "real-cities",
      realVisits: folder,
      progress: quiet,
    });
    expect(
      lines.filter(({ attack }) => attack.includes("collective")).map(({ measured }) => measured),
    ).toEqual(REAL_CITIES.map(() => "0 of 3 rows"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("tables say what holds, what does not, and what is only stated", () => {
  const line: AdversaryLine = {
    name: "a",
    attack: "an attack",
    bound: "never",
    runs: 3,
    measured: "0 of 3",
    holds: true,
  };
  const lines = [line, { ...line, holds: false }, { ...line, holds: null }];
  expect(
    adversaryTable(lines)
      .split("\n")
      .map((row) => row.split("  ").at(-1)?.trim()),
  ).toEqual(["holds", "yes", "NO", "-"]);
  expect(markdownTable([line])).toContain("| an attack | never | 3 | 0 of 3 | yes |");
});
