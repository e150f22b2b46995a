/** Requests of people about what is stored of them: to find it, to get a copy, to have it erased. */

import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ForeignFolder, readForeignFile } from "../../kernel/files/foreign-file.ts";
import { mailboxesIn } from "../../kernel/text/contacts.ts";
import { isoTime } from "../../kernel/time.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import type { ObserverName } from "../../ledger/sources/source-store.ts";
import type { State } from "../../state/open-state.ts";
import { isEmpty, type SubjectData, subjectCode } from "../../state/subjects.ts";
import type { Row } from "../../state/tables.ts";
import { type CommandContext, homeOf, openWriter, requiredState } from "../context.ts";
import type { StateRequest } from "./take-out.ts";

/** What was found, as numbers. Throws OperatorError without a state. */
export async function findSubject(context: CommandContext, email: string) {
  await using state = await requiredState(context);
  return countsOf(await found(state, context, email));
}

/** Throws OperatorError without a state. */
export async function exportSubject(context: CommandContext, email: string) {
  await using state = await requiredState(context);
  return copyFor(await found(state, context, email), context.clock());
}

/** `presence subject erase`. */
export function personalData(email: string): StateRequest {
  return {
    store: "state",
    async plan(state, context) {
      const all = await found(state, context, email);
      const { data, mailFiles, observerNames } = all;
      const isNothing = isEmpty(data) && mailFiles.length + observerNames.length === 0;
      return {
        fields: countsOf(all),
        notes: isNothing ? [NOTHING_FOUND] : BEFORE,
        code: isNothing ? null : subjectCode(data),
        next: `To erase this: presence subject erase ${data.mailbox}`,
      };
    },
    async erase(state, code, context) {
      const erasure = await state.subjects.erase(email, code);
      if (erasure.outcome === "changed") return undefined;
      const { data } = erasure;
      const observerNames = eraseNamesOf(context, data.mailbox);
      const mailFiles = await removeMailFilesOf(homeOf(context).email, data.mailbox);
      return { fields: countsOf({ data, mailFiles, observerNames }), notes: AFTERWARDS };
    },
  };
}

interface Known {
  readonly data: SubjectData;
  readonly mailFiles: readonly string[];
  readonly observerNames: readonly ObserverName[];
}

async function found(state: State, context: CommandContext, email: string): Promise<Known> {
  const data = await state.subjects.find(email);
  const mailFiles = await mailFilesOf(homeOf(context).email, data.mailbox);
  return { data, mailFiles, observerNames: namesOf(context, data.mailbox) };
}

/** Names of observers that hold the address: of sources that keep names, all that the ledger has of a person's address. */
function namesOf(context: CommandContext, mailbox: string): ObserverName[] {
  const { ledger } = homeOf(context);
  if (!existsSync(ledger)) return [];
  using reader = openLedgerReader(ledger);
  return reader.observerNames().filter(({ name }) => mailboxesIn(name).has(mailbox));
}

function eraseNamesOf(context: CommandContext, mailbox: string): readonly ObserverName[] {
  const names = namesOf(context, mailbox);
  if (names.length === 0) return names;
  using ledger = openWriter(context);
  ledger.transaction(() => {
    for (const name of names) ledger.sources.forgetName(name);
  });
  ledger.scrub();
  return names;
}

const NOTHING_FOUND = "Nothing is stored of this address.";
const BEFORE = [
  "Subscriptions, requests, their endpoints and deliveries are deleted. Reports lose their text and notes, and keep kind, times and outcome. Partner clients lose their contact.",
  "A refusal of email (`presence suppress`) stays: it is a keyed hash.",
];
const AFTERWARDS = [
  "Backups made before still contain it: delete those of the state, or let them expire. With PostgreSQL, so do its replicas and archived write-ahead log.",
  "In the ledger, nothing is known by an email address, except names of observers of sources that keep them, which are erased with this; their rows go with `presence observer erase`. Names in reports that led to rows are erased with `presence redact` and `presence opt-out`.",
];

function countsOf({ data, mailFiles, observerNames }: Known) {
  return {
    mailbox: data.mailbox,
    subscriptions: data.subscriptions.length,
    subscription_requests: data.requests.length,
    webhooks: data.webhooks.length,
    reports: data.reports.length,
    report_notes: data.resolutions.length,
    partner_contacts: data.partners.length,
    deliveries: data.deliveries.length,
    delivery_errors: data.attempts.length,
    mail_files: mailFiles.length,
    observer_names: observerNames.length,
    refuses_email: data.suppressed,
  };
}

/** The copy that a person gets: without hashes and tokens, which say nothing about anyone and open links. */
function copyFor({ data, mailFiles, observerNames }: Known, now: number) {
  return {
    mailbox: data.mailbox,
    exported_at: isoTime(now),
    refuses_email: data.suppressed,
    subscriptions: data.subscriptions.map((row) => ({
      ...wishFields(row),
      ...copied(row, "status", "created_at", "confirmed_at", "updated_at"),
    })),
    subscription_requests: data.requests.map((row) => ({
      ...wishFields(row),
      ...copied(row, "created_at", "expires_at", "used_at"),
    })),
    webhooks: data.webhooks.map((row) => copied(row, "public_id", "endpoint_url", "status", "created_at")),
    reports: data.reports.map((row) => reportFields(row, data)),
    report_notes: data.resolutions.map((row) => copied(row, "report_id", "outcome", "note", "resolved_at")),
    partner_contacts: data.partners.map((row) => copied(row, "public_id", "name", "status")),
    deliveries: data.deliveries.map((row) =>
      copied(row, "id", "kind", "target", "state", "created_at", "finished_at"),
    ),
    delivery_errors: data.attempts.map((row) => copied(row, "id", "error")),
    mail_files: mailFiles,
    observer_names: observerNames.map(({ source, name }) => ({ source, name })),
  };
}

/** Columns of a row, with times as texts. */
function copied<T extends object>(row: T, ...columns: readonly (keyof T & string)[]) {
  return Object.fromEntries(
    columns.map((column) => {
      const value: unknown = row[column];
      return [column, typeof value === "number" && column.endsWith("_at") ? isoTime(value) : value];
    }),
  );
}

function wishFields(row: Row<"subscriptions"> | Row<"subscription_requests">) {
  return {
    public_id: row.public_id,
    email: row.email === "" ? null : row.email,
    ...copied(row, "city", "channel", "entity_public_id", "industry_code"),
    event_types: row.event_types === null ? null : JSON.parse(row.event_types),
    ...copied(row, "min_confidence", "webhook_url"),
  };
}

/** The address of somebody else who wrote about this person is not theirs to have. */
function reportFields(row: Row<"reports">, { mailbox }: SubjectData) {
  const isSender = row.email !== null && mailboxesIn(row.email).has(mailbox);
  return {
    report_id: row.public_id,
    ...copied(row, "kind", "about"),
    sent_by_this_person: isSender,
    email: isSender ? row.email : null,
    ...copied(row, "text", "received_at"),
  };
}

// The emails that a demonstration writes into files: they have the address that they were meant for.

/** No email of a demonstration comes near. */
const MAX_BYTES = 16 << 20;

/** The names of the files in `folder` that name this mailbox, in order. */
export function mailFilesOf(folder: string, mailbox: string): Promise<string[]> {
  return inFolder(folder, (opened) => filesNaming(opened, mailbox));
}

/** Returns the names of the deleted files. */
export function removeMailFilesOf(folder: string, mailbox: string): Promise<string[]> {
  return inFolder(folder, async (opened) => {
    const names = await filesNaming(opened, mailbox);
    for (const name of names) await rm(join(opened, name), { force: true });
    return names;
  });
}

/** The folder lies where another user may write, who could put a link in its place. */
async function inFolder(folder: string, work: (opened: string) => Promise<string[]>): Promise<string[]> {
  if (!existsSync(folder)) return [];
  using opened = new ForeignFolder(folder);
  return await work(opened.path);
}

/** Of finished emails, and of drafts of killed processes. */
async function filesNaming(folder: string, mailbox: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /\.eml(\.[^.]+\.part)?$/.test(name));
  return names.sort().filter((name) => {
    const text = readForeignFile(folder, name, { maxBytes: MAX_BYTES }).toString("utf8");
    return mailboxesIn(text).has(mailbox);
  });
}
