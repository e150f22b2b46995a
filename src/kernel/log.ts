import { jsonText } from "./text/terminal.ts";
import { type Clock, isoTime } from "./time.ts";

type Fields = Readonly<Record<string, string | number | boolean | null>>;

/** One JSON object a line. Callers log identifiers and counts, never keys, addresses or bodies. */
export interface Log {
  info(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

export function jsonLog(clock: Clock, write: (line: string) => void): Log {
  const entry =
    (level: string) =>
    (event: string, fields: Fields = {}) =>
      write(`${jsonText({ time: isoTime(clock()), level, event, ...fields })}\n`);
  return { info: entry("info"), error: entry("error") };
}

export const silentLog: Log = { info: () => undefined, error: () => undefined };
