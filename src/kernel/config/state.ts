import { z } from "zod";
import { concern, secret, wholeNumber } from "./setting.ts";

const MAX_DAYS = 3650;

/** The state database, and how long it keeps what names people. */
export const state = concern(
  {
    STATE_URL: secret(
      z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// address" }),
      "PostgreSQL database of subscriptions, partners and usage; unset: `state/state.db` in PRESENCE_HOME",
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
