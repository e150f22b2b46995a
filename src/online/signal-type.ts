import type { SignalType } from "../contract/enums.ts";

/** Hosts, and what having a page there is called. A subdomain counts as its host. */
const HOSTS: Readonly<Record<Exclude<SignalType, "website" | "other">, readonly string[]>> = {
  maps_listing: [
    "maps.app.goo.gl",
    "maps.apple.com",
    "maps.google.com",
    "here.com",
    "mapquest.com",
    "openstreetmap.org",
    "waze.com",
  ],
  social_profile: [
    "facebook.com",
    "instagram.com",
    "linkedin.com",
    "linktr.ee",
    "pinterest.com",
    "threads.net",
    "tiktok.com",
    "twitter.com",
    "vk.com",
    "x.com",
    "youtube.com",
  ],
  directory_listing: [
    "bbb.org",
    "doordash.com",
    "foursquare.com",
    "grubhub.com",
    "just-eat.com",
    "opentable.com",
    "skipthedishes.com",
    "tripadvisor.ca",
    "tripadvisor.com",
    "ubereats.com",
    "yellowpages.ca",
    "yellowpages.com",
    "yelp.ca",
    "yelp.com",
  ],
};

const MAPS_PATH = /^(www\.)?(google|bing)\.[a-z.]+\/maps(\/|$)/;

/** What kind of page an address is; undefined for a host of its own, which may be the website of the business. */
export function sharedHostType({ hostname, pathname }: URL): SignalType | undefined {
  if (MAPS_PATH.test(`${hostname}${pathname}`)) return "maps_listing";
  const host = `.${hostname}`;
  if (HOSTS.maps_listing.some((known) => host.endsWith(`.${known}`))) return "maps_listing";
  if (HOSTS.social_profile.some((known) => host.endsWith(`.${known}`))) return "social_profile";
  if (HOSTS.directory_listing.some((known) => host.endsWith(`.${known}`))) return "directory_listing";
  return undefined;
}
