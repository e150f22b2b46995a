/** Suggests records while typing a name. Without a response, the form works as without this script. */

import type { IndustryOptionsResponse } from "../../contract/cities/industry.ts";
import type { EntitySummary } from "../../contract/records/entity.ts";
import type { SearchResponse } from "../../contract/records/search.ts";
import { Combobox, type Option } from "./combobox.ts";
import { make } from "./dom.ts";
import { ask } from "./json.ts";
import { isEnough, matchIn } from "./name-match.ts";

const SHOWN = 8;
const WAIT_MS = 150;

for (const input of document.querySelectorAll("form.site-search input[name=name]"))
  if (input instanceof HTMLInputElement && input.form !== null) suggest(input, input.form);

function suggest(input: HTMLInputElement, form: HTMLFormElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;
  const box = new Combobox(input, form, () => void show());
  const fold = form.closest("details"); // of the header, on a phone
  fold?.addEventListener("toggle", () => fold.open && input.focus({ preventScroll: true }));

  async function show(): Promise<void> {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const name = input.value.trim();
    if (!isEnough(name)) return box.close();
    const query = new URLSearchParams({ name, limit: String(SHOWN) });
    const answer = await ask<SearchResponse>(`/api/v1/search?${query}`, { cache: "default", signal });
    if (signal.aborted) return;
    if (!answer.isOk) return box.close();
    const options = await optionsOf(answer.body.results, name);
    if (signal.aborted) return;
    if (document.activeElement !== input) box.close();
    else box.open([...options, allOf(form, name)], countText(options.length));
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void show(), WAIT_MS);
  });
}

async function optionsOf(records: readonly EntitySummary[], written: string): Promise<Option[]> {
  const titles = records.length > 0 ? await divisionTitles() : new Map<string, string>();
  return records.map((record) => optionOf(record, written, titles));
}

function optionOf(record: EntitySummary, written: string, titles: ReadonlyMap<string, string>): Option {
  const { name } = record;
  const [start, end] = matchIn(name, written) ?? [0, 0];
  const label = make("bdi", name.slice(0, start), make("mark", name.slice(start, end)), name.slice(end));
  label.translate = false;
  const industry = titles.get(record.industry?.slice(0, 2) ?? "");
  const place = record.city === null ? [] : [make("bdi", record.city)];
  const under = make(
    "span",
    ...place,
    industry === undefined ? "" : `${place.length > 0 ? " · " : ""}${industry}`,
  );
  under.className = "under";
  return { content: [label, under], href: `/record/${encodeURIComponent(record.public_id)}/` };
}

function allOf(form: HTMLFormElement, name: string): Option {
  const written = make("bdi", name);
  written.translate = false;
  const url = new URL(form.action);
  url.searchParams.set("name", name);
  return { content: ["All results for “", written, "”"], href: url.href };
}

function countText(records: number): string {
  if (records === 0) return "No matching record.";
  return `${records} ${records === 1 ? "record" : "records"}. Use the up and down arrow keys to choose.`;
}

/** Industry titles by two-digit code, fetched once; empty without a response. */
let titles: Promise<ReadonlyMap<string, string>> | undefined;

function divisionTitles(): Promise<ReadonlyMap<string, string>> {
  titles ??= ask<IndustryOptionsResponse>("/api/v1/taxonomy/industries?level=division", {
    cache: "default",
  }).then(
    (answer) => new Map(answer.isOk ? answer.body.industries.map(({ code, title }) => [code, title]) : []),
  );
  return titles;
}
