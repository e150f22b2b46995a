/**
 * Threads that check the files of a folder: bundles of rows, and files by their hashes. This thread deals out the work and puts
 * together what comes back, in the order of the rows and of the signed list: the findings do not depend on the number of threads.
 * With none it does the work itself.
 */

import { availableParallelism } from "node:os";
import { z } from "zod";
import { runWorkers } from "../../build/stages/worker.ts";
import { InOrder } from "../../kernel/concurrency.ts";
import {
  type AuditedBundle,
  auditBundle,
  type BundleTask,
  readBundle,
} from "../../proof/audit/bundle-audit.ts";
import { Findings, type Found } from "../../proof/audit/findings.ts";
import { auditFile, filesInFolderByTurns, type ListedFile } from "../../proof/audit/site-files.ts";
import type { TreeAudit } from "../../proof/audit/tree-audit.ts";
import { TILE_WIDTH } from "../../proof/tlog/proof.ts";

/** Work for a thread; `end`: there is no more. Files are a text, which costs a tenth of as many objects on the way. */
export type AuditUnit =
  | { readonly unit: number; readonly bundles: readonly BundleTask[] }
  | { readonly unit: number; readonly files: string }
  | "end";

/** A thread's report on a unit, which also asks for another one. The first reports are of no unit. */
export interface AuditReport {
  readonly unit?: number;
  readonly done: number; // files
  readonly bundles?: readonly AuditedBundle[];
  readonly files?: Found;
}

/** The threads are of this program, so their reports are what it made. */
const Report = z.custom<AuditReport>((report) => typeof report === "object" && report !== null);

type Unit = Exclude<AuditUnit, "end">;
type BundleUnit = Extract<Unit, { readonly bundles: unknown }>;
type FileUnit = Extract<Unit, { readonly files: unknown }>;

/** Audits units of the files in a folder, one after the other: what a file is read into is used again. */
export function unitAuditor(site: string): (unit: Unit) => Promise<AuditReport> {
  const files = filesInFolderByTurns(site);
  const others = filesInFolderByTurns(site);

  async function auditedBundles({ unit, bundles }: BundleUnit): Promise<AuditReport> {
    const audited = [];
    for (const task of bundles) audited.push(auditBundle(task, await readBundle(files, task, others)));
    return { unit, done: 2 * bundles.length, bundles: audited };
  }

  async function auditedFiles({ unit, files: text }: FileUnit): Promise<AuditReport> {
    const findings = new Findings();
    const listed: ListedFile[] = JSON.parse(text);
    for (const file of listed) await auditFile(files, file, findings);
    return { unit, done: listed.length, files: findings.found() };
  }

  return (unit) => ("bundles" in unit ? auditedBundles(unit) : auditedFiles(unit));
}

const MAX_THREADS = 4;
/** Each thread loads its program, so little work is not worth many. */
const BUNDLES_A_THREAD = 64;
const FILES_A_THREAD = 4000;
const MAX_HERE = 0.5; // of the work of a thread
const BUNDLES_A_UNIT = 8;
const FILES_A_UNIT = 250;
/** What a thread checks dies young. */
const SMALL_HEAP = { resourceLimits: { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 256 } };

interface AuditWork {
  readonly audit: TreeAudit;
  readonly rows: number; // of the tree
  /** Files other than the bundles. */
  readonly listed?: Iterator<ListedFile> | undefined;
  readonly files?: number; // about so many
  readonly findings: Findings; // takes what is wrong with these files
  readonly onProgress?: ((files: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined; // ends it early
}

/** How many threads are worth starting; 0: this one does the work in less time than another takes to load its program. */
export function threadsFor({ rows, files = 0 }: Pick<AuditWork, "rows" | "files">): number {
  const worth = rows / TILE_WIDTH / BUNDLES_A_THREAD + files / FILES_A_THREAD;
  return worth <= MAX_HERE ? 0 : Math.min(MAX_THREADS, availableParallelism(), Math.ceil(worth));
}

export async function auditInThreads(site: string, work: AuditWork, threads: number): Promise<void> {
  const dealer = new Dealer(work);
  await (threads === 0 ? auditHere(site, dealer) : dealToThreads(site, dealer, threads));
  dealer.finish();
}

async function auditHere(site: string, dealer: Dealer): Promise<void> {
  const audited = unitAuditor(site);
  let report: AuditReport = { done: 0 };
  for (let unit = dealer.deal(report); unit !== "end"; unit = dealer.deal(report))
    report = await audited(unit);
}

async function dealToThreads(site: string, dealer: Dealer, threads: number): Promise<void> {
  const tasks = Array.from({ length: threads }, () => ({ site }));
  await runWorkers(
    new URL("./audit-worker.ts", import.meta.url),
    tasks,
    (raw) => dealer.deal(raw),
    SMALL_HEAP,
  );
}

class Dealer {
  readonly #work: AuditWork;
  readonly #bundles: Iterator<BundleTask>;
  #units = 0;
  readonly #bundlesFound: InOrder<AuditedBundle>;
  readonly #filesFound: { readonly unit: number; readonly found: Found }[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(work: AuditWork) {
    this.#work = work;
    this.#bundles = work.audit.tasks();
    this.#bundlesFound = new InOrder((bundle) => work.audit.take(bundle));
  }

  /** After a failure all threads come to their end by themselves: none is terminated in native code. */
  deal(raw: unknown): AuditUnit {
    if (this.#failure === undefined && this.#work.signal?.aborted !== true) {
      try {
        this.#take(Report.parse(raw));
        return this.#nextUnit();
      } catch (error) {
        this.#failure = { error };
      }
    }
    return "end";
  }

  /** Once all threads have ended. */
  finish(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    const inOrder = this.#filesFound.sort((a, b) => a.unit - b.unit);
    for (const { found } of inOrder) this.#work.findings.take(found);
  }

  #take({ unit = 0, done, bundles = [], files }: AuditReport): void {
    for (const bundle of bundles) this.#bundlesFound.take(bundle.index, bundle);
    if (files !== undefined) this.#filesFound.push({ unit, found: files });
    this.#work.onProgress?.(done);
  }

  #nextUnit(): AuditUnit {
    const unit = this.#units++;
    const bundles = nextOf(this.#bundles, BUNDLES_A_UNIT);
    if (bundles.length > 0) return { unit, bundles };
    const { listed } = this.#work;
    const files = listed === undefined ? [] : nextOf(listed, FILES_A_UNIT);
    return files.length > 0 ? { unit, files: JSON.stringify(files) } : "end";
  }
}

function nextOf<Item>(items: Iterator<Item>, count: number): Item[] {
  const taken: Item[] = [];
  while (taken.length < count) {
    const next = items.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}
