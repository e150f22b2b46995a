import { newPublicId } from "../kernel/ids.ts";
import { type SeededNumbers, seededBytes } from "../kernel/seeded.ts";
import type { IdentityBody } from "../ledger/rows/rows.ts";
import type { Business } from "./businesses.ts";

/** A reviewed identity: a brand, and the invented company that operates it. */
export function identityOf(business: Business, numbers: SeededNumbers): Omit<IdentityBody, "record"> {
  const { name, city, assets } = business;
  const random = seededBytes(`identity of ${name} in ${city.slug}`);
  const host = new URL(business.website ?? `https://${newPublicId("brand", random).slice(6, 14)}.example`)
    .host;
  const domain = host.replace(/^www\./, "");
  const organization = {
    relationship_type: "operating_organization",
    public_id: newPublicId("org", random),
    name: `${name.slice(0, 80)} Holding`,
    organization_type: "company",
    canonical_domain: domain,
  };
  return {
    brand: { public_id: newPublicId("brand", random), name, canonical_domain: domain },
    organizations: numbers.chance(0.7) ? [organization] : [],
    same_as: numbers.chance(0.6) ? [`https://social.example/${domain.replaceAll(".", "-")}`] : [],
    scope:
      assets.filter(({ type }) => type === "storefront").length > 1 ? "local_chain" : "local_independent",
  };
}
