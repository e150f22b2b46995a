import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import type { State } from "../../../src/state/open-state.ts";
import type { TestState } from "./stores.ts";

const Numbers = z.array(z.number());

/** Opens the state and does what it is sent, one function after the other. */
function program({ url, home, time }: TestState): string {
  const module = JSON.stringify(new URL("../../../src/state/open-state.ts", import.meta.url).href);
  const options = `{ clock: () => ${time} }`;
  const secret = JSON.stringify(new URL("../../../src/kernel/secret.ts", import.meta.url).href);
  const database = url === undefined ? "undefined" : `new Secret(${JSON.stringify(url)})`;
  return `import { openState } from ${module};
    import { Secret } from ${secret};
    const state = await openState(${database}, ${JSON.stringify(home)}, ${options});
    process.on("message", async ([work, argument]) => process.send(await eval(work)(state, argument)));
    process.send([]);`;
}

/** For tests: processes that have a state open and work on it at the same time. */
export class StateProcesses implements AsyncDisposable {
  readonly #children: readonly ChildProcess[];

  private constructor(children: readonly ChildProcess[]) {
    this.#children = children;
  }

  static async start(test: TestState, count: number): Promise<StateProcesses> {
    const children = Array.from({ length: count }, () =>
      spawn(process.execPath, ["--input-type=module", "-e", program(test)], {
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      }),
    );
    await Promise.all(children.map(answer));
    return new StateProcesses(children);
  }

  /** In every process at once; each is told its number. `work` is sent as text, so it sees nothing but its arguments. */
  all(work: (state: State, number: number) => Promise<number[]>): Promise<number[][]> {
    return Promise.all(
      this.#children.map((child, number) => {
        child.send([`(${work})`, number]);
        return answer(child);
      }),
    );
  }

  /** Kills the first process with -9 as soon as `work` has sent an answer of its own, and returns that answer. */
  async killedAfter(work: (state: State) => Promise<number[]>): Promise<number[]> {
    const [child] = this.#children;
    if (child === undefined) throw new Error("no process");
    child.send([`(${work})`]);
    const numbers = await answer(child);
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    return numbers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
  }
}

async function answer(child: ChildProcess): Promise<number[]> {
  const exited = once(child, "exit").then(() => {
    throw new Error("the process ended before it answered");
  });
  const [message] = await Promise.race([once(child, "message"), exited]);
  return Numbers.parse(message);
}
