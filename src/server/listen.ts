import type { Server } from "node:http";
import { OperatorError } from "../kernel/errors.ts";

/** Rejects with OperatorError, which names the settings to change, when the address is taken. */
export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  settings = "HOST or PORT",
): Promise<{ url: string; port: number }> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const message = `cannot listen on ${host}:${port}: ${cause.message}. Set ${settings}.`;
      reject(new OperatorError(message, { cause }));
    });
    server.listen(port, host, () => {
      const bound = server.address();
      if (bound === null || typeof bound === "string") return reject(new Error("the server has no address"));
      const { address, family } = bound;
      resolve({
        url: `http://${family === "IPv6" ? `[${address}]` : address}:${bound.port}`,
        port: bound.port,
      });
    });
  });
}
