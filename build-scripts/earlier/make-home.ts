/**
 * Makes `fixtures/earlier/VERSION`: a small home with invented data, by the commands of the version itself. Without an argument
 * it is that of this program; with the folder of another version's checkout (`npm ci` done), that version's.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import { releasePaths } from "../../src/kernel/home.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { copyDatabase } from "../../src/operations/backup/copy-database.ts";
import {
  EARLIER,
  EARLIER_URL,
  type EarlierFacts,
  SUBSCRIBER,
} from "../../src/testing/earlier/earlier-home.ts";
import { PROJECT } from "../../src/testing/operations/presence-process.ts";
import { Mailbox } from "../../src/testing/servers/mailbox.ts";
import { BENCH_CITY_RADIUS_KM, benchCities } from "../../src/testing/towns/observations.ts";
import { DAYS, gazetteerDump, ndjson, TOWN_SLUG, townObservations } from "../../src/testing/towns/town.ts";
import { Program } from "./program.ts";

const TOWN = { seed: 28, observations: 240, records: 16 };
const SECOND_NIGHT = "2026-05-02T08:00:00Z";
/** Enough to see that a server of a later version serves the files. */
const SITE_FILES = [
  "index.html",
  "manifest.json",
  "api/v1/cities.json",
  `api/v1/city/${TOWN_SLUG}/index.json`,
];

const Version = z.object({ version: z.string() });
const Rankings = z.object({ rankings: z.array(z.object({ public_id: z.string(), name: z.string() })) });
const Confirmation = z.object({ confirm: z.string() });
const Manifest = z.looseObject({ files: z.record(z.string(), z.string()) });
const Issued = z.object({ client: z.string() });

const project = resolve(process.argv[2] ?? PROJECT);
const { version } = Version.parse(JSON.parse(readFileSync(join(project, "package.json"), "utf8")));
const folder = mkdtempSync(join(tmpdir(), "presence-earlier-"));
try {
  await using mailbox = await Mailbox.open();
  const env = {
    BASE_URL: EARLIER_URL,
    SMTP_URL: mailbox.url,
    MAIL_FROM: "alerts@earlier.test",
    DELIVERY: "worker",
    PORT: "0",
    SERVER_SECRETS: "allow",
    SOURCE_REVISION: "test",
  };
  const program = new Program(project, join(folder, "var"), env);
  await found(program);
  await subscribe(program, mailbox);
  const optedOut = await decide(program);
  await program.ok("nightly", "--now", "--clock", SECOND_NIGHT);
  await keep(program, join(EARLIER, version), optedOut);
  process.stdout.write(`fixtures/earlier/${version}: made\n`);
} finally {
  rmSync(folder, { recursive: true });
}

/** A town with its first release. Lines name no source: the first versions know none. */
async function found(program: Program): Promise<void> {
  const { ok } = program;
  await ok("init", "--origin", "earlier.example/presence", "--environment", "demo");
  await ok("gazetteer", "import", written("cities.txt", gazetteerDump()));
  const [city] = benchCities(1);
  const place = ["--geoname", String(city?.geonameId), "--radius-km", String(BENCH_CITY_RADIUS_KM)];
  await ok("city", "add", ...place, "--clock", DAYS.register);
  const lines = Array.from(townObservations(TOWN), ({ source: _, ...line }) => line);
  const file = written("observations.ndjson", ndjson(lines));
  await ok("ingest", file, "--synthetic", "--clock", DAYS.ingest);
  await ok("nightly", "--now", "--clock", DAYS.seal);
}

/** A confirmed subscription, one that was never confirmed, and a partner with a key. */
async function subscribe(program: Program, mailbox: Mailbox): Promise<void> {
  await using server = await program.serve();
  for (const email of [SUBSCRIBER, "undecided@mail.example.org"]) {
    const body = JSON.stringify({ email, city: TOWN_SLUG, min_confidence: 0 });
    const headers = { "Content-Type": "application/json" };
    await server.post("/api/v1/alerts/subscribe", { headers, body });
  }
  await program.ok("deliver", "--once");
  const link = new RegExp(`${EARLIER_URL}(/alerts/confirm/\\?token=[\\w.-]+)`);
  const path = link.exec(mailbox.to(SUBSCRIBER)[0]?.text ?? "")?.[1];
  if (path === undefined) throw new Error("no link to confirm was sent");
  await server.post(path, { body: new URLSearchParams() });
  const { client } = Issued.parse(JSON.parse(await program.ok("partner", "create", "Maps", "--json")));
  await program.ok("partner", "key", "issue", client);
}

/** Decisions of a reviewer, and an opt-out. Returns the name that left. */
async function decide({ ok, home }: Program): Promise<string> {
  const index = join(home.current, "site/api/v1/city", TOWN_SLUG, "index.json");
  const { rankings } = Rankings.parse(JSON.parse(readFileSync(index, "utf8")));
  const [claimed, flagged] = rankings;
  const leaving = rankings.at(-1);
  if (claimed === undefined || flagged === undefined || leaving === undefined)
    throw new Error("too few records");
  const clock = ["--clock", "2026-05-02T07:00:00Z"];
  const desk = ["--as", "review-desk", "--reason", "owner_request", ...clock];
  await ok("record", "claim", claimed.public_id, ...desk);
  await ok("review", "classify", claimed.public_id, "5610", ...desk);
  await ok("review", "flag", flagged.public_id, ...desk);
  await ok("review", "unflag", flagged.public_id, ...desk);
  const optOut = ["opt-out", leaving.public_id, "--reason", "privacy_request", "--json", ...clock];
  const { confirm } = Confirmation.parse(JSON.parse(await ok(...optOut)));
  await ok(...optOut, "--confirm", confirm);
  return leaving.name;
}

function written(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function keep({ home }: Program, target: string, optedOut: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, "release/site"), { recursive: true });
  for (const name of ["ledger", "state"] as const) {
    const copy = join(folder, name);
    await copyDatabase(home[name], copy, () => undefined);
    writeFileSync(join(target, `${name}.db.gz`), gzipSync(readFileSync(copy), { level: 9 }));
  }
  mkdirSync(join(target, "keys"));
  for (const name of readdirSync(home.keys).filter((each) => /\.(json|head|key)$/.test(each)))
    cpSync(join(home.keys, name), join(target, "keys", name));
  cpSync(home.gazetteer, join(target, "gazetteer.ndjson"));
  const release = releasePaths(home.current);
  writeFileSync(
    join(target, "release/snapshot.db.gz"),
    gzipSync(readFileSync(release.snapshot), { level: 9 }),
  );
  for (const name of SITE_FILES) cpSync(join(release.site, name), join(target, "release/site", name));
  keepManifest(release.manifest, join(target, "release/site/manifest.json"));
  const facts: EarlierFacts = {
    opted_out: optedOut,
    rows: rowsOf(home.ledger),
    release: basename(readlinkSync(home.current)),
  };
  writeFileSync(join(target, "home.json"), `${JSON.stringify(facts, null, 2)}\n`);
  execFileSync("chmod", ["-R", "u+rw,go+r", target]);
}

/** A manifest of the kept files alone: the next build looks for every file of the release before. */
function keepManifest(from: string, to: string): void {
  const { files, ...rest } = Manifest.parse(JSON.parse(readFileSync(from, "utf8")));
  const kept = Object.entries(files).filter(([name]) => SITE_FILES.includes(name));
  writeFileSync(to, `${JSON.stringify({ ...rest, files: Object.fromEntries(kept) }, null, 2)}\n`);
}

function rowsOf(path: string): number {
  using reader = openLedgerReader(path);
  return reader.head().lastRow;
}
