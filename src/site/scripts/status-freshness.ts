/** The page /status/ is a file, so the reader's clock decides whether the next release is late. */

import type { StatusResponse } from "../../contract/service/status.ts";
import { type LatenessLevel, releaseLateness } from "../../kernel/release-lateness.ts";
import { dayText } from "../../kernel/time.ts";
import { make } from "./dom.ts";
import { ask } from "./json.ts";

const WORDS: Readonly<Record<Exclude<LatenessLevel, "on_time">, readonly [tag: string, meaning: string]>> = {
  late: ["late", "the next release is overdue"],
  stale: ["stale", "the next release is days late, so the published data is old"],
};

function timeOf(element: Element, name: string): number {
  return Date.parse(element.getAttribute(name) ?? "");
}

function showLateness(freshness: Element, now: number): void {
  const { level, lateSince } = releaseLateness(
    {
      nextReleaseDue: timeOf(freshness, "data-next-release-due"),
      graceSeconds: Number(freshness.getAttribute("data-grace-seconds")),
      staleAfterSeconds: Number(freshness.getAttribute("data-stale-after-seconds")),
    },
    now,
  );
  if (level === "on_time" || lateSince === undefined) return;
  const [word, meaning] = WORDS[level];
  const tag = make("strong", word);
  tag.className = "tag warn";
  const since = new Date(lateSince).toISOString();
  const note = make(
    "p",
    tag,
    ` By your clock, ${meaning} (late since ${dayText(since)}, ${since.slice(11, 16)} UTC).`,
  );
  note.id = "lateness";
  freshness.after(note);
  void addReview(tag, word);
}

/** The server alone knows that the late release is under review. */
async function addReview(tag: HTMLElement, word: string): Promise<void> {
  const answer = await ask<StatusResponse>("/api/v1/status");
  if (answer.isOk && answer.body.under_review) tag.textContent = `${word}, under review`;
}

const freshness = document.querySelector("#freshness[data-next-release-due]");
if (freshness !== null) showLateness(freshness, Date.now());
