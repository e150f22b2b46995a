import { parse } from "csv-parse/sync";
import { sha256Hex } from "../../kernel/hash.ts";
import { type Fault, Findings } from "../../proof/audit/findings.ts";
import type { PublicFiles } from "../../proof/audit/site-files.ts";
import type { PathValues, ReadContext } from "../../resources/define.ts";
import { isOfRecords } from "../../site/routes/record-documents.ts";
import { machineRoutes, type Route, routes } from "../../site/routes/routes.ts";
import { type Members, mayComeFromScouts, NOT_REPLAYABLE, OTHER, ownTopic, topicOf } from "./topics.ts";

export interface Difference {
  readonly file: string;
  readonly value: string; // path of names inside the file
  readonly published: unknown;
  readonly replayed: unknown;
}

interface TopicCount {
  values: number;
  differ: number;
}

/** What a comparison has counted, as plain data. */
export interface Counted {
  readonly topics: readonly (readonly [topic: string, count: Readonly<TopicCount>])[];
  readonly notReplayable: readonly (readonly [name: string, count: number])[];
  readonly documents: number;
  readonly numbers: number;
}

/** Compares published documents with replayed ones, value by value. Owns the counts. */
export class Comparison {
  readonly differences: Difference[] = [];
  readonly topics = new Map<string, TopicCount>();
  readonly notReplayable = new Map<string, number>();
  /** Values of a patch release that are from before an erasure, by kind. They were taken as given. */
  readonly carriedOver = new Map<string, number>();
  documents = 0;
  numbers = 0;

  /** Two texts of JSON. Equal ones, which most are, are read once. */
  jsonTexts(file: string, published: string, replayed: string): void {
    if (published !== replayed) this.json(file, JSON.parse(published), JSON.parse(replayed));
    else {
      this.documents += 1;
      this.#countSame(JSON.parse(published), "", undefined);
    }
  }

  /** Two JSON documents. */
  json(file: string, published: unknown, replayed: unknown): void {
    this.documents += 1;
    this.#compare({ file, names: [] }, published, replayed);
  }

  /** Two texts, line by line. */
  lines(file: string, topic: string, published: string, replayed: string): void {
    this.documents += 1;
    const [ours, theirs] = [replayed.split("\n"), published.split("\n")];
    for (let at = 0; at < Math.max(ours.length, theirs.length); at += 1) {
      const place = { file, names: [`line ${at + 1}`] };
      this.#count(topic, place, theirs[at], ours[at]);
      this.numbers += (theirs[at]?.match(/\d+(\.\d+)?/g) ?? []).length;
    }
  }

  /** A value that is the same on both sides; `topic` is that of its outermost ancestor that has one. */
  #countSame(value: unknown, name: string, topic: string | undefined): void {
    if (isMembers(value)) {
      const inner = topic ?? ownTopic(name);
      if (Array.isArray(value)) for (const item of value) this.#countSame(item, "", inner);
      else this.#countSameMembers(value, inner);
      return;
    }
    if (typeof value === "number") this.numbers += 1;
    this.#countOf(ownTopic(name) ?? topic ?? OTHER).values += 1;
  }

  #countSameMembers(members: Members, topic: string | undefined): void {
    for (const [name, value] of Object.entries(members))
      if (NOT_REPLAYABLE.has(name)) this.leaveOut(name);
      else this.#countSame(value, name, topic);
  }

  #countOf(topic: string): TopicCount {
    const known = this.topics.get(topic);
    if (known !== undefined) return known;
    const count = { values: 0, differ: 0 };
    this.topics.set(topic, count);
    return count;
  }

  #compare(place: Place, published: unknown, replayed: unknown): void {
    if (isMembers(published) && isMembers(replayed)) {
      this.#compareMembers(place, published, replayed);
      return;
    }
    if (typeof published === "number") this.numbers += 1;
    this.#count(topicOf(place.names), place, published, replayed);
  }

  #compareMembers(place: Place, published: Members, replayed: Members): void {
    for (const name of new Set([...Object.keys(published), ...Object.keys(replayed)])) {
      const inner = { ...place, names: [...place.names, name] };
      const [theirs, ours] = [published[name], replayed[name]];
      if (NOT_REPLAYABLE.has(name)) this.leaveOut(name);
      else if (theirs !== ours && mayComeFromScouts(name, published, replayed)) this.leaveOut(name);
      else this.#compare(inner, theirs, ours);
    }
  }

  #count(topic: string, { file, names }: Place, published: unknown, replayed: unknown): void {
    const count = this.#countOf(topic);
    count.values += 1;
    if (Object.is(published, replayed) || isEmptyPair(published, replayed)) return;
    count.differ += 1;
    this.differences.push({ file, value: names.join("."), published, replayed });
  }

  counted(): Counted {
    const { documents, numbers } = this;
    return { documents, numbers, topics: [...this.topics], notReplayable: [...this.notReplayable] };
  }

  /** Adds what was counted elsewhere. */
  add({ topics, notReplayable, documents, numbers }: Counted): void {
    for (const [topic, { values, differ }] of topics) {
      const count = this.#countOf(topic);
      count.values += values;
      count.differ += differ;
    }
    for (const [name, count] of notReplayable) this.leaveOut(name, count);
    this.documents += documents;
    this.numbers += numbers;
  }

  /** Its counts by name, whichever document came first. */
  inOrder(): this {
    sortByName(this.topics);
    sortByName(this.notReplayable);
    return this;
  }

  carryOver(counts: Readonly<Record<string, number>>): void {
    for (const [kind, count] of Object.entries(counts)) this.carriedOver.set(kind, count);
  }

  /** Notes a member or a document that no public data determines. */
  leaveOut(name: string, count = 1): void {
    this.notReplayable.set(name, (this.notReplayable.get(name) ?? 0) + count);
  }
}

interface Place {
  readonly file: string;
  readonly names: readonly string[];
}

/** The members of an object or array; an array's members are named by their index. */
function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function isEmptyPair(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b) && typeof a === "object";
}

function sortByName<Value>(counts: Map<string, Value>): void {
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  counts.clear();
  for (const [name, count] of sorted) counts.set(name, count);
}

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

interface DocumentShare {
  readonly turn: number; // this share has every `share`-th document
  readonly share: number;
}

const REPORT = 200; // documents

/** The published documents: files with these hashes, or made from the published snapshot. */
interface PublishedDocuments {
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
