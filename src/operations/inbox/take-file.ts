/**
 * Takes one file out of the inbox: a copy of what was read goes to the night's own folder and is hashed meanwhile, its lines are ingested from
 * there, and the original goes only if it is still the file that was read. Each step may be done twice: after a kill at any line the next run
 * goes on, and every line is accepted once, because intake knows its reference.
 */

import { linkSync, lstatSync, renameSync, rmSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { withProgress } from "../../build/reporter.ts";
import type { IngestSummary } from "../../intake/ingest.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { copyForeignFile, ForeignFolder } from "../../kernel/files/foreign-file.ts";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";
import { hmacSha256 } from "../../kernel/hash.ts";
import type { Home } from "../../kernel/home.ts";
import { shellLine } from "../../kernel/text/terminal.ts";
import { isoDate } from "../../kernel/time.ts";
import type { InboxFile, InboxResult } from "../../ledger/sources/inbox-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { CommandContext } from "../context.ts";
import { isDiskFull } from "../failure-text.ts";
import { dropUnknown, type KeptPlace, keptPath, makeFolders, moveToRejects } from "./kept.ts";
import { claimedName, type Entry, identityOf, MAX_BYTES, unfit } from "./look.ts";
import { isCsv, isTable, labelOf, readCopy } from "./read-copy.ts";
import { notesOn, REJECTS, type Told, told } from "./report.ts";

export interface Taking {
  readonly context: CommandContext;
  readonly ledger: LedgerWriter;
  readonly home: Home;
  /** Called after each step with a file. */
  readonly after?: ((step: "copied" | "noted" | "read" | "ended" | "claimed") => void) | undefined;
}

/** A fault of one file never stops the others; a full disk does. */
export async function takeFile(taking: Taking, entry: Entry): Promise<Told> {
  const { home } = taking;
  try {
    using folder = new ForeignFolder(join(home.inbox, entry.source));
    return await takeFrom(taking, entry, folder.path);
  } catch (error) {
    if (!(error instanceof Error) || isDiskFull(error)) throw error;
    const isOperators = error instanceof OperatorError || "code" in error;
    if (!isOperators) throw error;
    if (error instanceof IsChanging) return told(entry, { outcome: "waits", reason: error.message });
    const reason = hasErrorCode(error, "ENOENT") ? "it is gone again" : error.message;
    return told(entry, { outcome: "left", reason: withoutNumbers(reason, entry) });
  }
}

/** Names the file where a message has the path through the open folder. */
function withoutNumbers(message: string, { source, name }: Entry): string {
  return message.replaceAll(/\/proc\/self\/fd\/\d+\/[^:']*/g, labelOf({ source, name }));
}

async function takeFrom(taking: Taking, entry: Entry, folder: string): Promise<Told> {
  const { ledger, home, after } = taking;
  const { source, name } = entry;
  const place = { source, name, id: ledger.inbox.nextId(), at: taking.context.clock() };
  const copied = copy(taking, entry, folder, place);
  after?.("copied");
  const earlier = ledger.inbox.withContent({ source, content: copied.content });
  const end = { ...copied, folder, name };
  if (earlier !== undefined && isFinished(ledger, earlier, name)) {
    rmSync(copied.path);
    const isSame = isUnremoved(earlier, name);
    if (!isSame) ledger.transaction(() => ledger.inbox.add(knownAs(earlier, place, copied.content)));
    return removed(taking, entry, { ...end, id: isSame ? earlier.id : place.id });
  }
  if ((ledger.inbox.mapOf(source)?.map ?? null) === null && (await needsMap({ path: copied.path, name }))) {
    rmSync(copied.path);
    return told(entry, { outcome: "left", reason: noMap(source, join(home.inbox, source, name)) });
  }
  ledger.transaction(() => {
    const again = earlier !== undefined && isUnremoved(earlier, name) ? earlier : undefined;
    if (again !== undefined) ledger.inbox.remove(again.id);
    ledger.inbox.add({ ...newFile(place, copied.content), batch: again?.batch ?? null });
  });
  dropUnknown(home, (id) => ledger.inbox.file(id) !== undefined); // copies of the run that this one goes on with
  after?.("noted");
  const result = await read(taking, place, copied.path);
  ledger.transaction(() => ledger.inbox.end(place.id, result));
  after?.("ended");
  return removed(taking, entry, { ...end, id: place.id });
}

/** Without a map a table waits for one, and what is none fails with what it is. */
async function needsMap(copy: { path: string; name: string }): Promise<boolean> {
  return (await isCsv(copy)) && (await isTable(copy.path));
}

function noMap(source: string, path: string): string {
  const file = shellLine([path]);
  return `source ${source} has no column map, which CSV needs: \`presence map suggest ${file} --source ${source} > map.json\` writes one, \`presence source map ${source} map.json\` hands it over`;
}

/** A file that is not whole after all. */
class IsChanging extends OperatorError {
  constructor() {
    super("it changed while it was read: it is taken when it is whole");
  }
}

interface Copied {
  readonly path: string;
  readonly content: Buffer;
  readonly identity: string; // of the original
}

function copy({ ledger, home, context }: Taking, entry: Entry, folder: string, place: KeptPlace): Copied {
  makeFolders(home, entry.source);
  const path = keptPath(home, "archive", place);
  const owners = [lstatSync(`${folder}/.`).uid, context.user.uid, 0];
  let identity = "";
  const assert = (stats: Stats) => {
    const why = unfit(stats, owners);
    if (why !== undefined) throw new OperatorError(why);
    identity = identityOf(stats);
  };
  const sha256 = copyForeignFile(folder, entry.name, path, {
    maxBytes: MAX_BYTES,
    mode: SECRET_MODE,
    assert,
  });
  // What was written meanwhile may be missing in the copy: it comes with the next look.
  if (identity !== entry.identity || identityOf(lstatSync(join(folder, entry.name))) !== identity) {
    rmSync(path);
    throw new IsChanging();
  }
  return { path, identity, content: hmacSha256(ledger.purposeKey("inbox"), sha256) };
}

/** A file that was read to its end, and only its removal is missing; or whose lines are known: as long as their batch was not undone. */
function isFinished(ledger: LedgerWriter, earlier: InboxFile, name: string): boolean {
  if (name === claimedName(earlier.id) && earlier.outcome !== "reading") return true;
  const { batch, outcome } = earlier;
  return outcome === "accepted" && (batch === null || ledger.batches.find(batch)?.decision !== "undone");
}

/** An earlier run took this very file, and was killed before it removed it. */
function isUnremoved(earlier: InboxFile, name: string): boolean {
  return !earlier.isRemoved && (earlier.name === name || name === claimedName(earlier.id));
}

function newFile({ id, source, name, at }: KeptPlace, content: Uint8Array): InboxFile {
  const nothing = { reason: null, batch: null, counts: null, rejected: null, isRemoved: false };
  return { id, source, name, content, takenAt: at, outcome: "reading", ...nothing };
}

function knownAs(earlier: InboxFile, place: KeptPlace, content: Uint8Array): InboxFile {
  const batch = earlier.batch === null ? "" : ` (batch ${earlier.batch})`;
  const reason = `the same content came as ${earlier.name} on ${isoDate(earlier.takenAt)}${batch}`;
  return { ...newFile(place, content), outcome: "known", reason };
}

async function read(taking: Taking, place: KeptPlace, path: string): Promise<InboxResult> {
  const { ledger, home, context, after } = taking;
  const { source, name, id } = place;
  const label = labelOf({ source, name });
  const map = ledger.inbox.mapOf(source) ?? { map: null, encoding: null };
  const rejectsPath = keptPath(home, "rejects", place, REJECTS);
  let summary: IngestSummary | undefined;
  try {
    summary = await withProgress(context, label, (update) =>
      readCopy({ path, source, name }, map, {
        ...{ ledger, rejectsPath },
        onWarning: (message) => context.stderr.write(`${label}: ${message}\n`),
        onCommit: (soFar, bytesRead) => {
          summary = soFar;
          noteBatch(ledger, id, soFar);
          update(bytesRead, statSync(path).size);
          after?.("read");
        },
      }),
    );
    const isNew = ledger.inbox.file(id)?.batch !== null;
    // The list of opt-outs keeps nothing of who is on it.
    if (summary.rejectedByReason.opted_out !== undefined) rmSync(path);
    return { outcome: isNew ? "accepted" : "known", reason: null, ...countsOf(summary) };
  } catch (error) {
    if (!(error instanceof OperatorError) || isFull(error)) throw error;
    moveToRejects(home, place);
    const reason = error.message.replace(`${label}: `, "");
    return { outcome: "failed", reason, ...countsOf(summary) };
  }
}

function isFull(error: OperatorError): boolean {
  return isDiskFull(error) || (error.cause instanceof Error && isDiskFull(error.cause));
}

function noteBatch(ledger: LedgerWriter, id: number, { batch, accepted, looks }: IngestSummary): void {
  if (batch !== null && accepted + looks > 0) ledger.transaction(() => ledger.inbox.putBatch(id, batch));
}

function countsOf(summary: IngestSummary | undefined): Pick<InboxResult, "counts" | "rejected"> {
  if (summary === undefined) return { counts: null, rejected: null };
  const { read, accepted, looks, known, rejected, unknownCategories } = summary;
  const uncategorized = unknownCategories.reduce((sum, [, lines]) => sum + lines, 0);
  const counts = { read, accepted, looks, known, rejected, ...(uncategorized > 0 && { uncategorized }) };
  return { counts, rejected: { ...summary.rejectedByReason } };
}

interface Original {
  readonly folder: string;
  readonly name: string;
  readonly identity: string;
  readonly id: number; // of the file that it was noted as
}

function removed({ ledger, context, after }: Taking, entry: Entry, original: Original): Told {
  const { id } = original;
  const problem = removeOriginal(original, () => after?.("claimed"));
  if (problem === undefined) ledger.transaction(() => ledger.inbox.noteRemoved(id));
  const file = ledger.inbox.file(id);
  if (file === undefined || file.outcome === "reading")
    throw new Error(`file ${id} of the inbox has no outcome`);
  const { outcome, batch, counts, rejected } = file;
  const reasons = [file.reason, problem].filter((each) => each !== null && each !== undefined);
  const reason = reasons.length === 0 ? null : reasons.join("; ");
  const notes = notesOn({ context, ledger }, file);
  return told(entry, { outcome, reason, batch, counts, rejected, notes });
}

/** Another file may have come under its name: the name is taken away first, and what is not the file that was read gets it back. */
function removeOriginal(
  { folder, name, identity, id }: Original,
  afterClaim: () => void,
): string | undefined {
  const claim = join(folder, claimedName(id));
  try {
    if (name !== claimedName(id)) renameSync(join(folder, name), claim);
    afterClaim();
    if (identityOf(lstatSync(claim)) === identity) {
      rmSync(claim);
      return undefined;
    }
    linkSync(claim, join(folder, name));
    rmSync(claim);
    return "another file took its name meanwhile, and is taken next";
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined; // whoever brought it took it away
    if (!(error instanceof Error) || !("code" in error)) throw error;
    return `it stays in the inbox, because this user may not remove it (${String(error.code)}): see docs/operations/inbox.md`;
  }
}
