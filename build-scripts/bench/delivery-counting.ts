import { DAY_MS } from "../../src/kernel/time.ts";
import { openState } from "../../src/state/open-state.ts";
import { TestSite } from "../../tests/support/release/site.ts";
import { type BenchServer, startScript } from "./bench-server.ts";
import { type BenchLine, notMeasured } from "./line.ts";
import { isInstalled, median, perSecond, ROUND_SECONDS, requestRate, wrkRate } from "./load.ts";
import { speedLine } from "./table.ts";

const MIN_COUNTED = 0.95;
const FILE = "/api/v1/city/toronto/index";

/** Requests/s of a small file in memory with and without request counting, in alternating rounds. The writer thread shares the core. */
export async function benchCounting(rounds: number): Promise<BenchLine[]> {
  const name = "small hot file with requests counted, writer thread on the same core";
  if (!isInstalled("wrk")) return [notMeasured(name, "wrk is not installed")];
  using site = new TestSite();
  site.publish();
  const rates: { counted: number; uncounted: number }[] = [];
  {
    await using counted = await startStopped("counted", site.home.root);
    await using uncounted = await startStopped("uncounted", site.home.root);
    for (let round = 0; round <= rounds; round += 1)
      rates.push({ uncounted: await rateAlone(uncounted), counted: await rateAlone(counted) });
  }
  const served = rates.map(({ counted }) => counted);
  const written = (await requestsWritten(site)) / (rates.length * ROUND_SECONDS);
  const warm = rates.slice(1); // the first round fills the caches and starts the writer
  const [figure, limit] = [median(served.slice(1)), median(warm.map(({ uncounted }) => uncounted))];
  return [
    {
      name,
      ...requestRate(figure),
      limit: `not counted ${perSecond(limit)}`,
      ratio: `${(figure / limit).toFixed(2)} (at least ${MIN_COUNTED})`,
    },
    speedLine("counts written meanwhile, of requests served", "requests/s", written, mean(served)),
  ];
}

async function startStopped(mode: string, home: string): Promise<BenchServer> {
  const server = await startScript(0, "delivery-server.ts", mode, home);
  server.child.kill("SIGSTOP");
  return server;
}

/** Stops the server again afterwards, so that its remaining writes do not slow the other one. */
async function rateAlone({ port, child }: BenchServer): Promise<number> {
  child.kill("SIGCONT");
  try {
    return await wrkRate(`http://127.0.0.1:${port}${FILE}`);
  } finally {
    child.kill("SIGSTOP");
  }
}

async function requestsWritten({ home }: TestSite): Promise<number> {
  await using state = await openState(undefined, home);
  const { counts } = await state.usage.report(Date.now() + DAY_MS, 2);
  return counts.externalRequests;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
