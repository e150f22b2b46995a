import { dirname } from "node:path";
import { hasHeldRelease } from "../../kernel/held-release.ts";
import { type Clock, SECOND_MS } from "../../kernel/time.ts";
import type { PathValues, QueryValues } from "../../resources/define.ts";
import type { ServedRelease } from "../../resources/release-store.ts";
import type { Route } from "../../routes/route.ts";
import type { Read } from "./answer-read.ts";

/** How long an answer is valid, as in its Cache-Control (headers.ts): caches and If-None-Match help, and frequent polling costs nothing. */
const TIMED_STEP_MS = 10 * SECOND_MS;

interface Kept {
  readonly release: ServedRelease;
  readonly now: number;
  readonly text: string;
}

interface TimedRead extends Read {
  text(release: ServedRelease): string;
}

/** Owns the latest answers of routes that depend on the time of the request, one for each address. */
export class TimedReads {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  read(route: Route, path: PathValues, query: QueryValues): TimedRead {
    const now = Math.floor(this.#clock() / TIMED_STEP_MS) * TIMED_STEP_MS;
    const { contentType } = route;
    const answer = ({ context, directory }: ServedRelease) => {
      const isReleaseHeld = hasHeldRelease(dirname(directory));
      return route.answer({ ...context, now, isReleaseHeld }, path, query);
    };
    if (Object.keys(query).length > 0) return { contentType, text: answer };
    const address = route.filePath(path);
    return { contentType, isBrief: true, text: (release) => this.#keep(address, release, now, answer) };
  }

  #keep(address: string, release: ServedRelease, now: number, answer: (release: ServedRelease) => string) {
    const kept = this.#kept.get(address);
    if (kept?.release === release && kept.now === now) return kept.text;
    const text = answer(release);
    this.#kept.set(address, { release, now, text });
    return text;
  }
}
