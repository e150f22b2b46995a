/** Limits of the interface (section 8) and of intake (design 6). */

export const LIMITS = {
  search: { default: 25, max: 100 },
  observations: { default: 50, max: 200 },
  pulse: { default: 50, max: 100 },
  explorer: { default: 500, max: 500 },
  cityIndex: { default: 50, max: 100 },
  gazetteer: { default: 25, max: 100 },
  taxonomy: { default: 100, max: 1000 },
} as const;

/** Requests a minute and client for reads with arguments. Files are not counted. */
export const READS_PER_MINUTE = 300;

/** Limits of the MCP endpoint. Every message of a batch counts as a request. */
export const MCP_LIMITS = {
  requestsPerMinute: 60,
  burst: 20,
  batchMessages: 20,
  bodyBytes: 64 * 1024,
  deadlineMs: 10_000,
  comparedNames: { min: 2, max: 10 },
  cityIndex: { default: 25, max: 100 },
  candidates: 10,
} as const;

/** Matches of a search are counted up to this number; a larger total is a lower bound. */
export const MAX_SEARCH_TOTAL = 1000;

/** Cities that a search names of those it searched; beyond them it only counts. */
export const MAX_SEARCHED_CITIES = 100;

/** `near`: resolution of its H3 cell (about 5 km²), and how many rings of cells around it are searched as well. */
export const NEAR = { resolution: 7, rings: 1 } as const;

/** Longest accepted value of a text query parameter, in characters. */
export const MAX_QUERY_TEXT = 200;

export const MAX_NAME_LENGTH = 120;

/** How long the link in a confirmation mail works. */
export const CONFIRMATION_HOURS = 48;

/** Confirmation mails that one address is sent in 24 hours, whoever asks for them. */
export const MAX_CONFIRMATIONS_PER_DAY = 5;

/** Subscriptions that one network address may ask for in an hour, whatever mail addresses it names. */
export const SIGN_UPS_PER_HOUR = 10;

/** How long a report of a problem may be, in characters. */
export const REPORT_TEXT = { min: 10, max: 2000 } as const;

/** Reports that one network address may send in an hour. */
export const REPORTS_PER_HOUR = 10;

/** For so long the same report, sent again, is the same one. */
export const REPORT_REPEAT_HOURS = 24;

/** Text and mail address of a report are deleted so many days after it was resolved. */
export const REPORTS_KEPT_DAYS = 90;

/** Largest request body of alerts, reports and partner operations. */
export const ACCOUNT_BODY_BYTES = 32 * 1024;

export const MAX_WEBHOOKS_PER_CLIENT = 10;

/** How long a webhook's previous signing secret stays valid after a rotation. */
export const WEBHOOK_SECRET_OVERLAP_HOURS = 24;

/** How long a finished delivery of a mail or a webhook is kept, with its outcome. */
export const DELIVERIES_KEPT_DAYS = 30;

/** How webhooks are delivered. After each failed try the next one comes after the delay; after the last there is none. */
export const WEBHOOK_DELIVERY = {
  timeoutSeconds: 15,
  payloadBytes: 20_000,
  answerBytes: 1024,
  retryDelaysSeconds: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  longestRetryAfterSeconds: 86_400,
  failingDays: 5,
  failingTries: 10,
  challengeMinutes: 60,
} as const;

/** Requests are kept one by one for so long; their daily counts for ever. */
export const RAW_ACTIVITY_DAYS = 90;

/** Days that the machine activity report covers. */
export const ACTIVITY_WINDOW_DAYS = 7;

/** A record that was asked for less often in the window is not named among those that were asked for most. */
export const FEWEST_NAMED_REQUESTS = 5;

/** Whole UTC days that the figures of demand cover, and how many clients, counted by day, it takes for them to be published. */
export const DEMAND = { windowDays: 30, minClients: 10 } as const;

/** A record is looked for on the web at most once in so many days (interface 8). */
export const ONLINE_RECHECK_DAYS = 30;

/** When looking came to nothing that can be said, it is tried again after so many days. */
export const ONLINE_RETRY_DAYS = 3;
