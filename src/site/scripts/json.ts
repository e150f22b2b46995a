import type { ErrorBody } from "../../contract/envelope.ts";

/** Formats a value; `none` when missing. */
export function text(value: string | number | null): string {
  if (typeof value === "number") return value.toLocaleString("en-US");
  return value || "none";
}

/** A response of the service, or the reason why there is none. */
export type Answer<T> =
  | { readonly isOk: true; readonly body: T }
  | { readonly isOk: false; readonly error: string; readonly fields: object };

/** Sends a request; never throws. `T` is the contract's type of the answer. */
export async function ask<T>(address: string, options: RequestInit = {}): Promise<Answer<T>> {
  try {
    const answer = await fetch(address, {
      cache: "no-store",
      signal: AbortSignal.timeout(20_000),
      ...options,
    });
    if (answer.ok) return { isOk: true, body: await answer.json() };
    const { error, fields = {} }: ErrorBody & { fields?: object } = await answer.json();
    return { isOk: false, error, fields };
  } catch {
    return { isOk: false, error: "The service is unreachable. Try again later", fields: {} };
  }
}

/** Sends `body` by POST. */
export function post<T>(address: string, body: object): Promise<Answer<T>> {
  return ask(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}
