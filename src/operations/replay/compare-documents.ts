import { parse } from "csv-parse/sync";
import { sha256Hex } from "../../kernel/hash.ts";
import { type Fault, Findings } from "../../proof/audit/findings.ts";
import type { PublicFiles } from "../../proof/audit/public-files.ts";
import type { PathValues, ReadContext } from "../../resources/define.ts";
import { isOfRecords } from "../../routes/record-documents.ts";
import type { Route } from "../../routes/route.ts";
import { machineRoutes, routes } from "../../routes/routes.ts";
import { Comparison, type Counted, type Difference } from "./comparison.ts";

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
const JSON_TYPES = /^application\/((feed|geo)\+)?json(;|$)/;
const AT_ONCE = 16;
/** Compared by name, because some of its columns cannot be replayed. */
const COVERAGE_CSV = "exports/city-coverage.csv";

interface Document {
  readonly at: number;
  readonly route: Route;
  readonly values: PathValues;
  readonly path: string;
}

/** The documents of a share, as plain data. */
export interface ComparedDocuments {
  readonly paths: readonly string[];
  readonly counted: Counted;
  readonly wrong: readonly WrongDocument[];
}

export interface WrongDocument {
  readonly at: number; // its place among all documents
  readonly differences: readonly Difference[];
  readonly faults: readonly Fault[];
}

export interface DocumentShare {
  readonly turn: number; // this share has every `share`-th document
  readonly share: number;
}

const REPORT = 200; // documents

/** The published documents: files with these hashes, or made from the published snapshot. */
export interface PublishedDocuments {
  readonly files: PublicFiles;
  readonly hashes: Readonly<Record<string, string>>;
  /** Of a release whose documents of records are no files. */
  readonly made: ReadContext | undefined;
}

/** Recomputes a share of the documents of a snapshot and compares them with the published ones. */
export async function compareDocuments(
  published: PublishedDocuments,
  context: ReadContext,
  share: DocumentShare,
  report: (compared: ComparedDocuments) => void,
): Promise<void> {
  let part = newPart();
  const flush = () => {
    const { counts, ...rest } = part;
    report({ ...rest, counted: counts.counted() });
    part = newPart();
  };
  const queue = documents(context.snapshot, share);
  const work = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      const { at, path } = next.value;
      const [comparison, findings] = [new Comparison(), new Findings()];
      await findings.attempt(path, () => compareDocument(comparison, next.value, published, context));
      const { differences } = comparison;
      part.paths.push(path);
      part.counts.add(comparison.counted());
      if (differences.length + findings.faults.length > 0)
        part.wrong.push({ at, differences, faults: findings.faults });
      if (part.paths.length >= REPORT) flush();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  flush();
}

function newPart() {
  return { paths: Array.of<string>(), counts: new Comparison(), wrong: Array.of<WrongDocument>() };
}

function* documents(
  snapshot: Parameters<Route["enumerate"]>[0],
  { turn, share }: DocumentShare,
): Generator<Document> {
  let at = 0;
  for (const route of routes)
    for (const values of route.enumerate(snapshot))
      if (at++ % share === turn) yield { at, route, values, path: route.filePath(values) };
}

async function compareDocument(
  comparison: Comparison,
  document: Document,
  publishedDocuments: PublishedDocuments,
  context: ReadContext,
): Promise<void> {
  const { route, values, path } = document;
  if (route.operationId === ACTIVITY) comparison.leaveOut(path);
  if (NOT_FROM_THE_LEDGER.has(route.operationId) || route.operationId === ACTIVITY) return;
  const replayed = route.answer(context, values, {});
  const published = await publishedText(publishedDocuments, document);
  if (path === COVERAGE_CSV) comparison.json(path, csvRows(published), csvRows(replayed));
  else if (JSON_TYPES.test(route.contentType)) comparison.jsonTexts(path, published, replayed);
  else comparison.lines(path, lineTopic(path), published, replayed);
}

async function publishedText(
  { files, hashes, made }: PublishedDocuments,
  { route, values, path }: Document,
): Promise<string> {
  const sha256 = hashes[path];
  if (sha256 === undefined && made !== undefined && isOfRecords(route.path))
    return route.answer(made, values, {});
  const body = await files.read(path);
  if (body === undefined || sha256 === undefined)
    throw new Error("derived from the ledger, but not published");
  if (sha256Hex(body) !== sha256) throw new Error("its hash is not the one in the signed list");
  return body.toString("utf8");
}

function csvRows(text: string): unknown {
  return parse(text, { columns: true, record_delimiter: "\r\n" });
}

function lineTopic(path: string): string {
  if (path.endsWith("rss.xml")) return "events";
  return path.startsWith("sitemap") ? "addresses" : "aggregates";
}
