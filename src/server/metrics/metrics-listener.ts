import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import { OperatorError } from "../../kernel/errors.ts";
import type { Log } from "../../kernel/log.ts";
import { portOf } from "../../kernel/port.ts";

interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly collect: () => Promise<Registry>;
  readonly log: Log;
}

export interface MetricsListener {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves metrics on a separate port, so no proxy mistake makes them public. Rejects with OperatorError when the address is taken. */
export async function listenForMetrics({
  host,
  port,
  collect,
  log,
}: ListenerOptions): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    answer(request, response, collect).catch((error: unknown) => {
      log.error("metrics_failed", { fault: error instanceof Error ? error.message : String(error) });
      response.writeHead(500).end();
    });
  });
  await listening(server, host, port);
  server.unref(); // it keeps no process alive whose public listener could not start
  return {
    port: portOf(server),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  collect: () => Promise<Registry>,
): Promise<void> {
  if (request.url !== "/metrics") return void response.writeHead(404).end();
  if (request.method !== "GET") return void response.writeHead(405, { Allow: "GET" }).end();
  const registry = await collect();
  const text = await registry.metrics();
  response.writeHead(200, { "Content-Type": registry.contentType, "Cache-Control": "no-store" }).end(text);
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new OperatorError(
          `cannot listen on ${host}:${port} for metrics: ${cause.message}. Set METRICS_ADDRESS or METRICS_PORT.`,
          { cause },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
}
