/** Limits of the interface (section 8) and of intake (design 6). */

/** Names that the document of a part of a map has for a cell. */
export const MAX_CELL_RECORDS = 50;

export const LIMITS = {
  search: { default: 25, max: 100 },
  observations: { default: 50, max: 200 },
  pulse: { default: 50, max: 100 },
  explorer: { default: 500, max: 500 },
  cityIndex: { default: 50, max: 100 },
  gazetteer: { default: 25, max: 100 },
  taxonomy: { default: 100, max: 1000 },
  withdrawals: { default: 1000, max: 10_000 },
} as const;

/** Reads per minute and client: those with arguments, and documents that the server has to make. Files are not counted. */
export const READS_PER_MINUTE = 300;

/** What readers may expect of addresses without arguments, whether or not the documents of records are files. */
export const FILES_NOTE =
  "Addresses without arguments are files, without a rate limit. Where a service makes the documents of single records when they are asked for, each making counts as a read.";

/** Limits of the MCP endpoint. Each message of a batch counts as one request. */
export const MCP_LIMITS = {
  requestsPerMinute: 60,
  burst: 20,
  batchMessages: 20,
  bodyBytes: 64 * 1024,
  deadlineMs: 10_000,
  comparedNames: { min: 2, max: 10 },
  cityIndex: { default: 25, max: 100 },
  pulse: { default: 10, max: 100 },
  candidates: 10,
  sameNameCities: 10,
  comparedSimilar: 2, // of each name of a comparison
  comparedCandidates: 3, // of each name of a comparison; cities of the same name, too
} as const;

/** Maximum number of rows in a table of a record's observations. The tables of a city have all of them. */
export const MAX_TABLE_ROWS = 2000;

/** Searches count matches up to this number; a larger total is a lower bound. */
export const MAX_SEARCH_TOTAL = 1000;

/** Maximum number of similar names where no name matches. */
export const MAX_SIMILAR = 5;

/** Maximum number of searched cities that a search names; it counts the others. */
export const MAX_SEARCHED_CITIES = 100;

/** `near`: resolution of its H3 cell (about 5 km²), and the number of rings of neighboring cells to search. */
export const NEAR = { resolution: 7, rings: 1 } as const;

/** Maximum length of a text query parameter, in characters. */
export const MAX_QUERY_TEXT = 200;

export const MAX_NAME_LENGTH = 120;

/** Lifetime of a confirmation link, in hours. */
export const CONFIRMATION_HOURS = 48;

/** Maximum number of subscription requests per hour and network address, for any email addresses. */
export const SIGN_UPS_PER_HOUR = 10;

/** Length of a report's text, in characters. */
export const REPORT_TEXT = { min: 10, max: 2000 } as const;

/** Maximum number of reports per hour and network address. */
export const REPORTS_PER_HOUR = 10;

/** Hours within which a repeated report counts as the same report. */
export const REPORT_REPEAT_HOURS = 24;

/** Maximum number of requests for removal that a network address may start per hour, and of looks for their proof. */
export const REMOVALS_PER_HOUR = 5;
export const REMOVAL_CHECKS_PER_HOUR = 20;

/** A request for removal: time for its proof, looks for the token, and the code by post or phone. */
export const REMOVAL = {
  provenWithinDays: 14,
  checkPauseSeconds: 30,
  maxChecks: 40,
  codeDays: 30,
  codeAttempts: 5,
} as const;

/** Days for which a request for removal is kept after its end. */
export const REMOVALS_KEPT_DAYS = 90;

/** Days after its resolution until a report's text and email address are deleted. */
export const REPORTS_KEPT_DAYS = 90;

/** Maximum request body of subscription, report and partner operations. */
export const ACCOUNT_BODY_BYTES = 32 * 1024;

export const MAX_WEBHOOKS_PER_CLIENT = 10;

/** Hours for which a webhook's previous signing secret stays valid after a rotation. */
export const WEBHOOK_SECRET_OVERLAP_HOURS = 24;

/** Days for which a finished email or webhook delivery is kept, with its outcome. */
export const DELIVERIES_KEPT_DAYS = 30;

/** Webhook delivery settings. Each failed attempt is followed by the next delay; after the last, delivery is abandoned. */
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

/** Days for which it is known that an event was delivered. */
export const MATCHED_EVENTS_KEPT_DAYS = 400;
/** Events detected earlier are not matched: by then the state may have forgotten that they were. */
export const MATCHED_EVENT_DAYS = 365;
/** An event that becomes more certain reaches higher thresholds up to this age. */
export const RAISED_EVENT_DAYS = 30;

/** Days for which single requests of partners are kept. Daily counts are kept forever. */
export const RAW_ACTIVITY_DAYS = 90;

/** Days covered by the machine activity report. */
export const ACTIVITY_WINDOW_DAYS = 7;

/** Minimum number of requests in the window for a record to be named in the report. */
export const MIN_NAMED_REQUESTS = 5;

/** Whole UTC days covered by demand figures, and the minimum number of daily clients for publishing them. */
export const DEMAND = { windowDays: 30, minClients: 10 } as const;

/** Minimum number of days between two online checks of a record (interface 8). */
export const ONLINE_RECHECK_DAYS = 30;

/** Days until an inconclusive online check is retried. */
export const ONLINE_RETRY_DAYS = 3;

/** Days without an accepted line after which the status names a collective source. */
export const SILENT_SOURCE_DAYS = 7;

/** Minimum evidence for published statistics. Below it, the value is null and the response says why. */
export const MINIMUMS = {
  /** Ranked records behind an explorer average. With two, either party could compute the other's score from its own. */
  averagedRecords: 3,
  /** People counted in one cell or on one day. With fewer, a count speaks of somebody. */
  people: 3,
  /** Reviewed observations behind a precision. With fewer, the interval is too wide to be useful. */
  reviewedObservations: 30,
  /** Visited signs behind a precision or a detection rate, for the same reason. */
  visitedSigns: 30,
  /** Cells with signs behind a detection rate. With fewer, its interval misses the truth too often. */
  visitedCells: 15,
} as const;
