import { spawn } from "node:child_process";
import { join } from "node:path";
import { type Home, homePaths } from "../../src/kernel/home.ts";

export interface Server extends AsyncDisposable {
  /** Throws for every answer but a success or a redirection. */
  post(path: string, options: RequestInit): Promise<void>;
}

/** The command line of one version, as installed in a folder, over one home. */
export class Program {
  readonly home: Home;
  readonly #command: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(project: string, home: string, env: Readonly<Record<string, string>>) {
    this.home = homePaths(home);
    this.#command = join(project, "bin/presence");
    this.#env = { PATH: "/usr/local/bin:/usr/bin:/bin", PRESENCE_HOME: home, ...env };
  }

  /** The standard output of a command that must succeed. */
  ok = async (...args: readonly string[]): Promise<string> => {
    const child = this.#start(args);
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    if (code !== 0) throw new Error(`presence ${args.join(" ")} ended with ${code}`);
    return output;
  };

  /** `presence serve`, once it listens. */
  async serve(): Promise<Server> {
    const child = this.#start(["serve"]);
    const ended = new Promise((resolve) => child.on("close", resolve));
    const url = await new Promise<string>((resolve, reject) => {
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        const address = / on (http:\S+)/.exec(said)?.[1];
        if (address !== undefined) resolve(address);
      });
      child.on("close", () => reject(new Error("the server ended before it listened")));
    });
    return {
      async post(path, options) {
        const { status } = await fetch(url + path, { method: "POST", redirect: "manual", ...options });
        if (status >= 400) throw new Error(`POST ${path}: ${status}`);
      },
      async [Symbol.asyncDispose]() {
        child.kill();
        await ended;
      },
    };
  }

  #start(args: readonly string[]) {
    return spawn(this.#command, args, { env: this.#env, stdio: ["ignore", "pipe", "inherit"] });
  }
}
