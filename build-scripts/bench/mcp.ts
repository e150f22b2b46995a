import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { isInstalled, median, perSecond, ROUND_SECONDS, requestRate, wrkRate } from "./http.ts";
import { type BenchServer, startScript } from "./processes.ts";
import { type BenchLine, boundLine, notMeasured } from "./table.ts";

const SCRIPT = "mcp-server.ts";
const AS_OF = "2026-05-20T12:00:00Z";
/** More results than are remembered (finished-calls.ts): in turn, each is made anew. */
const RECORDS = 4000;
/** Few enough to be remembered all. */
const WARM_RECORDS = 100;
const ROUNDS = 5;
const CALLS_FOR_MEMORY = 100_000;
const WANTED_COLD = 5000;
const WANTED_WARM = 15_000;
const MAX_GROWTH_MB = 30;

interface Load {
  readonly name: string;
  /** Message bodies, sent in turn. */
  readonly bodies: readonly string[];
  readonly wanted: number; // requests/s
}

/** Requests/s of the MCP endpoint on one core, compared with bare node:http answers of equal size, in alternating rounds. */
export async function benchMcp(quick: boolean): Promise<BenchLine[]> {
  if (!isInstalled("wrk")) return [notMeasured("MCP", "wrk is not installed")];
  const folder = mkdtempSync(join(tmpdir(), "bench-mcp-"));
  const snapshot = join(folder, "snapshot.db");
  makeSnapshot(snapshot);
  try {
    await using server = await startScript(0, SCRIPT, snapshot);
    const lines: BenchLine[] = [];
    for (const load of loads()) lines.push(await speed(server, load, folder));
    lines.push(await growth(server, folder, quick ? CALLS_FOR_MEMORY / 10 : CALLS_FOR_MEMORY));
    return lines;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function makeSnapshot(out: string): void {
  using town = new TestTown();
  town.city("toronto");
  for (let at = 0; at < RECORDS; at += 1) {
    const record = town.record(recordName(at), { public_id: `demo_${at}` });
    const asset = town.asset(record);
    for (const scout of ["a", "b", "c"])
      for (const day of ["05", "11"]) town.see(record, asset, `${at}-${scout}`, `2026-04-${day}T10:00:00Z`);
  }
  town.build(town.seal(), AS_OF, { out });
}

function recordName(at: number): string {
  return `Number ${at} Bakery of Street ${at * 7}`;
}

/** Consecutive requests name different records. Cold: results made anew; warm: results that are remembered. */
function loads(): Load[] {
  const calls = (name: string): Load[] => {
    const bodies = Array.from({ length: RECORDS }, (_, at) =>
      message("tools/call", { name, arguments: { business_name: recordName(at), city: "toronto" } }),
    );
    return [
      { name: `tools/call ${name}, cold`, bodies, wanted: WANTED_COLD },
      { name: `tools/call ${name}, warm`, bodies: bodies.slice(0, WARM_RECORDS), wanted: WANTED_WARM },
    ];
  };
  return [
    { name: "tools/list", bodies: [message("tools/list", {})], wanted: WANTED_COLD },
    ...calls("get_physical_presence"),
    ...calls("check_physical_evidence"),
  ];
}

function message(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

async function speed(
  server: BenchServer,
  { name, bodies, wanted }: Load,
  folder: string,
): Promise<BenchLine> {
  const script = luaScript(folder, bodies);
  const bytes = (await answer(urlOf(server), bodies[0] ?? "")).length;
  await using bare = await startScript(0, SCRIPT, "--bare", String(bytes));
  const rates: { mcp: number; bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rates.push({
      mcp: await wrkRate(urlOf(server), "-s", script),
      bare: await wrkRate(urlOf(bare), "-s", script),
    });
  const [figure, limit] = [median(rates.map(({ mcp }) => mcp)), median(rates.map(({ bare: rate }) => rate))];
  return {
    name: `MCP ${name}, ${(bytes / 1000).toFixed(1)} kB, one core`,
    ...requestRate(figure),
    limit: `bare node:http ${perSecond(limit)}`,
    ratio: `${(figure / limit).toFixed(2)} (${wanted.toLocaleString("en-US")} requests/s wanted)`,
  };
}

/** Memory added by many calls, measured on a warm server. */
async function growth(server: BenchServer, folder: string, calls: number): Promise<BenchLine> {
  const bodies = loads().flatMap((load) => load.bodies);
  const script = luaScript(folder, bodies);
  const before = await memoryOf(server);
  let sent = 0;
  while (sent < calls) sent += (await wrkRate(urlOf(server), "-s", script)) * ROUND_SECONDS;
  const name = `MCP: memory added by ${calls.toLocaleString("en-US")} calls`;
  return boundLine(name, "MB", Math.max(0, (await memoryOf(server)) - before), MAX_GROWTH_MB);
}

function luaScript(folder: string, bodies: readonly string[]): string {
  const path = join(folder, "load.lua");
  const quoted = bodies.map((body) => `[==[${body}]==]`).join(",\n");
  writeFileSync(
    path,
    `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local bodies = {${quoted}}
local at = 0
request = function() at = at % #bodies + 1; return wrk.format(nil, nil, nil, bodies[at]) end
`,
  );
  return path;
}

async function answer(url: string, body: string): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"isError":true')) throw new Error(`${body}: ${text}`);
  return text;
}

function urlOf({ port }: BenchServer): string {
  return `http://127.0.0.1:${port}/mcp`;
}

/** Resident memory in MB. */
async function memoryOf({ child, nextLine }: BenchServer): Promise<number> {
  child.kill("SIGUSR2");
  return Number(await nextLine());
}
