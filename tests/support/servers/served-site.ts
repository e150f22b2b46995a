import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import type { Config } from "../../../src/kernel/config/config.ts";
import type { RunningServer, ServerDeps } from "../../../src/server/main.ts";
import { openState, type State } from "../../../src/state/open-state.ts";
import { TestSite } from "../release/site.ts";

interface Options {
  readonly config?: Partial<Config>;
  readonly deps?: Partial<ServerDeps>;
  /** In place of publishing a release. */
  readonly prepare?: (site: TestSite) => void;
}

/** For tests: one server over a small release for all tests of a file or group, and the state that it writes. */
export class ServedSite {
  readonly site = new TestSite();
  /** What the server logged, a line of JSON each. */
  readonly lines: string[] = [];
  #server: RunningServer | undefined;
  #state: State | undefined;
  #callers = 0;

  constructor({ config = {}, deps = {}, prepare = (site) => void site.publish() }: Options = {}) {
    const note = (event: string, fields?: object) => void this.lines.push(JSON.stringify([event, fields]));
    beforeAll(async () => {
      prepare(this.site);
      const log = { info: note, error: note };
      this.#server = await this.site.serve({ trustedProxies: 1, ...config }, { log, ...deps });
      this.#state = await openState(undefined, this.site.home);
    });
    afterAll(async () => {
      await this.#state?.close();
      await this.#server?.stop();
      this.site[Symbol.dispose]();
    });
  }

  get server(): RunningServer {
    if (this.#server === undefined) throw new Error("not served yet");
    return this.#server;
  }

  get state(): State {
    if (this.#state === undefined) throw new Error("not opened yet");
    return this.#state;
  }

  /** Every call comes from an address of its own unless it says otherwise. */
  call(path: string, { headers, ...options }: RequestInit = {}): Promise<Response> {
    this.#callers += 1;
    const address = `10.${this.#callers >> 16}.${(this.#callers >> 8) & 255}.${this.#callers & 255}`;
    return fetch(this.server.url + path, {
      redirect: "manual",
      ...options,
      headers: { "X-Forwarded-For": address, ...Object.fromEntries(new Headers(headers)) },
    });
  }

  /** A text is sent as it is; without a body, none is. */
  post(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    if (body === undefined) return this.call(path, { method: "POST", headers });
    return this.call(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  form(
    path: string,
    fields: Readonly<Record<string, string>> | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return this.call(path, { method: "POST", headers, body: new URLSearchParams(fields) });
  }
}

/** The message of an error in the service's one form. */
export async function errorOf(answer: Response): Promise<string> {
  return z.looseObject({ error: z.string() }).parse(await answer.json()).error;
}
