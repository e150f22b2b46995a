/**
 * Pages behind emailed links: shows the subscription, and offers what can be done with it. The forms work without this script. The
 * element names the API address and has the labels of the codes.
 */

import type { SubscriptionView } from "../../contract/accounts/alerts.ts";
import { facts, make, only, sentence } from "./dom.ts";
import { ask, text } from "./json.ts";

type Subscription = SubscriptionView["subscription"];

interface Labels {
  readonly status: Readonly<Record<Subscription["status"], string>>;
  readonly channel: Readonly<Record<Subscription["channel"], string>>;
  readonly events: Readonly<Record<Subscription["event_types"][number], string>>;
  readonly thresholds: Readonly<Record<string, string>>;
}

const details = only(document, "[data-details]", HTMLElement);
const labels: Labels = JSON.parse(details.dataset["words"] ?? "{}");
const token = new URLSearchParams(location.search).get("token") ?? "";

/** Lists a subscription's settings for its owner. */
function subscriptionFacts(subscription: Subscription): HTMLElement {
  const { channel, scope, event_types, min_confidence } = subscription;
  return facts(
    ["Status", labels.status[subscription.status]],
    ["Sent", labels.channel[channel]],
    ["To", text(subscription.webhook_url ?? subscription.address)],
    ["About", scope.in_words],
    ["When", event_types.map((type) => labels.events[type]).join("; ")],
    ["How certain", thresholdLabel(min_confidence)],
  );
}

function thresholdLabel(value: number): string {
  return labels.thresholds[value] ?? `confidence ${value} or more`;
}

/** Shows what is chosen now. */
function fillIn(form: HTMLFormElement, { event_types, min_confidence }: Subscription): void {
  for (const box of form.querySelectorAll("input[type=checkbox]"))
    if (box instanceof HTMLInputElement) box.checked = event_types.some((type) => type === box.value);
  const threshold = only(form, "[name=min_confidence]", HTMLSelectElement);
  const value = String(min_confidence);
  if (![...threshold.options].some((option) => option.value === value))
    threshold.add(new Option(thresholdLabel(min_confidence), value));
  threshold.value = value;
}

/** An active subscription can be paused, a paused one resumed, and one that has ended neither changed nor ended. */
function offer({ status }: Subscription): void {
  for (const button of document.querySelectorAll("button[name=action]"))
    if (button instanceof HTMLButtonElement) button.hidden = !isOffered(button.value, status);
  const change = document.querySelector("#change");
  if (change instanceof HTMLElement) change.hidden = status === "unsubscribed";
}

function isOffered(action: string, status: Subscription["status"]): boolean {
  if (action === "pause") return status === "active";
  if (action === "resume") return status === "paused";
  return status !== "unsubscribed";
}

async function show(): Promise<void> {
  const address = `${details.dataset["details"] ?? ""}?token=${encodeURIComponent(token)}`;
  const answer = await ask<SubscriptionView>(address);
  if (!answer.isOk) return refuse(answer.error);
  const { subscription } = answer.body;
  const change = document.querySelector("#change");
  if (change instanceof HTMLFormElement) fillIn(change, subscription);
  offer(subscription);
  details.replaceChildren(subscriptionFacts(subscription));
  details.setAttribute("data-state", "shown");
}

/** Marks the page as broken, so the style sheet hides its buttons. */
function refuse(reason: string): void {
  const subscribe = make("a", "Subscribe");
  subscribe.setAttribute("href", "/alerts/");
  details.replaceChildren(make("p", sentence(reason)), make("p", subscribe));
  details.setAttribute("data-state", "refused");
}

if (token === "") refuse("the link is incomplete: open the link in the email again");
else void show();
