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

/** Longest accepted value of a text query parameter, in characters. */
export const MAX_QUERY_TEXT = 200;

export const MAX_NAME_LENGTH = 120;
