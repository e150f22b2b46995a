/** Starts and stops the server: its listeners, the check for new releases and the background work on the state. */

import { createServer } from "node:http";
import type { Config } from "../kernel/config/config.ts";
import { systemClock } from "../kernel/time.ts";
import { releaseName } from "../resources/release-store.ts";
import { answerBrokenRequest } from "./http/broken-request.ts";
import { startMetrics } from "./metrics/start-metrics.ts";
import { closeGently, listen } from "./wiring/listen.ts";
import { publicProver } from "./wiring/public-prover.ts";
import { deliveryOf, setupOf } from "./wiring/server-delivery.ts";
import { openService, type ServiceDeps } from "./wiring/service.ts";
import { StateWork } from "./wiring/state-work.ts";

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly metricsPort: number | undefined;
  /** Accepts no new connections and starts no deliveries, lets running ones finish, then closes the databases. */
  stop(): Promise<void>;
}

type WithDefaults = "clock" | "proveWebsite";
export type ServerDeps = Omit<ServiceDeps, WithDefaults> & Partial<Pick<ServiceDeps, WithDefaults>>;

const REFRESH_MS = 1000;

const SERVER_OPTIONS = {
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  keepAliveTimeout: 10_000,
  requireHostHeader: false, // the app refuses it with a JSON body, which Node does not
};

/** Wires the server and listens. Rejects with OperatorError when the address is taken or the release unreadable. */
export async function startServer(
  config: Config,
  { log, pages, clock = systemClock, proveWebsite = publicProver() }: ServerDeps,
): Promise<RunningServer> {
  const service = await openService(config, { log, pages, clock, proveWebsite });
  const { releases, requests, state } = service;
  const server = createServer(SERVER_OPTIONS, service.app).on("clientError", (error, socket) => {
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
  const release = releases.current === undefined ? "none" : releaseName(releases.current);
  log.info("listening", { url: address.url, release });
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
