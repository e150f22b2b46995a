import { TOOL_CALL, TOOL_LIST } from "./messages.ts";

/** The headers that the protocol reads, as they came. */
export type ProtocolHeaders = Readonly<Record<string, string>>;

/** A single request for a tool or for the list of tools, in the parts that an answer is made of. */
export interface PlainMessage {
  /** Everything but the id and the arguments, with the protocol's headers. */
  readonly envelope: string;
  readonly id: string | number;
  /** Undefined for the list. */
  readonly call: { readonly name: string; readonly args: object | undefined } | undefined;
}

/** Returns undefined for batches, other methods, and messages of a form that no client sends. */
export function plainMessage(headers: ProtocolHeaders, body: unknown): PlainMessage | undefined {
  if (!isObject(body)) return undefined;
  const { id, method, params, ...others } = body;
  if (!isId(id)) return undefined;
  if (method === TOOL_LIST) {
    const envelope = envelopeOf([headers, typeof id, method, others, params]);
    return { envelope, id, call: undefined };
  }
  if (method !== TOOL_CALL || !isObject(params)) return undefined;
  const { arguments: args, ...frame } = params;
  const { name } = frame;
  if (typeof name !== "string" || !isArguments(args)) return undefined;
  return { envelope: envelopeOf([headers, typeof id, method, others, frame]), id, call: { name, args } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** The package drops a member `__proto__` before a tool sees it. */
function isArguments(args: unknown): args is object | undefined {
  return args === undefined || (isObject(args) && !Object.hasOwn(args, "__proto__"));
}

/** Distinguishes the methods that stand for a stranger's `toString` (untrusted-json.ts), which JSON would leave out. */
function envelopeOf(parts: readonly unknown[]): string {
  return JSON.stringify(parts, (_, value: unknown) => (typeof value === "function" ? ["function"] : value));
}
