/** Repositories of restic (https://restic.net): encrypted, incremental, in a folder or an S3-compatible store. Debian's program is run. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import type { Config, RepositorySettings } from "../../../kernel/config/config.ts";
import { COMMAND_PATH } from "../../../kernel/config/environment.ts";
import { hasErrorCode, OperatorError } from "../../../kernel/errors.ts";

/** The kinds of snapshots, restic's tags. */
const Kind = z.enum(["ledger", "state", "keys", "report"]);
export type Kind = z.infer<typeof Kind>;

export interface Snapshot {
  readonly id: string;
  readonly kind: Kind;
  readonly at: number; // ms
}

interface Edges {
  readonly cache: string; // folder
  readonly s3: NonNullable<Config["backup"]>["s3"];
}

interface RunOptions {
  readonly cwd?: string;
  readonly signal?: AbortSignal | undefined;
}

const HOST = "presence"; // one name, so that a new machine continues the backups of a lost one
const NO_LOCK = "--no-lock"; // a reader, root for instance, leaves nothing that its owner could not remove
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const Snapshots = z
  .array(z.object({ id: z.string(), tags: z.tuple([Kind]), time: z.iso.datetime({ offset: true }) }))
  .nullable();

const run = promisify(execFile);

export class Repository {
  readonly name: string;
  readonly #passwordFile: string;
  readonly #edges: Edges;

  constructor({ repository, passwordFile }: RepositorySettings, edges: Edges) {
    this.name = repository;
    this.#passwordFile = passwordFile;
    this.#edges = edges;
  }

  async create(): Promise<void> {
    await this.#restic(["init"]);
  }

  async exists(): Promise<boolean> {
    try {
      await this.#restic(["cat", "config", NO_LOCK]);
      return true;
    } catch (error) {
      if (error instanceof MissingRepository) return false;
      throw error;
    }
  }

  /** Stores the content of a folder. */
  async store(kind: Kind, folder: string, signal?: AbortSignal): Promise<void> {
    await this.#restic(["backup", "--host", HOST, "--tag", kind, "."], { cwd: folder, signal });
  }

  /** In no order. */
  async snapshots(): Promise<Snapshot[]> {
    const text = await this.#restic(["snapshots", "--json", "--host", HOST, NO_LOCK]);
    const all = Snapshots.parse(JSON.parse(text)) ?? [];
    return all.map(({ id, tags: [kind], time }) => ({ id, kind, at: Date.parse(time) }));
  }

  /** The newest snapshot of a kind. */
  async newest(kind: Kind): Promise<Snapshot | undefined> {
    const all = await this.snapshots();
    return all.filter((snapshot) => snapshot.kind === kind).sort((a, b) => b.at - a.at)[0];
  }

  /** Puts the content of a snapshot into a folder. */
  async restore({ id }: Snapshot, folder: string): Promise<void> {
    await this.#restic(["restore", id, "--target", folder, NO_LOCK]);
  }

  /** Removes snapshots, and every object that no other one needs. */
  async remove(snapshots: readonly Snapshot[]): Promise<void> {
    await this.#restic(["unlock"]); // the locks of killed processes only
    if (snapshots.length > 0) await this.#restic(["forget", ...snapshots.map(({ id }) => id)]);
    await this.#restic(["prune", "--max-unused", "0"]);
  }

  /** Checks that every object is there with its size, and of one part of all also that its content has its hash. */
  async check(part: number, parts: number): Promise<void> {
    await this.#restic(["unlock"]);
    await this.#restic(["check", `--read-data-subset=${part}/${parts}`]);
  }

  async #restic(args: readonly string[], { cwd, signal }: RunOptions = {}): Promise<string> {
    const env = this.#environment();
    const limits = { maxBuffer: MAX_OUTPUT_BYTES, killSignal: "SIGKILL" } as const;
    try {
      return (await run("restic", ["--quiet", ...args], { cwd, signal, env, ...limits })).stdout;
    } catch (error) {
      throw explained(error, this.name, args[0] ?? "");
    }
  }

  /** All that restic gets of the environment. */
  #environment() {
    const { cache, s3 } = this.#edges;
    return {
      PATH: COMMAND_PATH,
      RESTIC_REPOSITORY: this.name,
      RESTIC_PASSWORD_FILE: this.#passwordFile,
      RESTIC_CACHE_DIR: cache,
      ...(s3.keyId && { AWS_ACCESS_KEY_ID: s3.keyId }),
      ...(s3.secret && { AWS_SECRET_ACCESS_KEY: s3.secret.reveal() }),
    };
  }
}

class MissingRepository extends OperatorError {}

function explained(error: unknown, name: string, what: string): unknown {
  if (!(error instanceof Error) || error.name === "AbortError") return error;
  if (hasErrorCode(error, "ENOENT"))
    return new OperatorError("restic is not installed: run `apt-get install restic`", { cause: error });
  const said = "stderr" in error ? String(error.stderr).trim() : "";
  if (/config file.*(no such file|does not exist)|Is there a repository/is.test(said))
    return new MissingRepository(
      `${name}: there is no repository: check BACKUP_REPOSITORY and BACKUP_KEYS_REPOSITORY (is the disk mounted?), or make them once with \`presence backup init\``,
      { cause: error },
    );
  const reason = said.split("\n").slice(-3).join(" ") || error.message;
  return new OperatorError(`${name}: restic ${what} failed: ${reason}`, { cause: error });
}
