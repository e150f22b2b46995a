import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { installDebianPackages } from "../../../build-scripts/ensure-browser.ts";
import { PROJECT } from "../operations/presence-process.ts";

const run = promisify(execFile);

/** Where Debian's packages of Go libraries lie. */
const GOPATH = "/usr/share/gocode";

export interface Verdict {
  readonly code: number | null;
  readonly subjects: readonly string[]; // of the faults, each once
  readonly output: string;
}

/** The verifier in tests/go, which shares no code with the project, compiled. */
export class GoVerifier implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "presence-go-"));
  readonly #program = join(this.#folder, "verify-release");
  /** Go's own cache, so that nothing is left behind in the user's. */
  readonly cache = join(this.#folder, "cache");

  /** Undefined, and said so, where Go or its sumdb packages are not there and cannot be installed. */
  static async compiled(): Promise<GoVerifier | undefined> {
    if (!(await isGoThere())) await installDebianPackages("golang-go", "golang-golang-x-mod-dev");
    if (!(await isGoThere())) {
      process.stderr.write(
        "The independent verifier is not run: it needs Debian's packages golang-go and golang-golang-x-mod-dev.\n",
      );
      return undefined;
    }
    const verifier = new GoVerifier();
    const settings = ["GO111MODULE=off", `GOPATH=${GOPATH}`, `GOCACHE=${verifier.cache}`];
    const build = ["go", "build", "-o", verifier.#program, "./tests/go/verify-release"];
    await run("env", [...settings, ...build], { cwd: PROJECT });
    return verifier;
  }

  /** Checks a folder or a URL, after the options if any. */
  verify(...args: readonly string[]): Promise<Verdict> {
    return new Promise((resolve) => {
      const child = execFile(this.#program, args, { maxBuffer: 2 ** 26 }, (_error, stdout, stderr) => {
        const subjects = stdout.match(/(?<=^FAULT {2}).*?(?=: )/gm) ?? [];
        resolve({ code: child.exitCode, subjects: [...new Set(subjects)], output: stdout + stderr });
      });
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true });
  }
}

async function isGoThere(): Promise<boolean> {
  if (!existsSync(join(GOPATH, "src/golang.org/x/mod/sumdb/tlog"))) return false;
  return run("go", ["version"]).then(
    () => true,
    () => false,
  );
}
