import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { SECOND_MS } from "../kernel/time.ts";
import { StateLost } from "../state/database/database-file.ts";
import type { State } from "../state/open-state.ts";

const RETRY_MS = 5 * SECOND_MS;

/** Access to the state. Reads go on without it, so a failure to open it does not stop the server; it is retried. */
export interface StateSource {
  /** Throws PublicError 503 when there is none at this moment. */
  get(): Promise<State>;
  /** Why the database is lost or damaged, until it is open again; undefined for one that is only out of reach. */
  fault(): string | undefined;
  /** How often its files were lost since the server started. */
  losses(): number;
}

/** Whether the state was open before: then its database must be there, and is not made. */
type OpenState = (isAgain: boolean) => Promise<State>;

/**
 * Owns the state of a server: opens it on first use, and retries a failure every few seconds. A state whose files were replaced, removed or
 * damaged is closed and opened anew. The log tells each fault once.
 */
export class LazyState implements StateSource {
  readonly #open: OpenState;
  readonly #log: Log;
  #opening: Promise<State> | undefined;
  #current: State | undefined;
  #wasOpen = false;
  #fault: string | undefined;
  #logged: string | undefined;
  #losses = 0;

  constructor(open: OpenState, log: Log) {
    this.#open = open;
    this.#log = log;
  }

  async get(): Promise<State> {
    this.#noticeLoss();
    this.#opening ??= this.#opened();
    try {
      return await this.#opening;
    } catch {
      throw new PublicError(503, "accounts, alerts and reports are temporarily unavailable: try again later");
    }
  }

  fault(): string | undefined {
    this.#noticeLoss();
    return this.#fault;
  }

  losses(): number {
    this.#noticeLoss();
    return this.#losses;
  }

  async close(): Promise<void> {
    const state = await this.#opening?.catch(() => undefined);
    await state?.close();
  }

  async #opened(): Promise<State> {
    try {
      const state = await this.#open(this.#wasOpen);
      if (this.#logged !== undefined) this.#log.info("state_open_again", {});
      this.#current = state;
      this.#wasOpen = true;
      this.#fault = undefined;
      this.#logged = undefined;
      return state;
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      if (error instanceof StateLost) this.#fault = fault;
      this.#retryAfter("state_not_open", fault);
      throw error;
    }
  }

  /** The connection closes itself; whoever still holds it is refused by it. */
  #noticeLoss(): void {
    const loss = this.#current?.loss();
    if (loss === undefined) return;
    this.#losses += 1;
    this.#fault = loss.message;
    this.#opening = Promise.reject(loss);
    this.#opening.catch(() => undefined);
    void this.#current?.close();
    this.#current = undefined;
    this.#retryAfter("state_lost", loss.message);
  }

  #retryAfter(event: string, fault: string): void {
    if (fault !== this.#logged) this.#log.error(event, { fault });
    this.#logged = fault;
    setTimeout(() => {
      this.#opening = undefined;
    }, RETRY_MS).unref();
  }
}
