import { DAY_MS, isoTime } from "../kernel/time.ts";

// RFC 9116 recommends less than a year. A service without a nightly build for this long is unmaintained.
const VALID_MS = 180 * DAY_MS;

interface SecurityFacts {
  readonly baseUrl: string; // no trailing slash
  readonly asOf: number;
}

/** `/.well-known/security.txt` (RFC 9116); `contact` is a mailto: or https: address. */
export function securityTxt(contact: string, { baseUrl, asOf }: SecurityFacts): string {
  const lines = [`Contact: ${contact}`, `Expires: ${isoTime(asOf + VALID_MS)}`, "Preferred-Languages: en"];
  // The RFC allows only https here.
  if (baseUrl.startsWith("https://")) lines.push(`Canonical: ${baseUrl}/.well-known/security.txt`);
  return `${lines.join("\n")}\n`;
}
