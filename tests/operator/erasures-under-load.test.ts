import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { Operator } from "../support/operations/operator.ts";
import { hasNginx, type RunningNginx, startNginx } from "../support/servers/nginx.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";
import {
  current,
  erased,
  FIRST,
  json,
  type Needles,
  recordIn,
  traces,
  twoTowns,
} from "../support/towns/two-towns.ts";
import { isTrial, repetitions } from "../support/trial.ts";

/** Ten opt-outs and fifty redactions while clients read through nginx: nothing is findable a minute after each. */

const OPT_OUTS = repetitions(10, 2);
const REDACTIONS = repetitions(50, 2);
const CLIENTS = 4;
const PAUSE_MS = isTrial ? 0 : 100; // of each client, between its requests
const MAX_SECONDS = 60;

const Purge = z.object({ removed: z.array(z.string()), changed: z.array(z.string()) });

describe.runIf(hasNginx())("erasures under load", () => {
  let operator: Operator;
  let server: DemoServer;
  let nginx: RunningNginx;
  let log = "";
  let failures = 0;
  let isOver = false;
  let clients: Promise<void>[] = [];

  beforeAll(async () => {
    operator = new Operator();
    await twoTowns(operator, { observations: 60 * OPT_OUTS + 10 * REDACTIONS, records: 4 * OPT_OUTS + 8 });
    server = await serveHome(operator.home.root, { onLog: (text) => (log += text) });
    const folder = join(operator.folder, "nginx");
    mkdirSync(folder);
    nginx = await startNginx(folder, Number(new URL(server.url).port), join(operator.home.current, "site"));
    await vi.waitFor(() => fetch(nginx.url), { timeout: 10_000 });
    clients = Array.from({ length: CLIENTS }, (_, at) => read(at));
  });

  afterAll(async () => {
    isOver = true;
    await Promise.all(clients);
    await nginx.stop();
    await server.stop();
    operator[Symbol.dispose]();
  });

  /** A client that reads files of the release one after the other. */
  async function read(start: number): Promise<void> {
    const paths = [
      "/",
      `/city/${FIRST}/`,
      "/api/v1/cities",
      `/pulse/${FIRST}/rss.xml`,
      `/city/${FIRST}/?sort=name`,
    ];
    for (let at = start; !isOver; at += 1) {
      const answer = await fetch(nginx.url + (paths[at % paths.length] ?? "/"));
      await answer.arrayBuffer();
      if (answer.status >= 500) failures += 1;
      await pause(PAUSE_MS);
    }
  }

  async function assertGone({ texts }: Needles, addresses: readonly string[]): Promise<void> {
    expect(traces(operator.home.releases, texts)).toEqual([]);
    for (const address of addresses) {
      const { pathname } = new URL(address);
      for (const base of [nginx.url, server.url])
        await expect
          .poll(async () => mentions(await (await fetch(base + pathname)).text(), texts), { timeout: 10_000 })
          .toEqual([]);
    }
  }

  const mentions = (text: string, texts: readonly string[]) => texts.filter((each) => text.includes(each));

  async function assertNotStored(texts: readonly string[]): Promise<void> {
    const { root } = operator.home;
    const files = ["night", "state"]
      .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
      .filter((name) => /\/(ledger|state)\.db|\.(log|json)$/.test(name));
    expect(files).toContain("night/ledger.db");
    for (const name of files) {
      const bytes = readFileSync(join(root, name));
      expect(
        texts.filter((text) => bytes.includes(text)),
        name,
      ).toEqual([]);
    }
    expect(mentions(log, texts)).toEqual([]);
  }

  test(`${OPT_OUTS} opt-outs`, async () => {
    for (let done = 0; done < OPT_OUTS; done += 1) {
      const needles = recordIn(operator, FIRST, done % 2);
      const { purge, release_seconds } = await erased(operator, ["opt-out", needles.publicId]);
      expect(release_seconds).toBeLessThan(MAX_SECONDS);
      const { removed, changed } = Purge.parse(JSON.parse(readFileSync(purge.file, "utf8")));
      await assertGone(needles, [...removed, ...changed]);
      await assertNotStored(needles.texts);
    }
  }, 3_600_000);

  test(`${REDACTIONS} redactions`, async () => {
    for (let done = 0; done < REDACTIONS; done += 1) {
      const { publicId } = recordIn(operator, FIRST, 0);
      const [row] = json(current(operator), `api/v1/observations/${publicId}.json`).observations;
      const texts = [String(row.ledger_hash)];
      const { purge, release_seconds } = await erased(operator, ["redact", String(row.id)]);
      expect(release_seconds).toBeLessThan(MAX_SECONDS);
      const { removed, changed } = Purge.parse(JSON.parse(readFileSync(purge.file, "utf8")));
      await assertGone({ publicId, texts }, [...removed, ...changed]);
    }
  }, 3_600_000);

  test("nobody was turned away meanwhile", () => {
    expect(failures).toBe(0);
    expect(existsSync(operator.home.current)).toBe(true);
  });
});
