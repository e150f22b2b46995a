/** A response of the service. */
export type Json = Readonly<Record<string, unknown>>;

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(object) : [];
}

/** Formats a value; a dash when missing. */
export function text(value: unknown): string {
  if (typeof value === "number") return value.toLocaleString("en-US");
  if (typeof value === "string" && value !== "") return value;
  return "–";
}

export interface Answer {
  readonly isOk: boolean;
  readonly body: Json; // `error` describes the problem
}

const UNREACHABLE = "The service is unreachable. Try again later.";

/** Sends a request; never throws. */
export async function ask(address: string, options: RequestInit = {}): Promise<Answer> {
  try {
    const answer = await fetch(address, {
      cache: "no-store",
      signal: AbortSignal.timeout(20_000),
      ...options,
    });
    return { isOk: answer.ok, body: object(await answer.json()) };
  } catch {
    return { isOk: false, body: { error: UNREACHABLE } };
  }
}
