/**
 * Plays a world through the real commands: files of each hour into intake, a seal and a release each night, owners who opt
 * out, a merge. Keeps a copy of every release's public files, as a reader would, and the truth about every row.
 */

import { cpSync, mkdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { DAY_MS, HOUR_MS, isoTime } from "../../src/kernel/time.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import type { Operator } from "../../src/testing/operations/operator.ts";
import { ndjson } from "../../src/testing/towns/town.ts";
import { type PublicRelease, readPublicRelease } from "./public-reader.ts";
import type { Story } from "./story.ts";
import type { Visit, World } from "./world.ts";

export interface Played {
  readonly releases: readonly PublicRelease[]; // oldest first
  /** What each row number of an observation really is, erased ones left out. */
  readonly truth: ReadonlyMap<number, Visit>;
}

const CITY_RADIUS_KM = 12;
const SEAL_MS = 20 * 60_000;

export async function playWorld(operator: Operator, world: World, story: Story): Promise<Played> {
  await found(operator, world);
  const releases: PublicRelease[] = [];
  const keep = () => keepRelease(operator, releases);
  const byDay = Map.groupBy(world.visits, ({ arrival }) => Math.floor(arrival / DAY_MS) * DAY_MS);
  let night = 0;
  for (const [day, visits] of byDay) {
    night += 1;
    await ingestHours(operator, day, [...visits, ...story.returning(night, visits)]);
    const sealed = day + DAY_MS + SEAL_MS;
    await operator.ok(["seal", "--clock", isoTime(sealed)]);
    await operator.ok(["build", "--as-of", isoTime(sealed)]);
    keep();
    for (const command of story.commands(night, releases)) {
      await decide(operator, command, isoTime(sealed + HOUR_MS));
      keep();
    }
  }
  return { releases, truth: truthOf(operator, world) };
}

async function found(operator: Operator, { cities, visits }: World): Promise<void> {
  const clock = ["--clock", isoTime((visits[0]?.arrival ?? 0) - DAY_MS)];
  const dump = cities.map(({ place }) =>
    [
      place.geonameId,
      place.name,
      place.asciiName,
      "",
      place.lat,
      place.lng,
      "P",
      "PPL",
      place.countryCode,
      "",
    ]
      .concat([place.regionCode, "", "", "", place.population, "", "", "UTC", "2026-01-01"])
      .join("\t"),
  );
  await operator.ok(["init", "--origin", "attack.example/presence", "--environment", "demo"]);
  await operator.ok(["gazetteer", "import", operator.write("cities.txt", dump.join("\n"))]);
  for (const { place } of cities) {
    const outline = ["--geoname", String(place.geonameId), "--radius-km", String(CITY_RADIUS_KM)];
    await operator.ok(["city", "add", ...outline, ...clock]);
  }
}

/** As they come in: a file for each hour, with the lines of all cities as they arrive. */
async function ingestHours(operator: Operator, day: number, visits: readonly Visit[]): Promise<void> {
  const byHour = Map.groupBy(visits, ({ arrival }) => Math.floor((arrival - day) / HOUR_MS));
  const files = [...byHour].map(([hour, lines]) =>
    operator.write(
      `day-${day}-${String(hour).padStart(2, "0")}.ndjson`,
      ndjson(lines.map(({ line }) => line)),
    ),
  );
  await operator.ok(["ingest", ...files.sort(), "--synthetic", "--clock", isoTime(day + DAY_MS - 30_000)]);
}

const Preview = z.object({ confirm: z.string().optional() });

/** Erasures name a code that must be repeated; other commands decide at once. */
async function decide(operator: Operator, command: readonly string[], clock: string): Promise<void> {
  const args = [...command, "--clock", clock, "--json"];
  const { confirm } = Preview.parse(JSON.parse(await operator.ok(args)));
  if (confirm !== undefined) await operator.ok([...args, "--confirm", confirm]);
}

function keepRelease({ home, folder }: Operator, kept: PublicRelease[]): void {
  const name = readlinkSync(home.current).replace(/\/+$/, "").split("/").at(-1) ?? "";
  const copy = join(folder, "copies", name);
  if (kept.some((release) => release.folder === copy)) return;
  mkdirSync(join(folder, "copies"), { recursive: true });
  cpSync(join(home.root, "current", "site"), copy, {
    recursive: true,
    dereference: true,
    filter: (path) => !/\.(br|gz)$/.test(path),
  });
  kept.push(readPublicRelease(copy));
}

/** The operator's own view: each row's private reference says which line it was. */
function truthOf({ home }: Operator, { visits }: World): Map<number, Visit> {
  const byRef = new Map(visits.map((visit) => [visit.line.source_ref, visit]));
  using reader = openLedgerReader(home.ledger);
  const size = reader.latestCheckpoint()?.size ?? 0;
  const truth = new Map<number, Visit>();
  for (const { id, kind, body } of reader.verifiedRows(size)) {
    if (kind !== "observation" || body === undefined) continue;
    const text = reader.rowFields(id).disclosures.get("source_ref") ?? "";
    const [, , ref] = z.tuple([z.string(), z.string(), z.string()]).parse(parsed(text));
    const visit = byRef.get(ref);
    if (visit !== undefined) truth.set(id, visit);
  }
  return truth;
}

function parsed(disclosure: string): unknown {
  return JSON.parse(Buffer.from(disclosure, "base64url").toString());
}
