import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { installDebianPackages } from "../../../build-scripts/ensure-browser.ts";
import { freePort } from "../../../src/kernel/port.ts";

const DEBIAN_VERSIONS = "/usr/lib/postgresql";
const START_MS = 20_000;

/** For a cluster that is thrown away: nothing in it has to survive a power cut. */
const SETTINGS = ["fsync=off", "full_page_writes=off", "listen_addresses=127.0.0.1", "max_connections=100"];

/** A PostgreSQL server of its own, in a temporary folder on a free port, that ends with the tests. */
export class PostgresCluster implements AsyncDisposable {
  readonly url: string;
  readonly #folder: string;
  readonly #server: ChildProcess;

  private constructor(url: string, folder: string, server: ChildProcess) {
    this.url = url;
    this.#folder = folder;
    this.#server = server;
  }

  /** Installs PostgreSQL from Debian's packages when it is missing and we are root; undefined where it cannot be had. */
  static async start(): Promise<PostgresCluster | undefined> {
    if (programs() === undefined) await installDebianPackages("postgresql");
    const bin = programs();
    const user = unprivilegedUser();
    if (bin === undefined || user === undefined) return undefined;
    const folder = mkdtempSync(join(tmpdir(), "presence-postgres-"));
    if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
    const data = join(folder, "data");
    const made = spawnSync(
      join(bin, "initdb"),
      ["--pgdata", data, "--username", "presence", "--auth", "trust", "--encoding", "UTF8", "--no-sync"],
      { ...user, cwd: folder, encoding: "utf8" },
    );
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
    const port = await freePort();
    const options = [...SETTINGS, `port=${port}`, `unix_socket_directories=${folder}`];
    const server = spawn(join(bin, "postgres"), ["-D", data, ...options.flatMap((one) => ["-c", one])], {
      ...user,
      cwd: folder,
      stdio: "ignore",
    });
    const cluster = new PostgresCluster(`postgres://presence@127.0.0.1:${port}/postgres`, folder, server);
    await cluster.#answering();
    return cluster;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.exitCode === null) {
      const exited = once(this.#server, "exit");
      this.#server.kill("SIGINT"); // "fast shutdown": does not wait for clients
      await exited;
    }
    rmSync(this.#folder, { recursive: true });
  }

  async #answering(): Promise<void> {
    const giveUp = Date.now() + START_MS;
    for (;;) {
      const client = new pg.Client({ connectionString: this.url });
      try {
        await client.connect();
        await client.end();
        return;
      } catch (error) {
        if (this.#server.exitCode !== null || Date.now() > giveUp) throw error;
        await sleep(50);
      }
    }
  }
}

/** The folder of the newest version's programs. */
function programs(): string | undefined {
  if (!existsSync(DEBIAN_VERSIONS)) return undefined;
  const versions = readdirSync(DEBIAN_VERSIONS).sort((one, other) => Number(other) - Number(one));
  return versions
    .map((version) => join(DEBIAN_VERSIONS, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
}

/** PostgreSQL does not run as root; Debian's package brings a user for it. */
function unprivilegedUser(): { uid?: number; gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  const id = (option: string) => spawnSync("id", [option, "postgres"], { encoding: "utf8" });
  const [uid, gid] = [id("-u"), id("-g")];
  return uid.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined;
}
