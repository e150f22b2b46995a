import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { matchRelease } from "../../src/accounts/delivery/match-events.ts";
import { enqueueVerification } from "../../src/accounts/delivery/messages.ts";
import { isoTime } from "../../src/kernel/time.ts";
import { type Program, quickStart, WRITTEN } from "../../src/render/reference/quick-start.ts";
import { DeliveryWorld, fakeRelease } from "../support/delivery/delivery-town.ts";
import { PROJECT } from "../support/operations/presence-process.ts";
import { DEMO_BASE_URL, type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** The programs of docs/quick-start.md, which the page /developers/ shows, run as a reader runs them. */

const RUN: Readonly<Record<string, readonly [program: string, file: string, ...options: string[]]>> = {
  curl: ["sh", "program.sh", "-eu"],
  JavaScript: [process.execPath, "program.mjs"],
  Python: ["python3", "program.py"],
};
const page = readFileSync(join(PROJECT, "docs/quick-start.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "snippets-"));
afterAll(() => rmSync(folder, { recursive: true }));

function isInstalled(program: string, option: string): boolean {
  try {
    execFileSync(program, [option], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
const missing = [
  ...(isInstalled("curl", "--version") ? [] : ["curl"]),
  ...(isInstalled("python3", "--version") ? [] : ["Python"]),
];

/** Where a program lies, and how it is called. */
function written({ language, code }: Program): { command: string; args: string[]; cwd: string } {
  const [command, file, ...options] = RUN[language] ?? ["", ""];
  const cwd = mkdtempSync(join(folder, "reader-"));
  writeFileSync(join(cwd, file), code);
  return { command, args: [...options, file], cwd };
}

function run(program: Program): Promise<{ isOk: boolean; stdout: string; stderr: string }> {
  const { command, args, cwd } = written(program);
  return new Promise((resolve) => {
    execFile(command, args, { cwd }, (error, stdout, stderr) =>
      resolve({ isOk: error === null, stdout, stderr }),
    );
  });
}

function programsOf(values: typeof WRITTEN, id: string): readonly Program[] {
  return quickStart(page, values).find((step) => step.id === id)?.programs ?? [];
}

/** The blocks of a page by their label, as a reader copies them. */
function blocksOf(html: string): ReadonlyMap<string, string> {
  const blocks = html.matchAll(/<pre class="code"[^>]* aria-label="([^"]*)"[^>]*><code>([^<]*)<\/code>/g);
  return new Map([...blocks].map(([, label = "", text = ""]) => [plain(label), plain(text)]));
}

const SIGNS: Readonly<Record<string, string>> = {
  "#34": '"',
  "#39": "'",
  amp: "&",
  gt: ">",
  lt: "<",
  quot: '"',
};
function plain(html: string): string {
  return html.replace(/&([#\w]+);/g, (_, name: string) => SIGNS[name] ?? "");
}

describe("against a served release", () => {
  let server: DemoServer;
  let blocks: ReadonlyMap<string, string>;
  beforeAll(async () => {
    server = await serveHome(inject("demoHome"));
    // The first search starts a thread; on a busy machine that takes longer than a read may.
    const search = `${server.url}/api/v1/search?name=${encodeURIComponent(WRITTEN.name)}`;
    await vi.waitFor(async () => expect((await fetch(search)).status).toBe(200), { timeout: 60_000 });
    blocks = blocksOf(await (await fetch(`${server.url}/developers/`)).text());
  });
  afterAll(() => server.stop());

  const steps = quickStart(page, WRITTEN).filter(({ id }) => id !== "receive-webhooks");
  const cases = steps.flatMap(({ title, programs }) => programs.map(({ language }) => ({ title, language })));

  /** As the page of the release shows it. */
  function shown({ title, language }: (typeof cases)[number]): Program {
    const code = blocks.get(`${title}, in ${language}`);
    if (code === undefined) throw new Error(`not on the page: ${title} in ${language}`);
    expect(code).toContain(DEMO_BASE_URL);
    return { language, code: code.replaceAll(DEMO_BASE_URL, server.url) };
  }

  test("there is a program for each thing in JavaScript and in Python", () => {
    expect(cases.map(({ language }) => language).toSorted()).toEqual([
      ...["JavaScript", "JavaScript", "JavaScript"],
      ...["Python", "Python", "Python"],
      ...["curl", "curl", "curl"],
    ]);
  });

  test.for(cases)("$title, in $language, prints what the page says", async (given, { skip }) => {
    skip(missing.includes(given.language), `no ${given.language} here`);
    const { isOk, stdout, stderr } = await run(shown(given));
    expect(isOk, stderr).toBe(true);
    const [before = "", after] = (
      blocks.get(`What it prints: ${given.title}, in ${given.language}`) ?? ""
    ).split("\n…\n");
    expect(before).not.toBe("");
    if (after === undefined) expect(stdout).toBe(`${before}\n`);
    else expect([stdout.startsWith(`${before}\n`), stdout.endsWith(`\n${after}\n`)]).toEqual([true, true]);
  });

  test("those that search look at the total first, and say what nothing means", async ({ skip }) => {
    for (const { language, code } of steps.flatMap(({ programs }) => programs)) {
      const [, answered] = code.split(/api\/v1\/(?:search|city)/);
      if (answered === undefined) continue;
      expect(answered.indexOf("total_count")).toBeGreaterThan(0);
      for (const used of ["public_id", "rankings"].map((member) => answered.indexOf(member)))
        expect(used === -1 || used > answered.indexOf("total_count"), language).toBe(true);
    }
    skip(missing.includes("Python"), "no Python here");
    const unknown = shown({ title: "Find a record and read its evidence", language: "Python" });
    const code = unknown.code.replace(/^NAME = .*$/m, 'NAME = "Nobody Was Ever Called This"');
    const { isOk, stdout, stderr } = await run({ ...unknown, code });
    expect([isOk, stdout]).toEqual([false, "records found: 0\n"]);
    expect(stderr).toContain("which proves nothing about the business");
  });

  test("the call of the MCP server answers what both pages say", async () => {
    const agents = blocksOf(await (await fetch(`${server.url}/agents/`)).text());
    const call = agents.get("tools/call, by hand")?.replaceAll(DEMO_BASE_URL, server.url) ?? "";
    const { isOk, stdout, stderr } = await run({ language: "curl", code: call });
    expect(isOk, stderr).toBe(true);
    const { structuredContent } = JSON.parse(stdout).result;
    for (const shownBy of [agents, blocks])
      expect(JSON.parse(shownBy.get("structuredContent of the answer") ?? "")).toEqual(structuredContent);
    expect(structuredContent.total_count).toBeGreaterThan(structuredContent.returned_count);
  });

  test.for(cases)("$title, in $language, fails where nothing answers", async (given, { skip }) => {
    skip(missing.includes(given.language), `no ${given.language} here`);
    const { language, code } = shown(given);
    expect((await run({ language, code: code.replaceAll(server.url, "http://127.0.0.1:9") })).isOk).toBe(
      false,
    );
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.on("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** A receiver that runs until it is disposed of. */
class Receiver implements Disposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  stdout = "";

  private constructor(child: ChildProcess, url: string, folder: string) {
    this.#child = child;
    this.url = url;
    this.#folder = folder;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
  }

  /** `port` must be free. */
  static async start(program: Program, port: number): Promise<Receiver> {
    const { command, args, cwd } = written(program);
    const env = { PATH: `/usr/local/bin:/usr/bin:/bin`, PORT: String(port) };
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
    const receiver = new Receiver(child, `http://127.0.0.1:${port}/`, cwd);
    for (let tries = 0; tries < 200; tries += 1) {
      const isUp = await fetch(receiver.url, { method: "POST" }).then(Boolean, () => false);
      if (isUp) return receiver;
      await pause(50);
    }
    throw new Error("the receiver does not answer");
  }

  /** As its owner does who was told the secret. */
  store(secret: string): void {
    writeFileSync(join(this.#folder, "webhook-secret"), `${secret}\n`);
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}

describe("receivers of webhooks", () => {
  const languages = programsOf(WRITTEN, "receive-webhooks").map((program) => ({ program, ...program }));

  test.for(languages)(
    "$language: challenge, event, and nothing unsigned",
    async ({ program, language }, { skip }) => {
      skip(missing.includes(language), `no ${language} here`);
      await using world = await DeliveryWorld.open();
      world.test.time = Date.now(); // the receiver looks at the clock of the machine
      const { partners, webhooks, outbox } = world.state;
      const { publicId } = await partners.createClient({
        name: "Partner",
        contactEmail: null,
        portalAccess: true,
        dailyQuota: 1,
        monthlyQuota: 1,
      });
      const port = await freePort();
      const endpointUrl = `http://127.0.0.1:${port}/`;
      const wish = {
        owner: { kind: "client", publicId },
        endpointUrl,
        eventTypes: null,
        city: null,
      } as const;
      using receiver = await Receiver.start(program, port);
      const made = await webhooks.upsert(wish);
      if (made.outcome === "limit_reached") throw new Error(made.outcome);

      await enqueueVerification(outbox, made.webhook, isoTime(world.test.time));
      expect(await world.deliver()).toEqual({ done: 0, retry: 1, dead: 0 });
      const [challenge] = await outbox.list();
      expect(challenge?.lastError).toBe("HTTP 503");
      receiver.store(made.signingSecret);
      await outbox.hasten(challenge?.id ?? 0);
      expect(await world.deliver()).toEqual({ done: 1, retry: 0, dead: 0 });
      expect((await world.webhook(made.webhook.publicId)).status).toBe("active");

      await matchRelease(world.state, fakeRelease("r1", [{ id: "e1", headline: "Café: new 🚚" }]));
      expect(await world.deliver()).toEqual({ done: 1, retry: 0, dead: 0 });
      await expect.poll(() => receiver.stdout).toMatch(/:event:e1 new_public_record Café: new 🚚$/m);

      await webhooks.upsert(wish); // a new secret; the old one still signs for a day
      await matchRelease(world.state, fakeRelease("r2", [{ id: "e2" }]));
      expect(await world.deliver()).toEqual({ done: 1, retry: 0, dead: 0 });
      await expect.poll(() => receiver.stdout).toMatch(/:event:e2 /);

      world.test.pass(2 * 86_400_000); // too far from the receiver's clock, and by a secret that it does not know
      await matchRelease(world.state, fakeRelease("r3", [{ id: "e3" }]));
      expect(await world.deliver()).toEqual({ done: 0, retry: 1, dead: 0 });
      expect((await outbox.list({ state: "waiting" }))[0]?.lastError).toBe("HTTP 401");
      expect(receiver.stdout).not.toContain(":event:e3 ");
    },
  );

  test.for(languages)(
    "$language refuses what is not signed with its secret, or too old",
    async (given, { skip }) => {
      skip(missing.includes(given.language), `no ${given.language} here`);
      const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
      using receiver = await Receiver.start(given.program, await freePort());
      receiver.store(secret);
      const body = JSON.stringify({ type: "webhook.test", timestamp: "2026-01-01T00:00:00Z", data: {} });
      const { Webhook } = await import("standardwebhooks");
      const send = async (signer: string, sentAt: number, sent = body) => {
        const headers = {
          "webhook-id": "m1",
          "webhook-timestamp": String(Math.floor(sentAt / 1000)),
          "webhook-signature": new Webhook(signer).sign("m1", new Date(sentAt), body),
        };
        return (await fetch(receiver.url, { method: "POST", headers, body: sent })).status;
      };
      const foreign = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
      expect(await send(secret, Date.now())).toBe(204);
      expect(await send(foreign, Date.now())).toBe(401);
      expect(await send(secret, Date.now() - 310_000)).toBe(401);
      expect(await send(secret, Date.now() + 310_000)).toBe(401);
      expect(await send(secret, Date.now(), `${body} `)).toBe(401);
      expect((await fetch(receiver.url, { method: "POST", body })).status).toBe(401);
    },
  );
});
