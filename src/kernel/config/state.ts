import { z } from "zod";
import { concern, path, secret, wholeNumber } from "./setting.ts";

const MAX_DAYS = 3650;

/** The state database, and how long it keeps what names people. */
export const state = concern(
  {
    STATE_URL: secret(
      z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// address" }),
      "PostgreSQL database of subscriptions, partners and usage; unset: `state.db` in PRESENCE_HOME",
    ),
    STATE_FOLDER: path
      .optional()
      .describe(
        "folder of `state.db` and `state.key`, which its group may use, so that the server runs as another user than the one who has ledger and keys; unset: PRESENCE_HOME, for one user",
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
    stateFolder: values.STATE_FOLDER,
    retention: {
      openReportDays: values.OPEN_REPORT_DAYS,
      endedSubscriptionDays: values.ENDED_SUBSCRIPTION_DAYS,
      formerContactDays: values.FORMER_CONTACT_DAYS,
    },
  }),
);
