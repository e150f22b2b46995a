import { z } from "zod";
import { OperatorError } from "../errors.ts";
import { concern, httpUrl, path, secret, shown, wholeNumber } from "./setting.ts";

/** External timestamping of the ledger's checkpoints. */
export const ledger = concern(
  {
    TSA_URL: httpUrl
      .refine((url) => !URL.parse(url)?.username, "must not contain a user name")
      .optional()
      .describe("timestamp authority (RFC 3161) that timestamps each seal; unset: none")
      .meta(shown()),
    TSA_CA_FILE: path
      .optional()
      .describe("PEM file with the root certificates of the timestamp authority; required with TSA_URL")
      .meta(shown()),
    TIME_URL: z
      .url({ protocol: /^https$/, error: "must be an https:// address" })
      .optional()
      .describe(
        "https address whose Date header the clock is compared with before rows are written, when TSA_URL is unset or does not answer; unset: none",
      ),
  },
  ({ TSA_URL: url, TSA_CA_FILE: caFile, TIME_URL: timeUrl }) => ({
    timestampAuthority: authority(url, caFile),
    timeUrl,
  }),
);

/** A timestamp proves nothing unless its authority is trusted, so the roots are required. */
function authority(url: string | undefined, caFile: string | undefined) {
  if (url === undefined) return undefined;
  if (caFile !== undefined) return { url, caFile };
  throw new OperatorError(
    "TSA_CA_FILE must be set when TSA_URL is set: name a PEM file with the root certificates of the authority",
  );
}

const MAX_DAYS = 3650;

/** The state database, and how long it keeps what names people. */
export const state = concern(
  {
    STATE_URL: secret(
      z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// address" }),
      "PostgreSQL database of subscriptions, partners and usage; unset: `state/state.db` in PRESENCE_HOME",
      shown(),
    ),
    OPEN_REPORT_DAYS: wholeNumber(1, MAX_DAYS)
      .default(365)
      .describe("days after which the text and email address of a report that nobody decided are deleted"),
    ENDED_SUBSCRIPTION_DAYS: wholeNumber(1, MAX_DAYS)
      .default(30)
      .describe(
        "days after which what is left of an ended subscription is deleted; its address goes at once",
      ),
    FORMER_CONTACT_DAYS: wholeNumber(1, MAX_DAYS)
      .default(90)
      .describe("days after which the contact address of a disabled partner client is deleted"),
  },
  (values) => ({
    stateUrl: values.STATE_URL,
    retention: {
      openReportDays: values.OPEN_REPORT_DAYS,
      endedSubscriptionDays: values.ENDED_SUBSCRIPTION_DAYS,
      formerContactDays: values.FORMER_CONTACT_DAYS,
    },
  }),
);

export const backup = concern(
  {
    BACKUP_HOOK: path
      .optional()
      .describe(
        "program that backs up off the machine, `/opt/presence/deploy/backup/presence-backup`; what it cannot back up is not published; unset: none",
      )
      .meta(shown()),
  },
  ({ BACKUP_HOOK }) => ({ backupHook: BACKUP_HOOK }),
);
