import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { systemChromium } from "../../../build-scripts/browser.ts";
import { readBrowserSettings } from "../../../src/kernel/config/environment.ts";

/** Chromium on its own: it asks nobody for updates, lists or services. */
const QUIET = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A real browser with a new profile. The system's Chromium, or the one that Playwright installed. `switches` as its command line takes them. */
export function openBrowser(...switches: readonly string[]): Promise<Browser> {
  const { path, chromiumPath } = readBrowserSettings();
  const executablePath = systemChromium(path, chromiumPath);
  const args = [...QUIET, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), ...switches];
  return chromium.launch(executablePath === undefined ? { args } : { args, executablePath });
}

/** A request that the page itself gave up, or that was left behind with its page. */
const BROKEN_OFF = "net::ERR_ABORTED";

/** A page in a context of its own, and what went wrong on it: console errors, refused content, requests to other hosts. */
export class WatchedPage implements AsyncDisposable {
  readonly page: Page;
  readonly faults: string[] = [];

  constructor(page: Page, origin: string) {
    this.page = page;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.faults.push(message.text());
    });
    page.on("pageerror", (error) => this.faults.push(error.message));
    page.on("requestfailed", (request) => {
      if (request.failure()?.errorText !== BROKEN_OFF) this.faults.push(`failed: ${request.url()}`);
    });
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== origin) this.faults.push(`foreign: ${request.url()}`);
    });
  }

  static async open(browser: Browser, baseURL: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ baseURL, ...options });
    return new WatchedPage(await context.newPage(), new URL(baseURL).origin);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}

/** The texts of a table's body, row by row; the table is found by the label of the region around it. */
export async function tableTexts(page: Page, label: string): Promise<string[][]> {
  const rows = await page.getByRole("region", { name: label, exact: true }).locator("tbody tr").all();
  return Promise.all(rows.map((row) => row.locator("th, td").allInnerTexts()));
}
