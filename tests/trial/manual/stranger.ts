/** Requests as a stranger makes them: by name, over TLS, trusting the trial's authority only. */

import { type RequestOptions, request } from "node:https";
import { buffer } from "node:stream/consumers";

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export class Stranger {
  readonly #site: string;
  readonly #authority: string; // PEM

  constructor(site: string, authority: string) {
    this.#site = site;
    this.#authority = authority;
  }

  get(path: string): Promise<Answer> {
    return this.#ask(path, { method: "GET" });
  }

  post(path: string, body: object): Promise<Answer> {
    return this.#ask(
      path,
      { method: "POST", headers: { "content-type": "application/json" } },
      JSON.stringify(body),
    );
  }

  async #ask(path: string, options: RequestOptions, body = ""): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const to = { host: "127.0.0.1", servername: this.#site, ca: this.#authority, agent: false, path };
    const headers = { ...options.headers, host: this.#site };
    const asked = request({ ...options, ...to, headers }, (answer) => {
      const { statusCode = 0, headers: said } = answer;
      buffer(answer).then(
        (bytes) => resolve({ status: statusCode, type: said["content-type"] ?? "", text: String(bytes) }),
        reject,
      );
    });
    asked.on("error", reject);
    asked.end(body);
    return promise;
  }
}
