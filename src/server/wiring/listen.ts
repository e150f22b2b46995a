import type { Server } from "node:http";
import type { Config } from "../../kernel/config/config.ts";
import { OperatorError } from "../../kernel/errors.ts";

const GRACE_MS = 10_000;
const IDLE_CHECK_MS = 50;

/** Rejects with OperatorError when the address is taken. */
export function listen(
  server: Server,
  config: Pick<Config, "host" | "port">,
): Promise<{ url: string; port: number }> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const message = `cannot listen on ${config.host}:${config.port}: ${cause.message}. Set HOST or PORT.`;
      reject(new OperatorError(message, { cause }));
    });
    server.listen(config.port, config.host, () => {
      const bound = server.address();
      if (bound === null || typeof bound === "string") return reject(new Error("the server has no address"));
      const { address, family, port } = bound;
      resolve({ url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`, port });
    });
  });
}

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
