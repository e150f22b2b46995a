/** The only errors whose text may leave the process. All others are defects: logged, and shown as a fixed text. */

/** An answer to a remote caller: HTTP status, the `error` text, and further members of the JSON error body. */
export class PublicError extends Error {
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(status: number, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = "PublicError";
    this.status = status;
    this.details = details;
  }
}

/** Further members of the error's body. */
export interface ErrorDetails {
  /** Where it says more than the status. */
  readonly code?: ErrorCode | undefined;
  /** The known name beside one that is not known. */
  readonly did_you_mean?: string | undefined;
  readonly [member: string]: unknown;
}

/** What the `code` of a public error says, with its status. The first of a status is said where nothing more is known. */
export const ERROR_CODES = [
  {
    code: "invalid_request",
    status: 400,
    meaning: "a value or the form of the request differs from the documentation",
  },
  {
    code: "unknown_parameter",
    status: 400,
    meaning: "the address has an unknown parameter",
  },
  { code: "unknown_field", status: 400, meaning: "the body has an unknown member" },
  {
    code: "invalid_cursor",
    status: 400,
    meaning: "the cursor is damaged or belongs to other filters: start again without one",
  },
  { code: "invalid_json", status: 400, meaning: "the body is not valid JSON" },
  {
    code: "key_invalid",
    status: 401,
    meaning: "The API key is invalid or revoked. Send a current one, or none for public reads.",
  },
  { code: "key_required", status: 401, meaning: "the operation needs an API key" },
  { code: "forbidden", status: 403, meaning: "the client may not do this" },
  { code: "not_found", status: 404, meaning: "nothing is published at this address" },
  {
    code: "city_not_covered",
    status: 404,
    meaning: "the service does not cover this city, which says nothing about its businesses",
  },
  {
    code: "record_merged",
    status: 404,
    meaning: "the record was merged into another one: see `merged_into`",
  },
  {
    code: "method_not_allowed",
    status: 405,
    meaning: "the address accepts other methods: see the header `Allow`",
  },
  { code: "request_timeout", status: 408, meaning: "the request took too long to arrive" },
  { code: "conflict", status: 409, meaning: "the current state does not allow the request" },
  { code: "gone", status: 410, meaning: "the content of this address is no longer published" },
  {
    code: "cursor_expired",
    status: 410,
    meaning: "the release of the cursor is no longer kept: start again without one",
  },
  {
    code: "precondition_failed",
    status: 412,
    meaning: "the file has changed: `If-Match` or `If-Unmodified-Since` is of another version",
  },
  { code: "too_large", status: 413, meaning: "the body exceeds the operation's limit" },
  { code: "address_too_long", status: 414, meaning: "the address is too long" },
  { code: "unsupported_media_type", status: 415, meaning: "the operation requires another `Content-Type`" },
  {
    code: "too_many_requests",
    status: 429,
    meaning: "wait for the number of seconds in the header `Retry-After`",
  },
  { code: "headers_too_large", status: 431, meaning: "the headers are too large" },
  {
    code: "internal_error",
    status: 500,
    meaning: "the service failed: report the `request_id` to its operator",
  },
  { code: "unavailable", status: 503, meaning: "try again later" },
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number]["code"];

/** The code of an error of which nothing but its status is known. */
export function codeOfStatus(status: number): ErrorCode {
  const general = status < 500 ? "invalid_request" : "internal_error";
  return ERROR_CODES.find((each) => each.status === status)?.code ?? general;
}

/** A message for the operator: what was wrong, where, and what to do. The command line prints it without a stack. */
export class OperatorError extends Error {
  readonly lines: readonly string[]; // of the message

  /** `lines` follow `message`, which is one line, whatever it quotes. */
  constructor(message: string, { lines = [], ...options }: OperatorErrorOptions = {}) {
    super([message, ...lines].join("\n"), options);
    this.name = "OperatorError";
    this.lines = [message, ...lines];
  }
}

export interface OperatorErrorOptions extends ErrorOptions {
  readonly lines?: readonly string[];
}

/** Narrows a thrown value to a system error with the given code, for example `ENOENT`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** A thrown value for a log: its class, and the code of its system or database. Omits its message, which may quote private values. */
export function faultName(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error ? `${error.name} ${String(error.code)}` : error.name;
}
