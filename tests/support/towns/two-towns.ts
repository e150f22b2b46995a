/** Two invented towns, and erasures in them as an operator makes them. */

import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import { filesBelow } from "../../../src/kernel/files/durable-file.ts";
import { releasePaths } from "../../../src/kernel/home.ts";
import { readOwnManifest } from "../../../src/proof/audit/release-manifest.ts";
import { Operator, type RunOptions } from "../operations/operator.ts";
import { benchCities, benchObservations } from "./observations.ts";
import { DAYS, foundTown, ndjson } from "./town.ts";

export const CLOCK = ["--clock", "2026-05-02T09:00:00Z"];
export const [FIRST = "", SECOND = ""] = benchCities(2).map(({ asciiName }) =>
  asciiName.toLowerCase().replaceAll(" ", "-"),
);

const Preview = z.object({ confirm: z.string(), rows: z.int() });
export type Done = z.infer<typeof Done>;
const Done = z.object({
  release: z.string(),
  release_kind: z.literal("patch"),
  release_seconds: z.number(),
  files_made: z.int(),
  files_linked: z.int(),
  purge: z.object({ file: z.string(), removed: z.int(), changed: z.int(), hook: z.string() }),
});
export type Manifest = ReturnType<typeof readOwnManifest>;

interface Size {
  readonly observations: number;
  readonly records: number;
}

const USUAL: Size = { observations: 160, records: 12 };

/** Both observed, sealed and published. */
export async function twoTowns(it: Operator, size = USUAL): Promise<void> {
  await foundTown(it, 2);
  const options = { seed: 11, ...size, cities: 2, end: DAYS.end };
  const file = it.write("observations.ndjson", ndjson(benchObservations(options)));
  await it.ok(["ingest", file, "--synthetic", "--clock", DAYS.ingest]);
  await it.ok(["seal", "--now", "--clock", DAYS.seal]);
  await it.ok(["build"]);
}

let original: Promise<Operator> | undefined;

/** The same as a copy of a home that this process makes once: a test that spoils its towns needs no others. */
export async function twoTownsCopied(it: Operator): Promise<void> {
  original ??= originalTowns();
  const { home } = await original;
  execFileSync("cp", ["-a", home.root, it.home.root]); // Node's own copy forgets the modes of folders
}

async function originalTowns(): Promise<Operator> {
  const operator = new Operator();
  process.on("exit", () => operator[Symbol.dispose]());
  await twoTowns(operator);
  return operator;
}

export function current(it: Operator): string {
  return join(it.home.night, readlinkSync(it.home.current));
}

export function manifestOf(directory: string): Manifest {
  return readOwnManifest(releasePaths(directory).manifest);
}

export function json(directory: string, path: string) {
  return JSON.parse(readFileSync(join(releasePaths(directory).site, path), "utf8"));
}

/** The command that erases for good, after its preview. */
export async function confirmed(it: Operator, args: readonly string[]): Promise<string[]> {
  const command = [...args, "--reason", "owner_request", "--json"];
  const { confirm } = Preview.parse(JSON.parse(await it.ok(command)));
  return [...command, "--confirm", confirm, ...CLOCK];
}

export async function erased(it: Operator, args: readonly string[], options?: RunOptions): Promise<Done> {
  return Done.parse(JSON.parse(await it.ok(await confirmed(it, args), options)));
}

/** Everything about a record that no file may show afterwards. */
export interface Needles {
  readonly publicId: string;
  readonly texts: readonly string[];
}

export function recordIn(it: Operator, city: string, at: number): Needles {
  const { rankings } = z
    .object({ rankings: z.array(z.object({ public_id: z.string(), name: z.string() })) })
    .parse(json(current(it), `api/v1/city/${city}/index.json`));
  const { public_id: publicId = "", name = "" } = rankings[at] ?? {};
  const { assets } = z
    .object({ assets: z.array(z.object({ public_id: z.string() })) })
    .parse(json(current(it), `api/v1/entity/${publicId}.json`));
  return { publicId, texts: [publicId, name, ...assets.map(({ public_id }) => public_id)] };
}

export function traces(directory: string, texts: readonly string[]): string[] {
  return filesBelow(directory)
    .filter((file) => texts.some((text) => readFileSync(file).includes(text)))
    .map((file) => relative(directory, file));
}
