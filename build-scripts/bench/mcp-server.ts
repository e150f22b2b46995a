/**
 * The process that the MCP bench sends its requests to: `mcp-server.ts <snapshot.db>` is the endpoint without its rate
 * limit; `mcp-server.ts --bare <bytes>` is what node:http alone takes to read a JSON message and answer as many bytes.
 * Prints its port on a line. On SIGUSR2 it prints its resident memory in MB.
 */

import { createServer, type RequestListener } from "node:http";
import { silentLog } from "../../src/kernel/log.ts";
import { portOf } from "../../src/kernel/port.ts";
import { McpService } from "../../src/mcp/service.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import { answerMcp } from "../../src/server/mcp-route.ts";

const UNLIMITED = { take: () => Promise.resolve({ headers: [], retryAfter: undefined }) };
const EVERYBODY = { take: () => Promise.resolve({ retryAfter: undefined, client: undefined }) };

function endpoint(snapshot: string): RequestListener {
  const context = contextAt(snapshot);
  const service = new McpService({ baseUrl: "http://127.0.0.1", log: silentLog, context: () => context });
  const parts = { service, limiter: UNLIMITED, admission: EVERYBODY, hosts: new Set(["127.0.0.1"]) };
  return (request, response) => {
    answerMcp(parts, request, response).catch(() => response.destroy());
  };
}

function bare(bytes: number): RequestListener {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, result: "x".repeat(bytes) });
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString("utf8"));
      response.writeHead(200, { "Content-Type": "application/json" }).end(body);
    });
  };
}

const [first = "", second = ""] = process.argv.slice(2);
const server = createServer(first === "--bare" ? bare(Number(second)) : endpoint(first));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${portOf(server)}\n`));
process.on("SIGUSR2", () => process.stdout.write(`${process.memoryUsage().rss / 1e6}\n`));
process.on("SIGTERM", () => process.exit(0));
