import { concern, wholeNumber } from "./setting.ts";

const MAX = 1_000_000;

/** What anyone may cause without a key: subscription requests, reports and the email that they lead to. */
export const writes = concern(
  {
    WRITES_PER_NETWORK: wholeNumber(1, MAX)
      .default(30)
      .describe(
        "subscription requests that one network (IPv4 /24, IPv6 /48) may send in an hour, and as many reports",
      ),
    WRITES_PER_HOUR: wholeNumber(1, MAX)
      .default(300)
      .describe(
        "subscription requests that are taken in an hour from all networks together, and as many reports",
      ),
    EMAILS_PER_MAILBOX: wholeNumber(1, MAX)
      .default(5)
      .describe("unconfirmed emails that requests of anyone may send to one mailbox in 24 hours"),
    EMAILS_PER_DOMAIN: wholeNumber(1, MAX)
      .default(500)
      .describe("the same for all mailboxes of one domain together"),
  },
  (values) => ({
    writes: { perNetwork: values.WRITES_PER_NETWORK, perHour: values.WRITES_PER_HOUR },
    emailBudgets: { mailbox: values.EMAILS_PER_MAILBOX, domain: values.EMAILS_PER_DOMAIN },
  }),
);
