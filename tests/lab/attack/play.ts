/**
 * Plays a world through the real commands: files of each hour into intake, a seal and a release each night, owners who opt
 * out, a merge. Keeps a copy of every release's public files, as a reader would, and the truth about every row.
 */

import { cpSync, mkdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { releasePaths } from "../../../src/kernel/home.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../../../src/kernel/time.ts";
import { openLedgerReader } from "../../../src/ledger/reader.ts";
import type { Operator } from "../../support/operations/operator.ts";
import { type Founding, found, ndjson } from "../../support/towns/town.ts";
import { type PublicRelease, readPublicRelease } from "./public-reader.ts";
import type { Story } from "./story.ts";
import type { Visit, World } from "./world.ts";

export interface Played {
  readonly releases: readonly PublicRelease[]; // oldest first
  /** What each row number of an observation really is, or was before it was erased. */
  readonly truth: ReadonlyMap<number, Visit>;
  /** Principals that the previews of splits said would be linked. */
  readonly linksForeseen: number;
}

const CITY_RADIUS_KM = 12;
const SEAL_MS = 20 * 60_000;

/** `quietNights`: nights without visits afterwards, in which rows of those who left go. */
export async function playWorld(
  operator: Operator,
  {
    world,
    story,
    quietNights,
  }: { readonly world: World; readonly story: Story; readonly quietNights: number },
): Promise<Played> {
  await found(operator, foundingOf(world));
  const releases: PublicRelease[] = [];
  const keep = () => keepRelease(operator, releases);
  const byDay = Map.groupBy(world.visits, ({ arrival }) => Math.floor(arrival / DAY_MS) * DAY_MS);
  const truth = new Map<number, Visit>();
  const publish = async (sealed: number) => {
    await operator.ok(["seal", "--clock", isoTime(sealed)]);
    await operator.ok(["build", "--as-of", isoTime(sealed)]);
    keep();
    for (const [row, visit] of truthOf(operator, world)) truth.set(row, visit); // before anything is erased
  };
  let night = 0;
  let sealed = 0;
  let linksForeseen = 0;
  for (const [day, visits] of byDay) {
    night += 1;
    await ingestHours(operator, day, [...visits, ...story.lines(night, visits)]);
    sealed = day + DAY_MS + SEAL_MS;
    await publish(sealed);
    for (const command of story.commands(night, releases)) {
      const preview = await decide(operator, command, isoTime(sealed + HOUR_MS));
      if (command[1] === "split") linksForeseen += preview.principals_linked ?? 0;
      keep();
    }
  }
  for (let quiet = 1; quiet <= quietNights; quiet += 1) await publish(sealed + quiet * DAY_MS);
  return { releases, truth, linksForeseen };
}

/** Before the first day. */
function foundingOf({ cities, visits }: World): Founding {
  const scouts = cities.flatMap((city) => [...city.scouts, ...city.cameras]);
  return {
    cities: cities.map(({ place }) => place),
    radiusKm: CITY_RADIUS_KM,
    observers: scouts.filter(({ isVouched }) => isVouched).map(({ id }) => id),
    at: isoTime((visits[0]?.arrival ?? 0) - DAY_MS),
  };
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

const Preview = z.object({ confirm: z.string().optional(), principals_linked: z.int().optional() });
const OptOutPreview = z.object({ names: z.array(z.object({ name: z.string(), because: z.string() })) });

/**
 * Erasures name a code that must be repeated; other commands decide at once. As the operator knows who asks, it adds the name of a
 * record that opts out where the preview says that no row taught it. Returns the preview.
 */
async function decide(
  operator: Operator,
  command: readonly string[],
  clock: string,
): Promise<z.infer<typeof Preview>> {
  const isRegistry = command[0] === "observer" && command[1] !== "erase";
  const args = [...command, ...(isRegistry ? [] : ["--clock", clock]), "--json"];
  const printed = JSON.parse(await operator.ok(args));
  const preview = Preview.parse(printed);
  const { confirm } = preview;
  const names = command[0] === "opt-out" ? OptOutPreview.parse(printed).names : [];
  const also = names.flatMap(({ name, because }) => (because === "untaught" ? ["--also", name] : []));
  if (also.length > 0) return decide(operator, [...command, ...also], clock);
  if (confirm !== undefined) await operator.ok([...args, "--confirm", confirm]);
  return preview;
}

function keepRelease({ home, folder }: Operator, kept: PublicRelease[]): void {
  const name = readlinkSync(home.current).replace(/\/+$/, "").split("/").at(-1) ?? "";
  const copy = join(folder, "copies", name);
  if (kept.some((release) => release.folder === copy)) return;
  mkdirSync(join(folder, "copies"), { recursive: true });
  cpSync(releasePaths(home.current).site, copy, { recursive: true, dereference: true });
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
    if (text === "") continue; // its observer left
    const [, , { ref }] = z
      .tuple([z.string(), z.string(), z.object({ ref: z.string() })])
      .parse(parsed(text));
    const visit = byRef.get(ref);
    if (visit !== undefined) truth.set(id, visit);
  }
  return truth;
}

function parsed(disclosure: string): unknown {
  return JSON.parse(Buffer.from(disclosure, "base64url").toString());
}
