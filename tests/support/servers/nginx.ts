/** Debian's nginx with the configuration of deploy/nginx, in front of a server. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../src/kernel/port.ts";
import { PROJECT } from "../operations/presence-process.ts";

export function hasNginx(): boolean {
  return spawnSync("nginx", ["-v"]).status === 0;
}

export interface RunningNginx {
  readonly url: string;
  stop(): Promise<void>;
}

/** `root`: the folder of the files, `current/site`; `folder`: for logs and temporary files. */
export async function startNginx(folder: string, nodePort: number, root: string): Promise<RunningNginx> {
  const port = await freePort();
  symlinkSync(join(PROJECT, "deploy", "nginx"), join(folder, "presence"));
  writeFileSync(join(folder, "nginx.conf"), configuration(folder, port, nodePort, root));
  const nginx = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const ended = once(nginx, "exit");
      nginx.kill("SIGTERM");
      await ended;
    },
  };
}

/** The zones of limits.conf, too wide to stop the clients of a test. */
const ROOMY_LIMITS = `
      limit_req_zone $binary_remote_addr zone=presence_requests:1m rate=100000r/s;
      limit_conn_zone $binary_remote_addr zone=presence_client_connections:1m;
      limit_conn_zone $server_name zone=presence_connections:1m;`;

/** What Debian's own nginx.conf would be, and the part of example.conf that names places. */
function configuration(folder: string, port: number, nodePort: number, root: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; user root; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    events { }
    http {
      ${temporary.join(" ")}
      include presence/http.conf;
      ${ROOMY_LIMITS}
      access_log ${folder}/access.log presence;
      upstream presence_node { server 127.0.0.1:${nodePort} max_fails=0; keepalive 4; }
      server { listen 127.0.0.1:${port}; server_name example.org; root ${root}; include presence/site.conf; }
    }`;
}
