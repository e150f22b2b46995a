/** Requests of people about what is stored of them: to find it, to get a copy, to have it erased. */

import { OperatorError } from "../../kernel/errors.ts";
import { isEmpty, type SubjectData, subjectCode } from "../../state/subjects/subject-data.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { requiredState } from "../existing-state.ts";
import { subjectExport } from "./subject-export.ts";
import { mailFilesOf, removeMailFilesOf } from "./subject-mail.ts";

/** What was found, as numbers, and the code of an erasure of exactly that; null when there is nothing to erase. */
export type SubjectFinding = Awaited<ReturnType<typeof findSubject>>;

/** Throws OperatorError without a state. */
export async function findSubject(context: CommandContext, email: string) {
  await using state = await requiredState(context);
  const data = await state.subjects.find(email);
  const mailFiles = await mailFilesOf(homeOf(context).email, data.mailbox);
  const isNothing = isEmpty(data) && mailFiles.length === 0;
  return { ...countsOf(data, mailFiles), confirm: isNothing ? null : subjectCode(data) };
}

/** Throws OperatorError without a state. */
export async function exportSubject(context: CommandContext, email: string) {
  await using state = await requiredState(context);
  const data = await state.subjects.find(email);
  const mailFiles = await mailFilesOf(homeOf(context).email, data.mailbox);
  return subjectExport(data, mailFiles, context.clock());
}

/** Throws OperatorError without a state, and when something came or went since the code was printed. */
export async function eraseSubject(context: CommandContext, email: string, code: string) {
  await using state = await requiredState(context);
  const erasure = await state.subjects.erase(email, code);
  if (erasure.outcome === "changed")
    throw new OperatorError(
      `--confirm ${code} does not match: what is stored has changed since. Run the command without --confirm, read the preview, and use the code that it prints`,
    );
  const mailFiles = await removeMailFilesOf(homeOf(context).email, erasure.data.mailbox);
  const isCut = await state.subjects.compact();
  return { ...countsOf(erasure.data, mailFiles), write_ahead_log_cut: isCut };
}

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
