/** One request at a time to each host, with a pause after each, however many records are worked on side by side. */
export class HostTurns {
  readonly #lasts = new Map<string, Promise<void>>();
  readonly #pause: () => Promise<void>;

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  async take<T>(host: string, work: () => Promise<T>): Promise<T> {
    const before = this.#lasts.get(host);
    const { promise: mine, resolve: end } = Promise.withResolvers<void>();
    this.#lasts.set(host, mine);
    await before;
    try {
      return await work();
    } finally {
      void this.#pause().then(() => {
        if (this.#lasts.get(host) === mine) this.#lasts.delete(host);
        end();
      });
    }
  }
}
