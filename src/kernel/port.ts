import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** The TCP port that a server listens on. Throws while it does not listen, or listens on a path. */
export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no address");
  return address.port;
}

/** A free port on loopback, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  server.close();
  await once(server, "close");
  return port;
}
