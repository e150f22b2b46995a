import { DAY_MS, isoTime } from "../kernel/time.ts";

/** RFC 9116 advises less than a year; a service whose nightly build has stopped this long ago is not looked after. */
const VALID_MS = 180 * DAY_MS;

interface SecurityFacts {
  readonly baseUrl: string; // without a slash at its end
  readonly asOf: number;
}

/** `/.well-known/security.txt` (RFC 9116); `contact` is a mailto: or https: address. */
export function securityTxt(contact: string, { baseUrl, asOf }: SecurityFacts): string {
  const lines = [`Contact: ${contact}`, `Expires: ${isoTime(asOf + VALID_MS)}`, "Preferred-Languages: en"];
  // The RFC admits no other protocol here.
  if (baseUrl.startsWith("https://")) lines.push(`Canonical: ${baseUrl}/.well-known/security.txt`);
  return `${lines.join("\n")}\n`;
}
