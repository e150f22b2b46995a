/** The pages of the desk. What comes from the view is text of strangers: `html` escapes all of it. */
import { INDUSTRIES } from "../contract/cities/industry.ts";
import { type HtmlValue, html, type SafeHtml } from "../render/html.ts";
import { count, number, utcDate, utcTime } from "../render/words/format.ts";
import type { DeskAssets } from "./assets.ts";
import type { ReviewQueue } from "./crossing.ts";
import type { Person } from "./desk-store.ts";
import { placesMap } from "./places-map.ts";
import { type Entry, isGroup, type View } from "./view.ts";

type Item = ReviewQueue["items"][number];
type Group = ReviewQueue["groups"][number];
type Subject = NonNullable<Item["subject"]>;
type Choice = Item["choices"][number];

interface Layout {
  readonly title: string;
  readonly page: "sign-in" | "enrol" | "overview" | "work";
  readonly assets: DeskAssets;
  readonly own?: Own;
}

interface Own {
  readonly person: Person;
  readonly token: string;
  readonly assets: DeskAssets;
}

const NAME = "Review desk";

function layout({ title, page, assets, own }: Layout, main: HtmlValue): SafeHtml {
  return html`<html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} – ${NAME}</title>
    ${own && html`<meta name="desk-token" content="${own.token}">`}
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${assets.style}">
    <script type="module" src="${assets.script}"></script>
    </head>
    <body data-page="${page}">
    <a class="skip" href="#main">Skip to the content</a>
    <header class="bar"><a class="home" href="/">${NAME}</a>
    ${own && html`<p class="who">${own.person.name} <span class="soft">(${own.person.role})</span></p><button type="button" id="sign-out">Sign out</button>`}</header>
    <main id="main" tabindex="-1">${main}</main>
    </body>
    </html>`;
}

export function signInPage(assets: DeskAssets): SafeHtml {
  return layout(
    { title: "Sign in", page: "sign-in", assets },
    html`<h1>Sign in</h1>
    <p>The queue is for reviewers of this service. Your passkey is on the device with which you followed your enrolment link.</p>
    <p><button type="button" class="button main" id="sign-in">Sign in with a passkey</button></p>
    ${messages()}`,
  );
}

export function enrolPage(assets: DeskAssets): SafeHtml {
  return layout(
    { title: "Enrol", page: "enrol", assets },
    html`<h1>Create your passkey</h1>
    <p>Your link works once. The passkey stays on this device, or in its password manager; the desk keeps its public key alone.</p>
    <p><button type="button" class="button main" id="enrol">Create a passkey</button></p>
    ${messages()}`,
  );
}

/** Reasons and refusals, which a screen reader says at once. */
function messages(): SafeHtml {
  return html`<div id="messages" role="alert"></div><noscript><p class="note">The desk needs JavaScript: passkeys have no other way.</p></noscript>`;
}

interface Overview extends Own {
  readonly queue: ReviewQueue | undefined;
  readonly waiting: readonly Entry[];
}

export function overviewPage({ queue, waiting, ...own }: Overview): SafeHtml {
  const heading = { title: "Queue", page: "overview", assets: own.assets, own } as const;
  if (queue === undefined)
    return layout(heading, [
      html`<h1>Queue</h1><p>The queue is being rebuilt. Load this page again in a moment; if the problem lasts, the operator runs <code>presence desk view</code>.</p>`,
      messages(),
    ]);
  const ofKind = (kind: string) => waiting.filter(({ asked }) => asked.kind === kind).length;
  return layout(heading, [
    html`<h1>${count(waiting.length, "decision waits", "decisions wait")} for you</h1>
    <p class="soft">The queue as of ${utcTime(queue.made_at)}, at row ${number(queue.last_row)} of the ledger.</p>
    ${waiting.length > 0 && html`<p><a class="button main" href="/work">Start with the first</a></p>`}
    <div class="scroll" role="region" aria-label="Waiting by kind" tabindex="0"><table>
    <thead><tr><th scope="col">Kind</th><th scope="col">Yours</th><th scope="col">All decisions</th><th scope="col">Items</th><th scope="col">What a decision changes</th></tr></thead>
    <tbody>${queue.counts.map(
      ({ kind, decisions, items, changes }) =>
        html`<tr><th scope="row">${ofKind(kind) > 0 ? html`<a href="/work?kind=${kind}">${words(kind)}</a>` : words(kind)}</th><td>${number(ofKind(kind))}</td><td>${number(decisions)}</td><td>${number(items)}</td><td>${changes}</td></tr>`,
    )}</tbody></table></div>`,
    queue.not_asked.length > 0 &&
      html`<h2>Not asked</h2><ul>${queue.not_asked.map((each) => html`<li>${number(each.number)} ${each.what}: ${each.why}</li>`)}</ul>`,
    messages(),
  ]);
}

const KEYS = [
  ["a, r", "accept, reject"],
  ["1 … 9", "the choice with this number"],
  ["c", "name another industry"],
  ["j, k", "next entry, entry before"],
  ["u", "undo your last decision, while it can be undone"],
  ["?", "this help"],
] as const;

export function workPage(own: Own): SafeHtml {
  return layout({ title: "Decide", page: "work", assets: own.assets, own }, [
    html`<div id="entry" aria-busy="true"><p class="soft">Loading the first entry.</p></div>
    ${messages()}
    <nav class="steps" aria-label="Entries"><button type="button" id="before"><kbd>k</kbd> Before</button>
    <button type="button" id="after"><kbd>j</kbd> Later</button>
    <button type="button" id="help"><kbd>?</kbd> Keys</button>
    <span class="soft" id="left"></span></nav>
    <section aria-labelledby="done-title"><h2 id="done-title">Your last decisions</h2>
    <ol id="decisions" class="decisions"><li class="soft">None yet.</li></ol></section>
    <dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
    <dl class="keys">${KEYS.map(([key, does]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>`)}</dl>
    <form method="dialog"><button>Close</button></form></dialog>
    <datalist id="industries">${INDUSTRIES.filter(({ level }) => level !== "section").map(({ code, title }) => html`<option value="${code}">${title}</option>`)}<option value="none">No industry</option></datalist>`,
  ]);
}

/** One entry, to be put into the page. */
export function entryHtml(entry: Entry, view: View): SafeHtml {
  const { asked } = entry;
  const { kind, city, waits_since, question, choices } = asked;
  const facts = [
    words(kind),
    city,
    `waits since ${utcDate(waits_since)}`,
    isGroup(asked) && count(asked.items, "item", "items"),
  ];
  return html`<article aria-labelledby="entry-title">
    <p class="eyebrow">${facts.filter((each) => typeof each === "string").join(" · ")}</p>
    <h1 id="entry-title" tabindex="-1">${question}</h1>
    ${isGroup(asked) ? groupBody(asked, view) : itemBody(asked)}
    <div class="choices">${choices.map((choice, at) => choiceHtml(choice, at, keyOf(choices, at)))}</div>
    </article>`;
}

function itemBody({ why, subject, candidates, facts }: Item): HtmlValue {
  return [
    html`<p class="why">${why}</p>`,
    subject !== null &&
      html`<div class="sides">${side("This one", subject, "A")}${candidates.map((each, at) => side(`Candidate ${at + 1}`, each, String(at + 1)))}${placesMap(subject, candidates)}</div>`,
    facts.length > 0 && html`<dl class="facts">${facts.map(({ label, value }) => fact(label, value))}</dl>`,
  ];
}

/** Marks are those of the map. */
function side(heading: string, subject: Subject, mark: string): SafeHtml {
  const { name, names, website, industry, observations, counting, observers, assets, distance_m } = subject;
  const seen = [subject.first_seen, subject.last_seen].filter((day) => day !== null);
  return html`<section class="side"><h2><span class="mark">${mark}</span> <span class="soft">${heading}</span> <bdi>${name}</bdi></h2>
    <dl class="facts">
    ${distance_m !== null && fact("Distance", `${number(distance_m)} m`)}
    ${names.length > 0 && fact("Names as seen", names.map((each) => `${each.name} (${each.seen})`).join(", "))}
    ${fact("Seen", `${count(observations, "observation", "observations")}, of which ${number(counting)} count; ${[...new Set(seen)].join(" to ") || "no day is known"}`)}
    ${observers.length > 0 && fact("Observers", observers.map(({ tag, observations: own }) => `${tag} (${own})`).join(", "))}
    ${assets.length > 0 && fact("Signs", assets.map(({ type, number: own }) => `${own} ${words(type)}`).join(", "))}
    ${industry !== null && fact("Industry", `${industry.code} ${industry.title} (${words(industry.method)})`)}
    ${website !== null && fact("Website", website)}
    ${subject.status !== null && fact("Status", words(subject.status))}
    ${subject.row !== null && fact("Record", `${subject.public_id ?? ""} (row ${subject.row})`)}
    </dl></section>`;
}

function fact(term: string, value: string): SafeHtml {
  return html`<div><dt>${term}</dt><dd><bdi>${value}</bdi></dd></div>`;
}

function groupBody({ items, cities, sample }: Group, view: View): HtmlValue {
  const where = cities.map(({ city, items: own }) => `${city ?? "no city"} (${own})`).join(", ");
  return [
    html`<p class="why">One decision for ${count(items, "item", "items")}: ${where}. ${sample.length < items && `These ${sample.length} were drawn at random.`}</p>
    <ul class="sample">${sample.map(({ id, name, detail }) => {
      const item = view.samples.get(id);
      return html`<li><details><summary><bdi>${name}</bdi> <span class="soft">${detail}</span></summary>${item === undefined ? "" : itemBody(item)}</details></li>`;
    })}</ul>`,
  ];
}

/** The key of a choice: a and r where only one is accepted or rejected, c for a named industry, else its number. */
export function keyOf(choices: readonly Choice[], at: number): string {
  const choice = choices[at];
  const isOnly = choices.filter(({ action }) => action === choice?.action).length === 1;
  if (choice?.needs === "industry") return "c";
  if (isOnly && choice?.action === "accept") return "a";
  if (isOnly && choice?.action === "reject") return "r";
  return String(at + 1);
}

function choiceHtml({ label, needs, reasons, effect }: Choice, at: number, key: string): SafeHtml {
  return html`<div class="choice"><button type="button" data-choice="${at}" data-key="${key}"><kbd>${key}</kbd> ${label}</button>
    ${needs === "industry" && html`<label>Code <input data-value="${at}" list="industries" inputmode="numeric" maxlength="4" autocomplete="off"></label>`}
    ${reasons.length > 1 && html`<label>Reason <select data-reason="${at}">${reasons.map((reason) => html`<option value="${reason}">${words(reason)}</option>`)}</select></label>`}
    ${reasons.length === 1 && html`<input type="hidden" data-reason="${at}" value="${reasons[0] ?? ""}">`}
    <p class="soft">${effect}</p></div>`;
}

function words(code: string): string {
  return code.replaceAll(/[_-]/g, " ");
}
