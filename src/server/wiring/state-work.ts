import { setTimeout as sleep } from "node:timers/promises";
import { startDelivery } from "../../accounts/delivery/deliver.ts";
import { deliveryDeps, deliverySetup } from "../../accounts/delivery/delivery-setup.ts";
import { matchRelease } from "../../accounts/delivery/match-events.ts";
import type { LazyState } from "../../accounts/state-source.ts";
import type { DeliverySetup } from "../../contract/accounts/delivery.ts";
import type { Environment } from "../../contract/enums.ts";
import type { Config } from "../../kernel/config/config.ts";
import { faultName, OperatorError, PublicError } from "../../kernel/errors.ts";
import { releasePaths } from "../../kernel/home.ts";
import type { Log } from "../../kernel/log.ts";
import { SECOND_MS } from "../../kernel/time.ts";
import { contextAt } from "../../resources/release-store.ts";
import type { StateLost } from "../../state/database/database-file.ts";
import type { State } from "../../state/open-state.ts";
import type { ReleaseSource } from "../reads/release-source.ts";

interface Running {
  readonly ended: Promise<StateLost | undefined>;
  stop(): Promise<void>;
}

interface WorkDeps {
  readonly state: LazyState;
  readonly releases: ReleaseSource;
  /** Starts delivery; undefined when another process delivers. Returns undefined while there is no release. */
  readonly deliver: ((state: State) => Running | undefined) | undefined;
  readonly log: Log;
}

const RETRY_MS = 5 * SECOND_MS;

/** Turns the events of the current release into deliveries. Earlier releases than the first one seen count as known. */
export async function matchCurrent(state: State, releases: ReleaseSource, log: Log): Promise<void> {
  const context = currentContext(releases);
  if (context === undefined) return;
  try {
    const matched = await matchRelease(state, context.snapshot);
    if (matched !== undefined) log.info("release_matched", { ...matched });
  } finally {
    context.close();
  }
}

/** Opens its own snapshot, because the server may close its one at any await. A deleted release has a newer successor. */
function currentContext(releases: ReleaseSource): ReturnType<typeof contextAt> | undefined {
  const release = releases.current;
  if (release === undefined) return undefined;
  try {
    return contextAt(releasePaths(release.directory).snapshot);
  } catch (error) {
    releases.refresh();
    if (releases.current === release) throw error;
    return currentContext(releases);
  }
}

/** Owns the background work of the server on the state: matching each release, and delivery. */
export class StateWork {
  readonly #deps: WorkDeps;
  readonly #ending = new AbortController();
  #work: Promise<void>;
  #delivery: Running | undefined;

  constructor(deps: WorkDeps) {
    this.#deps = deps;
    this.#work = this.#matchAndDeliver();
  }

  /** To be called after a release was picked up. */
  releaseChanged(): void {
    this.#work = this.#work.then(() => this.#matchAndDeliver());
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#work;
    await this.#delivery?.stop();
  }

  async #matchAndDeliver(): Promise<void> {
    await this.#try(async (state) => {
      await this.#match(state);
      this.#deliver(state);
    });
  }

  /** A failed start, for example for an unreadable key, is logged and tried again with the next release. */
  #deliver(state: State): void {
    try {
      if (this.#delivery !== undefined) return;
      this.#delivery = this.#deps.deliver?.(state);
      void this.#delivery?.ended.then(() => state.loss() && this.#startAgain());
    } catch (error) {
      const fault = error instanceof OperatorError ? error.message : faultName(error);
      this.#deps.log.error("delivery_not_started", { fault });
    }
  }

  /** Delivers over the state that is opened next. */
  async #startAgain(): Promise<void> {
    const delivery = this.#delivery;
    this.#delivery = undefined;
    this.releaseChanged();
    await delivery?.stop();
  }

  #match(state: State): Promise<void> {
    return matchCurrent(state, this.#deps.releases, this.#deps.log);
  }

  /** Repeats the work until it succeeds or the server stops, because the database may come back. */
  async #try(work: (state: State) => Promise<void>): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        await work(await this.#deps.state.get());
        return;
      } catch (error) {
        // The state's own failures are in the log already.
        if (!(error instanceof PublicError))
          this.#deps.log.error("state_work_failed", { fault: faultName(error) });
        await sleep(RETRY_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      }
    }
  }
}

function environmentOf(releases: ReleaseSource): Environment | undefined {
  return releases.current?.context.snapshot.release().environment;
}

/** The delivery setup that answers may promise now. */
export function setupOf(config: Config, releases: ReleaseSource): DeliverySetup {
  return deliverySetup(config, environmentOf(releases));
}

/**
 * Starts delivery in the server; undefined when another process delivers. It waits for the first release, which says whether
 * this is a demonstration.
 */
export function deliveryOf(config: Config, log: Log, releases: ReleaseSource) {
  if (config.delivery !== "server") return undefined;
  return (state: State) => {
    if (releases.current === undefined) return undefined;
    const deps = deliveryDeps(config, environmentOf(releases), log);
    const delivery = startDelivery(state, deps);
    return {
      ended: delivery.ended,
      async stop() {
        await delivery.stop();
        deps.mailer?.close();
      },
    };
  };
}
