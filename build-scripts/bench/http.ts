import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { BuildEffects } from "../../src/build/effects.ts";
import { prepareStaging, publishRelease } from "../../src/build/stages/publish.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { freePort } from "../../src/kernel/port.ts";
import { seededRandom } from "../../src/kernel/seeded.ts";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { type BenchLine, notMeasured } from "./table.ts";

const ROUNDS = 5;
const FILE_BYTES = 30_000;
const FILE = "bench.json";
const AS_OF = "2026-05-20T12:00:00Z";

interface Server {
  readonly url: string;
  readonly process: ChildProcess;
}

/** Requests/s of one 30 KB JSON file from Node and of a compressed copy beside it from nginx, each on one core, in alternating rounds. */
export async function benchHttp(): Promise<BenchLine[]> {
  if (!isInstalled("wrk")) return [notMeasured("file of 30 KB from Node", "wrk is not installed")];
  const folder = mkdtempSync(join(tmpdir(), "bench-http-"));
  const servers: Server[] = [];
  try {
    const site = publishOneFile(join(folder, "home"));
    const node = await startNode(join(folder, "home"));
    servers.push(node);
    if (!isInstalled("nginx")) return [line([await gzipRate(node)], undefined)];
    const nginx = await startNginx(folder, site);
    servers.push(nginx);
    const rounds: { node: number; nginx: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({ node: await gzipRate(node), nginx: await gzipRate(nginx) });
    return [
      line(
        rounds.map((round) => round.node),
        rounds.map((round) => round.nginx),
      ),
    ];
  } finally {
    for (const server of servers) await end(server.process);
    rmSync(folder, { recursive: true });
  }
}

function line(node: readonly number[], nginx: readonly number[] | undefined): BenchLine {
  const name = "file of 30 KB from Node, gzip accepted, one core";
  const rate = requestRate(median(node));
  if (nginx === undefined) return { name, ...rate, limit: "nginx is not installed", ratio: "-" };
  const ratio = (median(node) / median(nginx)).toFixed(2);
  return { name, ...rate, limit: `nginx ${perSecond(median(nginx))}`, ratio: `${ratio} (at least 0.40)` };
}

function gzipRate({ url }: Server): Promise<number> {
  return wrkRate(url, "-H", "Accept-Encoding: gzip");
}

/** A release that holds one file; a server needs a snapshot too, so there is one of an empty city. */
function publishOneFile(root: string): string {
  mkdirSync(root, { recursive: true });
  const home = homePaths(root);
  const staging = prepareStaging(home);
  using town = new TestTown();
  town.city("benchville");
  const { snapshot, site } = releasePaths(staging);
  const { releaseId } = town.build(town.seal(), AS_OF, { out: snapshot });
  new BuildEffects(site, undefined).write(FILE, madeUpJson());
  return releasePaths(publishRelease(home, staging, releaseId)).site;
}

/** Rows that compress about as well as real answers do. */
function madeUpJson(): string {
  const random = seededRandom(1);
  const rows: string[] = [];
  for (let bytes = 0; bytes < FILE_BYTES; bytes += rows.at(-1)?.length ?? 0) {
    const id = random().toString(36).slice(2, 14);
    rows.push(
      `{"public_id":"ex_${id}","status":"unclaimed","record_type":"presence_record","pps":${(random() * 100).toFixed(2)},"independent_observer_count":${Math.floor(random() * 9)}}`,
    );
  }
  return `[${rows.join(",")}]\n`;
}

async function startNode(home: string): Promise<Server> {
  const port = await freePort();
  const cli = join(import.meta.dirname, "../../src/cli/cli.ts");
  const env = { PRESENCE_HOME: home, PORT: String(port) };
  return started(port, spawn(...pinned(0, process.execPath, cli, "serve"), { env, stdio: "ignore" }));
}

async function startNginx(folder: string, site: string): Promise<Server> {
  const port = await freePort();
  const config = join(folder, "nginx.conf");
  writeFileSync(config, nginxConfig(folder, site, port));
  writeFileSync(join(site, `${FILE}.gz`), gzipSync(readFileSync(join(site, FILE))));
  const arguments_ = ["-p", folder, "-c", config, "-e", join(folder, "nginx-error.log")];
  return started(port, spawn(...pinned(0, "nginx", ...arguments_), { stdio: "ignore" }));
}

function nginxConfig(folder: string, site: string, port: number): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${folder}/nginx-${kind};`)
    .join(" ");
  return `user root; worker_processes 1; daemon off; pid ${folder}/nginx.pid; events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; types { application/json json; } ${temporary}
  server { listen 127.0.0.1:${port}; root ${site}; gzip_static on; open_file_cache max=1000; open_file_cache_valid 60s; } }
`;
}

async function started(port: number, child: ChildProcess): Promise<Server> {
  const url = `http://127.0.0.1:${port}/${FILE}`;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (child.exitCode !== null) break;
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return { url, process: child };
    await delay(100);
  }
  await end(child);
  throw new Error(`${child.spawnargs.join(" ")}: did not come up`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** Loading a server with wrk: the server on one core, the load on another where there are two. */

export const ROUND_SECONDS = 3;
const CONNECTIONS = 64;

/** One round: requests/s. Throws when an answer was not a success. */
export async function wrkRate(url: string, ...options: string[]): Promise<number> {
  const load = ["-t1", `-c${CONNECTIONS}`, `-d${ROUND_SECONDS}s`, "--timeout", "10s", ...options, url];
  const child = spawn(...pinned(1, "wrk", ...load), { stdio: ["ignore", "pipe", "inherit"] });
  const output = await text(child.stdout);
  const errors = /(Socket errors|Non-2xx).*/.exec(output)?.[0];
  if (errors !== undefined) throw new Error(`${url}: ${errors}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
}

export function pinned(
  core: number,
  program: string,
  ...rest: string[]
): [program: string, options: string[]] {
  if (availableParallelism() < 2 || !isInstalled("taskset")) return [program, rest];
  return ["taskset", ["-c", String(core), program, ...rest]];
}

export function isInstalled(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
}

/** The figure of a line that counts requests. */
export function requestRate(value: number): Pick<BenchLine, "figure" | "measured"> {
  return { figure: perSecond(value), measured: { value, unit: "requests/s", better: "more" } };
}

export function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString("en-US")} requests/s`;
}

/** The middle value; the mean of the two middle ones of an even number, and 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return (low + (sorted[Math.floor(sorted.length / 2)] ?? low)) / 2;
}
