import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../../activity/client-class.ts";
import { PublicError } from "../../kernel/errors.ts";
import { sendError } from "../http/errors.ts";

/**
 * Bounds that slow and greedy clients meet at the socket: the number of connections, in all and of one client, and the time
 * to take what was sent. Time limits for what a client sends are Node's own (`requestTimeout`, `headersTimeout`).
 */

export interface ConnectionLimits {
  readonly total: number;
  /** Of one network address, IPv6 by its /64; undefined behind a proxy, which holds all connections. */
  readonly perClient: number | undefined;
  /** How long a client may leave a piece of an answer untaken, in ms. */
  readonly writeMs: number;
  /** How often that is checked, in ms. */
  readonly checkMs: number;
}

interface Stall {
  readonly mark: string;
  readonly since: number;
}

/** Applies the limits to a server until it closes. `now`: a clock in ms that never goes back. */
export function guardConnections(
  server: Server,
  limits: ConnectionLimits,
  now = () => performance.now(),
): void {
  const clients = new Map<string, number>();
  const stalls = new Map<Socket, Stall | undefined>();
  server.maxConnections = limits.total;
  server.on("connection", (socket: Socket) => {
    const client = networkOf(socket.remoteAddress ?? "");
    const open = (clients.get(client) ?? 0) + 1;
    if (limits.perClient !== undefined && open > limits.perClient) return void socket.destroy();
    clients.set(client, open);
    stalls.set(socket, undefined);
    socket.once("close", () => {
      stalls.delete(socket);
      const left = (clients.get(client) ?? 1) - 1;
      if (left === 0) clients.delete(client);
      else clients.set(client, left);
    });
  });
  const timer = setInterval(() => closeStalled(stalls, limits.writeMs, now()), limits.checkMs).unref();
  server.once("close", () => clearInterval(timer));
}

/** Destroys each socket with unsent bytes whose client has taken none of them for `writeMs`. */
function closeStalled(stalls: Map<Socket, Stall | undefined>, writeMs: number, now: number): void {
  for (const [socket, last] of stalls) {
    if (socket.writableLength === 0) {
      if (last !== undefined) stalls.set(socket, undefined);
      continue;
    }
    const mark = `${socket.bytesWritten}:${socket.writableLength}`;
    if (last?.mark !== mark) stalls.set(socket, { mark, since: now });
    else if (now - last.since >= writeMs) socket.destroy();
  }
}

/** Caps the requests that one client has under way. Behind a proxy, which holds the connections, it replaces the cap on these. */

/** Answers 429 when the client already has `max` requests under way. */
export function capRequestsUnderWay(
  app: RequestListener,
  max: number,
  clientOf: (request: IncomingMessage) => string,
): RequestListener {
  const underWay = new Map<string, number>();
  return (request, response) => {
    const client = clientOf(request);
    const count = (underWay.get(client) ?? 0) + 1;
    if (count > max) {
      response.setHeader("Connection", "close"); // a body that nobody reads must not become the next request
      return sendError(request, response, refusal(max));
    }
    underWay.set(client, count);
    response.once("close", () => {
      const left = (underWay.get(client) ?? 1) - 1;
      if (left === 0) underWay.delete(client);
      else underWay.set(client, left);
    });
    app(request, response);
  };
}

function refusal(max: number): PublicError {
  return new PublicError(429, `at most ${max} requests per client can run at the same time: retry in 1 s`, {
    retry_after_s: 1,
  });
}
