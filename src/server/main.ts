import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../kernel/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import { homePaths } from "../kernel/home.ts";
import type { Log } from "../kernel/log.ts";
import { McpService } from "../mcp/service.ts";
import { ReleaseStore, releaseName } from "../resources/release-store.ts";
import { createApp } from "./app.ts";
import { answerBrokenRequest } from "./broken-request.ts";
import { mcpLimiter, readLimiter } from "./rate-limit.ts";
import { ReadPool } from "./read-pool.ts";
import type { ReleaseSource } from "./release-source.ts";

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Stop taking connections, let requests under way finish, then close the databases. */
  stop(): Promise<void>;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const REFRESH_MS = 1000;
const GRACE_MS = 10_000;
const IDLE_CHECK_MS = 50;

const SERVER_OPTIONS = {
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  keepAliveTimeout: 10_000,
  requireHostHeader: false, // the app refuses it with a JSON body, which Node does not
};

/** Wire the server's parts and listen. Rejects with OperatorError when the address is taken, or the release unreadable. */
export async function startServer(config: Config, log: Log): Promise<RunningServer> {
  const store = new ReleaseStore(homePaths(config.home));
  store.refresh();
  const releases = loggedReleases(store, log);
  const pool = new ReadPool({ log });
  const app = createApp({
    releases,
    pool,
    limiter: readLimiter(),
    log,
    trustedProxies: config.trustedProxies,
    mcp: {
      service: new McpService({
        baseUrl: config.baseUrl,
        log,
        context: () => releases.current?.context,
      }),
      limiter: mcpLimiter(),
      trustedProxies: config.trustedProxies,
      hosts: new Set([new URL(config.baseUrl).hostname, ...LOOPBACK]),
    },
  });
  const server = createServer(SERVER_OPTIONS, app).on("clientError", answerBrokenRequest);
  const address = await listen(server, config);
  const refresh = setInterval(() => releases.refresh(), REFRESH_MS).unref();
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  const url = `http://${host}:${address.port}`;
  log.info("listening", { url, release: store.current === undefined ? "none" : releaseName(store.current) });
  return {
    url,
    port: address.port,
    async stop() {
      clearInterval(refresh);
      await closeGently(server);
      await pool.close();
      store.close();
      log.info("stopped");
    },
  };
}

/** A release that cannot be read is the operator's trouble, not the reader's: the one before goes on being served. */
function loggedReleases(store: ReleaseStore, log: Log): ReleaseSource {
  return {
    get current() {
      return store.current;
    },
    refresh() {
      try {
        const isNew = store.refresh();
        if (isNew && store.current !== undefined)
          log.info("release_picked_up", { release: releaseName(store.current) });
        return isNew;
      } catch (error) {
        log.error("release_refused", { fault: error instanceof Error ? error.message : String(error) });
        return false;
      }
    },
  };
}

function listen(server: Server, config: Config): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(
        new OperatorError(
          `cannot listen on ${config.host}:${config.port}: ${error.message}. Set HOST or PORT.`,
          { cause: error },
        ),
      );
    });
    server.listen(config.port, config.host, () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("the server has no address"));
      else resolve(address);
    });
  });
}

/** Node closes idle connections only once, so those that become idle after their last answer are looked for again. */
function closeGently(server: Server): Promise<void> {
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
