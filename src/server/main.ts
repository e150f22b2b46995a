import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { clientKey } from "../activity/client-class.ts";
import type { Config } from "../kernel/config/config.ts";
import { SECOND_MS, systemClock } from "../kernel/time.ts";
import { releaseName } from "../resources/release-store.ts";
import { answerBrokenRequest } from "./http/errors.ts";
import { capRequestsUnderWay, guardConnections } from "./limits/connection-guard.ts";
import { listen } from "./listen.ts";
import { startMetrics } from "./metrics/metrics-listener.ts";
import { openService, publicProver, type ServiceDeps } from "./wiring/service.ts";
import { deliveryOf, StateWork, setupOf } from "./wiring/state-work.ts";

/** Starts and stops the server: its listeners, the check for new releases and the background work on the state. */

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly metricsPort: number | undefined;
  /** Accepts no new connections and starts no deliveries, lets running ones finish, then closes the databases. */
  stop(): Promise<void>;
}

type WithDefaults = "clock" | "proveWebsite";
export type ServerDeps = Omit<ServiceDeps, WithDefaults> &
  Partial<Pick<ServiceDeps, WithDefaults>> & { readonly bounds?: TimeBounds };

const REFRESH_MS = 1000;

/** How long a client may take, in ms. */
export interface TimeBounds {
  readonly headers: number; // to send the head of a request
  readonly request: number; // to send a whole request
  readonly idle: number; // between two requests
  readonly write: number; // to take a piece of an answer
  readonly check: number; // how late a bound may be noticed
}

const TIME_BOUNDS: TimeBounds = {
  headers: 10 * SECOND_MS,
  request: 20 * SECOND_MS,
  idle: 10 * SECOND_MS,
  write: 30 * SECOND_MS,
  check: SECOND_MS,
};

/** Wires the server and listens. Rejects with OperatorError when the address is taken or the release unreadable. */
export async function startServer(
  config: Config,
  { log, pages, clock = systemClock, proveWebsite = publicProver(), bounds = TIME_BOUNDS }: ServerDeps,
): Promise<RunningServer> {
  const service = await openService(config, { log, pages, clock, proveWebsite });
  const { releases, requests, state } = service;
  const server = boundedServer(config, service.app, bounds).on("clientError", (error, socket) => {
    const status = answerBrokenRequest(error, socket);
    if (status !== undefined) requests.broken(status, socket);
  });
  const delivery = () => setupOf(config, releases);
  const metrics = await startMetrics(config, log, { ...service, delivery, clock });
  const address = await listen(server, config);
  const work = new StateWork({ state, releases, deliver: deliveryOf(config, log, releases), log });
  const refresh = setInterval(() => {
    if (releases.refresh()) work.releaseChanged();
  }, REFRESH_MS).unref();
  const served = releases.current ?? releases.filesOnly;
  log.info("listening", { url: address.url, release: served === undefined ? "none" : releaseName(served) });
  return {
    ...address,
    metricsPort: metrics?.port,
    async stop() {
      clearInterval(refresh);
      await Promise.all([work.stop(), metrics?.stop(), closeGently(server)]);
      await service.close();
      log.info("stopped");
    },
  };
}

function boundedServer(config: Config, app: RequestListener, bounds: TimeBounds): Server {
  const { trustedProxies, maxConnections, maxConnectionsPerClient } = config;
  const isBehindProxy = trustedProxies > 0;
  const clientOf = (request: IncomingMessage) => clientKey(request, trustedProxies);
  const listener = isBehindProxy ? capRequestsUnderWay(app, maxConnectionsPerClient, clientOf) : app;
  const server = createServer(
    {
      requestTimeout: bounds.request,
      headersTimeout: bounds.headers,
      keepAliveTimeout: bounds.idle,
      connectionsCheckingInterval: bounds.check,
      optimizeEmptyRequests: true, // a stream for a body that never comes costs a tenth of a file's answer
      requireHostHeader: false, // the app refuses it with a JSON body, which Node does not
    },
    listener,
  );
  guardConnections(server, {
    total: maxConnections,
    perClient: isBehindProxy ? undefined : maxConnectionsPerClient,
    writeMs: bounds.write,
    checkMs: bounds.check,
  });
  return server;
}

const GRACE_MS = 10_000;
const IDLE_CHECK_MS = 50;

/** Stops listening and lets running requests finish. Node closes idle connections only once, so this repeats it. */
export function closeGently(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(idle);
      resolve();
    });
  });
}
