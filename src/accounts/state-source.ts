import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { SECOND_MS } from "../kernel/time.ts";
import type { State } from "../state/open-state.ts";

const RETRY_MS = 5 * SECOND_MS;

/** Access to the state. Reads go on without it, so a failure to open it does not stop the server; it is retried. */
export interface StateSource {
  /** Throws PublicError 503 when there is none at this moment. */
  get(): Promise<State>;
}

/** Owns the state of a server: opens it on first use, and retries a failure every few seconds. */
export class LazyState implements StateSource {
  readonly #open: () => Promise<State>;
  readonly #log: Log;
  #opening: Promise<State> | undefined;

  constructor(open: () => Promise<State>, log: Log) {
    this.#open = open;
    this.#log = log;
  }

  async get(): Promise<State> {
    this.#opening ??= this.#opened();
    try {
      return await this.#opening;
    } catch {
      throw new PublicError(503, "accounts, alerts and reports are temporarily unavailable: try again later");
    }
  }

  async close(): Promise<void> {
    const state = await this.#opening?.catch(() => undefined);
    await state?.close();
  }

  async #opened(): Promise<State> {
    try {
      return await this.#open();
    } catch (error) {
      this.#log.error("state_not_open", { fault: error instanceof Error ? error.message : String(error) });
      setTimeout(() => {
        this.#opening = undefined;
      }, RETRY_MS).unref();
      throw error;
    }
  }
}
