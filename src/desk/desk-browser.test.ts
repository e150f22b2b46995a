/** Two reviewers in two browsers work through a queue; a command line decides in between; the desk and the taking of decisions are killed. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type MadeUpQueue, madeUpQueue } from "../../tests/support/desk/made-up-queue.ts";
import { ReviewerBrowser } from "../../tests/support/desk/reviewer-browser.ts";
import { presenceAt } from "../../tests/support/operations/presence-here.ts";
import { PROJECT } from "../../tests/support/operations/presence-process.ts";
import { deskPaths } from "../kernel/home.ts";
import { jsonLog } from "../kernel/log.ts";
import { SECOND_MS } from "../kernel/time.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { readQueue } from "./crossing.ts";
import { type RunningDesk, startDesk } from "./main.ts";

let it: MadeUpQueue;
let desk: RunningDesk;
let log = "";
/** How far the desk's clock is ahead: no decision is final before a test says so. */
let ahead = 0;
const UNDO_MS = 600 * SECOND_MS;

const presence = (...typed: string[]) => presenceAt(it.home, typed, { clock: () => it.clock.time });

beforeEach(async () => {
  it = await madeUpQueue();
  log = "";
  ahead = 0;
  await presence("desk", "view");
  await start(0);
});

afterEach(async () => {
  await desk.stop();
  it[Symbol.dispose]();
});

async function start(port: number): Promise<void> {
  desk = await startDesk({
    ...{ project: PROJECT, paths: deskPaths(it.home), host: "127.0.0.1", port, origin: undefined },
    log: jsonLog(Date.now, (line) => {
      log += line;
    }),
    ...{ trustedProxies: 0, clock: () => Date.now() + ahead, undoMs: UNDO_MS, tickMs: 50 },
  });
}

async function linkFor(name: string, role: string): Promise<string> {
  const now = { clock: () => Date.now() };
  const { stdout } = await presenceAt(it.home, ["desk", "enrol", name, "--role", role, "--json"], now);
  return `${desk.origin}/enrol${new URL(JSON.parse(stdout).link).hash}`;
}

/** Waits for another entry than this one, as a reviewer sees it. */
async function after({ page }: ReviewerBrowser, question: string): Promise<string> {
  const heading = page.locator("#entry h1");
  await (question === "" ? heading : heading.filter({ hasNotText: question })).waitFor();
  return heading.innerText();
}

async function rules(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

const decided = ({ page }: ReviewerBrowser, state: string) => page.locator(`#decisions li.${state}`);

const tick = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Until the desk has handed over what can no longer be undone, and knows what became of it. */
async function written(reviewers: readonly ReviewerBrowser[]): Promise<void> {
  ahead += UNDO_MS + 1;
  for (;;) {
    await presence("desk", "apply");
    const open = await Promise.all(
      reviewers.map(({ page }) => page.locator("#decisions :is(.waiting, .sending, .sent)").count()),
    );
    if (open.every((count) => count === 0)) return;
    await tick();
  }
}

test("two reviewers work through the queue: nothing is shown to both, and all of it becomes rows", async () => {
  await using anna = await ReviewerBrowser.open(desk.origin);
  await using ben = await ReviewerBrowser.open(desk.origin);
  const link = await linkFor("Anna", "lead");
  await anna.enrol(link);
  await ben.enrol(await linkFor("Ben", "reviewer"));
  expect(await rules(anna.page)).toEqual([]);
  await expect(anna.enrol(link)).rejects.toThrow(/this link was used before/); // by the person who has it, or by a thief
  await anna.signOut();
  await anna.signIn();

  // A reviewer is not offered the group of twelve.
  expect(await anna.page.getByRole("heading", { level: 1 }).innerText()).toBe("10 decisions wait for you");
  expect(await ben.page.getByRole("heading", { level: 1 }).innerText()).toBe("9 decisions wait for you");

  // The group first, with its sample; then undone.
  await anna.page.goto("/work");
  const group = await after(anna, "");
  expect(group).toContain("Are these 12 records 1071");
  await anna.page.locator(".sample summary").first().click();
  expect(await rules(anna.page)).toEqual([]);
  await anna.page.keyboard.press("a");
  await after(anna, group);
  await decided(anna, "waiting").waitFor();
  await anna.page.keyboard.press("u");
  await anna.page.locator("#entry h1", { hasText: group }).waitFor();
  await anna.page.keyboard.press("a");

  // Both at once, by keys alone, until nothing is left.
  await ben.page.goto("/work");
  const [annas, bens] = await Promise.all([rest(anna, group), rest(ben, "")]);
  expect(annas.filter((question) => bens.includes(question))).toEqual([]);
  expect(annas.length + bens.length).toBe(9);
  expect(Math.min(annas.length, bens.length)).toBeGreaterThan(1);
  await written([anna, ben]);
  await decided(ben, "decided").first().waitFor();

  using ledger = openLedgerReader(it.home.ledger);
  const roles = [...ledger.deskRows.rows()].flatMap((row) =>
    row.kind === "review" ? [row.body.reviewer] : [],
  );
  expect(new Set(roles)).toEqual(new Set(["review-lead", "review-desk"]));
  expect(roles.filter((role) => role === "review-lead").length).toBeGreaterThanOrEqual(12);
  expect(readQueue(deskPaths(it.home).queue)?.counts).toEqual([]);
  expect([...anna.faults.filter((fault) => !/403/.test(fault)), ...ben.faults]).toEqual([]);
  for (const value of ["Anna", "Ben", "Quince", "Larkspur", "Bakery", "Restaurant"])
    expect(log).not.toContain(value);
});

/** Presses the key for "later" and waits for the next entry; in the page, where nothing else can pass meanwhile. */
const NEXT = `new Promise((resolve) => {
  new MutationObserver(resolve).observe(document.getElementById("entry"), { childList: true });
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "j" }));
}).then(() => undefined)`;

test("the next entry shows while no answer comes; what fails or changes meanwhile is told, and nothing is lost", async () => {
  await using anna = await ReviewerBrowser.open(desk.origin);
  const { page } = anna;
  await anna.enrol(await linkFor("Anna", "reviewer"));
  let answers = 0;
  page.on("response", (response) => {
    if (response.url().endsWith("/api/next")) answers += 1;
  });
  const answered = (number: number) =>
    expect.poll(() => answers, { timeout: 30_000, interval: 20 }).toBe(number);
  await page.goto("/work?kind=match");
  await answered(2); // the first, and one ahead
  const line = Promise.withResolvers<void>();
  await page.route("**/api/next", (route) => line.promise.then(() => route.continue()));
  await page.evaluate(NEXT);
  expect(answers).toBe(2);
  line.resolve();
  await answered(3);
  await page.unroute("**/api/next");

  // The desk is killed while she decides, and comes back: her entry waits for her.
  const question = await anna.question();
  const { port } = desk;
  await desk.stop();
  await page.keyboard.press("r");
  await page
    .getByRole("alert")
    .getByText(/^Not saved/)
    .waitFor();
  await start(port);
  await page.getByRole("button", { name: "Look at it again" }).click();
  await page.locator("#entry h1", { hasText: question }).waitFor();

  // Somebody decides on the command line before hers arrives.
  await page.keyboard.press("r");
  await decided(anna, "waiting").waitFor();
  const item = (await decided(anna, "waiting").locator("code").innerText()).replace("match-", "");
  await presence("review", "flag", item, "--as", "team", "--reason", "suspicious_pattern");
  await written([anna]);
  await decided(anna, "refused")
    .getByText(/stale: you saw it at row/)
    .waitFor();
  expect(await rules(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await rules(page)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
});

/** Decides about everything that comes, one after the other. Returns what was asked. */
async function rest(reviewer: ReviewerBrowser, before: string): Promise<string[]> {
  const asked: string[] = [];
  for (let question = await after(reviewer, before); question !== "Nothing is left here"; ) {
    asked.push(question);
    await reviewer.page.keyboard.press("r");
    question = await after(reviewer, question);
  }
  return asked;
}
