import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, inject } from "vitest";
import { homePaths } from "../../../src/kernel/home.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import type { SubscriptionWish } from "../../../src/state/delivery/subscription-requests.ts";
import { openState, type State } from "../../../src/state/open-state.ts";

/** For tests: a state on one of the two engines, in a home of its own, with a clock that only the test moves. */
export class TestState implements AsyncDisposable {
  readonly home = homePaths(mkdtempSync(join(tmpdir(), "state-")));
  readonly url: string | undefined;
  time: number;
  #state: State | undefined;

  private constructor(url: string | undefined, start: string) {
    this.url = url;
    this.time = Date.parse(start);
  }

  static async open(engine: EngineName, start = "2026-05-01T12:00:00Z"): Promise<TestState> {
    const test = await TestState.unopened(engine, start);
    test.#state = await test.another();
    return test;
  }

  /** A home, and on PostgreSQL an empty database: nothing else yet. */
  static async unopened(engine: EngineName, start = "2026-05-01T12:00:00Z"): Promise<TestState> {
    return new TestState(engine === "sqlite" ? undefined : await newDatabase(), start);
  }

  get state(): State {
    if (this.#state === undefined) throw new Error("not opened");
    return this.#state;
  }

  pass(ms: number): void {
    this.time += ms;
  }

  /** The state through a connection of its own, as another process has it. */
  another(): Promise<State> {
    return openState(this.url === undefined ? undefined : new Secret(this.url), this.home, {
      clock: () => this.time,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#state?.close();
    rmSync(this.home.root, { recursive: true });
  }
}

export type EngineName = "sqlite" | "postgres";

/** Runs the tests on SQLite, and on PostgreSQL where there is one. */
export function describeOnBoth(name: string, tests: (engine: EngineName) => void): void {
  const engines: EngineName[] = inject("postgresUrl") === undefined ? ["sqlite"] : ["sqlite", "postgres"];
  describe.each(engines)(`${name} on %s`, tests);
}

async function newDatabase(): Promise<string> {
  const server = inject("postgresUrl");
  if (server === undefined) throw new Error("no PostgreSQL");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return Object.assign(new URL(server), { pathname: name }).href;
}

/** Opened before the first test of a group and closed after the last: tests that need nothing of their own share it. */
export function sharedState(engine: EngineName): { readonly test: TestState } {
  let opened: TestState | undefined;
  beforeAll(async () => {
    opened = await TestState.open(engine);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  return {
    get test() {
      if (opened === undefined) throw new Error("not opened yet");
      return opened;
    },
  };
}

/** A subscription to every record of a city, by email. */
export const WISH: Omit<SubscriptionWish, "email"> = {
  city: "toronto",
  channel: "email",
  entityPublicId: null,
  industryCode: null,
  eventTypes: null,
  minConfidence: 0.6,
  webhookUrl: null,
};
