/**
 * The cast of the example world. All ids begin with `ex_`, which intake never issues; ZZ is a code that names no country
 * (ISO 3166-1, user-assigned), the numbers of the cities are beyond those of GeoNames, and the cities lie in the Pacific,
 * some 2,600 km from the nearest land.
 */

import type { GazetteerCity } from "../../src/contract/cities/city.ts";
import type { AssetType, SourceType } from "../../src/contract/enums.ts";
import type { IdentityBody, NamingBody } from "../../src/ledger/rows/rows.ts";

export interface Visits {
  readonly first: string; // date
  readonly every: number; // days
  readonly visits: number;
  readonly by: number; // so many of OBSERVERS, in turn
}

export interface Sign extends Visits {
  readonly id: string;
  readonly type: AssetType;
  readonly legibility?: number;
}

export interface Business {
  readonly id: string;
  readonly name: string;
  readonly city: ExampleCity;
  readonly industry: string | null;
  readonly industryMethod: NamingBody["industry_method"];
  readonly website: string | null;
  readonly signs: readonly Sign[];
}

export interface ExampleCity {
  readonly gazetteer: GazetteerCity;
  readonly radiusKm: number;
}

export interface Observer {
  readonly name: string;
  readonly source: SourceType;
}

export const OBSERVERS: readonly Observer[] = [
  { name: "scout 1", source: "scout" },
  { name: "scout 2", source: "scout" },
  { name: "camera 1", source: "fleet_cam" },
  { name: "scout 3", source: "scout" },
];

const EXAMPLEVILLE = city(1, "Exampleville", 48_000, { lat: -48.88, lng: -123.39 }, 4);
const EXAMPLEBURY = city(2, "Examplebury", 12_000, { lat: -48.6, lng: -123.1 }, 2);
const EXAMPLESTAD = city(3, "Examplestad", 31_000, { lat: -48.3, lng: -123.7 }, 2);

/** The cities that the service covers. */
export const CITIES: readonly ExampleCity[] = [EXAMPLEVILLE, EXAMPLEBURY];
export const GAZETTEER = [EXAMPLEVILLE, EXAMPLEBURY, EXAMPLESTAD].map(({ gazetteer }) => gazetteer);

/** Six of Exampleville are eligible for its ranking; the others still gather evidence, or are under review. */
export const BUSINESSES: readonly Business[] = [
  {
    ...shop("ex_bakery", "Example Bakery", "1071"),
    website: "https://bakery.example",
    signs: [
      {
        ...sign("ex_bakery", "storefront", { first: "2026-05-02", every: 7, visits: 8, by: 4 }),
        legibility: 0.92,
      },
      sign("ex_bakery", "vehicle_wrap", { first: "2026-06-05", every: 6, visits: 2, by: 3 }),
    ],
  },
  {
    ...shop("ex_plumber", "Example Plumber", "4322"),
    signs: [
      sign("ex_plumber", "vehicle_wrap", { first: "2026-03-03", every: 4, visits: 2, by: 2 }),
      sign("ex_plumber", "storefront", { first: "2026-04-09", every: 15, visits: 6, by: 3 }),
    ],
  },
  shop("ex_bookshop", "Example Bookshop", "4761", { first: "2026-04-03", every: 12, visits: 7, by: 3 }),
  shop("ex_barber", "Example Barber", "9621", { first: "2026-04-06", every: 9, visits: 5, by: 4 }),
  shop("ex_caterer", "Example Caterer", "5621", { first: "2026-04-11", every: 5, visits: 6, by: 3 }),
  shop("ex_toyshop", "Example Toyshop", "4763", { first: "2026-04-02", every: 18, visits: 5, by: 3 }),
  shop("ex_carpets", "Example Carpets", "4753", { first: "2026-05-06", every: 8, visits: 6, by: 3 }),
  {
    ...shop("ex_signmaker", "Example Signmaker", "1811", {
      first: "2026-05-12",
      every: 10,
      visits: 3,
      by: 2,
    }),
    industryMethod: "name_rule",
  },
  shop("ex_pharmacy", "Example Pharmacy", "4772", { first: "2026-05-20", every: 9, visits: 3, by: 2 }),
  shop("ex_hardware", "Example Hardware", "4752", { first: "2026-04-15", every: 20, visits: 3, by: 2 }),
  shop("ex_furniture", "Example Furniture", "3101", { first: "2026-05-15", every: 14, visits: 3, by: 3 }),
  shop("ex_bicycles", "Example Bicycles", "4762", { first: "2026-06-22", every: 2, visits: 2, by: 2 }),
  {
    ...shop("ex_builder", "Example Builder", "4100"),
    signs: [sign("ex_builder", "site_sign", { first: "2026-06-01", every: 6, visits: 3, by: 2 })],
  },
  {
    ...shop("ex_market", "Example Market", "4721"),
    signs: [sign("ex_market", "temp_sign", { first: "2026-06-06", every: 7, visits: 2, by: 2 })],
  },
  {
    ...shop("ex_daughters", "Example & Daughters", null, {
      first: "2026-06-14",
      every: 15,
      visits: 2,
      by: 1,
    }),
    industryMethod: "unclassified",
  },
  {
    ...shop("ex_ferry", "Example Ferry", "5011", { first: "2026-05-22", every: 6, visits: 4, by: 2 }),
    city: EXAMPLEBURY,
  },
];

/** The reviewed identity of the bakery. */
export const BAKERY_IDENTITY: Omit<IdentityBody, "record"> = {
  brand: { public_id: "ex_bakery_brand", name: "Example Bakery", canonical_domain: "bakery.example" },
  organizations: [
    {
      relationship_type: "operating_organization",
      public_id: "ex_bakery_company",
      name: "Example Bakery Company",
      organization_type: "company",
      canonical_domain: "bakery.example",
    },
  ],
  same_as: ["https://social.example/bakery"],
  scope: "local_independent",
};

function city(
  serial: number,
  name: string,
  population: number,
  place: { readonly lat: number; readonly lng: number },
  radiusKm: number,
): ExampleCity {
  const region = {
    region: "Example Region",
    regionCode: "EX",
    countryCode: "ZZ",
    countryName: "Exampleland",
  };
  const gazetteer = {
    geonameId: 999_000_000 + serial,
    name,
    asciiName: name,
    ...region,
    population,
    ...place,
  };
  return { gazetteer, radiusKm };
}

function shop(id: string, name: string, industry: string | null, storefront?: Visits): Business {
  const signs = storefront === undefined ? [] : [sign(id, "storefront", storefront)];
  return { id, name, city: EXAMPLEVILLE, industry, industryMethod: "declared", website: null, signs };
}

function sign(business: string, type: AssetType, visits: Visits): Sign {
  return { id: `${business}_${type}`, type, ...visits };
}
