/** Pages with arguments over HTTP: as many as one core answers, and how long each takes at half of that, or at 500 requests/s. */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { compiledPages } from "../../src/build/compiled-pages.ts";
import { CityIndexResponse } from "../../src/contract/cities/city.ts";
import { SHOWN_RECORDS } from "../../src/site/query/city.ts";
import { TestSite } from "../../tests/support/release/site.ts";
import { median, perSecond, ROUND_SECONDS, requestRate } from "./http.ts";
import { startScript } from "./processes.ts";
import { type BenchLine, boundLine } from "./table.ts";

const RECORDS = SHOWN_RECORDS + 25; // a second page of 25
const ROUNDS = 5;
const CONNECTIONS = 32;
const MIN_PER_SECOND = 1000;
const MAX_P99_MS = 20;

const SORTS = ["name", "observations", "rank"];
const NAMES = ["re", "al", "zebra"];

/** Addresses by what they ask for. A page that a cursor leads to is made anew each time, all others once in a release. */
async function addresses(port: number): Promise<Record<string, readonly string[]>> {
  const ofCity = (query: string) => `/city/toronto/?${query}`;
  const cursorOf = async (sort: string) => {
    const read = `/api/v1/city/toronto/index?sort=${sort}&limit=${SHOWN_RECORDS}`;
    const answer = await fetch(`http://127.0.0.1:${port}${read}`);
    return CityIndexResponse.parse(await answer.json()).next_cursor;
  };
  return {
    "a city's records": SORTS.map((sort) => ofCity(`sort=${sort}&industry=I`)),
    "a city's records, made anew": await Promise.all(
      SORTS.map(async (sort) => ofCity(`sort=${sort}&cursor=${await cursorOf(sort)}`)),
    ),
    search: NAMES.map((name) => `/search/?name=${name}`),
  };
}

export async function benchAskedPages(): Promise<BenchLine[]> {
  using site = new TestSite();
  for (let at = 0; at < RECORDS - 3; at += 1) site.addRecord(`Record${at}`);
  site.publish();
  const folder = mkdtempSync(join(tmpdir(), "bench-asked-pages-"));
  const project = join(import.meta.dirname, "..", "..");
  const { program } = await compiledPages(project, join(folder, "kept"), join(folder, "scratch"));
  try {
    await using server = await startScript(0, "page-server.ts", site.home.root, program);
    const lines: BenchLine[] = [];
    for (const [name, paths] of Object.entries(await addresses(server.port)))
      lines.push(...(await measure(name, server.port, paths)));
    return lines;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(name: string, port: number, paths: readonly string[]): Promise<BenchLine[]> {
  await atMost(port, paths); // what is compiled and cached first is not timed
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rates.push(await atMost(port, paths));
  const rate = median(rates);
  const steady = Math.min(rate, MIN_PER_SECOND) / 2; // more would measure the client
  const timings = (await atRate(port, paths, steady)).sort((a, b) => a - b);
  const p99 = timings[Math.floor(timings.length * 0.99)] ?? 0;
  const page = `page with arguments, ${name}`;
  return [
    {
      name: `${page}: one core`,
      ...requestRate(rate),
      limit: `at least ${perSecond(MIN_PER_SECOND)}`,
      ratio: (rate / MIN_PER_SECOND).toFixed(2),
    },
    boundLine(`${page}: p99 at half of that, or of ${perSecond(MIN_PER_SECOND)}`, "ms", p99, MAX_P99_MS),
  ];
}

/** Pages a second when each connection asks again as soon as it has an answer. */
async function atMost(port: number, paths: readonly string[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const end = performance.now() + ROUND_SECONDS * 1000;
  let count = 0;
  const ask = async () => {
    while (performance.now() < end) await page(agent, port, paths[count++ % paths.length] ?? "", count);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  agent.destroy();
  return count / ROUND_SECONDS;
}

/** Milliseconds of each page when they are asked for at a steady rate, whether or not the ones before are answered. */
async function atRate(port: number, paths: readonly string[], rate: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const start = performance.now();
  const asked: Promise<number>[] = [];
  for (let at = 0; at < rate * ROUND_SECONDS; at += 1) {
    const due = start + (at / rate) * 1000;
    const wait = due - performance.now();
    if (wait > 0) await delay(wait);
    asked.push(page(agent, port, paths[at % paths.length] ?? "", at).then(() => performance.now() - due));
  }
  const timings = await Promise.all(asked);
  agent.destroy();
  return timings;
}

/** Each from another address, so that no rate limit is reached. Rejects unless the page was answered. */
async function page(agent: Agent, port: number, path: string, at: number): Promise<void> {
  const address = `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
  const request = get({ agent, port, path, headers: { "X-Forwarded-For": address } });
  const [response] = await once(request, "response");
  response.resume();
  await once(response, "end");
  if (response.statusCode !== 200) throw new Error(`${path}: status ${response.statusCode}`);
}
