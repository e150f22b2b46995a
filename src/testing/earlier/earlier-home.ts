/** Homes that earlier versions made (`fixtures/earlier`; its README says how). */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { PROJECT } from "../operations/presence-process.ts";

export const EARLIER = join(PROJECT, "fixtures/earlier");
export const EARLIER_URL = "https://earlier.test";
export const SUBSCRIBER = "reader@mail.example.org";

/** What a test has to know of a home (`home.json`). */
export const EarlierFacts = z.object({
  opted_out: z.string(), // name of a record whose rows were erased
  rows: z.int(), // of the ledger
  release: z.string(),
});
export type EarlierFacts = z.infer<typeof EarlierFacts>;

export function earlierVersions(): string[] {
  return readdirSync(EARLIER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** Puts the home of a version in place, with what is kept of its release. */
export function placeEarlierHome(version: string, home: Home): EarlierFacts {
  const from = join(EARLIER, version);
  const facts = EarlierFacts.parse(JSON.parse(readFileSync(join(from, "home.json"), "utf8")));
  mkdirSync(home.root, { recursive: true });
  cpSync(join(from, "keys"), home.keys, { recursive: true });
  for (const name of readdirSync(home.keys)) chmodSync(join(home.keys, name), 0o600);
  cpSync(join(from, "gazetteer.ndjson"), home.gazetteer);
  for (const name of ["ledger", "state"] as const) unpack(join(from, `${name}.db.gz`), home[name]);
  const release = join(home.releases, facts.release);
  cpSync(join(from, "release/site"), releasePaths(release).site, { recursive: true });
  unpack(join(from, "release/snapshot.db.gz"), releasePaths(release).snapshot);
  symlinkSync(join("releases", facts.release), home.current);
  return facts;
}

function unpack(from: string, to: string): void {
  if (existsSync(from)) writeFileSync(to, gunzipSync(readFileSync(from)), { mode: 0o600 });
}
