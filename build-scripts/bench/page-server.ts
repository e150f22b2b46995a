/**
 * The server as it is, over the home and with the compiled pages that it is given: `page-server.ts <home> <program>`. Prints its port on a
 * line, and on SIGUSR2 the seconds that a core has worked for it. It takes the client's address from a header, so that whoever loads it stays within the rate limit.
 */

import { configFrom } from "../../src/kernel/config/config.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { startServer } from "../../src/server/main.ts";
import { PageProgram } from "../../src/site/page-program.ts";

const [home = "", program = ""] = process.argv.slice(2);
const config = configFrom({ PRESENCE_HOME: home, PORT: "0", TRUSTED_PROXIES: "1" });
const { port } = await startServer(config, { log: silentLog, pages: await PageProgram.load(program) });
process.stdout.write(`${port}\n`);
process.on("SIGUSR2", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${(user + system) / 1e6}\n`);
});
process.on("SIGTERM", () => process.exit(0));
