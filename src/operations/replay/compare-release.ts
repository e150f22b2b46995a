import { parse } from "csv-parse/sync";
import type { Findings } from "../../audit/findings.ts";
import type { PublicFiles } from "../../audit/public-files.ts";
import type { SignedRelease } from "../../audit/release-manifest.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import type { PathValues } from "../../resources/define.ts";
import { contextAt } from "../../resources/release-store.ts";
import { machineRoutes } from "../../routes/machine-routes.ts";
import type { Route } from "../../routes/route.ts";
import { routes } from "../../routes/routes.ts";
import { compareExports } from "./compare-exports.ts";
import { Comparison } from "./comparison.ts";

/** Documents made from reference data, the configuration and the program, not from the ledger. */
const NOT_FROM_THE_LEDGER: ReadonlySet<string> = new Set([
  "listGazetteerCities",
  "listIndustries",
  "getOpenApi",
  "getApiExamples",
  ...machineRoutes.map(({ operationId }) => operationId).filter((name) => !name.startsWith("getSitemap")),
]);
/** Documents made from the server's counts, which say nothing about the ledger. */
const ACTIVITY = "getMachineActivity";
const FROM_THE_LEDGER = /^(api\/v1|pulse|exports)\/|^sitemap/;
const JSON_TYPES = /^application\/((feed|geo)\+)?json(;|$)/;
const AT_ONCE = 16;
/** Compared by name, because some of its columns cannot be replayed. */
const COVERAGE_CSV = "exports/city-coverage.csv";

interface Document {
  readonly route: Route;
  readonly values: PathValues;
  readonly path: string;
}

/** Recomputes every document of the snapshot at `snapshotPath` and compares it with the published one. */
export async function compareRelease(
  files: PublicFiles,
  { manifest }: SignedRelease,
  snapshotPath: string,
  findings: Findings,
  progress: (done: number, total: number) => void,
): Promise<Comparison> {
  const context = contextAt(snapshotPath);
  const comparison = new Comparison();
  const left = new Set(Object.keys(manifest.files).filter((path) => FROM_THE_LEDGER.test(path)));
  const total = left.size;
  const queue = documents(context.snapshot);
  const work = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      const { route, values, path } = next.value;
      left.delete(path);
      if (route.operationId === ACTIVITY) comparison.leaveOut(path);
      if (NOT_FROM_THE_LEDGER.has(route.operationId) || route.operationId === ACTIVITY) continue;
      await findings.attempt(path, async () => {
        const replayed = route.answer(context, values, {});
        compare(comparison, next.value, await publishedText(files, path, manifest.files[path]), replayed);
      });
      progress(comparison.documents, total);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    for (const path of compareExports(manifest.files, context.snapshot, comparison, findings))
      left.delete(path);
  } finally {
    context.close();
  }
  for (const path of left) findings.fault(path, "published, but not derived from the ledger");
  return comparison;
}

function* documents(snapshot: Parameters<Route["enumerate"]>[0]): Generator<Document> {
  for (const route of routes)
    for (const values of route.enumerate(snapshot)) yield { route, values, path: route.filePath(values) };
}

async function publishedText(files: PublicFiles, path: string, sha256: string | undefined): Promise<string> {
  const body = await files.read(path);
  if (body === undefined || sha256 === undefined)
    throw new Error("derived from the ledger, but not published");
  if (sha256Hex(body) !== sha256) throw new Error("its hash is not the one in the signed list");
  return body.toString("utf8");
}

function compare(
  comparison: Comparison,
  { route, path }: Document,
  published: string,
  replayed: string,
): void {
  if (path === COVERAGE_CSV) comparison.json(path, csvRows(published), csvRows(replayed));
  else if (JSON_TYPES.test(route.contentType))
    comparison.json(path, JSON.parse(published), JSON.parse(replayed));
  else comparison.lines(path, lineTopic(path), published, replayed);
}

function csvRows(text: string): unknown {
  return parse(text, { columns: true, record_delimiter: "\r\n" });
}

function lineTopic(path: string): string {
  if (path.endsWith("rss.xml")) return "events";
  return path.startsWith("sitemap") ? "addresses" : "aggregates";
}
