import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LOCKFILE = "package-lock.json";
const PACKAGES = "node_modules";

/** Another commit in a temporary git worktree, able to run; disposing removes it. */
export class OtherTree implements Disposable {
  readonly folder: string;
  readonly revision: string;
  /** For files of both sides' benches, removed with the tree. */
  readonly scratch: string;
  readonly #project: string;
  readonly #parent: string;

  /** Throws when the commit does not exist or its packages cannot be installed. */
  constructor(project: string, ref: string) {
    this.#project = project;
    this.revision = this.#git("rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`);
    this.#parent = mkdtempSync(join(tmpdir(), "presence-against-"));
    this.folder = join(this.#parent, "tree");
    this.scratch = join(this.#parent, "scratch");
    try {
      mkdirSync(this.scratch);
      this.#git("worktree", "add", "--quiet", "--detach", this.folder, this.revision);
      this.#installPackages();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Packages of the same lockfile are the same. */
  #installPackages(): void {
    const lockfile = (folder: string) => readFileSync(join(folder, LOCKFILE), "utf8");
    if (lockfile(this.folder) === lockfile(this.#project))
      symlinkSync(join(this.#project, PACKAGES), join(this.folder, PACKAGES));
    else run("npm", "--prefix", this.folder, "ci");
  }

  #git(...args: readonly string[]): string {
    return run("git", "-C", this.#project, "-c", "core.hooksPath=/dev/null", ...args);
  }

  /** A worktree whose folder is gone is forgotten by `prune`, also one that an earlier, killed run left. */
  [Symbol.dispose](): void {
    rmSync(this.#parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    this.#git("worktree", "prune");
  }
}

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}
