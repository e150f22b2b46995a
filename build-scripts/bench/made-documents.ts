/** Documents of records that a server makes from the snapshot: as many as one core makes, and what the server holds for them. */

import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { compiledPages } from "../../src/build/compiled-pages.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import { documentsOfRecord, type RecordDocument } from "../../src/site/routes/record-documents.ts";
import { Site } from "../../src/site/site.ts";
import { startScript } from "./bench-server.ts";
import { ROUND_SECONDS, requestRate } from "./load.ts";
import { amountLine, type BenchLine } from "./table.ts";

const ASKED = 5000; // documents of a server
const CONNECTIONS = 16;

/** Of the release in `home`, which has no files of single records. */
export async function benchMadeDocuments(home: string): Promise<BenchLine[]> {
  const { site: folder, snapshot } = releasePaths(realpathSync(homePaths(home).current));
  const context = contextAt(snapshot);
  const ids = scattered([...context.snapshot.publicIds()]);
  const site = new Site(context, folder);
  const rate = (isWanted: (file: string) => boolean) => madePerSecond(context, site, ids, isWanted);
  const documents = rate((file) => file.endsWith(".json"));
  const pages = rate((file) => file.endsWith(".html"));
  const asked = ids.flatMap((id) => documentsOfRecord(context, id)).slice(0, ASKED);
  context.close();
  return [
    { name: "documents of records, made: one core", ...requestRate(documents), limit: "-", ratio: "-" },
    { name: "pages of records, made: one core", ...requestRate(pages), limit: "-", ratio: "-" },
    await servedLine(home, asked),
  ];
}

/** Neighbors in the snapshot share pages of it, and readers do not ask for neighbors. */
function scattered(ids: readonly string[]): string[] {
  const step = 7919; // a prime, so that each has its turn
  return ids.map((_, at) => ids[(at * step) % ids.length] ?? "");
}

function madePerSecond(
  context: Parameters<typeof documentsOfRecord>[0],
  site: Site,
  ids: readonly string[],
  isWanted: (file: string) => boolean,
): number {
  let made = 0;
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  for (let at = 0; seconds() < ROUND_SECONDS; at += 1)
    for (const { file, text } of documentsOfRecord(context, ids[at % ids.length] ?? ""))
      if (isWanted(file)) made += text(site).length > 0 ? 1 : 0;
  return made / seconds();
}

async function servedLine(home: string, documents: readonly RecordDocument[]): Promise<BenchLine> {
  const project = join(import.meta.dirname, "..", "..");
  const { program } = await compiledPages(project, homePaths(home).compiledPages, join(home, "compiling"));
  await using server = await startScript(0, "page-server.ts", home, program);
  const queue = documents.entries();
  const ask = async () => {
    for (const [at, { file }] of queue) await answered(server.port, file, at);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  const megabytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  return amountLine(
    `server that made ${documents.length.toLocaleString("en-US")} documents: memory`,
    "MB",
    megabytes,
  );
}

/** Each from another address, so that no rate limit is reached. */
async function answered(port: number, file: string, at: number): Promise<void> {
  const address = `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
  const response = await fetch(`http://127.0.0.1:${port}/${file}`, {
    headers: { "X-Forwarded-For": address },
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${file}: status ${response.status}`);
}
