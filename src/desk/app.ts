/** The routes of the desk: pages, passkeys, and the queue for whoever is signed in. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { z } from "zod";
import { clientKey } from "../activity/client-class.ts";
import { PublicError } from "../kernel/errors.ts";
import { sha256Base64url, sha256Hex } from "../kernel/hash.ts";
import type { Log } from "../kernel/log.ts";
import { HOUR_MS } from "../kernel/time.ts";
import type { DeskAssets } from "./assets.ts";
import {
  assertHost,
  assertOwnPage,
  bodyOf,
  cookieOf,
  failed,
  faultOf,
  json,
  type Sent,
  send,
} from "./http.ts";
import { enrolPage, entryHtml, overviewPage, signInPage, workPage } from "./pages.ts";
import type { Passkeys } from "./passkeys.ts";
import type { Reviewer, Work, WorkDeps } from "./work.ts";

export interface AppDeps extends Pick<WorkDeps, "store" | "clock" | "random"> {
  readonly log: Log;
  readonly work: Work;
  readonly passkeys: Passkeys;
  readonly assets: DeskAssets;
  readonly origin: string;
  readonly trustedProxies: number;
}

/** A session ends after an hour without an act of its reviewer, and after twelve hours in any case. */
export const SESSION = { idleMs: HOUR_MS, longestMs: 12 * HOUR_MS };

const REFUSED_FOR_A_MINUTE = 60;
const limits = {
  signIn: { points: 30, duration: 60 }, // of a client: two requests a try
  signInOfAll: { points: 300, duration: 60 },
  all: { points: 1200, duration: 60 },
};

const Id = z.string().min(1).max(200);
const Ids = z.array(Id).max(500);
const NextBody = z.strictObject({
  kind: Id.optional(),
  city: Id.optional(),
  entry: Id.optional(),
  keep: z.array(Id).max(2),
  skip: Ids,
});
const DecideBody = z.strictObject({
  subject: Id,
  version: Id,
  choice: z.int().min(0).max(100),
  reason: Id,
  value: Id.optional(),
});
const LinkBody = z.strictObject({ link: z.string().min(20).max(100) });
const Nothing = z.strictObject({});

type Handler = (request: IncomingMessage, reviewer: Reviewer) => Promise<Sent> | Sent;

export class DeskApp {
  readonly #deps: AppDeps;
  readonly #cookie: string;
  readonly #signIns = new RateLimiterMemory(limits.signIn);
  readonly #allSignIns = new RateLimiterMemory(limits.signInOfAll);
  readonly #all = new RateLimiterMemory(limits.all);
  readonly #acts: Readonly<Record<string, Handler>>;

  constructor(deps: AppDeps) {
    this.#deps = deps;
    // The prefix keeps other hosts of the domain from setting it; browsers take it with https alone.
    this.#cookie = deps.origin.startsWith("https:") ? "__Host-desk" : "desk";
    this.#acts = {
      "/api/next": (request, reviewer) => this.#next(request, reviewer),
      "/api/decide": async (request, reviewer) =>
        json(deps.work.decide(reviewer, await bodyOf(request, DecideBody))),
      "/api/undo": async (request, reviewer) =>
        json({ subject: deps.work.undo(reviewer, (await bodyOf(request, z.strictObject({ id: Id }))).id) }),
      "/api/status": (_, reviewer) => json(this.#status(reviewer)),
      "/api/sign-out": (_, { session }) => {
        deps.store.endSession(session);
        return json({}, [["Set-Cookie", this.#cookieText("", 0)]]);
      },
    };
  }

  get listener(): RequestListener {
    return (request, response) => {
      this.#answer(request).then(
        (sent) => send(request, response, sent),
        (error: unknown) => this.#refuse(request, response, error),
      );
    };
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (!(error instanceof PublicError)) this.#deps.log.error("request_failed", { fault: faultOf(error) });
    if (!request.complete) response.setHeader("Connection", "close");
    send(
      request,
      response,
      failed(
        error instanceof PublicError
          ? error
          : new PublicError(500, "the desk failed; its operator finds it in the log"),
      ),
    );
  }

  async #answer(request: IncomingMessage): Promise<Sent> {
    assertHost(request);
    const client = clientKey(request, this.#deps.trustedProxies);
    await take(this.#all, client);
    const [path = "/"] = (request.url ?? "/").split("?");
    if (request.method === "GET" || request.method === "HEAD") return this.#page(request, path);
    if (request.method !== "POST") throw new PublicError(405, "the desk answers GET and POST");
    const publicAct = this.#publicActs[path];
    if (publicAct !== undefined) {
      assertOwnPage(request, this.#deps.origin, undefined);
      await take(this.#signIns, client);
      await take(this.#allSignIns, "all");
      return publicAct(request);
    }
    return this.#act(request, path);
  }

  async #act(request: IncomingMessage, path: string): Promise<Sent> {
    const act = this.#acts[path];
    if (act === undefined) throw new PublicError(404, "there is no such address");
    const token = cookieOf(request, this.#cookie);
    const reviewer = this.#reviewer(token);
    if (token === undefined || reviewer === undefined)
      throw new PublicError(401, "sign in again: your session has ended");
    assertOwnPage(request, this.#deps.origin, pageToken(token));
    if (path !== "/api/status") this.#deps.store.seen(reviewer.session, this.#deps.clock()); // what the page asks by itself keeps no session alive
    return await act(request, reviewer);
  }

  #page(request: IncomingMessage, path: string): Sent {
    const { assets, work } = this.#deps;
    const asset = assets.find(path);
    if (asset !== undefined) return asset;
    if (path === "/healthz") return json({ status: "ok" });
    if (path === "/enrol") return page(enrolPage(assets));
    if (path !== "/" && path !== "/work") throw new PublicError(404, "there is no such page");
    const token = cookieOf(request, this.#cookie);
    const reviewer = this.#reviewer(token);
    if (token === undefined || reviewer === undefined) return page(signInPage(assets));
    const own = { person: reviewer.person, token: pageToken(token), assets };
    if (path === "/work") return page(workPage(own));
    return page(
      overviewPage({
        ...own,
        queue: queueOrNone(work),
        waiting: work.isReady() ? work.waiting(reviewer) : [],
      }),
    );
  }

  readonly #publicActs: Readonly<Record<string, (request: IncomingMessage) => Promise<Sent>>> = {
    "/api/enrol/begin": async (request) =>
      json(await this.#deps.passkeys.beginEnrolment((await bodyOf(request, LinkBody)).link)),
    "/api/enrol/finish": async (request) => {
      const { link, response } = await bodyOf(request, LinkBody.extend({ response: z.unknown() }));
      const { name } = await this.#deps.passkeys.finishEnrolment(link, response);
      this.#deps.log.info("passkey_enrolled");
      return json({ name });
    },
    "/api/sign-in/begin": async (request) => {
      await bodyOf(request, Nothing);
      return json(await this.#deps.passkeys.beginSignIn());
    },
    "/api/sign-in/finish": async (request) => {
      const { response } = await bodyOf(request, z.strictObject({ response: z.unknown() }));
      const passkey = await this.#deps.passkeys.finishSignIn(response);
      const { clock, random, store, log } = this.#deps;
      store.sweep(clock() - SESSION.longestMs, clock() - SESSION.idleMs);
      const token = random(32).toString("base64url");
      store.startSession(sha256Hex(token), passkey, clock());
      log.info("signed_in");
      return json({}, [["Set-Cookie", this.#cookieText(token, SESSION.longestMs / 1000)]]);
    },
  };

  #reviewer(token: string | undefined): Reviewer | undefined {
    if (token === undefined) return undefined;
    const { clock, store } = this.#deps;
    const session = sha256Hex(token);
    const person = store.personOfSession(session, clock() - SESSION.longestMs, clock() - SESSION.idleMs);
    return person === undefined ? undefined : { person, session };
  }

  async #next(request: IncomingMessage, reviewer: Reviewer): Promise<Sent> {
    const { work } = this.#deps;
    const wanted = await bodyOf(request, NextBody);
    const entry = work.next(reviewer, wanted);
    const left = work.waiting(reviewer, wanted).filter(({ id }) => !wanted.keep.includes(id)).length;
    if (entry === undefined) return json({ entry: null, left });
    const { id, version } = entry;
    return json({ entry: { id, version, html: String(entryHtml(entry, work.view())) }, left });
  }

  #status(reviewer: Reviewer) {
    const { work, clock } = this.#deps;
    const decisions = work.decisions(reviewer).map(({ id, subject, state, dueAt, row, message }) => ({
      ...{ id, subject, state, row, message },
      seconds_left: state === "waiting" ? Math.max(0, Math.ceil((dueAt - clock()) / 1000)) : 0,
    }));
    return { decisions, queue_of: work.isReady() ? work.view().queue.made_at : null };
  }

  #cookieText(token: string, seconds: number): string {
    const secure = this.#cookie.startsWith("__Host-") ? "; Secure" : "";
    return `${this.#cookie}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
  }
}

function queueOrNone(work: Work) {
  return work.isReady() ? work.view().queue : undefined;
}

function page(markup: { toString(): string }): Sent {
  return { type: "text/html", body: `<!doctype html>\n${markup}` };
}

/** What a page of the session sends along: another site, which may make a browser send the cookie, does not know it. */
function pageToken(token: string): string {
  return sha256Base64url(`desk-page ${token}`);
}

/** Throws PublicError 429. Addresses are kept in memory for a minute, and never written anywhere. */
async function take(limiter: RateLimiterMemory, client: string): Promise<void> {
  try {
    await limiter.consume(client);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    throw new PublicError(429, "too many requests: wait a minute", { retry_after_s: REFUSED_FOR_A_MINUTE });
  }
}
