/** For tests: a real browser of a reviewer, with a passkey device of its own. */
import type { Browser, Page } from "playwright-core";
import { openBrowser, WatchedPage } from "../pages/browser.ts";

export class ReviewerBrowser implements AsyncDisposable {
  readonly page: Page;
  readonly #browser: Browser;
  readonly #watched: WatchedPage;

  private constructor(browser: Browser, watched: WatchedPage) {
    this.#browser = browser;
    this.#watched = watched;
    this.page = watched.page;
  }

  static async open(origin: string): Promise<ReviewerBrowser> {
    const browser = await openBrowser();
    const watched = await WatchedPage.open(browser, origin, { reducedMotion: "reduce" });
    const session = await watched.page.context().newCDPSession(watched.page);
    await session.send("WebAuthn.enable");
    await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new ReviewerBrowser(browser, watched);
  }

  /** What went wrong on its pages. */
  get faults(): readonly string[] {
    return this.#watched.faults;
  }

  /** Follows an enrolment link, and is signed in then. */
  async enrol(link: string): Promise<void> {
    await this.page.goto(link);
    await this.page.getByRole("button", { name: "Create a passkey" }).click();
    await this.#untilOverview();
  }

  async signOut(): Promise<void> {
    await this.page.goto("/");
    await this.page.getByRole("button", { name: "Sign out" }).click();
    await this.page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  }

  async signIn(): Promise<void> {
    await this.page.goto("/");
    await this.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await this.#untilOverview();
  }

  /** Throws what the desk says instead. */
  async #untilOverview(): Promise<void> {
    const overview = this.page.getByRole("heading", { level: 1, name: /decisions? waits? for you/ });
    const refusal = this.page.locator("#messages .note");
    await overview.or(refusal).first().waitFor();
    if (await refusal.isVisible()) throw new Error(await refusal.innerText());
  }

  question(): Promise<string> {
    return this.page.locator("#entry h1").innerText();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}
