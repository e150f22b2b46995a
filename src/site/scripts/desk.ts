/**
 * The pages of the review desk (src/desk), which has this file alone. The next entry is fetched while its reviewer looks at the one before, so that it
 * is shown at once. A decision counts when the desk has answered; until then, and when that fails, the page says so.
 */

interface Entry {
  readonly id: string;
  readonly version: string;
  readonly html: string;
}

interface Next {
  readonly entry: Entry | null;
  readonly left: number;
}

interface Decision {
  readonly id: string;
  readonly subject: string;
  readonly state: string;
  readonly row: number | null;
  readonly message: string | null;
  readonly seconds_left: number;
}

const STATUS_MS = 1500;
const token = document.querySelector<HTMLMetaElement>('meta[name="desk-token"]')?.content;

/** Throws an Error with what the desk says. */
async function post<T>(path: string, body: object): Promise<T> {
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (token !== undefined) headers["X-Desk-Token"] = token;
  const answer = await fetch(path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  if (answer.status === 401) location.assign("/");
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}

/** Messages stay until the next one of the same kind, or until they are closed. */
function say(text: string, action?: { readonly label: string; readonly run: () => void }): void {
  const note = document.createElement("p");
  note.className = "note";
  note.append(text, " ");
  for (const { label, run } of [
    ...(action === undefined ? [] : [action]),
    { label: "Close", run: () => undefined },
  ]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => {
      note.remove();
      run();
    });
    note.append(button, " ");
  }
  document.getElementById("messages")?.append(note);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs an act of a button, and says why it failed. */
function onClick(id: string, act: () => Promise<void>): void {
  document.getElementById(id)?.addEventListener("click", (event) => {
    const button = event.currentTarget;
    if (button instanceof HTMLButtonElement) button.disabled = true;
    act()
      .catch((error) => say(reasonOf(error)))
      .finally(() => {
        if (button instanceof HTMLButtonElement) button.disabled = false;
      });
  });
}

async function signIn(): Promise<void> {
  const options = await post<PublicKeyCredentialRequestOptionsJSON>("/api/sign-in/begin", {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error("The browser gave no passkey.");
  await post("/api/sign-in/finish", { response: credential.toJSON() });
  location.assign("/");
}

async function enrol(): Promise<void> {
  const link = location.hash.slice(1); // after the #, so that it reaches no log
  if (link === "") throw new Error("This address has no link in it: open the one that you were given.");
  const options = await post<PublicKeyCredentialCreationOptionsJSON>("/api/enrol/begin", { link });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error("The browser made no passkey.");
  await post("/api/enrol/finish", { link, response: credential.toJSON() });
  await signIn();
}

/** The entry that is looked at, the one that comes next, and those before. */
class WorkPage {
  readonly #place = element("entry", HTMLElement);
  readonly #wanted = Object.fromEntries(new URLSearchParams(location.search));
  readonly #before: string[] = [];
  readonly #passed = new Set<string>();
  #current: Entry | undefined;
  #ahead: Promise<Next> | undefined;
  #saving: Promise<unknown> = Promise.resolve();
  #undoable: string | undefined;

  start(): void {
    this.#place.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest<HTMLElement>("[data-choice]") : null;
      if (button !== null) this.#decide(button);
    });
    onClick("after", async () => this.#later());
    onClick("before", () => this.#back());
    onClick("help", async () => element("keys", HTMLDialogElement).showModal());
    document.addEventListener("keydown", (event) => this.#key(event));
    element("decisions", HTMLElement).addEventListener("click", ({ target }) => {
      if (target instanceof HTMLElement && target.dataset["undo"] !== undefined)
        this.#undo(target.dataset["undo"]);
    });
    this.#advance();
    setInterval(() => {
      if (!document.hidden) this.#refresh();
    }, STATUS_MS);
    this.#refresh();
  }

  /** Shows what was fetched ahead, and fetches one more. */
  #advance(): void {
    const ahead = this.#ahead ?? this.#fetch();
    this.#ahead = undefined;
    ahead.then((next) => this.#show(next)).catch((error) => this.#failed(error, () => this.#advance()));
  }

  #fetch(more: { readonly entry?: string } = {}): Promise<Next> {
    const keep = this.#current === undefined ? [] : [this.#current.id];
    return post<Next>("/api/next", { ...this.#wanted, ...more, keep, skip: [...this.#passed].slice(-400) });
  }

  #show({ entry, left }: Next): void {
    this.#current = entry ?? undefined;
    this.#place.removeAttribute("aria-busy");
    this.#place.innerHTML =
      entry?.html ?? '<h1 tabindex="-1">Nothing is left here</h1><p><a href="/">Back to the queue</a></p>';
    this.#place.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
    element("left", HTMLElement).textContent = entry === null ? "" : `${left} wait, with this one`;
    if (entry === null) this.#passed.clear();
    else this.#look();
  }

  /** A failure shows when the entry is wanted. */
  #look(): void {
    this.#ahead = this.#saving.then(() => this.#fetch()); // until it is saved, the entry before is still this reviewer's
    this.#ahead.catch(() => {
      this.#ahead = undefined;
    });
  }

  #failed(error: unknown, again: () => void): void {
    say(`The next entry did not come: ${reasonOf(error)}.`, { label: "Try again", run: again });
  }

  #later(): void {
    if (this.#current === undefined) return;
    this.#leave(this.#current.id);
    this.#advance();
  }

  #leave(id: string): void {
    this.#passed.add(id);
    this.#before.push(id);
  }

  async #back(): Promise<void> {
    const id = this.#before.pop();
    if (id !== undefined) await this.#open(id);
  }

  async #open(id: string): Promise<void> {
    this.#passed.delete(id);
    this.#current = undefined;
    this.#show(await this.#fetch({ entry: id }));
  }

  #decide(button: HTMLElement): void {
    const entry = this.#current;
    const choice = button.dataset["choice"] ?? "";
    const at = <T extends HTMLElement>(name: string) =>
      this.#place.querySelector<T>(`[data-${name}="${choice}"]`);
    const input = at<HTMLInputElement>("value");
    const value = input?.value.trim();
    if (value === "") input?.focus();
    if (entry === undefined || value === "") return;
    const reason = at<HTMLInputElement | HTMLSelectElement>("reason")?.value ?? "";
    const body = { subject: entry.id, version: entry.version, choice: Number(choice), reason };
    const label = button.textContent?.trim() ?? "";
    const saved = post("/api/decide", value === undefined ? body : { ...body, value });
    this.#saving = saved.catch(() => undefined);
    this.#leave(entry.id);
    this.#advance(); // at once: what was decided is said below
    saved
      .then(() => this.#refresh())
      .catch((error) => say(`Not saved (${label}): ${reasonOf(error)}.`, this.#lookAgain(entry.id)));
  }

  #lookAgain(id: string) {
    const run = () =>
      void this.#open(id).catch((error) =>
        say(`${reasonOf(error)}.`, { label: "Go on", run: () => this.#advance() }),
      );
    return { label: "Look at it again", run };
  }

  #undo(id: string): void {
    post<{ readonly subject: string }>("/api/undo", { id })
      .then(({ subject }) => this.#open(subject))
      .then(() => this.#refresh())
      .catch((error) => say(`Not undone: ${reasonOf(error)}.`));
  }

  #refresh(): void {
    post<{ readonly decisions: readonly Decision[] }>("/api/status", {})
      .then(({ decisions }) => {
        this.#undoable = decisions.find(({ state }) => state === "waiting")?.id;
        const lines = decisions.map(decisionLine);
        const list = element("decisions", HTMLElement);
        if (lines.length > 0 && list.innerHTML !== lines.map((line) => line.outerHTML).join(""))
          list.replaceChildren(...lines);
      })
      .catch(() => undefined); // the next one may come through
  }

  #key(event: KeyboardEvent): void {
    const { target, key } = event;
    const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null)
      return;
    if (isTyping && key !== "Enter") return;
    if (isTyping) {
      const own = target.closest(".choice")?.querySelector<HTMLElement>("[data-choice]");
      if (own) this.#decide(own);
      return;
    }
    const button = [...this.#place.querySelectorAll<HTMLElement>("[data-key]")].find(
      ({ dataset }) => dataset["key"] === key,
    );
    const act = button === undefined ? this.#acts[key] : () => this.#decide(button);
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  readonly #acts: Readonly<Record<string, () => void>> = {
    j: () => this.#later(),
    k: () => void this.#back().catch((error) => say(`${reasonOf(error)}.`)),
    u: () => {
      if (this.#undoable === undefined) say("There is nothing left to undo.");
      else this.#undo(this.#undoable);
    },
    "?": () => element("keys", HTMLDialogElement).showModal(),
  };
}

const STATES: Readonly<Record<string, (decision: Decision) => string>> = {
  waiting: () => "saved; not yet on its way",
  sending: () => "on its way to the ledger",
  sent: () => "on its way to the ledger",
  decided: ({ row }) => (row === null ? "done" : `written as row ${row}`),
  already: ({ row }) => (row === null ? "it was so already" : `it was so already, by row ${row}`),
  waits: () => "accepted; it becomes a row when its day is sealed",
  refused: ({ message }) => `refused: ${message ?? "it changed meanwhile; look at it again"}`,
};

function decisionLine(decision: Decision): HTMLElement {
  const line = document.createElement("li");
  line.className = decision.state;
  const name = document.createElement("code");
  name.textContent = decision.subject;
  line.append(name, ` ${STATES[decision.state]?.(decision) ?? decision.state}`);
  if (decision.state === "waiting") {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset["undo"] = decision.id;
    button.textContent = `Undo ${decision.subject}`;
    line.append(" ", button);
  }
  return line;
}

onClick("sign-in", signIn);
onClick("enrol", enrol);
onClick("sign-out", async () => {
  await post("/api/sign-out", {});
  location.assign("/");
});
if (document.body.dataset["page"] === "work") new WorkPage().start();
