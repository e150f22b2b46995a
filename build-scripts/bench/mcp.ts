import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline/promises";
import { TestTown } from "../../src/testing/release/town-release.ts";
import type { BenchLine } from "./line.ts";
import { isInstalled, median, perSecond, pinned, ROUND_SECONDS, wrkRate } from "./load.ts";
import { boundLine } from "./table.ts";

const AS_OF = "2026-05-20T12:00:00Z";
const RECORDS = 500;
const ROUNDS = 5;
const CALLS_FOR_MEMORY = 100_000;
const WANTED_PER_SECOND = 2500;
const MAX_GROWTH_MB = 30;

interface Server {
  readonly url: string;
  readonly child: ChildProcess;
  /** Resident memory in MB. */
  memory(): Promise<number>;
}

interface Load {
  readonly name: string;
  /** Message bodies, sent in turn. */
  readonly bodies: readonly string[];
}

/** Requests/s of the MCP endpoint on one core, beside bare node:http that answers as many bytes, in rounds turn by turn. */
export async function benchMcp(quick: boolean): Promise<BenchLine[]> {
  if (!isInstalled("wrk"))
    return [{ name: "MCP", figure: "not measured", limit: "wrk is not installed", ratio: "-" }];
  const folder = mkdtempSync(join(tmpdir(), "bench-mcp-"));
  const snapshot = join(folder, "snapshot.db");
  makeSnapshot(snapshot);
  const server = await started(snapshot);
  try {
    const lines: BenchLine[] = [];
    for (const load of loads()) lines.push(await speed(server, load, folder));
    lines.push(await growth(server, folder, quick ? CALLS_FOR_MEMORY / 10 : CALLS_FOR_MEMORY));
    return lines;
  } finally {
    await ended(server);
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

/** Every request asks for another record, so that no answer is the one before. */
function loads(): Load[] {
  const call = (name: string, given: (at: number) => object): Load => ({
    name: `tools/call ${name}`,
    bodies: Array.from({ length: RECORDS }, (_, at) => message("tools/call", { name, arguments: given(at) })),
  });
  return [
    { name: "tools/list", bodies: [message("tools/list", {})] },
    call("get_physical_presence", (at) => ({ business_name: recordName(at), city: "toronto" })),
    call("check_physical_evidence", (at) => ({ business_name: recordName(at), city: "Toronto" })),
  ];
}

function message(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

async function speed(server: Server, { name, bodies }: Load, folder: string): Promise<BenchLine> {
  const script = luaScript(folder, bodies);
  const bytes = (await answer(server.url, bodies[0] ?? "")).length;
  const bare = await started("--bare", String(bytes));
  const rates: { mcp: number; bare: number }[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1)
      rates.push({
        mcp: await wrkRate(server.url, "-s", script),
        bare: await wrkRate(bare.url, "-s", script),
      });
  } finally {
    await ended(bare);
  }
  const [figure, limit] = [median(rates.map(({ mcp }) => mcp)), median(rates.map(({ bare: rate }) => rate))];
  return {
    name: `MCP ${name}, ${(bytes / 1000).toFixed(1)} kB, one core`,
    figure: perSecond(figure),
    limit: `bare node:http ${perSecond(limit)}`,
    ratio: `${(figure / limit).toFixed(2)} (${WANTED_PER_SECOND.toLocaleString("en-US")} requests/s wanted)`,
  };
}

/** How much memory that many calls add, after as many as the loads before. */
async function growth(server: Server, folder: string, calls: number): Promise<BenchLine> {
  const bodies = loads().flatMap((load) => load.bodies);
  const script = luaScript(folder, bodies);
  const before = await server.memory();
  let sent = 0;
  while (sent < calls) sent += (await wrkRate(server.url, "-s", script)) * ROUND_SECONDS;
  const name = `MCP: memory added by ${calls.toLocaleString("en-US")} calls`;
  return boundLine(name, "MB", Math.max(0, (await server.memory()) - before), MAX_GROWTH_MB);
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

async function started(...options: string[]): Promise<Server> {
  const script = join(import.meta.dirname, "mcp-server.ts");
  const child = spawn(...pinned(0, process.execPath, script, ...options), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Interface = createInterface({ input: child.stdout });
  const [port] = await once(lines, "line");
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    child,
    async memory() {
      child.kill("SIGUSR2");
      const [rss] = await once(lines, "line");
      return Number(rss);
    },
  };
}

async function ended({ child }: Server): Promise<void> {
  child.kill("SIGTERM");
  if (child.exitCode === null) await once(child, "exit");
}
