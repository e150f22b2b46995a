/**
 * The processes that the delivery bench sends to: `delivery-server.ts sink` takes webhooks; `counted <home>` is the server as it is, which
 * writes its counts to the state of that home; `uncounted <home>` is the same server with nothing noted. Prints its port on a line.
 */

import { createServer } from "node:http";
import { Activity } from "../../src/activity/activity.ts";
import { configFrom } from "../../src/kernel/config/config.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { portOf } from "../../src/kernel/port.ts";
import { startServer } from "../../src/server/main.ts";

async function site(home: string): Promise<number> {
  const pages = { render: () => Promise.reject(new Error("no page is asked for")) };
  const config = configFrom({ PRESENCE_HOME: home, PORT: "0" });
  return (await startServer(config, { log: silentLog, pages })).port;
}

function sink(): Promise<number> {
  const server = createServer((request, response) => {
    request.on("end", () => response.writeHead(204).end()).resume();
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(portOf(server))));
}

const [mode = "", home = ""] = process.argv.slice(2);
if (mode === "uncounted") Activity.prototype.answered = () => undefined;
process.stdout.write(`${mode === "sink" ? await sink() : await site(home)}\n`);
