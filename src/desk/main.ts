/** Starts and stops the desk: its database, its listener, and the handing over of decisions. */
import { createServer } from "node:http";
import { type RandomBytes, systemRandom } from "../kernel/ids.ts";
import type { Log } from "../kernel/log.ts";
import { type Clock, SECOND_MS, systemClock } from "../kernel/time.ts";
import { guardConnections } from "../server/limits/connection-guard.ts";
import { listen } from "../server/listen.ts";
import { DeskApp } from "./app.ts";
import { DeskAssets } from "./assets.ts";
import { openDeskStore } from "./desk-store.ts";
import { faultOf } from "./http.ts";
import { Passkeys } from "./passkeys.ts";
import { ViewSource } from "./view.ts";
import { Work } from "./work.ts";

export interface DeskOptions {
  readonly project: string; // folder of the sources
  readonly paths: {
    readonly queue: string;
    readonly results: string;
    readonly decisions: string;
    readonly database: string;
  };
  readonly host: string;
  readonly port: number;
  readonly origin: string | undefined; // undefined: http://localhost with the port
  readonly trustedProxies: number;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  readonly undoMs?: number;
  readonly tickMs?: number;
}

export interface RunningDesk {
  readonly origin: string;
  readonly port: number;
  stop(): Promise<void>;
}

const UNDO_MS = 10 * SECOND_MS;
const TICK_MS = 500;
const BOUNDS = {
  requestTimeout: 20 * SECOND_MS,
  headersTimeout: 10 * SECOND_MS,
  keepAliveTimeout: 10 * SECOND_MS,
};
const CONNECTIONS = { total: 500, perClient: undefined, writeMs: 30 * SECOND_MS, checkMs: SECOND_MS };

/** Rejects with OperatorError where the address is taken or the database is not the desk's. */
export async function startDesk(options: DeskOptions): Promise<RunningDesk> {
  const {
    paths,
    log,
    clock = systemClock,
    random = systemRandom,
    undoMs = UNDO_MS,
    tickMs = TICK_MS,
    trustedProxies,
  } = options;
  const store = openDeskStore(paths.database);
  const server = createServer({ ...BOUNDS, requireHostHeader: false });
  guardConnections(server, CONNECTIONS);
  const { port } = await listen(server, options, "HOST or DESK_PORT").catch((error: unknown) => {
    store[Symbol.dispose]();
    throw error;
  });
  const origin = options.origin ?? `http://localhost:${port}`;
  const view = new ViewSource(paths, log);
  const work = new Work({ store, view, decisions: paths.decisions, clock, random, undoMs });
  const passkeys = new Passkeys({ store, clock, origin });
  const assets = new DeskAssets(options.project);
  const app = new DeskApp({ work, passkeys, assets, store, clock, random, log, origin, trustedProxies });
  server.on("request", app.listener);
  const timer = setInterval(ticker(work, log), tickMs);
  log.info("desk_listening", { port });
  return {
    origin,
    port,
    async stop() {
      clearInterval(timer);
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      store[Symbol.dispose]();
      log.info("desk_stopped");
    },
  };
}

/** What fails now, such as a full disk, is tried again by the next tick, and told once. */
function ticker(work: Work, log: Log): () => void {
  let told: string | undefined;
  return () => {
    try {
      work.tick();
      told = undefined;
    } catch (error) {
      const fault = faultOf(error);
      if (fault !== told) log.error("desk_tick_failed", { fault });
      told = fault;
    }
  };
}
