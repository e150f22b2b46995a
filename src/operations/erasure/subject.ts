/** Requests of people about what is stored of them: to find it, to get a copy, to have it erased. */

import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ForeignFolder, readForeignFile } from "../../kernel/files/foreign-file.ts";
import { mailboxesIn } from "../../kernel/text/mailbox.ts";
import { isoTime } from "../../kernel/time.ts";
import type { State } from "../../state/open-state.ts";
import { isEmpty, type SubjectData, subjectCode } from "../../state/subjects/subjects.ts";
import type { Row } from "../../state/tables.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { requiredState } from "../existing-state.ts";
import type { StateRequest } from "./take-out.ts";

/** What was found, as numbers. Throws OperatorError without a state. */
export async function findSubject(context: CommandContext, email: string) {
  await using state = await requiredState(context);
  const { data, mailFiles } = await found(state, context, email);
  return countsOf(data, mailFiles);
}

/** Throws OperatorError without a state. */
export async function exportSubject(context: CommandContext, email: string) {
  await using state = await requiredState(context);
  const { data, mailFiles } = await found(state, context, email);
  return copyFor(data, mailFiles, context.clock());
}

/** `presence subject erase`. */
export function personalData(email: string): StateRequest {
  return {
    store: "state",
    async plan(state, context) {
      const { data, mailFiles } = await found(state, context, email);
      const isNothing = isEmpty(data) && mailFiles.length === 0;
      return {
        fields: countsOf(data, mailFiles),
        notes: isNothing ? [NOTHING_FOUND] : BEFORE,
        code: isNothing ? null : subjectCode(data),
        next: `To erase this: presence subject erase ${data.mailbox}`,
      };
    },
    async erase(state, code, context) {
      const erasure = await state.subjects.erase(email, code);
      if (erasure.outcome === "changed") return undefined;
      const mailFiles = await removeMailFilesOf(homeOf(context).email, erasure.data.mailbox);
      return { fields: countsOf(erasure.data, mailFiles), notes: AFTERWARDS };
    },
  };
}

async function found(state: State, context: CommandContext, email: string) {
  const data = await state.subjects.find(email);
  return { data, mailFiles: await mailFilesOf(homeOf(context).email, data.mailbox) };
}

const NOTHING_FOUND = "Nothing is stored of this address.";
const BEFORE = [
  "Subscriptions, requests, their endpoints and deliveries are deleted. Reports lose their text and notes, and keep kind, times and outcome. Partner clients lose their contact.",
  "A refusal of email (`presence suppress`) stays: it is a keyed hash.",
];
const AFTERWARDS = [
  "Backups made before still contain it: delete those of the state, or let them expire. With PostgreSQL, so do its replicas and archived write-ahead log.",
  "In the ledger, nothing is known by an email address. Names in reports that led to rows are erased with `presence redact` and `presence opt-out`.",
];

function countsOf(data: SubjectData, mailFiles: readonly string[]) {
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
    refuses_email: data.suppressed,
  };
}

/** The copy that a person gets: without hashes and tokens, which say nothing about anyone and open links. */
function copyFor(data: SubjectData, mailFiles: readonly string[], now: number) {
  return {
    mailbox: data.mailbox,
    exported_at: isoTime(now),
    refuses_email: data.suppressed,
    subscriptions: data.subscriptions.map((row) => ({
      ...wishFields(row),
      status: row.status,
      created_at: isoTime(row.created_at),
      confirmed_at: isoTime(row.confirmed_at),
      updated_at: isoTime(row.updated_at),
    })),
    subscription_requests: data.requests.map((row) => ({
      ...wishFields(row),
      created_at: isoTime(row.created_at),
      expires_at: isoTime(row.expires_at),
      used_at: timeOrNull(row.used_at),
    })),
    webhooks: data.webhooks.map(({ public_id, endpoint_url, status, created_at }) => ({
      public_id,
      endpoint_url,
      status,
      created_at: isoTime(created_at),
    })),
    reports: data.reports.map((row) => reportFields(row, data)),
    report_notes: data.resolutions.map(({ report_id, outcome, note, resolved_at }) => ({
      report_id,
      outcome,
      note,
      resolved_at: isoTime(resolved_at),
    })),
    partner_contacts: data.partners.map(({ public_id, name, status }) => ({ public_id, name, status })),
    deliveries: data.deliveries.map(({ id, kind, target, state, created_at, finished_at }) => ({
      id,
      kind,
      target,
      state,
      created_at: isoTime(created_at),
      finished_at: timeOrNull(finished_at),
    })),
    delivery_errors: data.attempts.map(({ id, error }) => ({ id, error })),
    mail_files: mailFiles,
  };
}

function wishFields(row: Row<"subscriptions"> | Row<"subscription_requests">) {
  const { public_id, email, city, channel, entity_public_id, industry_code, webhook_url } = row;
  const { event_types, min_confidence } = row;
  return {
    public_id,
    email: email === "" ? null : email,
    city,
    channel,
    entity_public_id,
    industry_code,
    event_types: event_types === null ? null : JSON.parse(event_types),
    min_confidence,
    webhook_url,
  };
}

/** The address of somebody else who wrote about this person is not theirs to have. */
function reportFields(
  { public_id, kind, about, text, email, received_at }: Row<"reports">,
  data: SubjectData,
) {
  const isSender = email !== null && mailboxesIn(email).has(data.mailbox);
  return {
    report_id: public_id,
    kind,
    about,
    sent_by_this_person: isSender,
    email: isSender ? email : null,
    text,
    received_at: isoTime(received_at),
  };
}

function timeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
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
